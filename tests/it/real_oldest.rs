//! The oldest Kafka that can be run: every call in the versions of its time.

use std::time::Duration;

use rdkafka::ClientConfig;
use rdkafka::Message;
use rdkafka::consumer::BaseConsumer;
use rdkafka::consumer::CommitMode;
use rdkafka::consumer::Consumer;
use rdkafka::producer::BaseProducer;
use rdkafka::producer::BaseRecord;
use rdkafka::producer::Producer;
use serde_json::json;

use crate::support::Tidemark;
use crate::support::cli;
use crate::support::oldest::Oldest;
use crate::support::until;
use crate::support::written;

fn config(bootstrap: &str) -> ClientConfig {
    let mut config = ClientConfig::new();
    config.set("bootstrap.servers", bootstrap);
    config
}

/// Five records on the topic.
fn produce(bootstrap: &str, topic: &str) {
    let producer: BaseProducer = config(bootstrap).create().expect("a producer");
    for number in 0..5_u8 {
        let record = BaseRecord::<(), _>::to(topic)
            .partition(0)
            .payload(std::slice::from_ref(&number));
        producer
            .send(record)
            .map_err(|(error, _)| error)
            .expect("there is room");
    }
    producer.flush(Duration::from_secs(60)).expect("all of it is delivered");
}

/// A member that reads three records and commits that, and stays.
fn join(bootstrap: &str, topic: &str, group: &str) -> BaseConsumer {
    let mut config = config(bootstrap);
    config
        .set("group.id", group)
        .set("auto.offset.reset", "earliest")
        .set("enable.auto.commit", "false");
    let member: BaseConsumer = config.create().expect("a consumer");
    member.subscribe(&[topic]).expect("a topic");
    until("the third record", || {
        let record = member.poll(Duration::from_millis(100));
        record.and_then(Result::ok).is_some_and(|record| {
            let third = record.offset() == 2;
            third && member.commit_message(&record, CommitMode::Sync).is_ok()
        })
    });
    member
}

#[test]
fn real_the_oldest_kafka_is_read_and_its_groups_are_reset() {
    let Some(kafka) = Oldest::start() else { return };
    let (bootstrap, topic, group) = (kafka.bootstrap(), "orders", "readers");
    produce(&bootstrap, topic);
    let member = join(&bootstrap, topic, group);
    let tidemark = Tidemark::of(&bootstrap).start();
    let scrape = tidemark.scrape_until("the lag is there", |scrape| scrape.lag(group) == Some(2.0));
    let of_group = |name| scrape.value(name, &[("group", group)]);
    assert_eq!(of_group("kafka_group_members"), Some(1.0));
    assert!(of_group("kafka_group_lag_seconds").is_some());
    assert_eq!(scrape.total("tidemark_kafka_errors_total", &[]), 0.0);
    drop(member);

    let folder = tempfile::tempdir().expect("a folder");
    let cluster = json!({"name": "main", "bootstrap_servers": bootstrap});
    let config = written(
        folder.path(),
        "tidemark.json",
        &json!({"clusters": [cluster]}).to_string(),
    );
    let config = config.display().to_string();
    let line = [
        "-c",
        &config,
        "reset",
        "plan",
        "--group",
        group,
        "--committed",
        "--to-earliest",
    ];
    let plan = cli(&line);
    assert!(plan.status.success(), "{}", String::from_utf8_lossy(&plan.stderr));
    let file = written(folder.path(), "plan.json", &String::from_utf8_lossy(&plan.stdout));
    let file = file.display().to_string();
    let run = cli(&[
        "-c",
        &config,
        "reset",
        "execute",
        &file,
        "--confirm",
        group,
        "--wait",
        "1m",
    ]);
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    tidemark.scrape_until("it is at the start", |scrape| scrape.lag(group) == Some(5.0));
}
