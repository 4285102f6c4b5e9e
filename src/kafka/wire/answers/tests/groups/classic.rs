//! Classic groups, with the bytes their leaders write.

use bytes::Bytes;
use kafka_protocol::messages::ConsumerProtocolAssignment;
use kafka_protocol::messages::DescribeGroupsResponse;
use kafka_protocol::messages::TopicName as WireTopic;
use kafka_protocol::messages::consumer_protocol_assignment::TopicPartition;
use kafka_protocol::messages::describe_groups_response::DescribedGroup;
use kafka_protocol::messages::describe_groups_response::DescribedGroupMember;
use kafka_protocol::protocol::Decodable;

use super::super::*;
use crate::model::GroupId;
use crate::model::GroupState;
use crate::model::Text;
use crate::observation::Assignment;
use crate::observation::Description;
use crate::observation::Member;

fn answer(draw: &mut Draw<'_>, version: i16) -> DescribeGroupsResponse {
    DescribeGroupsResponse::default()
        .with_throttle_time_ms(draw.int32())
        .with_groups(draw.list(|draw| group(draw, version)))
        .with_unknown_tagged_fields(draw.tags())
}

fn group(draw: &mut Draw<'_>, version: i16) -> DescribedGroup {
    let mut group = DescribedGroup::default()
        .with_error_code(draw.error())
        .with_group_id(draw.text().into())
        .with_group_state(draw.one_of(&["Stable", "Empty", "PREPARINGREBALANCE", "Dead"]))
        .with_protocol_type(draw.one_of(&["consumer", "consumer", "connect", ""]))
        .with_protocol_data(draw.one_of(&["range", "sticky"]))
        .with_members(draw.list(|draw| member(draw, version)))
        .with_unknown_tagged_fields(draw.tags());
    if version >= 3 {
        group = group.with_authorized_operations(draw.int32());
    }
    if version >= 6 {
        group = group.with_error_message(draw.option(Draw::text));
    }
    group
}

fn member(draw: &mut Draw<'_>, version: i16) -> DescribedGroupMember {
    let member = DescribedGroupMember::default()
        .with_member_id(draw.text())
        .with_client_id(draw.text())
        .with_client_host(draw.one_of(&["/10.0.0.1", "host", "//x", "/"]))
        .with_member_metadata(draw.bytes())
        .with_member_assignment(assignment(draw))
        .with_unknown_tagged_fields(draw.tags());
    match version {
        ..4 => member,
        _ => member.with_group_instance_id(draw.option(Draw::text)),
    }
}

/// Mostly what a leader would write, by the codec; also nothing, a half of it, and what begins like nothing a leader writes.
fn assignment(draw: &mut Draw<'_>) -> Bytes {
    match draw.byte() {
        0..40 => return Bytes::new(),
        40..60 => return [&b"\xff"[..], &draw.bytes()].concat().into(),
        _ => {}
    }
    let version = i16::from(draw.byte() % 6);
    let written = ConsumerProtocolAssignment::default()
        .with_assigned_partitions(draw.list(|draw| {
            TopicPartition::default()
                .with_topic(WireTopic(draw.text()))
                .with_partitions(draw.list(Draw::int32))
        }))
        .with_user_data(draw.option(Draw::bytes));
    let mut bytes = version.to_be_bytes().to_vec();
    written
        .encode(&mut bytes, version.min(3))
        .expect("versions 0 to 3 can be written");
    match draw.byte() {
        0..200 => {}
        200..230 => bytes.push(0),
        _ => bytes.truncate(draw.below(bytes.len())),
    }
    bytes.into()
}

/// By the codec again, which reads everything but foreign bytes.
fn assigned(bytes: &Bytes) -> Assignment {
    if bytes.is_empty() {
        return Assignment::Partitions(Vec::new());
    }
    let Some((version, mut rest)) = bytes
        .split_first_chunk()
        .map(|(v, rest)| (i16::from_be_bytes(*v), rest))
    else {
        return Assignment::Opaque;
    };
    // As Kafka's own consumer does: of a version nobody knows yet, what the last known one would have.
    match ConsumerProtocolAssignment::decode(&mut rest, version.min(3)) {
        Ok(read) if rest.is_empty() || version > 3 => Assignment::Partitions(partitions(
            read.assigned_partitions
                .into_iter()
                .map(|topic| (topic.topic, topic.partitions)),
        )),
        _ => Assignment::Opaque,
    }
}

/// Sorted and each once.
pub(super) fn partitions(topics: impl IntoIterator<Item = (WireTopic, Vec<i32>)>) -> Vec<(TopicName, Vec<Partition>)> {
    by_topic(topics.into_iter().map(|(topic, partitions)| {
        let partitions = partitions.into_iter().map(|index| (index, ())).collect();
        (name(&topic), partitions)
    }))
    .into_iter()
    .map(|(topic, partitions)| (topic, partitions.into_iter().map(|(index, ())| index).collect()))
    .collect()
}

pub(super) fn members(members: impl IntoIterator<Item = Member>) -> Vec<Member> {
    let members = members.into_iter().map(|member| (member.id.clone(), member));
    sorted(members).into_iter().map(|(_, member)| member).collect()
}

pub(super) fn host(raw: &str) -> Text {
    name(&StrBytes::from_string(raw.strip_prefix('/').unwrap_or(raw).to_owned()))
}

fn expect(answer: &DescribeGroupsResponse) -> Vec<(GroupId, Heard<Description>)> {
    sorted(answer.groups.iter().map(|group| {
        let consumer = &*group.protocol_type == "consumer";
        let description = Description {
            state: GroupState::parse(&name(&group.group_state)),
            protocol_type: name(&group.protocol_type),
            protocol: name(&group.protocol_data),
            members: members(group.members.iter().map(|member| expect_member(member, consumer))),
            epochs: None,
        };
        (name(&group.group_id), heard(group.error_code, description))
    }))
}

fn expect_member(member: &DescribedGroupMember, consumer: bool) -> Member {
    Member {
        id: name(&member.member_id),
        instance_id: member.group_instance_id.as_ref().map(name),
        client_id: name(&member.client_id),
        host: host(&member.client_host),
        assignment: if consumer {
            assigned(&member.member_assignment)
        } else {
            Assignment::Opaque
        },
        target: None,
        epoch: None,
        protocol: None,
        tasks: None,
    }
}

#[test]
fn classic_groups_are_read_in_every_version() {
    hold(
        Api::DescribeGroups,
        answer,
        |body, version| describe_groups::read(body, version, &mut Names::new()).map(Groups::into_vec),
        |answer, _| expect(answer),
    );
}
