//! What the tests ask and change of groups and their commits.

use std::collections::BTreeMap;

use kafka_protocol::messages::ConsumerGroupDescribeRequest;
use kafka_protocol::messages::ConsumerProtocolAssignment;
use kafka_protocol::messages::DeleteGroupsRequest;
use kafka_protocol::messages::DescribeGroupsRequest;
use kafka_protocol::messages::FindCoordinatorRequest;
use kafka_protocol::messages::GroupId;
use kafka_protocol::messages::ListGroupsRequest;
use kafka_protocol::messages::OffsetCommitRequest;
use kafka_protocol::messages::OffsetDeleteRequest;
use kafka_protocol::messages::OffsetFetchRequest;
use kafka_protocol::messages::offset_commit_request::OffsetCommitRequestPartition;
use kafka_protocol::messages::offset_commit_request::OffsetCommitRequestTopic;
use kafka_protocol::messages::offset_delete_request::OffsetDeleteRequestPartition;
use kafka_protocol::messages::offset_delete_request::OffsetDeleteRequestTopic;
use kafka_protocol::messages::offset_fetch_request::OffsetFetchRequestGroup;
use kafka_protocol::protocol::Decodable;

use super::admin::text;
use super::admin::topic_name;
use super::cluster::OFFSETS_PARTITIONS;
use super::kafka::Kafka;
use super::wait::PATIENCE;
use super::wait::eventually;
use super::wait::unique;
use super::wait::until;

/// A group as its coordinator describes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Described {
    /// `Stable`, `Empty`, …
    pub(crate) state: String,
    /// How many members.
    pub(crate) members: usize,
    /// How many partitions the members have together.
    pub(crate) assigned: usize,
}

impl Kafka {
    /// Commits (topic, partition, offset) for a group without members.
    pub(crate) fn commit(&self, group: &str, offsets: &[(&str, i32, i64)]) {
        let request = commit_request(group, offsets);
        until("the commit is taken", || {
            let answer = self.coordinator(group).and_then(|broker| self.ask(broker, &request, 8));
            let codes = answer
                .iter()
                .flat_map(|a| &a.topics)
                .flat_map(|t| &t.partitions)
                .map(|p| p.error_code);
            let codes: Vec<i16> = codes.collect();
            // A coordinator that loads or moves is asked again.
            assert!(
                codes.iter().all(|code| [0, 14, 15, 16].contains(code)),
                "commit of {group}: {codes:?}"
            );
            codes.len() == offsets.len() && codes.iter().all(|code| *code == 0)
        });
    }

    /// Every commit of a group, as Kafka has it.
    pub(crate) fn committed(&self, group: &str) -> BTreeMap<(String, i32), i64> {
        let wanted = OffsetFetchRequestGroup::default()
            .with_group_id(group_id(group))
            .with_topics(None);
        let request = OffsetFetchRequest::default().with_groups(vec![wanted]);
        let found = eventually("commits can be read", PATIENCE, || {
            let answer = self.ask(self.coordinator(group)?, &request, 8)?;
            let found = answer.groups.into_iter().next()?;
            (found.error_code == 0).then_some(found)
        });
        let topics = found.topics.iter();
        let rows = topics.flat_map(|t| t.partitions.iter().map(|p| (t.name.to_string(), p)));
        rows.map(|(topic, p)| ((topic, p.partition_index), p.committed_offset))
            .collect()
    }

    /// Removes the group's commits on partitions of a topic (OffsetDelete).
    pub(crate) fn forget(&self, group: &str, topic: &str, partitions: &[i32]) {
        let place = |partition: &i32| OffsetDeleteRequestPartition::default().with_partition_index(*partition);
        let wanted = OffsetDeleteRequestTopic::default()
            .with_name(topic_name(topic))
            .with_partitions(partitions.iter().map(place).collect());
        let request = OffsetDeleteRequest::default()
            .with_group_id(group_id(group))
            .with_topics(vec![wanted]);
        let broker = self.coordinator(group).expect("a coordinator");
        let answer = self.ask(broker, &request, 0).expect("an answer to OffsetDelete");
        let failed = answer
            .topics
            .iter()
            .flat_map(|t| &t.partitions)
            .any(|p| p.error_code != 0);
        assert!(answer.error_code == 0 && !failed, "{answer:?}");
    }

    /// Deletes a group that has no members.
    pub(crate) fn delete_group(&self, group: &str) {
        let request = DeleteGroupsRequest::default().with_groups_names(vec![group_id(group)]);
        let broker = self.coordinator(group).expect("a coordinator");
        let answer = self.ask(broker, &request, 2).expect("an answer to DeleteGroups");
        assert_eq!(answer.results[0].error_code, 0, "{group} was not deleted");
    }

    /// Every group that a broker lists, with its type as Kafka spells it.
    pub(crate) fn groups(&self) -> BTreeMap<String, String> {
        let lists = self
            .serving()
            .filter_map(|broker| self.ask(broker, &ListGroupsRequest::default(), 5));
        let groups = lists.flat_map(|list| list.groups);
        groups
            .map(|g| (g.group_id.to_string(), g.group_type.to_string()))
            .collect()
    }

    /// The broker that coordinates a group, when there is one and it serves.
    pub(crate) fn coordinator(&self, group: &str) -> Option<i32> {
        let request = FindCoordinatorRequest::default().with_coordinator_keys(vec![text(group)]);
        let answer = self.ask_any(&request, 4)?;
        let found = answer.coordinators.first().filter(|found| found.error_code == 0)?;
        self.serving().find(|broker| *broker == found.node_id.0)
    }

    /// A name of a group that the given broker coordinates.
    pub(crate) fn group_on(&self, broker: i32) -> String {
        eventually("a name falls to the broker", PATIENCE, || {
            let group = unique("group");
            (self.coordinator(&group) == Some(broker)).then_some(group)
        })
    }

    /// Moves the group's coordinator to the first of `brokers`, and returns when that one has read what it is to know.
    pub(crate) fn move_coordinator(&self, group: &str, brokers: &[i32]) {
        let java_hash = group
            .encode_utf16()
            .fold(0i32, |hash, unit| hash.wrapping_mul(31).wrapping_add(unit.into()));
        let partition = java_hash.checked_abs().unwrap_or(0) % OFFSETS_PARTITIONS;
        self.move_leader("__consumer_offsets", partition, brokers);
        until("the coordinator has moved", || {
            self.coordinator(group) == Some(brokers[0]) && self.describe(group).is_some()
        });
    }

    /// State and members of a group of either protocol; `None` while nobody can say.
    pub(crate) fn describe(&self, group: &str) -> Option<Described> {
        let broker = self.coordinator(group)?;
        let request = ConsumerGroupDescribeRequest::default().with_group_ids(vec![group_id(group)]);
        let found = self.ask(broker, &request, 0)?.groups.into_iter().next()?;
        if found.error_code != 0 {
            return self.describe_classic(broker, group);
        }
        let assigned = found
            .members
            .iter()
            .flat_map(|m| &m.assignment.topic_partitions)
            .map(|t| t.partitions.len());
        let (state, members) = (found.group_state.to_string(), found.members.len());
        Some(Described {
            state,
            members,
            assigned: assigned.sum(),
        })
    }

    fn describe_classic(&self, broker: i32, group: &str) -> Option<Described> {
        let request = DescribeGroupsRequest::default().with_groups(vec![group_id(group)]);
        let found = self.ask(broker, &request, 5)?.groups.into_iter().next()?;
        let assigned = found
            .members
            .iter()
            .map(|member| assigned(member.member_assignment.clone()));
        let (state, members) = (found.group_state.to_string(), found.members.len());
        (found.error_code == 0).then(|| Described {
            state,
            members,
            assigned: assigned.sum(),
        })
    }
}

/// How many partitions a classic member's assignment names.
fn assigned(mut bytes: bytes::Bytes) -> usize {
    if bytes.len() < 2 {
        return 0;
    }
    let version = bytes::Buf::get_i16(&mut bytes);
    let assignment = ConsumerProtocolAssignment::decode(&mut bytes, version).expect("a consumer's assignment");
    assignment.assigned_partitions.iter().map(|t| t.partitions.len()).sum()
}

/// An OffsetCommit from outside the group.
pub(crate) fn commit_request(group: &str, offsets: &[(&str, i32, i64)]) -> OffsetCommitRequest {
    let mut topics = BTreeMap::<&str, Vec<_>>::new();
    for (topic, partition, offset) in offsets {
        let place = OffsetCommitRequestPartition::default().with_partition_index(*partition);
        let place = place.with_committed_offset(*offset).with_committed_leader_epoch(-1);
        topics
            .entry(topic)
            .or_default()
            .push(place.with_committed_metadata(Some(text(""))));
    }
    let topic = |(name, places)| {
        OffsetCommitRequestTopic::default()
            .with_name(topic_name(name))
            .with_partitions(places)
    };
    OffsetCommitRequest::default()
        .with_group_id(group_id(group))
        .with_generation_id_or_member_epoch(-1)
        .with_topics(topics.into_iter().map(topic).collect())
}

/// A group's id as the protocol's crate wants it.
pub(crate) fn group_id(group: &str) -> GroupId {
    GroupId(text(group))
}
