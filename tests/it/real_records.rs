//! The time of single records, read from a real Kafka.

use std::sync::Arc;
use std::time::Duration;
use std::time::SystemTime;
use std::time::UNIX_EPOCH;

use tidemark::config;
use tidemark::config::Cluster;
use tidemark::config::Isolation;
use tidemark::config::Patterns;
use tidemark::failure::Cause;
use tidemark::failure::ErrorCode;
use tidemark::failure::Heard;
use tidemark::kafka::RecordTimes as _;
use tidemark::kafka::records;
use tidemark::model::Offset;
use tidemark::model::Partition;
use tidemark::model::RecordAt;
use tidemark::model::TopicName;
use tidemark::model::UnixMillis;
use tokio::runtime::Runtime;
use tokio::time::Instant;

use crate::support::Kafka;

/// Time enough for a busy machine: no answer of a broker that serves comes after it.
const PLENTY: Duration = Duration::from_secs(20);
const HOUR: i64 = 3_600_000;

struct Reader {
    runtime: Runtime,
    records: records::Reader,
}

impl Reader {
    fn of(cluster: &Cluster) -> Self {
        Self {
            runtime: Runtime::new().expect("a runtime"),
            records: records::Reader::new(Arc::new(cluster.clone())),
        }
    }

    fn read(&mut self, wanted: &[(&str, i32, i64)], within: Duration) -> Vec<Heard<RecordAt>> {
        let wanted: Vec<_> = wanted
            .iter()
            .map(|(topic, partition, offset)| (TopicName::from(*topic), Partition(*partition), at(*offset)))
            .collect();
        let Self { runtime, records } = self;
        runtime.block_on(async { records.read(&wanted, Instant::now() + within).await })
    }
}

fn at(offset: i64) -> Offset {
    Offset::new(offset).expect("not negative")
}

fn found(offset: i64, time: i64) -> Heard<RecordAt> {
    Ok(RecordAt::Found(at(offset), Some(UnixMillis(time))))
}

fn code(code: ErrorCode) -> Heard<RecordAt> {
    Err(Cause::Code(code))
}

fn now() -> i64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).expect("after 1970");
    i64::try_from(now.as_millis()).expect("before the end of time")
}

fn cluster(servers: &str) -> Cluster {
    let loaded = config::load(&config::Source::Brokers(servers.to_owned()), &[], []).expect("a configuration");
    (*loaded.config.clusters[0]).clone()
}

#[test]
fn the_record_at_each_offset_or_the_first_after_it_or_that_there_is_none() {
    let Some(kafka) = Kafka::shared() else { return };
    let (topic, other, now) = (kafka.topic(3), kafka.topic(1), now());
    for (partition, age) in [(0, 3), (0, 2), (0, 1), (1, 9), (2, 5)] {
        kafka.produce_to(&[(&topic, partition)], 1, Some(now - age * HOUR));
    }
    kafka.produce_to(&[(&other, 0)], 2, Some(now - HOUR));
    kafka.delete_records(&other, 0, 1);
    let mut reader = Reader::of(&cluster(&kafka.bootstrap()));
    let wanted = [
        (topic.as_str(), 0, 2),
        (&topic, 0, 0),
        (&topic, 0, 1),
        (&topic, 0, 3),
        (&topic, 1, 0),
        (&topic, 2, 1),
        (&topic, 2, 7),
        (&other, 0, 1),
        (&other, 0, 0),
        ("no-such-topic", 0, 0),
    ];
    let expected = [
        found(2, now - HOUR),
        found(0, now - 3 * HOUR),
        found(1, now - 2 * HOUR),
        Ok(RecordAt::NothingUnread),
        found(0, now - 9 * HOUR),
        Ok(RecordAt::NothingUnread),
        // Nothing is unread from 1 on.
        Ok(RecordAt::NothingUnread),
        found(1, now - HOUR),
        code(ErrorCode::OFFSET_OUT_OF_RANGE),
        code(ErrorCode::UNKNOWN_TOPIC_OR_PARTITION),
    ];
    assert_eq!(reader.read(&wanted, PLENTY), expected);
    kafka.produce_to(&[(&topic, 2)], 1, Some(now));
    assert_eq!(
        reader.read(&[(&topic, 2, 1)], PLENTY),
        [found(1, now)],
        "the same client reads on"
    );
    assert_eq!(reader.read(&[], PLENTY), []);
}

#[test]
fn markers_and_aborted_records_are_nothing_to_read() {
    let Some(kafka) = Kafka::shared() else { return };
    let topic = kafka.topic(1);
    let transaction = kafka.transaction();
    transaction.produce(&topic, 0, 1);
    transaction.commit();
    let transaction = kafka.transaction();
    transaction.produce(&topic, 0, 1);
    transaction.abort();
    crate::support::until("both markers are written", || kafka.stable(&topic, 0) == 4);
    let mut cluster = cluster(&kafka.bootstrap());
    let wanted = [(topic.as_str(), 0, 1), (topic.as_str(), 0, 3)];
    cluster.isolation = vec![(Patterns::new([".*"]).expect("valid"), Isolation::ReadCommitted)];
    let nothing = Ok(RecordAt::NothingUnread);
    assert_eq!(Reader::of(&cluster).read(&wanted, PLENTY), [nothing, nothing]);
    cluster.isolation = Vec::new();
    let heard = Reader::of(&cluster).read(&wanted, PLENTY);
    assert!(
        matches!(heard[0], Ok(RecordAt::Found(offset, Some(_))) if offset == at(2)),
        "{heard:?}"
    );
    assert_eq!(heard[1], nothing);
}

#[test]
fn a_thousand_partitions_are_read_in_one_go() {
    let Some(kafka) = Kafka::shared() else { return };
    let topics: Vec<String> = (0..10).map(|_| kafka.topic(100)).collect();
    for topic in &topics {
        kafka.produce_to(&[(topic, 7)], 1, Some(HOUR));
    }
    let wanted: Vec<(&str, i32, i64)> = topics
        .iter()
        .flat_map(|topic| (0..100).map(|partition| (topic.as_str(), partition, 0)))
        .collect();
    let mut reader = Reader::of(&cluster(&kafka.bootstrap()));
    for heard in [reader.read(&wanted, PLENTY), reader.read(&wanted, PLENTY)] {
        for ((_, partition, _), heard) in wanted.iter().zip(heard) {
            let expected = if *partition == 7 {
                found(0, HOUR)
            } else {
                Ok(RecordAt::NothingUnread)
            };
            assert_eq!(heard, expected, "{partition}");
        }
    }
}

#[test]
fn a_broker_that_hangs_costs_no_more_than_the_deadline() {
    let Some(kafka) = Kafka::with().start() else { return };
    let topic = kafka.topic(1);
    kafka.produce_to(&[(&topic, 0)], 1, Some(HOUR));
    let mut reader = Reader::of(&cluster(&kafka.bootstrap()));
    assert_eq!(reader.read(&[(&topic, 0, 0)], PLENTY), [found(0, HOUR)]);
    kafka.pause(0);
    let begun = Instant::now();
    assert_eq!(
        reader.read(&[(&topic, 0, 0)], Duration::from_millis(400)),
        [Err(Cause::TimedOut)]
    );
    assert!(begun.elapsed() < Duration::from_secs(3), "{:?}", begun.elapsed());
    kafka.resume(0);
    crate::support::until("it reads again", || {
        reader.read(&[(&topic, 0, 0)], PLENTY) == [found(0, HOUR)]
    });
}

#[test]
fn who_may_not_read_is_told_so() {
    let authorizer = "org.apache.kafka.metadata.authorizer.StandardAuthorizer";
    let kafka = Kafka::with()
        .setting("authorizer.class.name", authorizer)
        .setting("allow.everyone.if.no.acl.found", "true");
    let Some(kafka) = kafka.start() else { return };
    let (open, closed) = (kafka.topic(1), kafka.topic(2));
    for (topic, partition) in [(&open, 0), (&closed, 0), (&closed, 1)] {
        kafka.produce_to(&[(topic, partition)], 1, Some(HOUR));
    }
    let bootstrap = kafka.bootstrap();
    let rule = [
        "--add",
        "--topic",
        &closed,
        "--operation",
        "Read",
        "--deny-principal",
        "User:*",
    ];
    kafka.tool("AclCommand", &rule);
    let rule = [
        "--add",
        "--topic",
        &closed,
        "--operation",
        "Describe",
        "--allow-principal",
        "User:*",
    ];
    kafka.tool("AclCommand", &rule);
    let mut reader = Reader::of(&cluster(&bootstrap));
    let denied = code(ErrorCode::TOPIC_AUTHORIZATION_FAILED);
    let heard = reader.read(&[(&closed, 0, 0), (&open, 0, 0), (&closed, 1, 0)], PLENTY);
    assert_eq!(heard, [denied, found(0, HOUR), denied]);
}
