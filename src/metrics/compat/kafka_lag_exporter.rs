//! The names of kafka-lag-exporter, which klag-exporter took over.

use super::Owner;
use super::Source;
use super::Words;
use crate::metrics::catalog::Family;
use crate::metrics::catalog::Values;
use crate::metrics::number::Value;
use crate::snapshot::PartitionView;
use crate::snapshot::TimeView;

const WORDS: Words = Words {
    cluster: Some("cluster_name"),
    group: "group",
    topic: "topic",
    partition: "partition",
};

const fn family(name: &'static str, help: &'static str, source: Source) -> Family {
    Family::new(name, help, Values::Other(&WORDS, source)).only_if(|cluster| cluster.compatibility.kafka_lag_exporter)
}

pub(super) const FAMILIES: &[Family] = &[
    family(
        "kafka_partition_latest_offset",
        "High watermark, as kafka-lag-exporter calls it.",
        Source::Log(|it| it.end.map(Value::from)),
    ),
    family(
        "kafka_partition_earliest_offset",
        "Log start, as kafka-lag-exporter calls it.",
        Source::Log(|it| it.start.map(Value::from)),
    ),
    family(
        "kafka_consumergroup_group_offset",
        "Committed offset, as kafka-lag-exporter calls it; absent without a commit.",
        Source::Partition(|it| it.committed.map(Value::from), Owner::Named),
    ),
    family(
        "kafka_consumergroup_group_lag",
        "Lag in records, as kafka-lag-exporter calls it; absent without a commit.",
        Source::Partition(|it| it.lag().map(Value::from), Owner::Named),
    ),
    family(
        "kafka_consumergroup_group_lag_seconds",
        "Lag in seconds, as kafka-lag-exporter calls it; absent when it cannot be told.",
        Source::Partition(seconds, Owner::Named),
    ),
    family(
        "kafka_consumergroup_group_max_lag",
        "Greatest lag of the group's partitions, as kafka-lag-exporter calls it.",
        Source::Group(|it| {
            let partitions = it.topics.iter().flat_map(|topic| &topic.partitions);
            partitions.filter_map(PartitionView::lag).max().map(Value::from)
        }),
    ),
    family(
        "kafka_consumergroup_group_max_lag_seconds",
        "Greatest lag in seconds of the group's partitions, as kafka-lag-exporter calls it.",
        Source::Group(|it| it.lag_time.map(|time| Value::Millis(time.age_ms))),
    ),
    family(
        "kafka_consumergroup_group_sum_lag",
        "Sum of the lag of the group, as kafka-lag-exporter calls it; absent while something of it is unreadable.",
        Source::Group(|it| it.lag.map(Value::Count)),
    ),
    family(
        "kafka_consumergroup_group_topic_sum_lag",
        "Sum of the lag of the topic, as kafka-lag-exporter calls it; absent while something of it is unreadable.",
        Source::GroupTopic(|it| it.lag.map(Value::Count)),
    ),
    family(
        "kafka_consumergroup_poll_time_ms",
        "How long the last poll took, as kafka-lag-exporter calls it.",
        Source::Cluster(|it| {
            let took = it.cycle.as_ref()?.stages.total.as_millis();
            Some(Value::Count(took))
        }),
    ),
];

fn seconds(it: &PartitionView) -> Option<Value> {
    match it.time {
        TimeView::Known(time) => Some(Value::Millis(time.age_ms)),
        TimeView::Absent | TimeView::Unknown(_) => None,
    }
}
