//! Families of a topic, whoever reads it, and of the cluster's brokers.

use super::Family;
use super::Values;
use crate::config::Cluster;
use crate::metrics::number::Value;

pub(super) const FAMILIES: &[Family] = &[
    Family::new(
        "kafka_topic_partition_start_offset",
        "First offset that is still in the log.",
        Values::TopicPartition(|it| it.start.map(Value::from)),
    ),
    Family::new(
        "kafka_topic_partition_end_offset",
        "High watermark: the offset that the next record will get.",
        Values::TopicPartition(|it| it.end.map(Value::from)),
    ),
    Family::new(
        "kafka_topic_partition_stable_offset",
        "Last stable offset: up to here no transaction is open. Only with isolation read_committed.",
        Values::TopicPartition(|it| it.stable.map(Value::from)),
    )
    .only_if(Cluster::knows_read_committed),
    Family::new(
        "kafka_topic_partition_open_transaction_records",
        "Records beyond the last stable offset: a consumer that reads committed records only waits here for an open transaction to end. Only where above 0.",
        Values::TopicPartition(|it| it.open_transaction().map(|(records, _)| Value::from(records))),
    ),
    Family::new(
        "kafka_topic_partition_open_transaction_seconds",
        "How long the last stable offset has stood still with records beyond it, as far as seen. Only where there are any.",
        Values::TopicPartition(|it| it.open_transaction().and_then(|(_, standing)| Value::seconds(standing))),
    ),
    Family::new(
        "kafka_topic_produced_records_total",
        "By how much the log ends of the topic went forward.",
        Values::Topic(|it| Some(Value::from(it.produced))),
    ),
    Family::new(
        "kafka_topic_partition_count",
        "Partitions of the topic.",
        Values::Topic(|it| Some(Value::from(it.partition_count))),
    ),
    Family::new(
        "kafka_topic_leaderless_partitions",
        "Partitions of the topic without a leader.",
        Values::Topic(|it| Some(Value::from(it.leaderless))),
    ),
    Family::new(
        "kafka_topic_under_replicated_partitions",
        "Partitions of the topic with fewer replicas in sync than there should be.",
        Values::Topic(|it| Some(Value::from(it.under_replicated))),
    ),
    Family::new(
        "kafka_topic_retention_seconds",
        "After which time the topic's records are deleted; absent when unlimited or not allowed to see.",
        Values::Topic(|it| it.retention.map(Value::from)),
    ),
    Family::new(
        "kafka_topic_retention_bytes",
        "Beyond which size a partition's oldest records are deleted; absent when unlimited or not allowed to see.",
        Values::Topic(|it| it.retention_bytes.map(Value::from)),
    ),
    Family::new(
        "kafka_topic_info",
        "1; the cleanup policy of the topic.",
        Values::TopicWith(&["cleanup_policy"], |it, emit| {
            if let Some(policy) = &it.cleanup_policy {
                emit(&[("cleanup_policy", policy)], Value::Count(1));
            }
        }),
    ),
    Family::new(
        "kafka_cluster_brokers",
        "Brokers of the cluster.",
        Values::Cluster(&[], |scope, emit| {
            if let Some(brokers) = scope.snapshot.brokers {
                emit(&[], Value::from(brokers));
            }
        }),
    ),
];
