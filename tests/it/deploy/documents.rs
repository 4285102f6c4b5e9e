//! Documents speak of metrics that exist.

use std::collections::BTreeSet;

use regex::Regex;
use tidemark::metrics::families;

use super::names::Names;
use super::text;

/// Names that are told of though they are not served: labels, levels of recorded names, and what other exporters have besides.
const NOT_SERVED: [&str; 18] = [
    "kafka_cluster",
    "kafka_exporter",
    "kafka_lag_exporter",
    "kafka_group_members_needed",
    "kafka_group_partition_",
    "kafka_topic_partition_leader_is_preferred",
    "kafka_broker_info",
    "kafka_consumergroupzookeeper_lag_zookeeper",
    "kminion_kafka_broker_info",
    "kminion_kafka_cluster_info",
    "kminion_kafka_consumer_group_topic_members",
    "kminion_kafka_consumer_group_offset_commits_total",
    "kminion_exporter_up",
    "tidemark_url",
    "tidemark_",
    "kafka_",
    "kafka_group_",
    "kafka_topic_",
];

fn named(document: &str) -> BTreeSet<String> {
    let name = Regex::new(r"\b(?:kafka|kminion|tidemark)_[a-z0-9_:]*").expect("an expression");
    let found = name
        .find_iter(document)
        .map(|it| it.as_str().trim_end_matches(':').to_owned());
    found.collect()
}

#[test]
fn every_metric_in_the_documents_exists() {
    let known = Names::all();
    for document in [
        "docs/alerts.md",
        "docs/migrating.md",
        "docs/autoscaling.md",
        "docs/running.md",
    ] {
        let unknown: Vec<_> = named(&text(document))
            .into_iter()
            .filter(|name| !known.has(name) && !NOT_SERVED.contains(&name.as_str()))
            .collect();
        assert_eq!(unknown, Vec::<String>::new(), "{document}");
    }
}

#[test]
fn every_name_of_another_exporter_has_its_row_in_the_guide() {
    let guide = text("docs/migrating.md");
    let served = families().filter(|family| family.is_of_another_exporter());
    let missing: Vec<_> = served
        .filter(|it| !guide.contains(&format!("| `{}` |", it.name)))
        .collect();
    assert!(
        missing.is_empty(),
        "{:?}",
        missing.iter().map(|it| it.name).collect::<Vec<_>>()
    );
}
