//! The names of KMinion.

use super::Owner;
use super::Source;
use super::Words;
use crate::metrics::catalog::Emit;
use crate::metrics::catalog::Family;
use crate::metrics::catalog::Values;
use crate::metrics::number::Value;
use crate::model::GroupState;
use crate::model::GroupType;
use crate::model::Offset;
use crate::snapshot::GroupView;
use crate::snapshot::TopicPartitionView;
use crate::snapshot::TopicView;

const WORDS: Words = Words {
    cluster: None,
    group: "group_id",
    topic: "topic_name",
    partition: "partition_id",
};

const fn family(name: &'static str, help: &'static str, source: Source) -> Family {
    Family::new(name, help, Values::Other(&WORDS, source)).only_if(|cluster| cluster.compatibility.kminion)
}

pub(super) const FAMILIES: &[Family] = &[
    family(
        "kminion_kafka_topic_info",
        "1; partitions, replicas and cleanup policy of the topic, as KMinion calls it.",
        Source::TopicWith(&["cleanup_policy", "partition_count", "replication_factor"], topic_info),
    ),
    family(
        "kminion_kafka_topic_partition_high_water_mark",
        "High watermark, as KMinion calls it.",
        Source::Log(|it| it.end.map(Value::from)),
    ),
    family(
        "kminion_kafka_topic_partition_low_water_mark",
        "Log start, as KMinion calls it.",
        Source::Log(|it| it.start.map(Value::from)),
    ),
    family(
        "kminion_kafka_topic_high_water_mark_sum",
        "Sum of the high watermarks of the topic, as KMinion calls it; absent while one is unreadable.",
        Source::Topic(|it| sum(it, |log| log.end)),
    ),
    family(
        "kminion_kafka_topic_low_water_mark_sum",
        "Sum of the log starts of the topic, as KMinion calls it; absent while one is unreadable.",
        Source::Topic(|it| sum(it, |log| log.start)),
    ),
    family(
        "kminion_kafka_consumer_group_info",
        "1 while the group is stable, else 0; its state, coordinator and protocol, as KMinion calls it.",
        Source::GroupWith(&["coordinator_id", "protocol", "protocol_type", "state"], group_info),
    ),
    family(
        "kminion_kafka_consumer_group_members",
        "Members of the group, as KMinion calls it.",
        Source::Group(super::members),
    ),
    family(
        "kminion_kafka_consumer_group_empty_members",
        "Members without a partition, as KMinion calls it.",
        Source::Group(|it| it.members.as_ref()?.idle.map(Value::from)),
    ),
    family(
        "kminion_kafka_consumer_group_topic_assigned_partitions",
        "Partitions of the topic that are assigned to a member, as KMinion calls it.",
        Source::GroupTopic(|it| it.assigned_partitions.map(Value::from)),
    ),
    family(
        "kminion_kafka_consumer_group_topic_offset_sum",
        "Sum of the committed offsets of the topic, as KMinion calls it.",
        Source::GroupTopic(super::committed_sum),
    ),
    family(
        "kminion_kafka_consumer_group_topic_partition_lag",
        "Lag in records, as KMinion calls it.",
        Source::Partition(|it| it.lag().map(Value::from), Owner::Unnamed),
    ),
    family(
        "kminion_kafka_consumer_group_topic_lag",
        "Sum of the lag of the topic, as KMinion calls it; absent while something of it is unreadable.",
        Source::GroupTopic(|it| it.lag.map(Value::Count)),
    ),
];

/// Of every partition that the metadata names, or of none.
fn sum(topic: &TopicView, offset: fn(&TopicPartitionView) -> Option<Offset>) -> Option<Value> {
    let whole = topic.partitions.len() == topic.replication.len();
    let offsets: Option<Vec<Offset>> = topic.partitions.iter().map(offset).collect();
    let sum = offsets.filter(|_| whole)?;
    Some(Value::Count(
        sum.iter().map(|offset| u128::from(offset.get().unsigned_abs())).sum(),
    ))
}

fn topic_info(topic: &TopicView, emit: Emit<'_>) {
    let replicas = topic.replication.iter().map(|it| it.replicas).max();
    let labels = [
        ("cleanup_policy", topic.cleanup_policy.as_deref().unwrap_or_default()),
        ("partition_count", &topic.partition_count.to_string()),
        ("replication_factor", &replicas.unwrap_or(0).to_string()),
    ];
    emit(&labels, Value::Count(1));
}

fn group_info(group: &GroupView, emit: Emit<'_>) {
    let (Some(state), Some(coordinator)) = (&group.state, group.coordinator) else {
        return;
    };
    let protocol_type = match group.kind {
        GroupType::Connect => "connect",
        GroupType::Simple => "",
        _ => "consumer",
    };
    let labels = [
        ("coordinator_id", &*coordinator.0.to_string()),
        ("protocol", &group.protocol),
        ("protocol_type", protocol_type),
        ("state", &state.to_string()),
    ];
    emit(&labels, Value::from(u32::from(*state == GroupState::Stable)));
}
