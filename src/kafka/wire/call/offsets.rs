//! Commits, and the limits of logs.

use std::time::Duration;

use kafka_protocol::messages::BrokerId as WireBroker;
use kafka_protocol::messages::GroupId as WireGroup;
use kafka_protocol::messages::ListOffsetsRequest;
use kafka_protocol::messages::OffsetCommitRequest;
use kafka_protocol::messages::OffsetDeleteRequest;
use kafka_protocol::messages::OffsetFetchRequest;
use kafka_protocol::messages::TopicName as WireTopic;
use kafka_protocol::messages::list_offsets_request::ListOffsetsPartition;
use kafka_protocol::messages::list_offsets_request::ListOffsetsTopic;
use kafka_protocol::messages::offset_commit_request::OffsetCommitRequestPartition;
use kafka_protocol::messages::offset_commit_request::OffsetCommitRequestTopic;
use kafka_protocol::messages::offset_delete_request::OffsetDeleteRequestPartition;
use kafka_protocol::messages::offset_delete_request::OffsetDeleteRequestTopic;
use kafka_protocol::messages::offset_fetch_request::OffsetFetchRequestGroup;

use super::Call;
use super::text;
use crate::failure::Api;
use crate::kafka::Write;
use crate::model::Offset;
use crate::model::Partition;

/// From this version on one request can ask about many groups.
pub(in super::super) const OFFSET_FETCH_OF_MANY: i16 = 8;

/// Every commit of these groups. Of one group only, before [`OFFSET_FETCH_OF_MANY`].
#[derive(Clone, Debug)]
pub(in super::super) struct OffsetFetch {
    pub(in super::super) groups: Vec<String>,
    /// Whether a commit that a pending transaction may still change is an error (v7) instead of the last stable one.
    pub(in super::super) require_stable: bool,
}

impl Call for OffsetFetch {
    const API: Api = Api::OffsetFetch;
    type Request = OffsetFetchRequest;

    fn lowest(&self) -> i16 {
        // v1 cannot ask for all topics.
        if self.groups.len() > 1 { OFFSET_FETCH_OF_MANY } else { 2 }
    }

    fn request(&self, version: i16) -> OffsetFetchRequest {
        let request = OffsetFetchRequest::default().with_require_stable(self.require_stable && version >= 7);
        let mut groups = self.groups.iter().map(|group| WireGroup(text(group)));
        if version < OFFSET_FETCH_OF_MANY {
            return request
                .with_group_id(groups.next().unwrap_or_default())
                .with_topics(None);
        }
        let whole = |group| {
            OffsetFetchRequestGroup::default()
                .with_group_id(group)
                .with_topics(None)
        };
        request.with_groups(groups.map(whole).collect())
    }
}

/// One partition in a ListOffsets request.
#[derive(Clone, Copy, Debug)]
pub(in super::super) struct ListedPartition {
    pub(in super::super) partition: Partition,
    /// Fences the request against a leader that is one no more (v4).
    pub(in super::super) leader_epoch: Option<i32>,
    /// A time, or one of Kafka's negative numbers for start, end and newest.
    pub(in super::super) timestamp: i64,
}

/// Offsets of partitions, each at most once.
#[derive(Clone, Debug)]
pub(in super::super) struct ListOffsets {
    /// False: up to the high watermark; true: up to the last stable offset (v2).
    pub(in super::super) read_committed: bool,
    pub(in super::super) topics: Vec<(String, Vec<ListedPartition>)>,
    /// How long the broker may wait for tiered storage (v10).
    pub(in super::super) patience: Duration,
}

/// From this version on a request can ask for the newest record.
const CAN_ASK_NEWEST: i16 = 7;
/// From this version on a request can ask for the last stable offset.
const CAN_ASK_STABLE: i16 = 2;
/// From this version on a request can fence.
const CAN_FENCE: i16 = 4;

/// By what a request asks for the newest record.
pub(in super::super) const NEWEST: i64 = -3;

impl Call for ListOffsets {
    const API: Api = Api::ListOffsets;
    type Request = ListOffsetsRequest;

    fn lowest(&self) -> i16 {
        let mut asked = self.topics.iter().flat_map(|topic| &topic.1);
        if asked.any(|partition| partition.timestamp == NEWEST) {
            CAN_ASK_NEWEST
        } else if self.read_committed {
            CAN_ASK_STABLE
        } else {
            1
        }
    }

    fn request(&self, version: i16) -> ListOffsetsRequest {
        let partition = |asked: &ListedPartition| {
            let epoch = asked.leader_epoch.filter(|_| version >= CAN_FENCE);
            ListOffsetsPartition::default()
                .with_partition_index(asked.partition.0)
                .with_current_leader_epoch(epoch.unwrap_or(-1))
                .with_timestamp(asked.timestamp)
        };
        let topic = |(name, partitions): &(String, Vec<ListedPartition>)| {
            ListOffsetsTopic::default()
                .with_name(WireTopic(text(name)))
                .with_partitions(partitions.iter().map(partition).collect())
        };
        let patience = i32::try_from(self.patience.as_millis()).unwrap_or(i32::MAX);
        ListOffsetsRequest::default()
            .with_replica_id(WireBroker(-1))
            .with_isolation_level(i8::from(self.read_committed))
            .with_timeout_ms(patience)
            .with_topics(self.topics.iter().map(topic).collect())
    }
}

/// Commits from outside a group that has no members.
#[derive(Clone, Debug)]
pub(in super::super) struct OffsetCommit {
    pub(in super::super) group: String,
    /// By topic; each with the offset it is to have.
    pub(in super::super) topics: Vec<(String, Vec<(Write, Offset)>)>,
}

impl Call for OffsetCommit {
    const API: Api = Api::OffsetCommit;
    const REPEATABLE: bool = false;
    type Request = OffsetCommitRequest;

    fn request(&self, version: i16) -> OffsetCommitRequest {
        let partition = |(write, to): &(Write, Offset)| {
            let epoch = write.leader_epoch.filter(|_| version >= 6);
            OffsetCommitRequestPartition::default()
                .with_partition_index(write.partition.0)
                .with_committed_offset(to.get())
                .with_committed_leader_epoch(epoch.unwrap_or(-1))
                .with_committed_metadata(Some(text(&write.metadata)))
        };
        let topic = |(name, writes): &(String, Vec<(Write, Offset)>)| {
            OffsetCommitRequestTopic::default()
                .with_name(WireTopic(text(name)))
                .with_partitions(writes.iter().map(partition).collect())
        };
        // The defaults say the rest: generation -1, no member, the broker's own retention.
        OffsetCommitRequest::default()
            .with_group_id(WireGroup(text(&self.group)))
            .with_topics(self.topics.iter().map(topic).collect())
    }
}

/// Forgets commits.
#[derive(Clone, Debug)]
pub(in super::super) struct OffsetDelete {
    pub(in super::super) group: String,
    pub(in super::super) topics: Vec<(String, Vec<Partition>)>,
}

impl Call for OffsetDelete {
    const API: Api = Api::OffsetDelete;
    const REPEATABLE: bool = false;
    type Request = OffsetDeleteRequest;

    fn request(&self, _version: i16) -> OffsetDeleteRequest {
        let partition =
            |partition: &Partition| OffsetDeleteRequestPartition::default().with_partition_index(partition.0);
        let topic = |(name, partitions): &(String, Vec<Partition>)| {
            OffsetDeleteRequestTopic::default()
                .with_name(WireTopic(text(name)))
                .with_partitions(partitions.iter().map(partition).collect())
        };
        OffsetDeleteRequest::default()
            .with_group_id(WireGroup(text(&self.group)))
            .with_topics(self.topics.iter().map(topic).collect())
    }
}
