//! Groups that lost what they were to read.

use crate::model::GroupType;
use crate::model::Status;
use crate::sim::model::Model;
use crate::sim::model::NoSuch;

use super::Story;
use super::Truth;
use super::build::HOUR;
use super::build::MINUTE;
use super::build::SECOND;
use super::build::brisk;
use super::build::feed;
use super::build::join;
use super::build::read;

pub(super) const LOST_RECORDS: Story = Story {
    name: "lost-records",
    group: "audit-archiver",
    look_at: "audit-archiver is slower than the retention of audit-log: records are deleted before it reads them; status lost.",
    truths: &[
        Truth::Status(Status::Lost),
        Truth::Members(1),
        Truth::Lost("audit-log", 100_000),
        Truth::LagSeconds("audit-log", 598, 612),
    ],
    tell: |model| {
        feed(model, "audit-log", 2, 100)?;
        model.set_config("audit-log", "retention.ms", Some("600000"))?;
        join(model, "audit-archiver", "audit-log", 1);
        start_before_retention(model)
    },
};

/// The archiver began an hour ago from what was there then, which retention has taken since.
fn start_before_retention(model: &mut Model) -> Result<(), NoSuch> {
    for partition in 0..2 {
        let kept = model.offset_of("audit-log", partition, 10 * MINUTE)?;
        // Fifty minutes of about 100 a second ago.
        model.commit("audit-archiver", "audit-log", partition, (kept - 300_000).max(0));
    }
    let slow = brisk().at_most(40, SECOND);
    let then = model.now() - 3_600_000;
    model.read_since("audit-archiver", "audit-log", &[0, 1], (slow, then))
}

pub(super) const DELETED_TOPIC: Story = Story {
    name: "deleted-topic",
    group: "shipping",
    look_at: "shipping still has commits on parcels-v1, which is deleted: counted as unreadable, never as lag; parcels-v2 is fine.",
    truths: &[
        Truth::State(&["Stable"]),
        Truth::Members(2),
        Truth::Lag("parcels-v2", 0, 200),
        Truth::NoLag("parcels-v1"),
        Truth::TopicGone("parcels-v1"),
    ],
    tell: |model| {
        feed(model, "parcels-v2", 4, 20)?;
        join(model, "shipping", "parcels-v2", 2);
        read(model, "shipping", ("parcels-v2", 4), brisk(), HOUR)?;
        model.create_topic("parcels-v1", 2);
        for partition in 0..2 {
            model.fill("parcels-v1", partition, (0, 10_000), 20 * HOUR)?;
            model.commit("shipping", "parcels-v1", partition, 9_000);
        }
        model.delete_topic_leaving_commits("parcels-v1")
    },
};

pub(super) const MADE_ANEW: Story = Story {
    name: "made-anew",
    group: "stock-sync",
    look_at: "stock-levels was deleted and made anew: stock-sync's commit lies beyond the end of the new log; status ahead.",
    truths: &[
        Truth::Status(Status::Ahead),
        Truth::State(&["Empty"]),
        Truth::Ahead("stock-levels", 0, 49_000),
        Truth::Lag("stock-levels", 0, 0),
    ],
    tell: |model| {
        model.create_topic("stock-levels", 1);
        model.fill("stock-levels", 0, (0, 1_000), HOUR)?;
        model.create_group("stock-sync", GroupType::Classic);
        model.commit("stock-sync", "stock-levels", 0, 50_000);
        Ok(())
    },
};
