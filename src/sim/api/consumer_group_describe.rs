//! ConsumerGroupDescribe v0-1: KIP-848 groups.

use kafka_protocol::error::ResponseError;
use kafka_protocol::messages::ConsumerGroupDescribeRequest;
use kafka_protocol::messages::ConsumerGroupDescribeResponse;
use kafka_protocol::messages::GroupId;
use kafka_protocol::messages::TopicName;
use kafka_protocol::messages::consumer_group_describe_response::Assignment;
use kafka_protocol::messages::consumer_group_describe_response::DescribedGroup;
use kafka_protocol::messages::consumer_group_describe_response::Member as ShownMember;
use kafka_protocol::messages::consumer_group_describe_response::TopicPartitions;
use kafka_protocol::protocol::StrBytes;

use super::Call;
use super::text;
use crate::model::GroupType;
use crate::sim::model::Group;
use crate::sim::model::Member;

/// A member that speaks KIP-848 itself.
const CONSUMER: i8 = 1;

pub(super) fn answer(call: &Call<'_>, request: ConsumerGroupDescribeRequest) -> ConsumerGroupDescribeResponse {
    let groups = request.group_ids.into_iter();
    ConsumerGroupDescribeResponse::default().with_groups(groups.map(|id| one(call, &id)).collect())
}

fn one(call: &Call<'_>, id: &GroupId) -> DescribedGroup {
    let described = DescribedGroup::default().with_group_id(id.clone());
    if let Err(error) = call.coordinates(id) {
        return described.with_error_code(error.code());
    }
    match call.model.group(id) {
        Some(group) if group.kind == GroupType::Consumer => filled(call, described, group),
        other => {
            let message = match other {
                Some(_) => format!("Group {} is not a consumer group.", id.as_str()),
                None => format!("Group {} not found.", id.as_str()),
            };
            described
                .with_error_code(ResponseError::GroupIdNotFound.code())
                .with_error_message(Some(StrBytes::from_string(message)))
        }
    }
}

fn filled(call: &Call<'_>, described: DescribedGroup, group: &Group) -> DescribedGroup {
    described
        .with_group_state(text(&group.state(call.model.now()).to_string()))
        .with_group_epoch(group.epoch)
        .with_assignment_epoch(group.assignment_epoch)
        .with_assignor_name(text(&group.protocol))
        .with_members(group.members.iter().map(|member| shown(call, member)).collect())
}

fn shown(call: &Call<'_>, member: &Member) -> ShownMember {
    let target = member.target.as_ref().unwrap_or(&member.assigned);
    let shown = ShownMember::default()
        .with_member_id(text(&member.id))
        .with_instance_id(member.instance_id.as_deref().map(text))
        .with_member_epoch(member.epoch)
        .with_client_id(text(&member.client_id))
        .with_client_host(text(&member.host))
        .with_subscribed_topic_names(member.topics.clone())
        .with_assignment(assignment(call, &member.assigned))
        .with_target_assignment(assignment(call, target));
    match call.version {
        0 => shown,
        _ => shown.with_member_type(CONSUMER),
    }
}

fn assignment(call: &Call<'_>, assigned: &[(TopicName, Vec<i32>)]) -> Assignment {
    // A topic that is gone is in no assignment any more: it has no id to be named by.
    let known = assigned.iter().filter_map(|(name, partitions)| {
        let topic = call.model.topic(name)?;
        Some(
            TopicPartitions::default()
                .with_topic_id(topic.id)
                .with_topic_name(name.clone())
                .with_partitions(partitions.clone()),
        )
    });
    Assignment::default().with_topic_partitions(known.collect())
}
