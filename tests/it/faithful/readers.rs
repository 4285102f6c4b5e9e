//! librdkafka reads single records.

use std::time::Duration;
use std::time::Instant;

use rdkafka::Message;
use rdkafka::Offset;
use rdkafka::TopicPartitionList;
use rdkafka::consumer::BaseConsumer;
use rdkafka::consumer::Consumer;
use rdkafka::error::KafkaError;
use rdkafka::types::RDKafkaErrorCode;

use super::ground::Ground;
use super::ground::now;
use crate::support::wait::PATIENCE;

/// What a read at an offset comes to.
#[derive(Debug, PartialEq, Eq)]
enum Read {
    Record(i64, Option<i64>),
    End,
    OutOfRange,
}

fn reader(ground: &Ground) -> BaseConsumer {
    let config = [
        ("group.id", "never-joined"),
        ("enable.auto.commit", "false"),
        ("enable.partition.eof", "true"),
        ("auto.offset.reset", "error"),
        ("isolation.level", "read_committed"),
    ];
    let mut client = ground.client();
    for (key, value) in config {
        client.set(key, value);
    }
    client.create().expect("a consumer")
}

fn read(ground: &Ground, topic: &str, offset: i64) -> Read {
    let consumer = reader(ground);
    let mut assignment = TopicPartitionList::new();
    assignment
        .add_partition_offset(topic, 0, Offset::Offset(offset))
        .expect("an offset");
    consumer.assign(&assignment).expect("an assignment");
    let until = Instant::now() + PATIENCE;
    while Instant::now() < until {
        match consumer.poll(Duration::from_millis(200)) {
            None => {}
            Some(Ok(record)) => return Read::Record(record.offset(), record.timestamp().to_millis()),
            Some(Err(KafkaError::PartitionEOF(_))) => return Read::End,
            Some(Err(KafkaError::MessageConsumption(
                RDKafkaErrorCode::AutoOffsetReset | RDKafkaErrorCode::OffsetOutOfRange,
            ))) => return Read::OutOfRange,
            Some(Err(error)) => panic!("{error}"),
        }
    }
    panic!("nothing was read at {topic}/0@{offset}");
}

pub(super) fn a_reader_gets_the_record_at_an_offset_or_the_next(ground: &Ground) {
    let (topic, now) = (ground.topic(1), now());
    ground.produce(&topic, &[now - 3_000, now - 2_000, now - 1_000]);
    for (offset, age) in [(0, 3_000), (1, 2_000), (2, 1_000)] {
        assert_eq!(read(ground, &topic, offset), Read::Record(offset, Some(now - age)));
    }
    assert_eq!(read(ground, &topic, 3), Read::End);
    let commit = ground.open_transaction(&topic);
    // Behind the last stable offset there is nothing to read yet.
    assert_eq!(read(ground, &topic, 3), Read::End);
    commit();
    crate::support::until("the transaction's records can be read", || {
        matches!(read(ground, &topic, 3), Read::Record(3, _))
    });
    // A marker is no record.
    assert_eq!(read(ground, &topic, 6), Read::End);
}

pub(super) fn a_reader_outside_of_the_log_is_told_so(ground: &Ground) {
    let (topic, now) = (ground.topic(1), now());
    ground.produce(&topic, &[now - 3_000, now - 2_000, now - 1_000]);
    ground.delete_below(&topic, 2);
    assert_eq!(read(ground, &topic, 0), Read::OutOfRange);
    assert_eq!(read(ground, &topic, 2), Read::Record(2, Some(now - 1_000)));
    assert_eq!(read(ground, &topic, 9), Read::OutOfRange);
}
