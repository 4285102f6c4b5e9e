//! The names of other exporters on a real broker, held against tidemark's own.

use std::collections::BTreeMap;

use serde_json::json;

use crate::support::Joining;
use crate::support::Kafka;
use crate::support::Scrape;
use crate::support::Tidemark;
use crate::support::unique;

/// A name of another exporter, tidemark's own, and how the labels are called: theirs, then ours.
const SAME: [(&str, &str, &[(&str, &str)]); 19] = [
    ("kafka_consumergroup_lag", "kafka_group_partition_lag_records", KEX),
    (
        "kafka_consumergroup_current_offset",
        "kafka_group_partition_committed_offset",
        KEX,
    ),
    ("kafka_consumergroup_lag_sum", "kafka_group_topic_lag_records", KEX),
    ("kafka_consumergroup_members", "kafka_group_members", KEX),
    ("kafka_topic_partitions", "kafka_topic_partition_count", KEX),
    (
        "kafka_topic_partition_current_offset",
        "kafka_topic_partition_end_offset",
        KEX,
    ),
    (
        "kafka_topic_partition_oldest_offset",
        "kafka_topic_partition_start_offset",
        KEX,
    ),
    ("kafka_brokers", "kafka_cluster_brokers", KEX),
    (
        "kafka_consumergroup_group_lag",
        "kafka_group_partition_lag_records",
        KLE,
    ),
    (
        "kafka_consumergroup_group_offset",
        "kafka_group_partition_committed_offset",
        KLE,
    ),
    ("kafka_consumergroup_group_sum_lag", "kafka_group_lag_records", KLE),
    (
        "kafka_consumergroup_group_topic_sum_lag",
        "kafka_group_topic_lag_records",
        KLE,
    ),
    ("kafka_partition_latest_offset", "kafka_topic_partition_end_offset", KLE),
    (
        "kafka_partition_earliest_offset",
        "kafka_topic_partition_start_offset",
        KLE,
    ),
    (
        "kminion_kafka_consumer_group_topic_partition_lag",
        "kafka_group_partition_lag_records",
        KMN,
    ),
    (
        "kminion_kafka_consumer_group_topic_lag",
        "kafka_group_topic_lag_records",
        KMN,
    ),
    ("kminion_kafka_consumer_group_members", "kafka_group_members", KMN),
    (
        "kminion_kafka_topic_partition_high_water_mark",
        "kafka_topic_partition_end_offset",
        KMN,
    ),
    (
        "kminion_kafka_topic_partition_low_water_mark",
        "kafka_topic_partition_start_offset",
        KMN,
    ),
];
const KEX: &[(&str, &str)] = &[("consumergroup", "group")];
const KLE: &[(&str, &str)] = &[("cluster_name", "kafka_cluster")];
const KMN: &[(&str, &str)] = &[
    ("group_id", "group"),
    ("topic_name", "topic"),
    ("partition_id", "partition"),
];

/// The samples of a family, by labels under tidemark's own names.
fn samples(scrape: &Scrape, name: &str, words: &[(&str, &str)]) -> BTreeMap<Vec<(String, String)>, f64> {
    let ours = |label: &str| {
        let word = words.iter().find(|(theirs, _)| *theirs == label);
        word.map_or(label, |(_, ours)| ours).to_owned()
    };
    let found = scrape.series(name, &[]).map(|(labels, value)| {
        let mut labels: Vec<_> = labels
            .iter()
            .map(|(label, value)| (ours(label), value.clone()))
            .collect();
        labels.sort();
        (labels, value)
    });
    found.collect()
}

/// Groups that are behind, level, ahead, past retention, partly committed, and one with a member.
fn groups(kafka: &Kafka) -> Vec<crate::support::Member> {
    let topic = kafka.topic(3);
    for (partition, records) in [(0, 10), (1, 20), (2, 30)] {
        kafka.produce(&topic, partition, records);
    }
    kafka.delete_records(&topic, 2, 15);
    for offsets in [[4, 20, 30], [10, 25, 5], [0, 0, 0]] {
        let offsets: Vec<_> = (0..)
            .zip(offsets)
            .map(|(p, offset)| (topic.as_str(), p, offset))
            .collect();
        kafka.commit(&unique("compared"), &offsets);
        kafka.commit(&unique("partly"), &offsets[1..]);
    }
    kafka.join(&unique("live"), &[&topic], Joining::default())
}

#[test]
fn every_name_of_another_exporter_says_what_tidemarks_own_says() {
    let Some(kafka) = Kafka::shared() else { return };
    let members = groups(kafka);
    let tidemark = Tidemark::of(&kafka.bootstrap())
        .cluster(
            "compatibility",
            json!(["kafka_exporter", "kafka_lag_exporter", "kminion"]),
        )
        .cluster("groups", json!({"include": ["compared.*", "partly.*", "live.*"]}))
        .start();
    let scrape = tidemark.next_cycle();
    for (theirs, ours, words) in SAME {
        let (theirs, ours) = (samples(&scrape, theirs, words), samples(&scrape, ours, &[]));
        assert!(!ours.is_empty());
        assert_eq!(theirs, ours);
    }
    for partition in scrape.series("kafka_topic_partition_replicas", &[]) {
        assert!(partition.1 >= 1.0);
    }
    let under = scrape.total("kafka_topic_partition_under_replicated_partition", &[]);
    assert_eq!(under, scrape.total("kafka_topic_under_replicated_partitions", &[]));
    assert!(
        !scrape
            .text
            .lines()
            .any(|line| line.ends_with("NaN") || line.contains("} -"))
    );
    drop(members);
}
