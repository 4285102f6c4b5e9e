//! What comes and goes leaves nothing behind: no series, no memory, no topic.

use std::fs;
use std::io;
use std::io::Write;
use std::time::Instant;

use crate::support::Kafka;
use crate::support::Scrape;
use crate::support::Tidemark;
use crate::support::unique;
use crate::support::until;

/// Rounds of ten, each a group with a commit on a topic of its own, made and deleted again.
const ROUNDS: usize = 100;
/// Rounds until caches, pools and the allocator have found their size.
const WARM_UP: usize = 20;
/// Groups and topics a round.
const TOGETHER: usize = 10;

/// On a broker that makes every topic it is asked about, unless it is asked with care.
#[test]
fn a_thousand_groups_and_topics_come_and_go_and_leave_nothing_behind() {
    let Some(kafka) = Kafka::with().setting("auto.create.topics.enable", "true").start() else {
        return;
    };
    let (topic, group) = (kafka.topic(1), unique("lasting"));
    kafka.commit(&group, &[(&topic, 0, 0)]);
    let tidemark = Tidemark::of(&kafka.bootstrap()).set("poll_interval", "200ms").start();
    (0..WARM_UP).for_each(|_| round(&kafka, &tidemark));
    let (series, resident) = settled(&tidemark);
    let began = Instant::now();
    (0..ROUNDS).for_each(|_| round(&kafka, &tidemark));
    let (series_after, resident_after) = settled(&tidemark);
    let _ = writeln!(
        io::stderr(),
        "{} groups and topics in {:.1?}: {series} series before, {series_after} after; {resident} KiB resident before, {resident_after} after",
        ROUNDS * TOGETHER,
        began.elapsed()
    );
    assert_eq!(series_after, series);
    // What the allocator keeps back differs from run to run; a leak of a thousand groups would be many times this.
    assert!(
        resident_after <= resident + resident / 5,
        "{resident} KiB became {resident_after}"
    );
    assert_eq!(tidemark.scrape().lag(&group), Some(0.0));
    assert_eq!(kafka.topics(), [topic].into(), "a deleted topic came back");
}

/// Makes groups and topics, waits until tidemark shows them all, and deletes them.
fn round(kafka: &Kafka, tidemark: &Tidemark) {
    let pairs: Vec<(String, String)> = (0..TOGETHER).map(|_| (kafka.topic(1), unique("passing"))).collect();
    pairs
        .iter()
        .for_each(|(topic, group)| kafka.commit(group, &[(topic, 0, 0)]));
    let shown = |scrape: &Scrape| pairs.iter().all(|(_, group)| scrape.lag(group) == Some(0.0));
    until("tidemark shows all of them", || shown(&tidemark.scrape()));
    pairs.iter().for_each(|(_, group)| kafka.delete_group(group));
    let topics: Vec<&str> = pairs.iter().map(|(topic, _)| topic.as_str()).collect();
    kafka.delete_topics(&topics);
}

/// Series of Kafka's and resident memory in KiB, once nothing that passed is shown any more.
fn settled(tidemark: &Tidemark) -> (usize, u64) {
    tidemark.scrape_until("what passed is gone", |scrape| !scrape.text.contains("passing-"));
    let status = fs::read_to_string(format!("/proc/{}/status", tidemark.pid())).expect("the process runs");
    let resident = status
        .lines()
        .find_map(|line| line.strip_prefix("VmRSS:"))
        .expect("a line");
    let kib = resident.trim().trim_end_matches(" kB").parse().expect("a number");
    (tidemark.scrape().count("kafka_"), kib)
}
