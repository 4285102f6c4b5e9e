//! Groups of other types.

use crate::model::GroupType;
use crate::model::Status;

use super::Story;
use super::Truth;
use super::build::HOUR;
use super::build::brisk;
use super::build::feed;
use super::build::join;
use super::build::read;

pub(super) const KIP_848: Story = Story {
    name: "kip-848",
    group: "search-indexer",
    look_at: "search-indexer speaks the new protocol of Kafka 4 (KIP-848): type consumer, with epochs and its members like any other.",
    truths: &[
        Truth::Status(Status::Ok),
        Truth::State(&["Stable"]),
        Truth::Type("consumer"),
        Truth::Members(4),
        Truth::Lag("documents", 0, 400),
    ],
    tell: |model| {
        feed(model, "documents", 8, 25)?;
        model.create_group("search-indexer", GroupType::Consumer);
        join(model, "search-indexer", "documents", 4);
        read(model, "search-indexer", ("documents", 8), brisk(), HOUR)
    },
};

pub(super) const SIMPLE: Story = Story {
    name: "simple",
    group: "flink-savepoints",
    look_at: "flink-savepoints only commits, without ever joining: type simple, no members, and its commits move.",
    truths: &[
        Truth::Status(Status::Ok),
        Truth::State(&["Empty"]),
        Truth::Type("simple"),
        Truth::Members(0),
        Truth::Lag("sensor-data", 0, 250),
    ],
    tell: |model| {
        feed(model, "sensor-data", 2, 50)?;
        model.create_group("flink-savepoints", GroupType::Simple);
        read(model, "flink-savepoints", ("sensor-data", 2), brisk(), HOUR)
    },
};

pub(super) const SHARE: Story = Story {
    name: "share",
    group: "email-workers",
    look_at: "email-workers is a share group: its members share partitions, and its lag counts from a start offset, apart from commits.",
    truths: &[
        Truth::State(&["Stable"]),
        Truth::Type("share"),
        Truth::Members(2),
        Truth::NoLag("emails"),
        Truth::ShareLag("emails", 0, 60),
    ],
    tell: |model| {
        feed(model, "emails", 2, 10)?;
        model.create_group("email-workers", GroupType::Share);
        join(model, "email-workers", "emails", 2);
        // Of a share group these are start offsets.
        read(model, "email-workers", ("emails", 2), brisk(), HOUR)
    },
};
