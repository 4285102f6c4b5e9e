//! Groups that stand still.

use crate::model::GroupType;
use crate::model::Status;
use crate::sim::model::Member;
use crate::sim::model::Model;
use crate::sim::model::NoSuch;

use super::Story;
use super::Truth;
use super::build::HOUR;
use super::build::MINUTE;
use super::build::brisk;
use super::build::commit_of;
use super::build::feed;
use super::build::join;
use super::build::read;

/// The partition that nobody reads on, of twelve.
const STUCK: i32 = 7;

pub(super) const STUCK_PARTITION: Story = Story {
    name: "stuck-partition",
    group: "payments",
    look_at: "payments looks alive, but partition 7 of transfers has an owner that has not committed for 14 minutes: status stalled.",
    truths: &[
        Truth::Status(Status::Stalled),
        Truth::PartitionStatus("transfers", STUCK, Status::Stalled),
        Truth::PartitionStatus("transfers", 0, Status::Ok),
        Truth::State(&["Stable"]),
        Truth::Members(3),
        Truth::Lag("transfers", 14_000, 30_000),
        Truth::LagSeconds("transfers", 839, 1_145),
        Truth::LagGrows("transfers"),
    ],
    tell: |model| {
        feed(model, "transfers", 12, 20)?;
        join(model, "payments", "transfers", 3);
        read(model, "payments", ("transfers", 12), brisk(), HOUR)?;
        commit_of(model, "payments", ("transfers", STUCK), 14 * MINUTE)
    },
};

pub(super) const STOPPED: Story = Story {
    name: "stopped",
    group: "invoice-mailer",
    look_at: "invoice-mailer has no members since 25 minutes, and invoices keep coming: status stopped.",
    truths: &[
        Truth::Status(Status::Stopped),
        Truth::State(&["Empty"]),
        Truth::Members(0),
        Truth::LagSeconds("invoices", 1_499, 1_805),
        Truth::LagGrows("invoices"),
    ],
    tell: |model| {
        feed(model, "invoices", 3, 5)?;
        model.create_group("invoice-mailer", GroupType::Classic);
        (0..3).try_for_each(|partition| commit_of(model, "invoice-mailer", ("invoices", partition), 25 * MINUTE))
    },
};

pub(super) const EMPTY: Story = Story {
    name: "empty",
    group: "one-off-import",
    look_at: "one-off-import has done its work and left: no members, no lag, and nothing wrong with that.",
    truths: &[
        Truth::Status(Status::Ok),
        Truth::State(&["Empty"]),
        Truth::Members(0),
        Truth::Lag("imports", 0, 0),
        Truth::LagSeconds("imports", 0, 0),
    ],
    tell: |model| {
        model.create_topic("imports", 2);
        model.create_group("one-off-import", GroupType::Classic);
        for partition in 0..2 {
            model.fill("imports", partition, (0, 50_000), 6 * HOUR)?;
            model.commit("one-off-import", "imports", partition, 50_000);
        }
        Ok(())
    },
};

pub(super) const DORMANT: Story = Story {
    name: "dormant",
    group: "old-dashboard",
    look_at: "old-dashboard was switched off nine days ago and never deleted: status dormant, so that it alarms nobody.",
    truths: &[
        Truth::Status(Status::Dormant),
        Truth::State(&["Empty"]),
        Truth::Members(0),
        Truth::Lag("page-views", 80_000, 100_000),
        Truth::LagSeconds("page-views", 9 * 86_400 - 60, 9 * 86_400 + 400),
    ],
    tell: |model| {
        model.create_topic("page-views", 1);
        model.fill("page-views", 0, (0, 120_000), 288 * HOUR)?;
        model.create_group("old-dashboard", GroupType::Classic);
        commit_of(model, "old-dashboard", ("page-views", 0), 216 * HOUR)
    },
};

pub(super) const NEVER_COMMITTED: Story = Story {
    name: "never-committed",
    group: "fraud-check",
    look_at: "fraud-check owns two partitions of logins and has never committed: no lag can be told, status uncommitted.",
    truths: &[
        Truth::Status(Status::Uncommitted),
        Truth::State(&["Stable"]),
        Truth::Members(1),
        Truth::NoLag("logins"),
        Truth::Uncommitted("logins", 2),
    ],
    tell: tell_never_committed,
};

/// The partition whose transaction nobody ends.
const HANGING: i32 = 2;

pub(super) const HANGING_TRANSACTION: Story = Story {
    name: "hanging-transaction",
    group: "settlement",
    look_at: "settlement has waited on partition 2 of bookings for 40 minutes, where a transaction hangs: status ok, the topic is named.",
    truths: &[
        Truth::Status(Status::Ok),
        Truth::PartitionStatus("bookings", HANGING, Status::Ok),
        Truth::State(&["Stable"]),
        Truth::Members(2),
        Truth::Lag("bookings", 20_000, 32_000),
        Truth::LagSeconds("bookings", 2_399, 2_705),
        Truth::LagGrows("bookings"),
        Truth::OpenTransaction("bookings", HANGING, 20_000),
    ],
    tell: |model| {
        feed(model, "bookings", 4, 10)?;
        join(model, "settlement", "bookings", 2);
        read(model, "settlement", ("bookings", 4), brisk(), HOUR)?;
        model.hang_transaction("bookings", HANGING, 40 * MINUTE)?;
        commit_of(model, "settlement", ("bookings", HANGING), 40 * MINUTE)
    },
};

fn tell_never_committed(model: &mut Model) -> Result<(), NoSuch> {
    feed(model, "logins", 2, 15)?;
    model.join("fraud-check", Member::new("fraud-check-1").subscribed(&["logins"]));
    Ok(())
}
