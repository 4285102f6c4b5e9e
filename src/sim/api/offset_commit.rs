//! OffsetCommit v2-9, with the coordinator's checks of who may commit.

use kafka_protocol::error::ResponseError;
use kafka_protocol::messages::GroupId;
use kafka_protocol::messages::OffsetCommitRequest;
use kafka_protocol::messages::OffsetCommitResponse;
use kafka_protocol::messages::TopicName;
use kafka_protocol::messages::offset_commit_request::OffsetCommitRequestPartition;
use kafka_protocol::messages::offset_commit_response::OffsetCommitResponsePartition;
use kafka_protocol::messages::offset_commit_response::OffsetCommitResponseTopic;

use super::Call;
use super::NONE;
use super::Subject;
use super::code;
use crate::model::GroupState;
use crate::model::GroupType;
use crate::sim::model::Commit;
use crate::sim::model::Group;

/// `offset.metadata.max.bytes`.
const MAX_METADATA: usize = 4096;

pub(super) fn answer(call: &mut Call<'_>, request: OffsetCommitRequest) -> OffsetCommitResponse {
    let allowed = check(call, &request);
    let topics = request.topics.into_iter().map(|topic| {
        let partitions = topic.partitions.into_iter().map(|partition| {
            let index = partition.partition_index;
            let error = match allowed {
                Ok(()) => commit(call, &request.group_id, &topic.name, partition),
                Err(_) => code(&allowed),
            };
            OffsetCommitResponsePartition::default()
                .with_partition_index(index)
                .with_error_code(error)
        });
        let partitions = partitions.collect();
        OffsetCommitResponseTopic::default()
            .with_name(topic.name.clone())
            .with_partitions(partitions)
    });
    OffsetCommitResponse::default().with_topics(topics.collect())
}

fn check(call: &Call<'_>, request: &OffsetCommitRequest) -> Result<(), ResponseError> {
    call.coordinates(&request.group_id)?;
    let epoch = request.generation_id_or_member_epoch;
    match call.model.group(&request.group_id) {
        // A commit from outside makes the group; a member's shows that it lives in another world.
        None if epoch < 0 => Ok(()),
        None if call.version >= 9 => Err(ResponseError::GroupIdNotFound),
        None => Err(ResponseError::IllegalGeneration),
        Some(group) if group.is_classic() => of_classic(group, request, call.model.now()),
        Some(group) => of_newer(group, request),
    }
}

fn of_classic(group: &Group, request: &OffsetCommitRequest, now: i64) -> Result<(), ResponseError> {
    let epoch = request.generation_id_or_member_epoch;
    let state = group.state(now);
    if epoch < 0 && *state == GroupState::Empty {
        return Ok(());
    }
    if *state == GroupState::Dead {
        return Err(ResponseError::CoordinatorNotAvailable);
    }
    if !is_member(group, request) {
        return Err(ResponseError::UnknownMemberId);
    }
    if epoch != group.epoch {
        return Err(ResponseError::IllegalGeneration);
    }
    match state {
        GroupState::CompletingRebalance => Err(ResponseError::RebalanceInProgress),
        _ => Ok(()),
    }
}

fn of_newer(group: &Group, request: &OffsetCommitRequest) -> Result<(), ResponseError> {
    if group.kind == GroupType::Share {
        return Err(ResponseError::GroupIdNotFound);
    }
    let epoch = request.generation_id_or_member_epoch;
    if epoch < 0 && group.members.is_empty() {
        return Ok(());
    }
    if !is_member(group, request) {
        return Err(ResponseError::UnknownMemberId);
    }
    match epoch == group.epoch {
        true => Ok(()),
        false => Err(ResponseError::StaleMemberEpoch),
    }
}

fn is_member(group: &Group, request: &OffsetCommitRequest) -> bool {
    group.members.iter().any(|member| *member.id == *request.member_id)
}

fn commit(call: &mut Call<'_>, group: &GroupId, topic: &TopicName, asked: OffsetCommitRequestPartition) -> i16 {
    let index = asked.partition_index;
    let subject = Subject {
        group: Some(group),
        topic: Some(topic),
        partition: Some(index),
    };
    if let Some(refused) = (call.refusal)(&subject) {
        return refused;
    }
    if call.model.partition(topic, index).is_none() {
        return ResponseError::UnknownTopicOrPartition.code();
    }
    let metadata = asked.committed_metadata.unwrap_or_default();
    if metadata.len() > MAX_METADATA {
        return ResponseError::OffsetMetadataTooLarge.code();
    }
    let commit = Commit {
        offset: asked.committed_offset,
        epoch: asked.committed_leader_epoch,
        metadata: metadata.to_string(),
    };
    call.model.commit_with(group, topic, index, commit);
    NONE
}
