//! The names of other exporters on a real broker, held against tidemark's own.

use std::collections::BTreeMap;

use regex::Regex;
use serde_json::json;

use crate::support::Joining;
use crate::support::Kafka;
use crate::support::Tidemark;
use crate::support::unique;
use crate::support::until;

/// How labels are called: theirs, then ours.
type Words = &'static [(&'static str, &'static str)];

/// A name of another exporter, tidemark's own, and how the labels are called.
const SAME: [(&str, &str, Words); 19] = [
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

/// The samples of a family, by labels under tidemark's own names. Names in this test need no escapes.
fn samples(text: &str, name: &str, words: &[(&str, &str)]) -> BTreeMap<Vec<(String, String)>, f64> {
    let label = Regex::new(r#"(\w+)="([^"]*)""#).expect("an expression");
    let ours = |label: &str| {
        let word = words.iter().find(|(theirs, _)| *theirs == label);
        word.map_or(label, |(_, ours)| ours).to_owned()
    };
    let sample = |line: &str| {
        let (labels, value) = line.strip_prefix(name)?.strip_prefix('{')?.split_once("} ")?;
        let pairs = label.captures_iter(labels).map(|it| (ours(&it[1]), it[2].to_owned()));
        let mut labels: Vec<_> = pairs.collect();
        labels.sort();
        Some((labels, value.parse().expect("a number")))
    };
    text.lines().filter_map(sample).collect()
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
    let own = tidemark.cycles();
    until("a whole cycle", || tidemark.cycles() >= own + 2.0);
    let answer = tidemark.get("/metrics", &[]).expect("an answer");
    let text = String::from_utf8(answer.body).expect("UTF-8");
    for (theirs, ours, words) in SAME {
        let (found, expected) = (samples(&text, theirs, words), samples(&text, ours, &[]));
        assert!(!expected.is_empty(), "{ours}");
        assert_eq!(found, expected, "{theirs}");
    }
    let replicas = samples(&text, "kafka_topic_partition_replicas", &[]);
    assert!(!replicas.is_empty() && replicas.values().all(|count| *count >= 1.0));
    let sum = |name| samples(&text, name, &[]).values().sum::<f64>();
    assert_eq!(
        sum("kafka_topic_partition_under_replicated_partition"),
        sum("kafka_topic_under_replicated_partitions")
    );
    assert!(!text.lines().any(|line| line.ends_with("NaN") || line.contains("} -")));
    drop(members);
}
