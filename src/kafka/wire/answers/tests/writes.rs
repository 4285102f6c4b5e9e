//! What became of commits from outside.

use kafka_protocol::messages::OffsetCommitResponse;
use kafka_protocol::messages::OffsetDeleteResponse;
use kafka_protocol::messages::offset_commit_response as commit;
use kafka_protocol::messages::offset_delete_response as delete;

use super::*;

fn commit(draw: &mut Draw<'_>, _: i16) -> OffsetCommitResponse {
    OffsetCommitResponse::default()
        .with_throttle_time_ms(draw.int32())
        .with_topics(draw.list(|draw| {
            commit::OffsetCommitResponseTopic::default()
                .with_name(draw.text().into())
                .with_partitions(draw.list(|draw| {
                    commit::OffsetCommitResponsePartition::default()
                        .with_partition_index(draw.int32())
                        .with_error_code(draw.error())
                        .with_unknown_tagged_fields(draw.tags())
                }))
                .with_unknown_tagged_fields(draw.tags())
        }))
        .with_unknown_tagged_fields(draw.tags())
}

fn delete(draw: &mut Draw<'_>, _: i16) -> OffsetDeleteResponse {
    OffsetDeleteResponse::default()
        .with_error_code(draw.error())
        .with_throttle_time_ms(draw.int32())
        .with_topics(draw.list(|draw| {
            delete::OffsetDeleteResponseTopic::default()
                .with_name(draw.text().into())
                .with_partitions(draw.list(|draw| {
                    delete::OffsetDeleteResponsePartition::default()
                        .with_partition_index(draw.int32())
                        .with_error_code(draw.error())
                }))
        }))
}

macro_rules! outcomes {
    ($answer:expr) => {
        by_topic($answer.topics.iter().map(|topic| {
            let partitions = topic.partitions.iter();
            let partitions = partitions.map(|partition| (partition.partition_index, heard(partition.error_code, ())));
            (name(&topic.name), partitions.collect())
        }))
    };
}

#[test]
fn what_became_of_commits_is_read_in_every_version() {
    hold(
        Api::OffsetCommit,
        commit,
        |body, version| offset_commit::read(body, version, &mut Names::new()).map(Topics::into_vec),
        |answer, _| outcomes!(answer),
    );
}

#[test]
fn what_became_of_forgotten_commits_is_read() {
    hold(
        Api::OffsetDelete,
        delete,
        |body, version| {
            let answer = offset_delete::read(body, version, &mut Names::new())?;
            Ok(answer.map(Topics::into_vec))
        },
        |answer, _| heard(answer.error_code, outcomes!(answer)),
    );
}
