//! ListOffsets.

use kafka_protocol::messages::ListOffsetsRequest;
use kafka_protocol::messages::TopicName;
use kafka_protocol::messages::list_offsets_request::ListOffsetsPartition;
use kafka_protocol::messages::list_offsets_request::ListOffsetsTopic;

use super::ground::Ground;
use super::ground::now;
use super::ground::topic_name;
use crate::support::until;

fn asking(topic: &TopicName, partition: i32, timestamp: i64) -> ListOffsetsRequest {
    let partition = ListOffsetsPartition::default()
        .with_partition_index(partition)
        .with_current_leader_epoch(-1)
        .with_timestamp(timestamp);
    let topic = ListOffsetsTopic::default()
        .with_name(topic.clone())
        .with_partitions(vec![partition]);
    ListOffsetsRequest::default()
        .with_replica_id((-1).into())
        .with_topics(vec![topic])
}

/// Error, offset, time and leader epoch of the first partition.
fn said(ground: &Ground, request: &ListOffsetsRequest, version: i16) -> (i16, i64, i64, i32) {
    let answer = ground.ask(request, version);
    let one = &answer.topics[0].partitions[0];
    (one.error_code, one.offset, one.timestamp, one.leader_epoch)
}

/// The end of a partition, or the error.
pub(super) fn end(ground: &Ground, topic: &TopicName, partition: i32) -> Result<i64, i16> {
    match said(ground, &asking(topic, partition, -1), 5) {
        (0, offset, ..) => Ok(offset),
        (error, ..) => Err(error),
    }
}

pub(super) fn offsets_of_every_kind_and_version(ground: &Ground) {
    let (topic, now) = (ground.topic(1), now());
    // The log's newest record is not the one with the greatest time.
    ground.produce(&topic, &[now - 4_000, now - 3_000, now - 1_000, now - 2_000]);
    ground.delete_below(&topic, 1);
    for version in 1..=10 {
        let epoch = if version >= 4 { 0 } else { -1 };
        let expect = |kind: i64, expected: (i16, i64, i64, i32)| {
            assert_eq!(
                said(ground, &asking(&topic, 0, kind), version),
                expected,
                "{kind} v{version}"
            );
        };
        expect(-1, (0, 4, -1, epoch));
        expect(-2, (0, 1, -1, epoch));
        expect(now - 4_000, (0, 1, now - 3_000, epoch));
        expect(now - 2_500, (0, 2, now - 1_000, epoch));
        expect(now - 1_000, (0, 2, now - 1_000, epoch));
        expect(now - 999, (0, -1, -1, -1));
        if version >= 7 {
            expect(-3, (0, 2, now - 1_000, epoch));
        }
        if version >= 8 {
            expect(-4, (0, 1, -1, epoch));
        }
        if version >= 9 {
            expect(-5, (0, -1, -1, -1));
        }
    }
    let empty = ground.topic(1);
    assert_eq!(said(ground, &asking(&empty, 0, -1), 10), (0, 0, -1, 0));
    assert_eq!(said(ground, &asking(&empty, 0, -3), 10), (0, -1, -1, -1));
    assert_eq!(said(ground, &asking(&empty, 0, 0), 10), (0, -1, -1, -1));
}

pub(super) fn partitions_that_are_not_there_or_named_twice(ground: &Ground) {
    let topic = ground.topic(1);
    for version in [1, 5, 10] {
        assert_eq!(said(ground, &asking(&topic, 7, -1), version), (3, -1, -1, -1));
        assert_eq!(
            said(ground, &asking(&topic_name("not-there"), 0, -1), version),
            (3, -1, -1, -1)
        );
        let mut twice = asking(&topic, 0, -1);
        let again = twice.topics[0].partitions[0].clone().with_timestamp(-2);
        twice.topics[0].partitions.push(again);
        let answer = ground.ask(&twice, version);
        let codes: Vec<i16> = answer.topics[0].partitions.iter().map(|one| one.error_code).collect();
        assert_eq!(codes, [42], "v{version}");
    }
}

pub(super) fn leader_epochs_fence(ground: &Ground) {
    let topic = ground.topic(1);
    for (epoch, error) in [(-1, 0), (0, 0), (1, 75)] {
        let mut request = asking(&topic, 0, -1);
        request.topics[0].partitions[0].current_leader_epoch = epoch;
        assert_eq!(said(ground, &request, 10).0, error, "epoch {epoch}");
    }
}

pub(super) fn an_open_transaction_holds_the_stable_offset(ground: &Ground) {
    let (topic, now) = (ground.topic(1), now());
    ground.produce(&topic, &[now - 9_000, now - 8_000]);
    let commit = ground.open_transaction(&topic);
    let committed = |kind: i64| asking(&topic, 0, kind).with_isolation_level(1);
    assert_eq!(said(ground, &asking(&topic, 0, -1), 10), (0, 5, -1, 0));
    assert_eq!(said(ground, &committed(-1), 10), (0, 2, -1, 0));
    assert_eq!(said(ground, &committed(now - 8_000), 10), (0, 1, now - 8_000, 0));
    assert_eq!(said(ground, &committed(now - 7_000), 10), (0, -1, -1, -1));
    commit();
    until("the marker is written", || {
        said(ground, &committed(-1), 10) == (0, 6, -1, 0)
    });
    assert_eq!(said(ground, &committed(now - 7_000), 10).1, 2);
}
