//! librdkafka never frees what it knows of a topic. The reader of records hands over to a new client after so many of them.

use std::env;
use std::fs;
use std::sync::Arc;
use std::time::Duration;

use rdkafka::ClientConfig;
use rdkafka::Offset as KafkaOffset;
use rdkafka::TopicPartitionList;
use rdkafka::consumer::BaseConsumer;
use rdkafka::consumer::Consumer as _;
use tidemark::clock::Clock;
use tidemark::config::Source;
use tidemark::config::load;
use tidemark::kafka::RecordTimes as _;
use tidemark::kafka::records::Reader;
use tidemark::model::Offset;
use tidemark::model::Partition;
use tidemark::model::RecordAt;
use tidemark::sim::Cluster;
use tidemark::sim::Model;

use super::exporter::this_binary;
use crate::sim::running::Running;

const BOOTSTRAP: &str = "TIDEMARK_HANDLES_BOOTSTRAP";
const HOW: &str = "TIDEMARK_HANDLES_HOW";
const TOPICS: usize = 8_000;
const AT_ONCE: usize = 500;
/// After so many topics the memory is looked at, and again at the end.
const SETTLED: usize = 4_000;

fn topic(number: usize) -> String {
    format!("a-topic-with-a-name-as-long-as-people-give-them-{number:06}")
}

/// How much memory a process takes from the 4,000th topic to the 8,000th, in kB.
fn growth(bootstrap: &str, how: &str) -> i64 {
    let done = this_binary("soak::handles::who_reads_from_thousands_of_topics")
        .env(BOOTSTRAP, bootstrap)
        .env(HOW, how)
        .output()
        .expect("starts");
    let told = String::from_utf8_lossy(&done.stdout).into_owned();
    assert!(
        done.status.success(),
        "{told} {}",
        String::from_utf8_lossy(&done.stderr)
    );
    let number = |word: &str| -> i64 {
        let line = told.lines().find_map(|line| line.split_once(word)).expect("a line");
        line.1.trim().parse().expect("a number")
    };
    let (settled, ended) = (number("settled:"), number("ended:"));
    println!("{how}: {settled} kB after {SETTLED} topics, {ended} kB after {TOPICS}");
    ended - settled
}

#[test]
fn the_reader_lets_go_of_topics_and_librdkafka_by_itself_does_not() {
    let cluster = Running::new(|| {
        let mut model = Model::new(1, 9);
        model.set_now(super::world::BEGIN.0);
        for number in 0..TOPICS {
            model.create_topic(&topic(number), 1);
            model.append(&topic(number), 0, 1).expect("it was just made");
        }
        Cluster::start(model, Clock::stepped(super::world::BEGIN))
    });
    cluster.trace_counts_only();
    let (bare, reader) = (
        growth(&cluster.bootstrap(), "bare"),
        growth(&cluster.bootstrap(), "reader"),
    );
    assert!(bare > 8_000, "librdkafka keeps something of every topic: {bare} kB");
    assert!(
        reader < bare / 2,
        "the reader took {reader} kB more, a bare client {bare} kB"
    );
}

/// Not a test: what the one above runs, in a process whose memory is its own.
#[test]
#[ignore = "run by another test"]
fn who_reads_from_thousands_of_topics() {
    let Ok(bootstrap) = env::var(BOOTSTRAP) else { return };
    match env::var(HOW).expect("said").as_str() {
        "bare" => bare(&bootstrap),
        _ => tokio::runtime::Runtime::new()
            .expect("a runtime")
            .block_on(read(&bootstrap)),
    }
}

fn told(number: usize) {
    let word = match number {
        SETTLED => "settled",
        TOPICS => "ended",
        _ => return,
    };
    let status = fs::read_to_string("/proc/self/status").expect("Linux");
    let resident = status
        .lines()
        .find_map(|line| line.strip_prefix("VmRSS:"))
        .expect("a line");
    println!("{word}: {}", resident.trim().trim_end_matches(" kB"));
}

async fn read(bootstrap: &str) {
    let config = load(&Source::Brokers(bootstrap.to_owned()), &[], [])
        .expect("a configuration")
        .config;
    let mut reader = Reader::new(Arc::clone(&config.clusters[0]));
    for first in (0..TOPICS).step_by(AT_ONCE) {
        let wanted: Vec<_> = (first..first + AT_ONCE)
            .map(|number| (topic(number).as_str().into(), Partition(0), Offset::ZERO))
            .collect();
        let deadline = tokio::time::Instant::now() + Duration::from_secs(60);
        let heard = reader.read(&wanted, deadline).await;
        assert!(
            heard.iter().all(|heard| matches!(heard, Ok(RecordAt::Found(..)))),
            "{heard:?}"
        );
        told(first + AT_ONCE);
    }
}

/// The same with one client for all.
fn bare(bootstrap: &str) {
    let mut config = ClientConfig::new();
    config.set("bootstrap.servers", bootstrap).set("group.id", "bare");
    config.set("enable.auto.commit", "false").set("fetch.wait.max.ms", "10");
    config
        .set("fetch.message.max.bytes", "16384")
        .set("queued.min.messages", "1");
    let consumer: BaseConsumer = config.create().expect("a client");
    for first in (0..TOPICS).step_by(AT_ONCE) {
        let mut list = TopicPartitionList::new();
        for number in first..first + AT_ONCE {
            list.add_partition_offset(&topic(number), 0, KafkaOffset::Offset(0))
                .expect("added");
        }
        consumer.assign(&list).expect("assigned");
        for _ in 0..AT_ONCE {
            let message = consumer.poll(Duration::from_secs(60)).expect("in time");
            drop(message.expect("a record"));
        }
        consumer.unassign().expect("let go");
        told(first + AT_ONCE);
    }
}
