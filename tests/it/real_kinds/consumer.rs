//! Groups of the new protocol (KIP-848), on their way to the target assignment.

use std::collections::BTreeMap;

use serde_json::Value;

use super::table::number;
use super::table::rows;
use crate::support::Joining;
use crate::support::Kafka;
use crate::support::Tidemark;
use crate::support::unique;
use crate::support::until;

const CLASS: &str = "org.apache.kafka.tools.consumer.group.ConsumerGroupCommand";

/// State, epoch of the group and of its assignment, members.
type State = (String, i64, i64, i64);

fn state_by_kafka(kafka: &Kafka, group: &str) -> State {
    let said = kafka.tool(CLASS, &["--describe", "--group", group, "--state", "--verbose"]);
    let rows = rows(&said);
    let row = rows.first().unwrap_or_else(|| panic!("no row: {said}"));
    (
        row["STATE"].clone(),
        number(row, "GROUP-EPOCH"),
        number(row, "TARGET-ASSIGNMENT-EPOCH"),
        number(row, "#MEMBERS"),
    )
}

fn state_by_tidemark(document: &Value) -> Option<State> {
    Some((
        document["state"].as_str()?.to_owned(),
        document["group_epoch"].as_i64()?,
        document["assignment_epoch"].as_i64()?,
        document["members"].as_i64()?,
    ))
}

/// Epoch, partitions and protocol of every member.
type Members = BTreeMap<String, (i64, i64, bool)>;

fn members_by_kafka(kafka: &Kafka, group: &str) -> Members {
    let said = kafka.tool(CLASS, &["--describe", "--group", group, "--members", "--verbose"]);
    let member = |row: &BTreeMap<String, String>| {
        let partitions = number(row, "#PARTITIONS");
        // Only said where some are not.
        let upgraded = row.get("UPGRADED").is_none_or(|upgraded| upgraded == "true");
        (
            row["CONSUMER-ID"].clone(),
            (number(row, "CURRENT-EPOCH"), partitions, upgraded),
        )
    };
    rows(&said).iter().map(member).collect()
}

fn members_by_tidemark(document: &Value) -> Members {
    let members = document["member_list"].as_array().cloned().unwrap_or_default();
    let member = |it: Value| {
        let figures = (it["epoch"].as_i64()?, it["assigned_partitions"].as_i64()?);
        let upgraded = it["member_protocol"] == "consumer";
        Some((it["member_id"].as_str()?.to_owned(), (figures.0, figures.1, upgraded)))
    };
    members.into_iter().filter_map(member).collect()
}

/// A member that does not poll keeps what it should give up: the others wait, and everybody can be asked in peace.
#[test]
fn a_group_on_its_way_has_the_epochs_and_assignments_that_kafkas_own_tool_says() {
    let Some(kafka) = Kafka::shared().filter(|kafka| kafka.is_at_least(4, 0)) else {
        return;
    };
    let (topic, group) = (kafka.topic(4), unique("moving"));
    let one = Joining {
        protocol: "consumer",
        ..Joining::default()
    };
    let first = kafka.join(&group, &[&topic], one);
    let tidemark = Tidemark::of(&kafka.bootstrap()).start();
    let path = format!("/clusters/main/groups/{group}");
    first[0].freeze();
    let second = kafka.member(&group, &[&topic], "consumer");
    until("partitions are pending", || {
        let document = tidemark.api(&path);
        document["state"] == "Reconciling" && document["partitions_pending"] == 2 && document["members_behind"] == 1
    });
    let document = tidemark.api(&path);
    assert_eq!(state_by_tidemark(&document), Some(state_by_kafka(kafka, &group)));
    assert_eq!(members_by_tidemark(&document), members_by_kafka(kafka, &group));
    first[0].thaw();
    until("the target is reached", || {
        let document = tidemark.api(&path);
        document["state"] == "Stable" && document["partitions_pending"] == 0 && document["members_behind"] == 0
    });
    let old = kafka.member(&group, &[&topic], "classic");
    until("a classic member has joined", || {
        let document = tidemark.api(&path);
        document["classic_members"] == 1 && document["state"] == "Stable" && document["partitions_pending"] == 0
    });
    let document = tidemark.api(&path);
    assert_eq!(state_by_tidemark(&document), Some(state_by_kafka(kafka, &group)));
    assert_eq!(members_by_tidemark(&document), members_by_kafka(kafka, &group));
    assert_eq!(document["type"], "consumer");
    drop((first, second, old));
}

/// On an old broker there is nothing of it, and nothing fails.
#[test]
fn on_a_broker_without_the_new_kinds_nothing_is_said_of_them_and_nothing_fails() {
    let Some(kafka) = Kafka::shared().filter(|kafka| !kafka.is_at_least(4, 0)) else {
        return;
    };
    let (topic, group) = (kafka.topic(2), unique("old"));
    let members = kafka.join(&group, &[&topic], Joining::default());
    let tidemark = Tidemark::of(&kafka.bootstrap()).start();
    let seen = tidemark.scrape_until("the group", |seen| {
        seen.value("kafka_group_members", &[("group", &group)]) == Some(1.0)
    });
    for name in [
        "kafka_share_group",
        "kafka_streams_group",
        "kafka_topic_partition_open_transaction",
    ] {
        assert_eq!(seen.count(name), 0, "{name}");
    }
    let of_group = [("group", group.as_str())];
    for name in [
        "kafka_group_epoch",
        "kafka_group_partitions_pending",
        "kafka_group_classic_members",
    ] {
        assert_eq!(seen.value(name, &of_group), None, "{name}");
    }
    assert_eq!(seen.failures(), 0.0);
    drop(members);
}
