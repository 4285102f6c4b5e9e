//! DescribeGroups v0-6: classic groups. Groups of the newer protocols are unknown to it.

use bytes::Bytes;
use bytes::BytesMut;
use kafka_protocol::error::ResponseError;
use kafka_protocol::messages::ConsumerProtocolAssignment;
use kafka_protocol::messages::ConsumerProtocolSubscription;
use kafka_protocol::messages::DescribeGroupsRequest;
use kafka_protocol::messages::DescribeGroupsResponse;
use kafka_protocol::messages::GroupId;
use kafka_protocol::messages::consumer_protocol_assignment::TopicPartition;
use kafka_protocol::messages::describe_groups_response::DescribedGroup;
use kafka_protocol::messages::describe_groups_response::DescribedGroupMember;
use kafka_protocol::protocol::Encodable;
use kafka_protocol::protocol::StrBytes;

use super::Call;
use super::text;
use crate::model::GroupState;
use crate::sim::model::Group;
use crate::sim::model::Member;

/// The version of the consumer protocol that members speak: 1 is what Java's and librdkafka's cooperative assignors use.
const CONSUMER_PROTOCOL: i16 = 1;

pub(super) fn answer(call: &Call<'_>, request: DescribeGroupsRequest) -> DescribeGroupsResponse {
    let groups = request.groups.into_iter();
    DescribeGroupsResponse::default().with_groups(groups.map(|id| one(call, &id)).collect())
}

fn one(call: &Call<'_>, id: &GroupId) -> DescribedGroup {
    let described = DescribedGroup::default().with_group_id(id.clone());
    if let Err(error) = call.coordinates(id) {
        return described.with_error_code(error.code());
    }
    match call.model.group(id) {
        Some(group) if group.is_classic() => filled(described, group, call.model.now()),
        other => unknown(call, described, other.is_some()),
    }
}

fn filled(described: DescribedGroup, group: &Group, now: i64) -> DescribedGroup {
    let state = group.state(now);
    // Protocol, subscriptions and assignments are told of a Stable group only.
    let stable = *state == GroupState::Stable;
    let protocol = if stable { group.protocol.as_str() } else { "" };
    let members = group.members.iter().map(|member| shown(group, member, stable));
    described
        .with_group_state(text(&state.to_string()))
        .with_protocol_type(StrBytes::from_static_str(group.protocol_type()))
        .with_protocol_data(text(protocol))
        .with_members(members.collect())
}

/// Dead without an error up to v5, an error of its own from v6 on (KIP-1043).
fn unknown(call: &Call<'_>, described: DescribedGroup, of_other_type: bool) -> DescribedGroup {
    let dead = described.with_group_state(StrBytes::from_static_str("Dead"));
    if call.version < 6 {
        return dead;
    }
    let message = match of_other_type {
        true => format!("Group {} is not a classic group.", dead.group_id.as_str()),
        false => format!("Group {} not found.", dead.group_id.as_str()),
    };
    dead.with_error_code(ResponseError::GroupIdNotFound.code())
        .with_error_message(Some(StrBytes::from_string(message)))
}

fn shown(group: &Group, member: &Member, stable: bool) -> DescribedGroupMember {
    let (subscription, assignment) = match stable {
        true => (subscription(group, member), assignment(member)),
        false => (Bytes::new(), Bytes::new()),
    };
    DescribedGroupMember::default()
        .with_member_id(text(&member.id))
        .with_group_instance_id(member.instance_id.as_deref().map(text))
        .with_client_id(text(&member.client_id))
        .with_client_host(text(&member.host))
        .with_member_metadata(subscription)
        .with_member_assignment(assignment)
}

fn subscription(group: &Group, member: &Member) -> Bytes {
    if group.protocol_type() != "consumer" {
        return Bytes::new();
    }
    let topics = member.topics.iter().map(|topic| topic.0.clone()).collect();
    versioned(&ConsumerProtocolSubscription::default().with_topics(topics))
}

fn assignment(member: &Member) -> Bytes {
    if let Some(raw) = &member.raw {
        return raw.clone();
    }
    let topics = member.assigned.iter().map(|(topic, partitions)| {
        TopicPartition::default()
            .with_topic(topic.clone())
            .with_partitions(partitions.clone())
    });
    versioned(&ConsumerProtocolAssignment::default().with_assigned_partitions(topics.collect()))
}

/// A message of the consumer protocol: its version, then the message.
fn versioned(message: &impl Encodable) -> Bytes {
    let mut bytes = BytesMut::new();
    bytes.extend_from_slice(&CONSUMER_PROTOCOL.to_be_bytes());
    match message.encode(&mut bytes, CONSUMER_PROTOCOL) {
        Ok(()) => bytes.freeze(),
        // Nothing set here is missing in that version.
        Err(_) => Bytes::new(),
    }
}
