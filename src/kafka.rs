//! The seams between tidemark and Kafka. The poller holds a [`Survey`] and a [`RecordTimes`]; a reset works on [`GroupFacts`] and only
//! its last step on a [`Writer`], which nobody else can make. Behind them: `wire` (the protocol over tokio) and `records` (rdkafka).

use std::collections::HashMap;
use std::future::Future;

use tokio::time::Instant;

use crate::failure::Cause;
use crate::failure::Failure;
use crate::failure::Heard;
use crate::model::BrokerId;
use crate::model::GroupId;
use crate::model::Offset;
use crate::model::Partition;
use crate::model::RecordAt;
use crate::model::TopicName;
use crate::model::UnixMillis;
use crate::observation::Broker;
use crate::observation::Calls;
use crate::observation::Description;
use crate::observation::ListedGroup;
use crate::observation::PartitionLog;
use crate::observation::TopicCommits;
use crate::observation::TopicConfig;
use crate::observation::TopicMeta;
use crate::observation::TopicShares;

mod bearer;
pub mod records;
mod tls;
mod trouble;
pub mod wire;

/// The lists of groups of all brokers.
#[derive(Clone, Debug, Default)]
pub struct GroupLists {
    /// Every group once, sorted by id, with each broker that listed it.
    pub groups: Vec<ListedGroup>,
    /// Brokers that gave no list.
    pub missing: Vec<(BrokerId, Failure)>,
}

/// What became of a group that no broker lists.
#[derive(Clone, Debug)]
pub enum Presence {
    /// Its coordinator knows neither the group nor a commit of it.
    Gone,
    /// It is there after all; with what its list entry would have said.
    There(ListedGroup),
}

/// A read-only survey of a cluster, stage by stage in the order of the cycle. Every method returns by `deadline`, and what has not been
/// answered by then has failed with [`Cause::TimedOut`]; each request has the cluster's own timeout besides. Every failure stays with the
/// smallest thing that failed and is counted in [`Survey::take_calls`].
pub trait Survey: Send {
    /// The brokers of the cluster (Metadata without topics).
    fn brokers(&mut self, deadline: Instant) -> impl Future<Output = Result<Vec<Broker>, Failure>> + Send;

    /// The groups of every broker (ListGroups).
    fn list_groups(&mut self, deadline: Instant) -> impl Future<Output = GroupLists> + Send;

    /// What became of groups that no broker lists (FindCoordinator, the describe call of the type, OffsetFetch). Same order as asked.
    fn presence(
        &mut self,
        groups: &[ListedGroup],
        deadline: Instant,
    ) -> impl Future<Output = Vec<Heard<Presence>>> + Send;

    /// State and members, by the call that fits each group's type. Same order as asked. Corrects `coordinators` of a group that moved.
    fn describe(
        &mut self,
        groups: &mut [ListedGroup],
        deadline: Instant,
    ) -> impl Future<Output = Vec<Heard<Description>>> + Send;

    /// Every commit of each group. Same order as asked; sorted by topic and partition.
    fn commits(
        &mut self,
        groups: &mut [ListedGroup],
        deadline: Instant,
    ) -> impl Future<Output = Vec<Heard<Vec<TopicCommits>>>> + Send;

    /// Where each share group begins to read, on every partition it has begun on. Same order as asked; sorted by topic and partition.
    fn shares(
        &mut self,
        groups: &mut [ListedGroup],
        deadline: Instant,
    ) -> impl Future<Output = Vec<Heard<Vec<TopicShares>>>> + Send;

    /// Metadata of the named topics. Never creates one. Same order as asked.
    fn topics(&mut self, topics: &[TopicName], deadline: Instant)
    -> impl Future<Output = Vec<Heard<TopicMeta>>> + Send;

    /// Starts, ends and last stable offsets of every partition of the topics; asked of the leaders that `topics` told last, asked again
    /// once where a leader has moved. Same order as asked, one entry per partition of the metadata.
    fn logs(
        &mut self,
        topics: &[(TopicName, TopicMeta)],
        deadline: Instant,
    ) -> impl Future<Output = Vec<Vec<PartitionLog>>> + Send;

    /// Retention settings of topics (DescribeConfigs). Same order as asked.
    fn configs(
        &mut self,
        topics: &[TopicName],
        deadline: Instant,
    ) -> impl Future<Output = Vec<Heard<TopicConfig>>> + Send;

    /// The newest record's offset and time (ListOffsets -3) of single partitions; `None` where the log is empty.
    fn newest(
        &mut self,
        partitions: &[(TopicName, Partition)],
        deadline: Instant,
    ) -> impl Future<Output = Vec<Heard<Option<(Offset, UnixMillis)>>>> + Send;

    /// The first offset whose record is dated `time` or later (ListOffsets by timestamp); `None` where there is none.
    fn by_time(
        &mut self,
        partitions: &[(TopicName, Partition, UnixMillis)],
        deadline: Instant,
    ) -> impl Future<Output = Vec<Heard<Option<(Offset, UnixMillis)>>>> + Send;

    /// What was asked and what failed since the last call of this.
    fn take_calls(&mut self) -> Calls;
}

/// The time of single records.
pub trait RecordTimes: Send {
    /// The record at each offset, or the first one after it: its offset and timestamp. By the deadline; what was not found by then is
    /// `Err(TimedOut)`. `Ok(NothingUnread)` where the log ends before another record
    /// comes: at an end, high watermark or last stable offset by the cluster's isolation, no earlier than any that was heard before.
    fn read(
        &mut self,
        wanted: &[(TopicName, Partition, Offset)],
        deadline: Instant,
    ) -> impl Future<Output = Vec<Heard<RecordAt>>> + Send;
}

/// Fresh facts about one group, for a reset. Never the snapshot's.
pub trait GroupFacts: Send {
    /// The group as its coordinator describes it; `Ok(None)` when it knows no such group.
    fn group(
        &mut self,
        group: &GroupId,
        deadline: Instant,
    ) -> impl Future<Output = Result<Option<(ListedGroup, Description)>, Failure>> + Send;

    /// Every commit of the group, with leader epoch and metadata.
    fn commits(
        &mut self,
        group: &GroupId,
        deadline: Instant,
    ) -> impl Future<Output = Result<Vec<CommitFact>, Failure>> + Send;

    /// Metadata of the topics; UNKNOWN_TOPIC_OR_PARTITION is an answer.
    fn topics(
        &mut self,
        topics: &[TopicName],
        deadline: Instant,
    ) -> impl Future<Output = Result<HashMap<TopicName, Heard<TopicMeta>>, Failure>> + Send;

    /// Starts and ends (high watermarks) of every partition of the topics.
    fn logs(
        &mut self,
        topics: &[(TopicName, TopicMeta)],
        deadline: Instant,
    ) -> impl Future<Output = Vec<Vec<PartitionLog>>> + Send;

    /// The first record dated `time` or later, its offset and its own time (ListOffsets by timestamp); `None` where there is none.
    fn by_time(
        &mut self,
        partitions: &[(TopicName, Partition)],
        time: UnixMillis,
        deadline: Instant,
    ) -> impl Future<Output = Vec<Heard<Option<(Offset, UnixMillis)>>>> + Send;
}

/// One commit of a group with all that Kafka keeps beside it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommitFact {
    /// Topic.
    pub topic: TopicName,
    /// Partition.
    pub partition: Partition,
    /// The committed offset, or why it cannot be told.
    pub offset: Heard<Offset>,
    /// Epoch of the leader whose record was read last, when the consumer said it.
    pub leader_epoch: Option<i32>,
    /// Free text of the consumer; empty mostly.
    pub metadata: String,
}

/// What a write is to do to one partition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Write {
    /// Topic.
    pub topic: TopicName,
    /// Partition.
    pub partition: Partition,
    /// The new commit; `None` forgets the commit (OffsetDelete).
    pub to: Option<Offset>,
    /// Leader epoch to store with it.
    pub leader_epoch: Option<i32>,
    /// Metadata to store with it.
    pub metadata: String,
}

/// The one thing in tidemark that changes something in Kafka.
pub trait Writer: Send {
    /// Commits on behalf of a group without members: generation -1, one attempt, by the deadline. An answer for every write, in order:
    /// `Err` with the broker's code, or [`Cause::TimedOut`] / [`Cause::Disconnected`] / [`Cause::Malformed`] when it is unknown whether
    /// the write took place. `Err` as a whole only when nothing was sent.
    fn write(
        &mut self,
        group: &GroupId,
        writes: &[Write],
        deadline: Instant,
    ) -> impl Future<Output = Result<Vec<Result<(), Cause>>, Failure>> + Send;
}
