//! The exporter, on the stories: every truth of every story is what it serves.

use std::time::Instant;

use tidemark::clock::Clock;
use tidemark::sim::story;
use tidemark::sim::story::Story;
use tidemark::sim::story::Truth;

use super::running::Running;
use crate::support::Scrape;
use crate::support::Tidemark;
use crate::support::wait::PATIENCE;

/// A value of a family of the group, of one topic where one is given.
fn value(scrape: &Scrape, name: &str, story: &Story, topic: Option<&str>) -> Option<f64> {
    let mut labels = vec![("group", story.group)];
    labels.extend(topic.map(|topic| ("topic", topic)));
    scrape.value(name, &labels)
}

/// The label value of the one series of a one-hot family that is 1.
fn hot(scrape: &Scrape, name: &str, story: &Story, label: &str) -> Option<String> {
    let labels = [("group", story.group)];
    let found = scrape.series(name, &labels).find(|(_, value)| *value == 1.0);
    found.map(|(labels, _)| labels[label].clone())
}

/// The status of one partition; `ok` has no series.
fn partition_status(scrape: &Scrape, story: &Story, topic: &str, partition: i32) -> String {
    let partition = partition.to_string();
    let labels = [
        ("group", story.group),
        ("topic", topic),
        ("partition", partition.as_str()),
    ];
    let found = scrape.series("kafka_group_partition_status", &labels).next();
    found.map_or_else(|| "ok".to_owned(), |(labels, _)| labels["status"].clone())
}

fn whole(number: u64) -> f64 {
    u32::try_from(number).map(f64::from).expect("a small number")
}

fn count(number: usize) -> Option<f64> {
    Some(whole(u64::try_from(number).expect("a small number")))
}

fn holds(scrape: &Scrape, earlier: &Scrape, story: &Story, truth: Truth) -> bool {
    let group = |name| value(scrape, name, story, None);
    let topic = |name, topic| value(scrape, name, story, Some(topic));
    let within = |found: Option<f64>, low, high| found.is_some_and(|n| (whole(low)..=whole(high)).contains(&n));
    let labels = [("group", story.group)];
    match truth {
        Truth::Status(status) => hot(scrape, "kafka_group_status", story, "status").as_deref() == Some(status.as_str()),
        Truth::PartitionStatus(topic, partition, status) => {
            partition_status(scrape, story, topic, partition) == status.as_str()
        }
        Truth::State(states) => {
            hot(scrape, "kafka_group_state", story, "state").is_some_and(|state| states.contains(&state.as_str()))
        }
        Truth::Type(kind) => hot(scrape, "kafka_group_info", story, "type").as_deref() == Some(kind),
        Truth::Members(members) => group("kafka_group_members") == count(members),
        Truth::IdleMembers(members) => group("kafka_group_idle_members") == count(members),
        Truth::Lag(name, low, high) => within(topic("kafka_group_topic_lag_records", name), low, high),
        Truth::ShareLag(name, low, high) => within(topic("kafka_share_group_topic_lag_records", name), low, high),
        Truth::LagSeconds(name, low, high) => within(topic("kafka_group_topic_lag_seconds", name), low, high),
        Truth::LagGrows(name) => {
            let then = value(earlier, "kafka_group_topic_lag_records", story, Some(name));
            topic("kafka_group_topic_lag_records", name) > then && then.is_some()
        }
        Truth::NoLag(name) => topic("kafka_group_topic_lag_records", name).is_none(),
        Truth::Lost(name, least) => {
            let labels = [("group", story.group), ("topic", name)];
            scrape.total("kafka_group_partition_lost_records", &labels) >= whole(least)
        }
        Truth::Ahead(name, partition, by) => {
            let partition = partition.to_string();
            let labels = [
                ("group", story.group),
                ("topic", name),
                ("partition", partition.as_str()),
            ];
            scrape.value("kafka_group_partition_commit_ahead_records", &labels) == Some(whole(by))
        }
        Truth::Uncommitted(name, partitions) => {
            topic("kafka_group_topic_uncommitted_partitions", name) == count(partitions)
        }
        Truth::OpenTransaction(name, partition, least) => {
            let partition = partition.to_string();
            let labels = [("topic", name), ("partition", partition.as_str())];
            let records = scrape.value("kafka_topic_partition_open_transaction_records", &labels);
            let seconds = scrape.value("kafka_topic_partition_open_transaction_seconds", &labels);
            records.is_some_and(|records| records >= whole(least)) && seconds.is_some_and(|seconds| seconds > 0.0)
        }
        Truth::TopicGone(name) => {
            let unreadable = scrape.series("kafka_group_topic_unreadable_partitions", &labels);
            unreadable
                .filter(|(labels, _)| labels["topic"] == name && labels["reason"] == "unknown_topic")
                .any(|(_, partitions)| partitions > 0.0)
        }
    }
}

fn missing(scrape: &Scrape, earlier: &Scrape) -> Vec<(&'static str, Truth)> {
    let truths = story::all()
        .iter()
        .flat_map(|story| story.truths.iter().map(move |truth| (story, *truth)));
    truths
        .filter(|(story, truth)| !holds(scrape, earlier, story, *truth))
        .map(|(story, truth)| (story.name, truth))
        .collect()
}

#[test]
fn the_exporter_serves_every_truth_of_every_story() {
    let cluster = Running::new(|| story::start(None, Clock::system(), 1));
    let tidemark = Tidemark::of(&cluster.bootstrap()).start();
    let first = tidemark.scrape();
    let patience = Instant::now() + PATIENCE;
    loop {
        let untrue = missing(&tidemark.next_cycle(), &first);
        if untrue.is_empty() {
            break;
        }
        assert!(Instant::now() < patience, "not seen at last: {untrue:#?}");
    }
}
