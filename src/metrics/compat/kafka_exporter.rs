//! The names of kafka_exporter, which Strimzi's dashboards and alerts use too.

use super::Owner;
use super::Source;
use super::Words;
use crate::metrics::catalog::Family;
use crate::metrics::catalog::Values;
use crate::metrics::number::Value;

const WORDS: Words = Words {
    cluster: None,
    group: "consumergroup",
    topic: "topic",
    partition: "partition",
};

const fn family(name: &'static str, help: &'static str, source: Source) -> Family {
    Family::new(name, help, Values::Other(&WORDS, source)).only_if(|cluster| cluster.compatibility.kafka_exporter)
}

pub(super) const FAMILIES: &[Family] = &[
    family(
        "kafka_brokers",
        "Brokers of the cluster, as kafka_exporter calls it.",
        Source::Cluster(|it| it.brokers.map(Value::from)),
    ),
    family(
        "kafka_topic_partitions",
        "Partitions of the topic, as kafka_exporter calls it.",
        Source::Topic(|it| Some(Value::from(it.partition_count))),
    ),
    family(
        "kafka_topic_partition_current_offset",
        "High watermark, as kafka_exporter calls it.",
        Source::Log(|it| it.end.map(Value::from)),
    ),
    family(
        "kafka_topic_partition_oldest_offset",
        "Log start, as kafka_exporter calls it.",
        Source::Log(|it| it.start.map(Value::from)),
    ),
    family(
        "kafka_topic_partition_leader",
        "Id of the leader, as kafka_exporter calls it; absent while there is none.",
        Source::Replicas(|it| it.leader.and_then(|leader| Value::id(leader.0))),
    ),
    family(
        "kafka_topic_partition_replicas",
        "Replicas that there should be, as kafka_exporter calls it.",
        Source::Replicas(|it| Some(Value::from(u32::from(it.replicas)))),
    ),
    family(
        "kafka_topic_partition_in_sync_replica",
        "Replicas in sync, as kafka_exporter calls it.",
        Source::Replicas(|it| Some(Value::from(u32::from(it.in_sync)))),
    ),
    family(
        "kafka_topic_partition_under_replicated_partition",
        "1 where fewer replicas are in sync than there should be, else 0, as kafka_exporter calls it.",
        Source::Replicas(|it| Some(Value::from(u32::from(it.in_sync < it.replicas)))),
    ),
    family(
        "kafka_consumergroup_current_offset",
        "Committed offset, as kafka_exporter calls it; absent without a commit.",
        Source::Partition(|it| it.committed.map(Value::from), Owner::Unnamed),
    ),
    family(
        "kafka_consumergroup_lag",
        "Lag in records, as kafka_exporter calls it; absent without a commit, and never below 0.",
        Source::Partition(|it| it.lag().map(Value::from), Owner::Unnamed),
    ),
    family(
        "kafka_consumergroup_current_offset_sum",
        "Sum of the committed offsets of the topic, as kafka_exporter calls it.",
        Source::GroupTopic(super::committed_sum),
    ),
    family(
        "kafka_consumergroup_lag_sum",
        "Sum of the lag of the topic, as kafka_exporter calls it; absent while something of it is unreadable.",
        Source::GroupTopic(|it| it.lag.map(Value::Count)),
    ),
    family(
        "kafka_consumergroup_members",
        "Members of the group, as kafka_exporter calls it.",
        Source::Group(super::members),
    ),
];
