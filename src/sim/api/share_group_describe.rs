//! ShareGroupDescribe v1.

use kafka_protocol::error::ResponseError;
use kafka_protocol::messages::GroupId;
use kafka_protocol::messages::ShareGroupDescribeRequest;
use kafka_protocol::messages::ShareGroupDescribeResponse;
use kafka_protocol::messages::share_group_describe_response::Assignment;
use kafka_protocol::messages::share_group_describe_response::DescribedGroup;
use kafka_protocol::messages::share_group_describe_response::Member as ShownMember;
use kafka_protocol::messages::share_group_describe_response::TopicPartitions;
use kafka_protocol::protocol::StrBytes;

use super::Call;
use super::text;
use crate::model::GroupType;
use crate::sim::model::Group;
use crate::sim::model::Member;

pub(super) fn answer(call: &Call<'_>, request: ShareGroupDescribeRequest) -> ShareGroupDescribeResponse {
    let groups = request.group_ids.into_iter();
    ShareGroupDescribeResponse::default().with_groups(groups.map(|id| one(call, &id)).collect())
}

fn one(call: &Call<'_>, id: &GroupId) -> DescribedGroup {
    let described = DescribedGroup::default().with_group_id(id.clone());
    if let Err(error) = call.coordinates(id) {
        return described.with_error_code(error.code());
    }
    match call.model.group(id) {
        Some(group) if group.kind == GroupType::Share => filled(call, described, group),
        other => {
            let message = match other {
                Some(_) => format!("Group {} is not a share group.", id.as_str()),
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
    let known = member.assigned.iter().filter_map(|(name, partitions)| {
        let topic = call.model.topic(name)?;
        Some(
            TopicPartitions::default()
                .with_topic_id(topic.id)
                .with_topic_name(name.clone())
                .with_partitions(partitions.clone()),
        )
    });
    ShownMember::default()
        .with_member_id(text(&member.id))
        .with_member_epoch(member.epoch)
        .with_client_id(text(&member.client_id))
        .with_client_host(text(&member.host))
        .with_subscribed_topic_names(member.topics.clone())
        .with_assignment(Assignment::default().with_topic_partitions(known.collect()))
}
