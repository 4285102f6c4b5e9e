//! OffsetCommit, OffsetFetch and OffsetDelete.

use kafka_protocol::messages::GroupId;
use kafka_protocol::messages::OffsetCommitRequest;
use kafka_protocol::messages::OffsetDeleteRequest;
use kafka_protocol::messages::OffsetFetchRequest;
use kafka_protocol::messages::TopicName;
use kafka_protocol::messages::offset_commit_request::OffsetCommitRequestPartition;
use kafka_protocol::messages::offset_commit_request::OffsetCommitRequestTopic;
use kafka_protocol::messages::offset_delete_request::OffsetDeleteRequestPartition;
use kafka_protocol::messages::offset_delete_request::OffsetDeleteRequestTopic;
use kafka_protocol::messages::offset_fetch_request::OffsetFetchRequestGroup;
use kafka_protocol::messages::offset_fetch_request::OffsetFetchRequestTopic;
use kafka_protocol::messages::offset_fetch_request::OffsetFetchRequestTopics;

use super::ground::Ground;
use super::ground::text;
use super::ground::topic_name;
use super::groups::listed;

/// A commit from outside of the group, with an epoch and a text.
fn committing(group: &GroupId, topic: &TopicName, partition: i32, offset: i64) -> OffsetCommitRequest {
    let partition = OffsetCommitRequestPartition::default()
        .with_partition_index(partition)
        .with_committed_offset(offset)
        .with_committed_metadata(Some(text("why")));
    let topic = OffsetCommitRequestTopic::default()
        .with_name(topic.clone())
        .with_partitions(vec![partition]);
    OffsetCommitRequest::default()
        .with_group_id(group.clone())
        .with_generation_id_or_member_epoch(-1)
        .with_topics(vec![topic])
}

fn said(ground: &Ground, request: &OffsetCommitRequest, version: i16) -> i16 {
    ground.ask(request, version).topics[0].partitions[0].error_code
}

/// The code of a commit from outside.
pub(super) fn commit(ground: &Ground, group: &GroupId, topic: &TopicName, partition: i32, offset: i64) -> i16 {
    said(ground, &committing(group, topic, partition, offset), 9)
}

/// The group's error; partition, offset, leader epoch and error of each commit on the first topic (v8 and later).
pub(super) fn fetched(
    ground: &Ground,
    group: &GroupId,
    named: Option<(&TopicName, &[i32])>,
    version: i16,
) -> (i16, Vec<(i32, i64, i32, i16)>) {
    let topics = named.map(|(topic, partitions)| {
        let topic = OffsetFetchRequestTopics::default()
            .with_name(topic.clone())
            .with_partition_indexes(partitions.to_vec());
        vec![topic]
    });
    let asked = OffsetFetchRequestGroup::default()
        .with_group_id(group.clone())
        .with_topics(topics);
    let answer = ground.ask(&OffsetFetchRequest::default().with_groups(vec![asked]), version);
    let topics = answer.groups[0].topics.iter();
    let mut found: Vec<_> = topics
        .flat_map(|topic| &topic.partitions)
        .map(|one| {
            (
                one.partition_index,
                one.committed_offset,
                one.committed_leader_epoch,
                one.error_code,
            )
        })
        .collect();
    found.sort_unstable();
    (answer.groups[0].error_code, found)
}

/// The code of forgetting partition 0, or the group's.
pub(super) fn forget(ground: &Ground, group: &GroupId, topic: &TopicName) -> Result<i16, i16> {
    let topic = OffsetDeleteRequestTopic::default()
        .with_name(topic.clone())
        .with_partitions(vec![OffsetDeleteRequestPartition::default()]);
    let request = OffsetDeleteRequest::default()
        .with_group_id(group.clone())
        .with_topics(vec![topic]);
    let answer = ground.ask(&request, 0);
    match answer.error_code {
        0 => Ok(answer.topics[0].partitions[0].error_code),
        error => Err(error),
    }
}

pub(super) fn a_commit_from_outside_makes_a_group(ground: &Ground) {
    let topic = ground.topic(2);
    for version in 2..=9 {
        let group = ground.group();
        assert_eq!(
            said(ground, &committing(&group, &topic, 0, 7), version),
            0,
            "v{version}"
        );
        assert_eq!(fetched(ground, &group, None, 9), (0, vec![(0, 7, -1, 0)]));
        let list = listed(ground, &group, 5).expect("it is listed");
        assert_eq!((&*list.protocol_type, &*list.group_state), ("", "Empty"));
        assert!(list.group_type.eq_ignore_ascii_case("classic"));
    }
    let group = ground.group();
    let mut dated = committing(&group, &topic, 1, 3);
    dated.topics[0].partitions[0].committed_leader_epoch = 4;
    assert_eq!(said(ground, &dated, 9), 0);
    assert_eq!(fetched(ground, &group, None, 9), (0, vec![(1, 3, 4, 0)]));
}

pub(super) fn who_may_commit(ground: &Ground) {
    let (topic, group) = (ground.topic(1), ground.group());
    for version in 2..=9 {
        let stranger = committing(&group, &topic, 0, 1)
            .with_generation_id_or_member_epoch(3)
            .with_member_id(text("somebody"));
        let error = if version == 9 { 69 } else { 22 };
        assert_eq!(said(ground, &stranger, version), error, "v{version}");
    }
    assert_eq!(commit(ground, &group, &topic, 0, 5), 0);
    let stranger = committing(&group, &topic, 0, 1)
        .with_generation_id_or_member_epoch(3)
        .with_member_id(text("somebody"));
    assert_eq!(said(ground, &stranger, 9), 25);
    assert_eq!(commit(ground, &group, &topic, 9, 5), 3);
    assert_eq!(commit(ground, &group, &topic_name("not-there"), 0, 5), 3);
    let mut long = committing(&group, &topic, 0, 1);
    long.topics[0].partitions[0].committed_metadata = Some(text(&"x".repeat(4_097)));
    assert_eq!(said(ground, &long, 9), 12);
    assert_eq!(fetched(ground, &group, None, 9), (0, vec![(0, 5, -1, 0)]));
}

pub(super) fn commits_named_and_all_in_every_version(ground: &Ground) {
    let (topic, group) = (ground.topic(3), ground.group());
    assert_eq!(commit(ground, &group, &topic, 0, 5), 0);
    assert_eq!(commit(ground, &group, &topic, 2, i64::MAX - 1), 0);
    let named = OffsetFetchRequest::default()
        .with_group_id(group.clone())
        .with_topics(Some(vec![
            OffsetFetchRequestTopic::default()
                .with_name(topic.clone())
                .with_partition_indexes(vec![0, 1, 2, 99]),
        ]));
    for version in 1..=7 {
        let answer = ground.ask(&named, version);
        let mut found: Vec<_> = answer.topics[0]
            .partitions
            .iter()
            .map(|one| {
                (
                    one.partition_index,
                    one.committed_offset,
                    one.metadata.as_deref(),
                    one.error_code,
                )
            })
            .collect();
        found.sort_unstable();
        let expected = [
            (0, 5, Some("why"), 0),
            (1, -1, Some(""), 0),
            (2, i64::MAX - 1, Some("why"), 0),
            (99, -1, Some(""), 0),
        ];
        assert_eq!((answer.error_code, &*found), (0, &expected[..]), "v{version}");
    }
    for version in 2..=7 {
        let all = named.clone().with_topics(None);
        assert_eq!(ground.ask(&all, version).topics[0].partitions.len(), 2);
    }
    for version in 8..=9 {
        let all = (0, vec![(0, 5, -1, 0), (2, i64::MAX - 1, -1, 0)]);
        assert_eq!(fetched(ground, &group, None, version), all);
        assert_eq!(
            fetched(ground, &group, Some((&topic, &[1])), version),
            (0, vec![(1, -1, -1, 0)])
        );
        assert_eq!(
            fetched(ground, &group, Some((&topic_name("not-there"), &[0])), version),
            (0, vec![(0, -1, -1, 0)])
        );
    }
}

pub(super) fn forgetting_commits_and_groups(ground: &Ground) {
    let (topic, group) = (ground.topic(2), ground.group());
    assert_eq!(commit(ground, &group, &topic, 0, 5), 0);
    assert_eq!(commit(ground, &group, &topic, 1, 6), 0);
    assert_eq!(forget(ground, &group, &topic), Ok(0));
    assert_eq!(forget(ground, &group, &topic), Ok(0));
    assert_eq!(forget(ground, &group, &topic_name("not-there")), Ok(3));
    assert_eq!(fetched(ground, &group, None, 9), (0, vec![(1, 6, -1, 0)]));
}
