//! Commits, and start offsets of share groups.

use kafka_protocol::messages::DescribeShareGroupOffsetsResponse;
use kafka_protocol::messages::OffsetFetchResponse;
use kafka_protocol::messages::describe_share_group_offsets_response as share;
use kafka_protocol::messages::offset_fetch_response as wire;

use super::*;
use crate::kafka::CommitFact;
use crate::model::GroupId;
use crate::model::Text;
use crate::observation::Share;
use crate::observation::TopicCommits;
use crate::observation::TopicShares;

const ASKED: &str = "asked";

/// A group's answer, whatever the version calls its parts.
type Commits = Vec<(TopicName, Vec<(i32, Commit)>)>;

struct Commit {
    error: i16,
    offset: i64,
    leader_epoch: i32,
    metadata: Text,
}

fn answer(draw: &mut Draw<'_>, version: i16) -> OffsetFetchResponse {
    let answer = OffsetFetchResponse::default()
        .with_throttle_time_ms(draw.int32())
        .with_unknown_tagged_fields(draw.tags());
    if version >= 8 {
        return answer.with_groups(draw.list(group));
    }
    let error = if version >= 2 { draw.error() } else { 0 };
    answer.with_error_code(error).with_topics(draw.list(|draw| {
        wire::OffsetFetchResponseTopic::default()
            .with_name(draw.text().into())
            .with_partitions(draw.list(|draw| {
                wire::OffsetFetchResponsePartition::default()
                    .with_partition_index(draw.int32())
                    .with_committed_offset(draw.int64())
                    .with_committed_leader_epoch(if version >= 5 { draw.int32() } else { -1 })
                    .with_metadata(draw.option(Draw::text))
                    .with_error_code(draw.error())
                    .with_unknown_tagged_fields(draw.tags())
            }))
            .with_unknown_tagged_fields(draw.tags())
    }))
}

fn group(draw: &mut Draw<'_>) -> wire::OffsetFetchResponseGroup {
    wire::OffsetFetchResponseGroup::default()
        .with_group_id(draw.text().into())
        .with_error_code(draw.error())
        .with_topics(draw.list(|draw| {
            wire::OffsetFetchResponseTopics::default()
                .with_name(draw.text().into())
                .with_partitions(draw.list(|draw| {
                    wire::OffsetFetchResponsePartitions::default()
                        .with_partition_index(draw.int32())
                        .with_committed_offset(draw.int64())
                        .with_committed_leader_epoch(draw.int32())
                        .with_metadata(draw.option(Draw::text))
                        .with_error_code(draw.error())
                        .with_unknown_tagged_fields(draw.tags())
                }))
                .with_unknown_tagged_fields(draw.tags())
        }))
        .with_unknown_tagged_fields(draw.tags())
}

macro_rules! commits {
    ($topics:expr) => {
        $topics
            .iter()
            .map(|topic| {
                let partitions = topic.partitions.iter().map(|partition| {
                    let commit = Commit {
                        error: partition.error_code,
                        offset: partition.committed_offset,
                        leader_epoch: partition.committed_leader_epoch,
                        metadata: name(&partition.metadata.clone().unwrap_or_default()),
                    };
                    (partition.partition_index, commit)
                });
                (name(&topic.name), partitions.collect())
            })
            .collect::<Commits>()
    };
}

/// Every group of the answer with what `finish` makes of its commits.
fn expect<T>(answer: &OffsetFetchResponse, version: i16, finish: impl Fn(Commits) -> T) -> Vec<(GroupId, Heard<T>)> {
    if version < 8 {
        let commits = finish(commits!(answer.topics));
        return vec![(GroupId::from(ASKED), heard(answer.error_code, commits))];
    }
    sorted(answer.groups.iter().map(|group| {
        let commits = finish(commits!(group.topics));
        (name(&group.group_id), heard(group.error_code, commits))
    }))
}

/// What has no commit is left out before anything else.
fn committed<T>(commits: Commits, value: impl Fn(Heard<Offset>, Commit) -> T) -> Vec<(TopicName, Vec<(Partition, T)>)> {
    by_topic(commits.into_iter().map(|(topic, partitions)| {
        let partitions = partitions.into_iter().filter_map(|(partition, commit)| {
            let offset = offset(commit.error, commit.offset).transpose()?;
            Some((partition, value(offset, commit)))
        });
        (topic, partitions.collect())
    }))
}

fn light(commits: Commits) -> Vec<TopicCommits> {
    committed(commits, |offset, _| offset)
        .into_iter()
        .filter(|(_, partitions)| !partitions.is_empty())
        .map(|(topic, partitions)| TopicCommits { topic, partitions })
        .collect()
}

fn full(commits: Commits) -> Vec<CommitFact> {
    let facts = committed(commits, |offset, commit| (offset, commit));
    let facts = facts.into_iter().flat_map(|(topic, partitions)| {
        partitions
            .into_iter()
            .map(move |(partition, (offset, commit))| CommitFact {
                topic: topic.clone(),
                partition,
                offset,
                leader_epoch: (commit.leader_epoch >= 0).then_some(commit.leader_epoch),
                metadata: commit.metadata.to_string(),
            })
    });
    facts.collect()
}

#[test]
fn commits_are_read_for_the_survey_in_every_version() {
    let asked = GroupId::from(ASKED);
    hold(
        Api::OffsetFetch,
        answer,
        |body, version| offset_fetch::read(body, version, &asked, &mut Names::new()).map(Groups::into_vec),
        |answer, version| expect(answer, version, light),
    );
}

#[test]
fn commits_are_read_with_all_that_is_kept_beside_them_in_every_version() {
    let asked = GroupId::from(ASKED);
    hold(
        Api::OffsetFetch,
        answer,
        |body, version| offset_fetch::read_facts(body, version, &asked, &mut Names::new()).map(Groups::into_vec),
        |answer, version| expect(answer, version, full),
    );
}

#[test]
fn a_topic_is_kept_once_however_many_groups_have_commits_on_it() {
    let topic = || {
        wire::OffsetFetchResponseTopics::default()
            .with_name(StrBytes::from("orders").into())
            .with_partitions(vec![wire::OffsetFetchResponsePartitions::default()])
    };
    let group = |id: &'static str| {
        wire::OffsetFetchResponseGroup::default()
            .with_group_id(StrBytes::from(id).into())
            .with_topics(vec![topic()])
    };
    let mut body = Vec::new();
    let answer = OffsetFetchResponse::default().with_groups(vec![group("a"), group("b")]);
    answer.encode(&mut body, 8).unwrap();
    let read = offset_fetch::read(&body, 8, &GroupId::from(ASKED), &mut Names::new()).unwrap();
    let topic = |group| {
        read.get(&GroupId::from(group)).unwrap().as_ref().unwrap()[0]
            .topic
            .bytes()
            .as_ptr()
    };
    assert_eq!(topic("a"), topic("b"));
}

fn share(draw: &mut Draw<'_>) -> DescribeShareGroupOffsetsResponse {
    DescribeShareGroupOffsetsResponse::default()
        .with_throttle_time_ms(draw.int32())
        .with_groups(draw.list(|draw| {
            share::DescribeShareGroupOffsetsResponseGroup::default()
                .with_group_id(draw.text().into())
                .with_topics(draw.list(share_topic))
                .with_error_code(draw.error())
                .with_error_message(draw.option(Draw::text))
                .with_unknown_tagged_fields(draw.tags())
        }))
        .with_unknown_tagged_fields(draw.tags())
}

fn share_topic(draw: &mut Draw<'_>) -> share::DescribeShareGroupOffsetsResponseTopic {
    share::DescribeShareGroupOffsetsResponseTopic::default()
        .with_topic_name(draw.text().into())
        .with_topic_id(draw.uuid())
        .with_partitions(draw.list(|draw| {
            share::DescribeShareGroupOffsetsResponsePartition::default()
                .with_partition_index(draw.int32())
                .with_start_offset(draw.int64())
                .with_leader_epoch(draw.int32())
                .with_error_code(draw.error())
                .with_error_message(draw.option(Draw::text))
                .with_unknown_tagged_fields(draw.tags())
        }))
        .with_unknown_tagged_fields(draw.tags())
}

#[test]
fn start_offsets_of_share_groups_are_read() {
    hold(
        Api::DescribeShareGroupOffsets,
        |draw, _| share(draw),
        |body, version| {
            let read = describe_share_group_offsets::read(body, version, &mut Names::new())?;
            Ok(read.into_vec())
        },
        |answer, _| {
            sorted(answer.groups.iter().map(|group| {
                let topics = by_topic(group.topics.iter().map(|topic| {
                    let partitions = topic.partitions.iter();
                    let share = |start| Share { start, lag: None };
                    let partitions =
                        partitions.map(|p| (p.partition_index, offset(p.error_code, p.start_offset).map(share)));
                    (name(&topic.topic_name), partitions.collect())
                }));
                let topics = topics.into_iter();
                let topics = topics
                    .map(|(topic, partitions)| TopicShares { topic, partitions })
                    .collect();
                (name(&group.group_id), heard(group.error_code, topics))
            }))
        },
    );
}
