use std::collections::BTreeSet;
use std::sync::Arc;

use crate::config::Cluster;
use crate::config::Compatibility;
use crate::config::Granularity;
use crate::config::Patterns;
use crate::metrics::Exposition;
use crate::metrics::Packer;
use crate::metrics::families;
use crate::metrics::fixture;
use crate::metrics::fixture::NOW;
use crate::snapshot::Snapshot;

const ALL: Compatibility = Compatibility {
    kafka_exporter: true,
    kafka_lag_exporter: true,
    kminion: true,
};

fn cluster(compatibility: Compatibility) -> Cluster {
    Cluster {
        compatibility,
        ..fixture::cluster("main")
    }
}

/// Every sample line of the snapshot.
fn lines(cluster: Cluster, snapshot: &Snapshot) -> Vec<String> {
    let packed = Packer::new(Arc::new(cluster), "kafka_cluster".into(), fixture::objectives()).pack(snapshot);
    let text = Exposition::new("kafka_cluster".into(), None).text(&[Arc::new(packed)], NOW);
    let text: Vec<u8> = text.plain().flatten().collect();
    let text = String::from_utf8(text).expect("the format is UTF-8");
    text.lines()
        .filter(|line| !line.starts_with('#'))
        .map(str::to_owned)
        .collect()
}

fn names(lines: &[String]) -> BTreeSet<&str> {
    lines
        .iter()
        .map(|line| line.split(['{', ' ']).next().expect("a name"))
        .collect()
}

fn others(compatibility: Compatibility) -> BTreeSet<&'static str> {
    let served =
        families().filter(|family| family.is_of_another_exporter() && (family.served)(&cluster(compatibility)));
    served.map(|family| family.name).collect()
}

#[test]
fn nothing_of_another_exporter_is_served_unless_it_is_asked_for() {
    let seen = lines(cluster(Compatibility::default()), &fixture::motley("main"));
    assert_eq!(names(&seen).intersection(&others(ALL)).count(), 0);
    assert!(others(Compatibility::default()).is_empty());
}

#[test]
fn each_exporter_has_its_own_switch() {
    let one = |compatibility| others(compatibility).into_iter().next().expect("some");
    let none = Compatibility::default();
    let kafka_exporter = Compatibility {
        kafka_exporter: true,
        ..none
    };
    let kafka_lag_exporter = Compatibility {
        kafka_lag_exporter: true,
        ..none
    };
    let kminion = Compatibility { kminion: true, ..none };
    assert!(one(kafka_exporter).starts_with("kafka_brokers"));
    assert!(one(kafka_lag_exporter).starts_with("kafka_consumergroup_group_"));
    assert!(one(kminion).starts_with("kminion_"));
    let sum = others(kafka_exporter).len() + others(kafka_lag_exporter).len() + others(kminion).len();
    assert_eq!(sum, others(ALL).len(), "no name belongs to two");
}

#[test]
fn no_name_is_served_twice() {
    let all: Vec<_> = families().map(|family| family.name).collect();
    let unique: BTreeSet<_> = all.iter().collect();
    assert_eq!(unique.len(), all.len());
}

#[test]
fn the_figures_are_tidemarks_under_the_names_and_labels_of_the_others() {
    let seen = lines(cluster(ALL), &fixture::motley("main"));
    for line in [
        // Commit 40 of a log from 0 to 100.
        r#"kafka_consumergroup_lag{kafka_cluster="main",consumergroup="orders",topic="orders-in",partition="0"} 60"#,
        r#"kafka_consumergroup_group_lag{cluster_name="main",group="orders",topic="orders-in",partition="0"} 60"#,
        r#"kminion_kafka_consumer_group_topic_partition_lag{kafka_cluster="main",group_id="orders",topic_name="orders-in",partition_id="0"} 60"#,
        // Commit 10 of a log from 90: ten records exist that it has not read.
        r#"kafka_consumergroup_lag{kafka_cluster="main",consumergroup="orders",topic="orders-in",partition="1"} 10"#,
        // Commit 105 of a log that ends at 100.
        r#"kafka_consumergroup_lag{kafka_cluster="main",consumergroup="orders",topic="orders-in",partition="2"} 0"#,
        r#"kafka_consumergroup_lag_sum{kafka_cluster="main",consumergroup="orders",topic="orders-in"} 70"#,
        r#"kafka_consumergroup_group_topic_sum_lag{cluster_name="main",group="orders",topic="orders-in"} 70"#,
        r#"kminion_kafka_consumer_group_topic_lag{kafka_cluster="main",group_id="orders",topic_name="orders-in"} 70"#,
        r#"kafka_consumergroup_group_max_lag{cluster_name="main",group="orders"} 60"#,
        r#"kafka_consumergroup_group_lag_seconds{cluster_name="main",group="orders",topic="orders-in",partition="0"} 840.25"#,
        r#"kafka_consumergroup_current_offset_sum{kafka_cluster="main",consumergroup="orders",topic="orders-in"} 155"#,
        r#"kafka_consumergroup_members{kafka_cluster="main",consumergroup="orders"} 2"#,
        r#"kafka_brokers{kafka_cluster="main"} 3"#,
        r#"kafka_topic_partitions{kafka_cluster="main",topic="orders-in"} 3"#,
        r#"kafka_topic_partition_leader{kafka_cluster="main",topic="orders-in",partition="0"} 1"#,
        r#"kafka_topic_partition_replicas{kafka_cluster="main",topic="orders-in",partition="0"} 3"#,
        r#"kafka_topic_partition_in_sync_replica{kafka_cluster="main",topic="orders-in",partition="0"} 2"#,
        r#"kafka_topic_partition_under_replicated_partition{kafka_cluster="main",topic="orders-in",partition="0"} 1"#,
        r#"kafka_topic_partition_under_replicated_partition{kafka_cluster="main",topic="orders-in",partition="1"} 0"#,
        r#"kafka_topic_partition_oldest_offset{kafka_cluster="main",topic="orders-in",partition="1"} 90"#,
        r#"kafka_partition_latest_offset{cluster_name="main",topic="orders-in",partition="1"} 100"#,
        r#"kminion_kafka_topic_low_water_mark_sum{kafka_cluster="main",topic_name="orders-in"} 90"#,
        r#"kminion_kafka_topic_info{kafka_cluster="main",topic_name="orders-in",cleanup_policy="delete",partition_count="3",replication_factor="3"} 1"#,
        r#"kminion_kafka_consumer_group_info{kafka_cluster="main",group_id="orders",coordinator_id="1",protocol="range",protocol_type="consumer",state="Stable"} 1"#,
        r#"kafka_consumergroup_poll_time_ms{cluster_name="main"} 1000"#,
    ] {
        assert!(seen.iter().any(|it| it == line), "{line}");
    }
}

#[test]
fn what_is_unknown_is_absent_where_the_others_say_minus_one() {
    let seen = lines(cluster(ALL), &fixture::motley("main"));
    let deleted = |line: &&String| line.contains(r"was\\deleted") && !line.starts_with("kafka_group_");
    // The commit is known, the log is not.
    assert_eq!(
        names(&seen.iter().filter(deleted).cloned().collect::<Vec<_>>()),
        BTreeSet::from([
            "kafka_consumergroup_current_offset",
            "kafka_consumergroup_current_offset_sum",
            "kafka_consumergroup_group_offset",
            "kminion_kafka_consumer_group_topic_assigned_partitions",
            "kminion_kafka_consumer_group_topic_offset_sum",
        ])
    );
    assert!(seen.iter().all(|line| !line.contains("} -") && !line.ends_with("NaN")));
}

#[test]
fn the_owner_is_named_only_where_it_is_configured_and_never_by_its_id() {
    let owned = |line: &&String| line.contains("member_host");
    let plain = lines(cluster(ALL), &fixture::motley("main"));
    assert_eq!(plain.iter().filter(owned).count(), 0);
    let mut named = cluster(ALL);
    named.owner_info = Patterns::new(["orders"]).expect("valid");
    let seen = lines(named, &fixture::motley("main"));
    let line = r#"kafka_consumergroup_group_lag{cluster_name="main",group="orders",topic="orders-in",partition="0",member_host="10.0.0.1",client_id="client-1"} 60"#;
    assert!(seen.iter().any(|it| it == line));
    assert!(seen.iter().all(|line| !line.contains("uuid")));
}

#[test]
fn granularity_holds_for_the_names_of_the_others() {
    let of = |granularity| {
        let mut coarse = cluster(ALL);
        coarse.granularity = vec![fixture::granularity(".*", granularity)];
        lines(coarse, &fixture::motley("main"))
    };
    let has = |lines: &[String], name| names(lines).contains(name);
    let (topics, groups) = (of(Granularity::Topic), of(Granularity::Group));
    assert!(!has(&topics, "kafka_consumergroup_lag") && has(&topics, "kafka_consumergroup_lag_sum"));
    assert!(!has(&groups, "kafka_consumergroup_lag_sum") && has(&groups, "kafka_consumergroup_members"));
    assert!(has(&groups, "kafka_topic_partition_current_offset"));
}

#[test]
fn the_series_of_the_others_count_for_the_limit() {
    let mut small = cluster(ALL);
    small.series_limit = 60;
    let seen = lines(small, &fixture::motley("main"));
    assert!(!names(&seen).contains("kafka_consumergroup_lag"));
    assert!(names(&seen).contains("kafka_consumergroup_lag_sum"));
}
