//! Families of share groups (KIP-932), apart from those of committed offsets; and of streams groups.

use super::Family;
use super::Values;
use crate::metrics::number::Value;
use crate::model::LagTime;
use crate::snapshot::GroupView;
use crate::snapshot::TimeView;

pub(super) const FAMILIES: &[Family] = &[
    Family::new(
        "kafka_share_group_partition_lag_records",
        "Records of the partition that the share group is not done with: the broker's own count where it gives one (Kafka 4.2), else log end minus the later of start offset and log start.",
        Values::SharePartition(|it, share| share.lag(it).map(Value::from)),
    )
    .only_if(|cluster| cluster.partition_families.lag_records),
    Family::new(
        "kafka_share_group_partition_lag_seconds",
        "Age of the oldest record of the partition that the share group is not done with; absent when it cannot be told.",
        Values::SharePartition(|it, _| match it.time {
            TimeView::Known(time) => Some(Value::Millis(time.age_ms)),
            TimeView::Absent | TimeView::Unknown(_) => None,
        }),
    )
    .only_if(|cluster| cluster.partition_families.lag_seconds),
    Family::new(
        "kafka_share_group_partition_start_offset",
        "The first record that may still be delivered to the share group; absent while it has not begun on the partition.",
        Values::SharePartition(|it, _| it.committed.map(Value::from)),
    )
    .only_if(|cluster| cluster.partition_families.committed_offset),
    Family::new(
        "kafka_share_group_topic_lag_records",
        "Sum over the partitions of the topic; absent while one on which the group has begun is unreadable.",
        Values::ShareTopic(|it| it.lag.map(Value::Count)),
    ),
    Family::new(
        "kafka_share_group_topic_lag_seconds",
        "The greatest lag in seconds of the partitions of the topic that have one.",
        Values::ShareTopic(|it| it.lag_time.map(|time| Value::Millis(time.age_ms))),
    ),
    Family::new(
        "kafka_share_group_lag_records",
        "Sum over the topics of the share group; absent while an existing topic on which it has begun has none.",
        Values::Group(|it| it.share.as_ref()?.lag.map(Value::Count)),
    ),
    Family::new(
        "kafka_share_group_lag_seconds",
        "The greatest lag in seconds of the share group's partitions.",
        Values::Group(|it| slowest(it).map(|time| Value::Millis(time.age_ms))),
    ),
    Family::new(
        "kafka_streams_group_topology_epoch",
        "Epoch of the topology of a streams group.",
        Values::Group(|it| it.epochs?.topology.and_then(Value::id)),
    ),
    Family::new(
        "kafka_streams_group_tasks",
        "Tasks of the members of a streams group: active ones process, standby ones follow changelogs, warmup ones catch up before they become active.",
        Values::GroupWith(&["role"], |_, it, emit| {
            if let Some(tasks) = it.members.as_ref().and_then(|members| members.tasks) {
                emit(&[("role", "active")], Value::from(tasks.active));
                emit(&[("role", "standby")], Value::from(tasks.standby));
                emit(&[("role", "warmup")], Value::from(tasks.warmup));
            }
        }),
    ),
];

fn slowest(group: &GroupView) -> Option<LagTime> {
    group.share.as_ref()?.lag_time()
}
