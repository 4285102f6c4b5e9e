//! The shape of a snapshot. `None` is "absent": nothing is shown, never 0, -1 or NaN.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use crate::failure::Api;
use crate::failure::Cause;
use crate::failure::Failure;
use crate::failure::Reason;
use crate::lag;
use crate::model::BrokerId;
use crate::model::GroupId;
use crate::model::GroupState;
use crate::model::GroupType;
use crate::model::LagTime;
use crate::model::Moment;
use crate::model::Offset;
use crate::model::Partition;
use crate::model::Status;
use crate::model::TopicId;
use crate::model::UnixMillis;
use crate::observation::Epochs;
use crate::observation::MemberProtocol;
use crate::observation::PartitionMeta;
use crate::observation::Stages;
use crate::observation::Tasks;
use crate::verdict::Explanation;

use super::event::Event;
use super::share::ShareView;
use super::trend::Trend;

/// One cluster as of one cycle.
#[derive(Clone, Debug)]
pub struct Snapshot {
    /// The cluster's name, from the configuration.
    pub cluster: Arc<str>,
    /// How the last cycle went; `None` before the first has ended.
    pub cycle: Option<CycleView>,
    /// End of the last cycle that read something: the age of what is served counts from here. `None` before there was one.
    pub read_at: Option<Moment>,
    /// End of the last cycle without any failure.
    pub last_success: Option<UnixMillis>,
    /// How many brokers the metadata names.
    pub brokers: Option<u32>,
    /// Sorted by name, each name once.
    pub groups: Vec<Arc<GroupView>>,
    /// Topics that an included group has a commit or an assignment on, sorted by name, each name once.
    pub topics: Vec<Arc<TopicView>>,
    /// What has been counted since the process started.
    pub totals: Totals,
}

/// How one cycle went.
#[derive(Clone, Debug)]
pub struct CycleView {
    /// When it began.
    pub started: Moment,
    /// When it ended.
    pub finished: Moment,
    /// True when it read something: `tidemark_up`.
    pub up: bool,
    /// How long each stage took.
    pub stages: Stages,
    /// Groups read in full in this cycle.
    pub groups_read: u32,
    /// Groups left out by the configuration.
    pub groups_excluded: u32,
    /// Groups of which something could not be read in this cycle.
    pub groups_unreadable: u32,
    /// The first few failures, in words for a person.
    pub failures: Vec<Failure>,
}

/// Counters of one cluster since the process started.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Cycles in which nothing failed.
    pub cycles_ok: u64,
    /// Cycles in which something was read and something failed.
    pub cycles_partial: u64,
    /// Cycles that read nothing.
    pub cycles_failed: u64,
    /// Cycles that did not take place because the one before had not ended.
    pub cycles_skipped: u64,
    /// Requests to Kafka.
    pub requests: BTreeMap<Api, u64>,
    /// Failures, by call and Kafka's name of the error (or its number).
    pub errors: BTreeMap<(Api, String), u64>,
    /// Groups and topics left out because their name would read like another's.
    pub name_clashes: u64,
}

/// One group.
#[derive(Clone, Debug)]
pub struct GroupView {
    /// Its id, in Kafka's bytes.
    pub id: GroupId,
    /// Its id as text; bytes that are not UTF-8 as `\xNN`.
    pub name: Arc<str>,
    /// Type.
    pub kind: GroupType,
    /// Assignor or protocol; empty when there is none.
    pub protocol: Arc<str>,
    /// State; `None` when the last good reading is too old.
    pub state: Option<GroupState>,
    /// Coordinator; `None` likewise.
    pub coordinator: Option<BrokerId>,
    /// Members; `None` likewise.
    pub members: Option<MembersView>,
    /// Epochs of the newer group types.
    pub epochs: Option<Epochs>,
    /// Topics with a commit or an assignment, sorted by name; empty for groups that make no commits.
    pub topics: Vec<GroupTopicView>,
    /// What a share group has read; `None` for groups of every other type.
    pub share: Option<Box<ShareView>>,
    /// Sum over the topics; `None` while any existing topic with a commit has none, and where nothing is committed.
    pub lag: Option<u128>,
    /// Sum of what could be read; `None` where nothing is committed or nothing could be read.
    pub readable_lag: Option<u128>,
    /// The greatest of the topics.
    pub lag_time: Option<LagTime>,
    /// The greatest of the partitions.
    pub stalled: Option<Duration>,
    /// The worst of the partitions.
    pub status: Status,
    /// Rebalances and changes of the assignment seen; `None` for groups that assign nothing.
    pub rebalances: Option<u64>,
    /// How long it has been without members, as far as seen; `None` with members or when unknown.
    pub empty_for: Option<Duration>,
    /// When the oldest figure shown here was read.
    pub read_at: Moment,
    /// Why the latest reading failed; `None` when everything here is of the last cycle.
    pub failure: Option<Cause>,
    /// Index into the configured objectives, when one covers the group.
    pub objective: Option<usize>,
    /// The partitions that explain the status, at most sixteen: the worst first, and the one with the greatest lag in any case.
    pub explained: Box<[Explained]>,
    /// What happened while this process watched, oldest first, the last fifty.
    pub events: Arc<[Event]>,
    /// The last hour of `lag`.
    pub trend: Arc<Trend>,
}

/// One partition of a group, and why its status is what it is.
#[derive(Clone, Debug, PartialEq)]
pub struct Explained {
    /// The topic's name as text.
    pub topic: Arc<str>,
    /// C, S, E, lag time and status.
    pub view: PartitionView,
    /// Who has it; `None` without an owner or while that is unknown.
    pub owner: Option<OwnerView>,
    /// The numbers behind the status.
    pub why: Explanation,
}

impl GroupView {
    /// The topics whose partitions have a status: those with commits, or a share group's.
    pub fn judged(&self) -> &[GroupTopicView] {
        self.share.as_ref().map_or(&self.topics, |share| &share.topics)
    }
}

/// The member that has a partition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnerView {
    /// `client.id`.
    pub client_id: Arc<str>,
    /// Address without Kafka's leading slash.
    pub host: Arc<str>,
}

/// The members of a group.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MembersView {
    /// Sorted by client id, host and member id.
    pub members: Vec<MemberView>,
    /// Members with no partition; `None` for groups that assign no partitions.
    pub idle: Option<u32>,
    /// Partitions of the most loaded member; `None` likewise and without members.
    pub partitions_max: Option<u32>,
    /// Partitions of the least loaded member; `None` likewise.
    pub partitions_min: Option<u32>,
    /// Partitions whose present owner is not the one of the target assignment; `None` for groups without target assignments.
    pub pending: Option<u32>,
    /// Members that have not reached the group's epoch; `None` for groups without epochs.
    pub behind: Option<u32>,
    /// The lowest epoch of a member; `None` likewise and without members.
    pub epoch_min: Option<i32>,
    /// Members of a KIP-848 group that still speak the classic protocol; `None` for groups of other types and where the broker does
    /// not say.
    pub classic: Option<u32>,
    /// Tasks of a streams group; `None` for groups of other types.
    pub tasks: Option<TaskCounts>,
}

/// How many tasks the members of a streams group have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TaskCounts {
    /// That read and process.
    pub active: u32,
    /// That follow changelogs.
    pub standby: u32,
    /// That catch up before they become active.
    pub warmup: u32,
}

/// One member.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemberView {
    /// Member id; never a label.
    pub id: Arc<str>,
    /// KIP-345 instance id of a static member.
    pub instance_id: Option<Arc<str>>,
    /// `client.id`.
    pub client_id: Arc<str>,
    /// Address without Kafka's leading slash.
    pub host: Arc<str>,
    /// How many partitions it has; `None` where the assignment speaks of something else.
    pub partitions: Option<u32>,
    /// Epoch of the newer group types.
    pub epoch: Option<i32>,
    /// How many partitions it should have; `None` where there is no target assignment.
    pub target: Option<u32>,
    /// Which protocol it speaks, in a KIP-848 group whose broker says so.
    pub protocol: Option<MemberProtocol>,
    /// Its tasks, in a streams group.
    pub tasks: Option<Box<Tasks>>,
}

/// One topic of one group.
#[derive(Clone, Debug)]
pub struct GroupTopicView {
    /// Its name as text.
    pub name: Arc<str>,
    /// True while the topic exists. `Some(false)` is Kafka's answer; `None`: nobody could say.
    pub exists: Option<bool>,
    /// Partitions with a commit or an owner, sorted.
    pub partitions: Vec<PartitionView>,
    /// Sum over the committed partitions that exist; `None` while one of them is unreadable and where nothing is committed.
    pub lag: Option<u128>,
    /// The greatest of the partitions that have one.
    pub lag_time: Option<LagTime>,
    /// Partitions with lag whose seconds cannot be told, by reason.
    pub unknown_times: Vec<(Reason, u32)>,
    /// Partitions without a commit.
    pub uncommitted_partitions: Option<u32>,
    /// Records in those now.
    pub uncommitted_records: Option<u128>,
    /// Partitions that have an owner; `None` when the members are unknown.
    pub assigned_partitions: Option<u32>,
    /// Partitions of the topic that no member has, though the group is not rebalancing and its members read others of the topic;
    /// `None` while the owners or the topic's partitions are not known, and where no partition of the topic is assigned.
    pub unowned_partitions: Option<u32>,
    /// Committed partitions of which something could not be read, by reason.
    pub unreadable: Vec<(Reason, u32)>,
    /// By how much commits went forward since the process first saw them.
    pub consumed: u64,
    /// Records that retention took before they were read, while this process watched.
    pub lost: u64,
    /// Commits that went down while this process watched.
    pub rewinds: u64,
    /// Lowest margin of the partitions; `None` where none can be told.
    pub retention_margin: Option<f64>,
}

/// One partition of one topic of one group. C, S and E of one and the same reading.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PartitionView {
    /// Which.
    pub partition: Partition,
    /// Index of the owner in [`MembersView::members`]; `None` without one or while it is unknown.
    pub owner: Option<u32>,
    /// C.
    pub committed: Option<Offset>,
    /// S.
    pub start: Option<Offset>,
    /// E: high watermark, or last stable offset where the group's `isolation` is `read_committed`.
    pub end: Option<Offset>,
    /// Lag in seconds.
    pub time: TimeView,
    /// Seconds since C last moved, by the contract's definition.
    pub stalled_seconds: Option<f32>,
    /// The verdict.
    pub status: Status,
    /// Why C or E is absent though there is a commit; `None` when both are there.
    pub unreadable: Option<Cause>,
    /// True when C is at the last stable offset, records lie beyond it, and somebody has the partition: who reads committed records
    /// only waits here for an open transaction to end, and is not stalled.
    pub at_open_transaction: bool,
    /// False when the last good reading stands here, because the latest failed.
    pub fresh: bool,
}

/// Whether the lag in seconds is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeView {
    /// There is no lag in records to date: no commit, or it is unreadable.
    Absent,
    /// Known.
    Known(LagTime),
    /// There is lag, and its age cannot be told.
    Unknown(Reason),
}

impl PartitionView {
    /// Lag in records; `None` without a commit or while something is unreadable.
    pub fn lag(&self) -> Option<u64> {
        Some(lag::records(self.committed?, self.start?, self.end?))
    }

    /// Records lost to retention.
    pub fn lost(&self) -> Option<u64> {
        Some(lag::lost(self.committed?, self.start?))
    }

    /// How far the commit is beyond the end.
    pub fn ahead(&self) -> Option<u64> {
        Some(lag::ahead(self.committed?, self.end?))
    }
}

/// One topic, whoever reads it.
#[derive(Clone, Debug)]
pub struct TopicView {
    /// Its name as text.
    pub name: Arc<str>,
    /// Kafka's id of it.
    pub id: Option<TopicId>,
    /// Sorted.
    pub partitions: Vec<TopicPartitionView>,
    /// Partitions the metadata names.
    pub partition_count: u32,
    /// Leader and replicas of each of them, as the metadata has it; sorted.
    pub replication: Vec<PartitionMeta>,
    /// Partitions without a leader.
    pub leaderless: u32,
    /// Partitions with fewer replicas in sync than there should be.
    pub under_replicated: u32,
    /// By how much the ends went forward since the process first saw them.
    pub produced: u64,
    /// `retention.ms`; `None` when unlimited or unknown.
    pub retention: Option<Duration>,
    /// `retention.bytes`; `None` likewise.
    pub retention_bytes: Option<u64>,
    /// `cleanup.policy`; `None` when not allowed to see.
    pub cleanup_policy: Option<Arc<str>>,
}

/// One partition's log.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TopicPartitionView {
    /// Which.
    pub partition: Partition,
    /// First offset still in the log.
    pub start: Option<Offset>,
    /// High watermark.
    pub end: Option<Offset>,
    /// Last stable offset; `None` where it was not asked for.
    pub stable: Option<Offset>,
    /// Seconds for which the last stable offset has stood still with records beyond it, as far as seen; `None` where there are none.
    pub open_for: Option<f32>,
}

impl TopicPartitionView {
    /// Records beyond the last stable offset, and for how many seconds it has stood still; `None` where no transaction is open.
    pub fn open_transaction(&self) -> Option<(u64, f32)> {
        let records = self.end?.since(self.stable?);
        self.open_for
            .filter(|_| records > 0)
            .map(|standing| (records, standing))
    }
}
