//! Share groups (KIP-932).

use std::collections::BTreeMap;

use serde_json::Value;

use super::table::number;
use super::table::rows;
use crate::support::Kafka;
use crate::support::Tidemark;
use crate::support::unique;
use crate::support::until;

const CLASS: &str = "org.apache.kafka.tools.consumer.group.ShareGroupCommand";
const CONSUMER: &str = "org.apache.kafka.tools.consumer.ConsoleShareConsumer";

/// Start offset and lag by partition.
type Places = BTreeMap<i64, (i64, i64)>;

/// As `kafka-share-groups --describe` prints them.
fn told_by_kafka(kafka: &Kafka, group: &str) -> Places {
    let rows = rows(&kafka.tool(CLASS, &["--describe", "--group", group, "--offsets"]));
    let place = |row: &BTreeMap<String, String>| {
        let start = number(row, "START-OFFSET");
        (number(row, "PARTITION"), (start, number(row, "LAG")))
    };
    rows.iter()
        .filter(|row| row["START-OFFSET"] != "-")
        .map(place)
        .collect()
}

fn told_by_tidemark(document: &Value) -> Places {
    let partitions = document["share_topics"][0]["partitions"].as_array().cloned();
    let partitions = partitions.unwrap_or_default().into_iter();
    let place = |it: Value| {
        let places = (it["share_start_offset"].as_i64()?, it["lag_records"].as_i64()?);
        Some((it["partition"].as_i64()?, places))
    };
    partitions.filter_map(place).collect()
}

/// Start offsets may still move a little after everything is acknowledged.
fn same(kafka: &Kafka, tidemark: &Tidemark, group: &str) {
    until("both say the same", || {
        let told = told_by_kafka(kafka, group);
        told == told_by_tidemark(&tidemark.api(&format!("/clusters/main/groups/{group}")))
    });
}

#[test]
fn a_share_group_has_the_lag_state_and_members_that_kafkas_own_tool_says() {
    let Some(kafka) = Kafka::shared().filter(|kafka| kafka.is_at_least(4, 2)) else {
        return;
    };
    let (topic, group) = (kafka.topic(2), unique("share"));
    let earliest = ["--alter", "--entity-type", "groups", "--entity-name", &group];
    let setting = ["--add-config", "share.auto.offset.reset=earliest"];
    kafka.tool("ConfigCommand", &[&earliest[..], &setting].concat());
    kafka.produce(&topic, 0, 12);
    kafka.produce(&topic, 1, 5);
    let members: Vec<_> = (0..2)
        .map(|_| kafka.tool_in_the_background(CONSUMER, &["--topic", &topic, "--group", &group]))
        .collect();
    let tidemark = Tidemark::of(&kafka.bootstrap()).start();
    let path = format!("/clusters/main/groups/{group}");
    let seen = || {
        tidemark
            .get(&format!("/api/v1{path}"), &[])
            .is_ok_and(|answer| answer.status == 200)
    };
    until("the group is seen", seen);
    let lags = || -> Vec<i64> {
        let told = told_by_tidemark(&tidemark.api(&path));
        told.values().map(|place| place.1).collect()
    };
    until("everything is read off", || lags() == [0, 0]);
    same(kafka, &tidemark, &group);
    let document = tidemark.api(&path);
    let state = rows(&kafka.tool(CLASS, &["--describe", "--group", &group, "--state"]));
    assert_eq!(document["state"], state[0]["STATE"]);
    assert_eq!(document["members"], number(&state[0], "#MEMBERS"));
    assert_eq!((&document["type"], &document["members"]), (&"share".into(), &2.into()));
    assert_eq!(document["share_topics"][0]["partitions"][0]["lag_counted_by"], "broker");
    drop(members);
    kafka.produce(&topic, 0, 7);
    until("the lag is told", || lags() == [7, 0]);
    same(kafka, &tidemark, &group);
    let scrape = tidemark.scrape();
    let of_group = [("group", group.as_str())];
    assert_eq!(scrape.value("kafka_share_group_lag_records", &of_group), Some(7.0));
    let age = scrape.value("kafka_share_group_lag_seconds", &of_group);
    assert!(age.is_some_and(|age| age < 120.0), "{age:?}");
    let mixed = scrape.of_group(&group);
    let mixed = mixed
        .iter()
        .find(|(name, _)| name.starts_with("kafka_group") && name.contains("lag"));
    assert_eq!(mixed, None);
    assert_eq!(scrape.failures(), 0.0);
}
