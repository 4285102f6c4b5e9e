//! OffsetDelete v0.

use kafka_protocol::error::ResponseError;
use kafka_protocol::messages::GroupId;
use kafka_protocol::messages::OffsetDeleteRequest;
use kafka_protocol::messages::OffsetDeleteResponse;
use kafka_protocol::messages::TopicName;
use kafka_protocol::messages::offset_delete_response::OffsetDeleteResponsePartition;
use kafka_protocol::messages::offset_delete_response::OffsetDeleteResponseTopic;

use super::Call;
use super::NONE;
use super::Subject;
use crate::model::GroupState;

pub(super) fn answer(call: &mut Call<'_>, request: OffsetDeleteRequest) -> OffsetDeleteResponse {
    if let Err(error) = check(call, &request.group_id) {
        return OffsetDeleteResponse::default().with_error_code(error.code());
    }
    let topics = request.topics.into_iter().map(|topic| {
        let partitions = topic.partitions.iter().map(|asked| {
            let index = asked.partition_index;
            let error = forget(call, &request.group_id, &topic.name, index);
            OffsetDeleteResponsePartition::default()
                .with_partition_index(index)
                .with_error_code(error)
        });
        let partitions = partitions.collect();
        OffsetDeleteResponseTopic::default()
            .with_name(topic.name.clone())
            .with_partitions(partitions)
    });
    OffsetDeleteResponse::default().with_topics(topics.collect())
}

fn check(call: &Call<'_>, id: &GroupId) -> Result<(), ResponseError> {
    call.coordinates(id)?;
    let group = call.model.group(id).ok_or(ResponseError::GroupIdNotFound)?;
    let idle = *group.state(call.model.now()) == GroupState::Empty;
    // Of a live group only consumers say what they subscribe to.
    match idle || group.protocol_type() == "consumer" {
        true => Ok(()),
        false => Err(ResponseError::NonEmptyGroup),
    }
}

fn forget(call: &mut Call<'_>, group: &GroupId, topic: &TopicName, partition: i32) -> i16 {
    let subject = Subject {
        group: Some(group),
        topic: Some(topic),
        partition: Some(partition),
    };
    if let Some(refused) = (call.refusal)(&subject) {
        return refused;
    }
    if call.model.partition(topic, partition).is_none() {
        return ResponseError::UnknownTopicOrPartition.code();
    }
    if call.model.group(group).is_some_and(|known| known.subscribes(topic)) {
        return ResponseError::GroupSubscribedToTopic.code();
    }
    // A partition without a commit is forgotten already.
    let _ = call.model.forget(group, topic, partition);
    NONE
}
