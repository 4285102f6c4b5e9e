//! Groups that read on.

use std::time::Duration;

use crate::model::Status;
use crate::sim::model::Model;
use crate::sim::model::NoSuch;
use crate::sim::model::Pace;
use crate::sim::model::Rebalances;

use super::Story;
use super::Truth;
use super::build::HOUR;
use super::build::MINUTE;
use super::build::SECOND;
use super::build::brisk;
use super::build::feed;
use super::build::join;
use super::build::read;

pub(super) const STEADY: Story = Story {
    name: "steady",
    group: "checkout",
    look_at: "checkout reads orders as fast as they come: lag of a few records and well below a second or two, status ok.",
    truths: &[
        Truth::Status(Status::Ok),
        Truth::State(&["Stable"]),
        Truth::Type("classic"),
        Truth::Members(3),
        Truth::Lag("orders", 0, 400),
        Truth::LagSeconds("orders", 0, 3),
    ],
    tell: |model| {
        feed(model, "orders", 6, 40)?;
        join(model, "checkout", "orders", 3);
        read(model, "checkout", ("orders", 6), brisk(), HOUR)
    },
};

pub(super) const FALLING_BEHIND: Story = Story {
    name: "falling-behind",
    group: "clickstream-enricher",
    look_at: "clickstream-enricher commits all the time, and yet its lag only grows: the producer of clicks is faster; status behind.",
    truths: &[
        Truth::Status(Status::Behind),
        Truth::Members(2),
        Truth::Lag("clicks", 300_000, 1_300_000),
        Truth::LagSeconds("clicks", 500, 1_200),
        Truth::LagGrows("clicks"),
    ],
    tell: |model| {
        feed(model, "clicks", 4, 200)?;
        join(model, "clickstream-enricher", "clicks", 2);
        let pace = brisk().at_most(80, SECOND);
        read(model, "clickstream-enricher", ("clicks", 4), pace, 20 * MINUTE)
    },
};

pub(super) const REBALANCING: Story = Story {
    name: "rebalancing",
    group: "notifications",
    look_at: "notifications rebalances every half minute: watch its state, and lag that grows while nobody reads and is read off again.",
    truths: &[
        Truth::State(&["Stable", "PreparingRebalance"]),
        Truth::Members(3),
        Truth::Lag("notices", 0, 4_000),
        Truth::LagSeconds("notices", 0, 14),
    ],
    tell: |model| {
        feed(model, "notices", 6, 30)?;
        join(model, "notifications", "notices", 3);
        read(model, "notifications", ("notices", 6), brisk(), HOUR)?;
        let rebalances = Rebalances::every(30 * SECOND, Duration::from_secs(10));
        model.set_rebalances("notifications", Some(rebalances))
    },
};

pub(super) const IDLE_MEMBERS: Story = Story {
    name: "idle-members",
    group: "thumbnails",
    look_at: "thumbnails runs five members on three partitions: two of them have nothing to do.",
    truths: &[
        Truth::Status(Status::Ok),
        Truth::State(&["Stable"]),
        Truth::Members(5),
        Truth::IdleMembers(2),
        Truth::Lag("images", 0, 60),
    ],
    tell: tell_idle_members,
};

fn tell_idle_members(model: &mut Model) -> Result<(), NoSuch> {
    feed(model, "images", 3, 10)?;
    join(model, "thumbnails", "images", 5);
    read(model, "thumbnails", ("images", 3), Pace::keeping_up(SECOND), HOUR)
}
