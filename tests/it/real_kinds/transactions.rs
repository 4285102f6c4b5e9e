//! Transactions that nobody ends.

use std::collections::BTreeMap;

use crate::support::Joining;
use crate::support::Kafka;
use crate::support::Scrape;
use crate::support::Tidemark;
use crate::support::until;

const CLASS: &str = "org.apache.kafka.tools.TransactionsCommand";

/// The start offsets of the open transactions of a partition, as `kafka-transactions describe-producers` prints them.
fn told_by_kafka(kafka: &Kafka, topic: &str) -> Vec<i64> {
    let said = kafka.tool(CLASS, &["describe-producers", "--topic", topic, "--partition", "0"]);
    let rows = said.lines().filter_map(|line| line.split_whitespace().next_back());
    rows.filter_map(|last| last.parse().ok()).collect()
}

/// Where tidemark says that an open transaction begins.
fn told_by_tidemark(scrape: &Scrape, topic: &str) -> Option<i64> {
    let labels = [("topic", topic), ("partition", "0")];
    let value = |name| scrape.value(name, &labels);
    let open = value("kafka_topic_partition_open_transaction_records")?;
    value("kafka_topic_partition_open_transaction_seconds")?;
    let begins = value("kafka_topic_partition_end_offset")? - open;
    format!("{begins}").parse().ok()
}

/// A producer that is gone without a word, a group that waits behind what it left, and the way out that the runbook gives.
#[test]
fn a_hanging_transaction_is_named_and_who_waits_there_is_not_stalled() {
    let Some(kafka) = Kafka::shared() else { return };
    let topic = kafka.topic(1);
    kafka.produce(&topic, 0, 7);
    let group = crate::support::unique("waits");
    let members = kafka.join(&group, &[&topic], Joining::default());
    until("what is there is committed", || {
        kafka.committed(&group).get(&(topic.clone(), 0)) == Some(&7)
    });
    let transaction = kafka.transaction();
    transaction.produce(&topic, 0, 5);
    kafka.produce(&topic, 0, 3);
    let tidemark = Tidemark::of(&kafka.bootstrap()).start();
    tidemark.scrape_until("the transaction", |seen| told_by_tidemark(seen, &topic) == Some(7));
    assert_eq!(told_by_kafka(kafka, &topic), [7]);
    let path = format!("/clusters/main/groups/{group}");
    until("the group is said to wait", || {
        let document = tidemark.api(&path);
        let partition = &document["topics"][0]["partitions"][0];
        partition["reason"] == "open_transaction" && partition["lag_records"] == 8 && partition["status"] == "ok"
    });
    kafka.tool(
        CLASS,
        &["abort", "--topic", &topic, "--partition", "0", "--start-offset", "7"],
    );
    tidemark.scrape_until("no transaction any more", |seen| {
        told_by_tidemark(seen, &topic).is_none()
    });
    assert_eq!(told_by_kafka(kafka, &topic), Vec::<i64>::new());
    until("the group goes on", || {
        kafka.committed(&group) == BTreeMap::from([((topic.clone(), 0), 16)])
    });
    drop(members);
    drop(transaction);
}
