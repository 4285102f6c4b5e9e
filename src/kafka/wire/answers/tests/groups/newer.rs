//! Groups of KIP-848 and KIP-932.

use kafka_protocol::messages::ConsumerGroupDescribeResponse;
use kafka_protocol::messages::ShareGroupDescribeResponse;
use kafka_protocol::messages::consumer_group_describe_response as consumer;
use kafka_protocol::messages::share_group_describe_response as share;

use super::super::*;
use super::classic::host;
use super::classic::members;
use super::classic::partitions;
use crate::model::GroupState;
use crate::model::Text;
use crate::observation::Assignment;
use crate::observation::Description;
use crate::observation::Epochs;
use crate::observation::Member;
use crate::observation::MemberProtocol;

const STATES: [&str; 5] = ["Stable", "Empty", "reconciling", "ASSIGNING", "Dead"];

/// The two answers have the same parts under different types.
macro_rules! group {
    ($draw:ident, $group:ty, $members:expr) => {
        <$group>::default()
            .with_error_code($draw.error())
            .with_error_message($draw.option(Draw::text))
            .with_group_id($draw.text().into())
            .with_group_state($draw.one_of(&STATES))
            .with_group_epoch($draw.int32())
            .with_assignment_epoch($draw.int32())
            .with_assignor_name($draw.text())
            .with_members($members)
            .with_authorized_operations($draw.int32())
            .with_unknown_tagged_fields($draw.tags())
    };
}

macro_rules! assignment {
    ($draw:ident, $assignment:ty, $topic:ty) => {
        <$assignment>::default()
            .with_topic_partitions($draw.list(|draw| {
                <$topic>::default()
                    .with_topic_id(draw.uuid())
                    .with_topic_name(draw.text().into())
                    .with_partitions(draw.list(Draw::int32))
                    .with_unknown_tagged_fields(draw.tags())
            }))
            .with_unknown_tagged_fields($draw.tags())
    };
}

macro_rules! assigned {
    ($assignment:expr) => {
        Assignment::Partitions(partitions(
            $assignment
                .topic_partitions
                .iter()
                .map(|topic| (topic.topic_name.clone(), topic.partitions.clone())),
        ))
    };
}

macro_rules! described {
    ($answer:ident, $member:ident) => {
        sorted($answer.groups.iter().map(|group| {
            let description = Description {
                state: GroupState::parse(&name(&group.group_state)),
                protocol_type: Text::from(""),
                protocol: name(&group.assignor_name),
                members: members(group.members.iter().map($member)),
                epochs: Some(Epochs {
                    group: group.group_epoch,
                    assignment: group.assignment_epoch,
                    topology: None,
                }),
            };
            (name(&group.group_id), heard(group.error_code, description))
        }))
    };
}

fn consumer_member(draw: &mut Draw<'_>, version: i16) -> consumer::Member {
    let member = consumer::Member::default()
        .with_member_id(draw.text())
        .with_instance_id(draw.option(Draw::text))
        .with_rack_id(draw.option(Draw::text))
        .with_member_epoch(draw.int32())
        .with_client_id(draw.text())
        .with_client_host(draw.text())
        .with_subscribed_topic_names(draw.list(|draw| draw.text().into()))
        .with_subscribed_topic_regex(draw.option(Draw::text))
        .with_assignment(assignment!(draw, consumer::Assignment, consumer::TopicPartitions))
        .with_target_assignment(assignment!(draw, consumer::Assignment, consumer::TopicPartitions))
        .with_unknown_tagged_fields(draw.tags());
    match version {
        0 => member,
        _ => member.with_member_type(draw.int8()),
    }
}

fn expect_consumer(member: &consumer::Member) -> Member {
    Member {
        id: name(&member.member_id),
        instance_id: member.instance_id.as_ref().map(name),
        client_id: name(&member.client_id),
        host: host(&member.client_host),
        assignment: assigned!(member.assignment),
        target: Some(assigned!(member.target_assignment)),
        epoch: Some(member.member_epoch),
        protocol: match member.member_type {
            0 => Some(MemberProtocol::Classic),
            1 => Some(MemberProtocol::Consumer),
            _ => None,
        },
        tasks: None,
    }
}

#[test]
fn consumer_groups_are_read_in_every_version() {
    hold(
        Api::ConsumerGroupDescribe,
        |draw, version| {
            ConsumerGroupDescribeResponse::default()
                .with_throttle_time_ms(draw.int32())
                .with_groups(draw.list(|draw| {
                    let members = draw.list(|draw| consumer_member(draw, version));
                    group!(draw, consumer::DescribedGroup, members)
                }))
                .with_unknown_tagged_fields(draw.tags())
        },
        |body, version| consumer_group_describe::read(body, version, &mut Names::new()).map(Groups::into_vec),
        |answer, _| described!(answer, expect_consumer),
    );
}

fn share_member(draw: &mut Draw<'_>) -> share::Member {
    share::Member::default()
        .with_member_id(draw.text())
        .with_rack_id(draw.option(Draw::text))
        .with_member_epoch(draw.int32())
        .with_client_id(draw.text())
        .with_client_host(draw.text())
        .with_subscribed_topic_names(draw.list(|draw| draw.text().into()))
        .with_assignment(assignment!(draw, share::Assignment, share::TopicPartitions))
        .with_unknown_tagged_fields(draw.tags())
}

fn expect_share(member: &share::Member) -> Member {
    Member {
        id: name(&member.member_id),
        instance_id: None,
        client_id: name(&member.client_id),
        host: host(&member.client_host),
        assignment: assigned!(member.assignment),
        target: None,
        epoch: Some(member.member_epoch),
        protocol: None,
        tasks: None,
    }
}

#[test]
fn share_groups_are_read_in_every_version() {
    hold(
        Api::ShareGroupDescribe,
        |draw, _| {
            ShareGroupDescribeResponse::default()
                .with_throttle_time_ms(draw.int32())
                .with_groups(draw.list(|draw| {
                    let members = draw.list(share_member);
                    group!(draw, share::DescribedGroup, members)
                }))
                .with_unknown_tagged_fields(draw.tags())
        },
        |body, version| share_group_describe::read(body, version, &mut Names::new()).map(Groups::into_vec),
        |answer, _| described!(answer, expect_share),
    );
}
