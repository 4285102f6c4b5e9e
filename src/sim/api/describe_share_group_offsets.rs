//! DescribeShareGroupOffsets v0.

use kafka_protocol::error::ResponseError;
use kafka_protocol::messages::DescribeShareGroupOffsetsRequest;
use kafka_protocol::messages::DescribeShareGroupOffsetsResponse;
use kafka_protocol::messages::GroupId;
use kafka_protocol::messages::TopicName;
use kafka_protocol::messages::describe_share_group_offsets_request::DescribeShareGroupOffsetsRequestGroup;
use kafka_protocol::messages::describe_share_group_offsets_response::DescribeShareGroupOffsetsResponseGroup;
use kafka_protocol::messages::describe_share_group_offsets_response::DescribeShareGroupOffsetsResponsePartition;
use kafka_protocol::messages::describe_share_group_offsets_response::DescribeShareGroupOffsetsResponseTopic;

use super::Call;
use super::text;
use crate::model::GroupType;
use crate::sim::model::Group;

pub(super) fn answer(call: &Call<'_>, request: DescribeShareGroupOffsetsRequest) -> DescribeShareGroupOffsetsResponse {
    let groups = request.groups.into_iter();
    DescribeShareGroupOffsetsResponse::default().with_groups(groups.map(|group| one(call, group)).collect())
}

fn one(call: &Call<'_>, asked: DescribeShareGroupOffsetsRequestGroup) -> DescribeShareGroupOffsetsResponseGroup {
    let id = asked.group_id;
    let answer = DescribeShareGroupOffsetsResponseGroup::default().with_group_id(id.clone());
    if let Err(error) = call.coordinates(&id) {
        return answer.with_error_code(error.code());
    }
    let group = call.model.group(&id).filter(|group| group.kind == GroupType::Share);
    let Some(group) = group else {
        let message = format!("Group {} not found.", id.as_str());
        return answer
            .with_error_code(ResponseError::GroupIdNotFound.code())
            .with_error_message(Some(text(&message)));
    };
    let wanted = match asked.topics {
        Some(topics) => topics
            .into_iter()
            .map(|topic| (topic.topic_name, topic.partitions))
            .collect(),
        None => started(group),
    };
    let topics = wanted
        .into_iter()
        .map(|(name, indexes)| topic(call, (&id, group), name, &indexes));
    answer.with_topics(topics.collect())
}

/// Every partition the group has a start offset on.
fn started(group: &Group) -> Vec<(TopicName, Vec<i32>)> {
    let topics = group.commits.topics().iter();
    topics
        .map(|(name, slots)| (name.clone(), slots.iter().map(|slot| slot.partition).collect()))
        .collect()
}

fn topic(
    call: &Call<'_>,
    (id, group): (&GroupId, &Group),
    name: TopicName,
    indexes: &[i32],
) -> DescribeShareGroupOffsetsResponseTopic {
    let slots = group.commits.topic(&name);
    let partitions = indexes.iter().map(|index| {
        let at = slots.binary_search_by_key(index, |slot| slot.partition);
        // -1: nothing was ever acquired there.
        let offset = at.map_or(-1, |at| call.model.committed(id, &name, &slots[at]).0);
        DescribeShareGroupOffsetsResponsePartition::default()
            .with_partition_index(*index)
            .with_start_offset(offset)
    });
    let partitions = partitions.collect();
    let id = call.model.topic(&name).map(|topic| topic.id).unwrap_or_default();
    DescribeShareGroupOffsetsResponseTopic::default()
        .with_topic_name(name)
        .with_topic_id(id)
        .with_partitions(partitions)
}
