//! What one cycle heard, verbatim, with an error for every scope: a broker's list, a group's members, a group's commits, a topic,
//! one end of one partition. Nothing here is computed, and nothing unknown has a number.

use std::collections::HashMap;
use std::time::Duration;

use crate::failure::Api;
use crate::failure::Failure;
use crate::failure::Heard;
use crate::model::BrokerId;
use crate::model::GroupId;
use crate::model::GroupState;
use crate::model::Moment;
use crate::model::Offset;
use crate::model::Partition;
use crate::model::Text;
use crate::model::TopicId;
use crate::model::TopicName;

/// Everything one cycle heard from one cluster.
#[derive(Clone, Debug)]
pub struct Observation {
    /// When the cycle began.
    pub started: Moment,
    /// When the last answer was in.
    pub finished: Moment,
    /// The brokers (Metadata), or why nobody could say.
    pub brokers: Result<Vec<Broker>, Failure>,
    /// Brokers whose list of groups is missing: their groups are unknown, not gone.
    pub unlisted: Vec<(BrokerId, Failure)>,
    /// The groups that were asked for, sorted by id, each once.
    pub groups: Vec<GroupReading>,
    /// Groups left out by the configuration.
    pub excluded: usize,
    /// Groups of the last cycle of which their coordinator now says that they are no more.
    pub gone: Vec<GroupId>,
    /// Every topic that an included group has a commit or an assignment on.
    pub topics: HashMap<TopicName, TopicReading>,
    /// Topic configuration, in the cycles in which it was asked for.
    pub configs: Vec<(TopicName, Heard<TopicConfig>)>,
    /// What was asked and what failed.
    pub calls: Calls,
    /// How long each stage took.
    pub stages: Stages,
}

/// One broker of the cluster.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Broker {
    /// Its id.
    pub id: BrokerId,
    /// The advertised host.
    pub host: Text,
    /// The advertised port.
    pub port: u16,
}

/// One group in a broker's list (ListGroups).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedGroup {
    /// The group.
    pub id: GroupId,
    /// The broker that listed it, which makes it the coordinator. More than one while a coordinator moves.
    pub coordinators: Vec<BrokerId>,
    /// `consumer`, `connect`, empty for commits without members, …
    pub protocol_type: Text,
    /// `Classic`, `Consumer`, `Share`, `Streams` in any case (v5, Kafka 3.8); `None` from older brokers.
    pub group_type: Option<Text>,
    /// The state (v4, Kafka 2.6); `None` from older brokers.
    pub state: Option<GroupState>,
}

/// What was heard of one group.
#[derive(Clone, Debug)]
pub struct GroupReading {
    /// As it was listed.
    pub listed: ListedGroup,
    /// State and members, by the describe call that fits the type.
    pub description: Heard<Description>,
    /// Commits, sorted by topic and partition; `None` where the type has none (share, connect).
    pub commits: Option<Heard<Vec<TopicCommits>>>,
    /// Where a share group begins to read (DescribeShareGroupOffsets), sorted likewise; `None` for groups of every other type.
    pub shares: Option<Heard<Vec<TopicShares>>>,
}

/// State and members of one group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Description {
    /// The state.
    pub state: GroupState,
    /// Protocol type as the coordinator says it (classic groups); empty when no member ever joined.
    pub protocol_type: Text,
    /// The assignor, or the protocol that was chosen; empty when there is none.
    pub protocol: Text,
    /// The members.
    pub members: Vec<Member>,
    /// KIP-848, share and streams groups: the group's epoch and the epoch of its target assignment.
    pub epochs: Option<Epochs>,
}

/// Epochs of a group of the newer protocols.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Epochs {
    /// Epoch of membership and subscriptions.
    pub group: i32,
    /// Epoch of the target assignment.
    pub assignment: i32,
    /// Epoch of the topology; only of streams groups that have one.
    pub topology: Option<i32>,
}

/// One member of a group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    /// The id the coordinator or the client made up; changes with every restart.
    pub id: Text,
    /// KIP-345: the id of a static member.
    pub instance_id: Option<Text>,
    /// `client.id`.
    pub client_id: Text,
    /// The member's address, without Kafka's leading slash.
    pub host: Text,
    /// What the member has.
    pub assignment: Assignment,
    /// KIP-848 and later: what the member should have.
    pub target: Option<Assignment>,
    /// KIP-848 and later: the epoch the member has reached.
    pub epoch: Option<i32>,
    /// Which protocol a member of a KIP-848 group speaks (ConsumerGroupDescribe v1, Kafka 4.0); `None` elsewhere and where the broker
    /// does not say.
    pub protocol: Option<MemberProtocol>,
    /// The tasks of a member of a streams group; `None` elsewhere.
    pub tasks: Option<Box<Tasks>>,
}

/// The protocol that a member of a KIP-848 group speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemberProtocol {
    /// The old one: the member was not restarted with `group.protocol=consumer` yet.
    Classic,
    /// KIP-848.
    Consumer,
}

/// What a member of a streams group does (StreamsGroupDescribe, KIP-1071).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tasks {
    /// Tasks that read and process.
    pub active: SomeTasks,
    /// Copies of state that follow their changelogs.
    pub standby: SomeTasks,
    /// Copies that catch up before they become active.
    pub warmup: SomeTasks,
}

/// Partitions by subtopology, sorted by its id.
pub type SomeTasks = Vec<(Text, Vec<Partition>)>;

/// What a member was given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Assignment {
    /// Partitions, sorted by topic and partition; empty for an idle member.
    Partitions(Vec<(TopicName, Vec<Partition>)>),
    /// Bytes of another kind (Connect), or none that make sense: not an error, and not zero partitions.
    Opaque,
}

/// The commits of a group on one topic (OffsetFetch), sorted by partition. Partitions without a commit are not in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TopicCommits {
    /// The topic.
    pub topic: TopicName,
    /// Committed offset, or why it could not be read.
    pub partitions: Vec<(Partition, Heard<Offset>)>,
}

/// Where a share group begins to read on one topic (DescribeShareGroupOffsets), sorted by partition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TopicShares {
    /// The topic.
    pub topic: TopicName,
    /// The place, or why it could not be read.
    pub partitions: Vec<(Partition, Heard<Share>)>,
}

/// Where a share group begins to read on one partition (KIP-932).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Share {
    /// The first record that may still be delivered: all before it are done with. `None` where the group has not begun.
    pub start: Option<Offset>,
    /// The broker's own count of records that are not done with (v1, Kafka 4.2); `None` where it gives none.
    pub lag: Option<u64>,
}

/// What was heard of one topic.
#[derive(Clone, Debug)]
pub struct TopicReading {
    /// The metadata; `Err` with UNKNOWN_TOPIC_OR_PARTITION for a topic that does not exist, which is an answer.
    pub meta: Heard<TopicMeta>,
    /// One entry per partition of the metadata, in the same order.
    pub logs: Vec<PartitionLog>,
}

impl TopicReading {
    /// The limits of one partition; `None` for one that the metadata does not name.
    pub fn log(&self, partition: Partition) -> Option<&PartitionLog> {
        // Nearly always they are numbered from 0 on without a gap.
        let at_its_number = usize::try_from(partition.0).ok().and_then(|at| self.logs.get(at));
        at_its_number.filter(|log| log.partition == partition).or_else(|| {
            let place = self.logs.binary_search_by_key(&partition, |log| log.partition);
            place.ok().map(|place| &self.logs[place])
        })
    }
}

/// One topic as the metadata has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TopicMeta {
    /// The topic's id (v10, Kafka 2.8); `None` from older brokers.
    pub id: Option<TopicId>,
    /// Kafka's own topics.
    pub internal: bool,
    /// Sorted by partition.
    pub partitions: Vec<PartitionMeta>,
}

/// One partition as the metadata has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PartitionMeta {
    /// Which.
    pub partition: Partition,
    /// `None` while there is none.
    pub leader: Option<BrokerId>,
    /// Fences requests to a stale leader (v7); `None` from older brokers.
    pub leader_epoch: Option<i32>,
    /// How many replicas there should be.
    pub replicas: u16,
    /// How many are in sync.
    pub in_sync: u16,
}

/// The limits of one partition's log (ListOffsets).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PartitionLog {
    /// Which.
    pub partition: Partition,
    /// First offset still in the log.
    pub start: Heard<Offset>,
    /// High watermark: the offset the next record will get.
    pub end: Heard<Offset>,
    /// Last stable offset: no transaction is open below it; `None` where it was not asked for.
    pub stable: Option<Heard<Offset>>,
}

impl PartitionLog {
    /// The end that lag counts up to: the last stable offset for who reads committed records only, where it was asked for.
    ///
    /// # Errors
    ///
    /// When that end could not be read.
    pub fn counting_end(&self, read_committed: bool) -> Heard<Offset> {
        match self.stable {
            Some(stable) if read_committed => stable,
            _ => self.end,
        }
    }
}

/// What a topic's configuration says of retention (DescribeConfigs).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TopicConfig {
    /// `cleanup.policy`.
    pub cleanup_policy: Text,
    /// `retention.ms`; `None` when unlimited.
    pub retention: Option<Duration>,
    /// `retention.bytes`; `None` when unlimited.
    pub retention_bytes: Option<u64>,
}

/// What was asked of Kafka and what failed, by API. Counts of one cycle.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Calls {
    /// Requests sent.
    pub requests: HashMap<Api, u64>,
    /// Failures: of whole requests, of single groups, topics and partitions.
    pub errors: HashMap<(Api, crate::failure::Cause), u64>,
}

impl Calls {
    /// Counts one request.
    pub fn asked(&mut self, api: Api) {
        *self.requests.entry(api).or_default() += 1;
    }

    /// Counts failures.
    pub fn failed(&mut self, api: Api, cause: crate::failure::Cause, times: u64) {
        if times > 0 {
            *self.errors.entry((api, cause)).or_default() += times;
        }
    }

    /// Adds another count to this one.
    pub fn add(&mut self, other: &Self) {
        for (api, count) in &other.requests {
            *self.requests.entry(*api).or_default() += count;
        }
        for (key, count) in &other.errors {
            *self.errors.entry(*key).or_default() += count;
        }
    }
}

/// How long each stage of the cycle took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stages {
    /// Brokers, topics, leaders.
    pub metadata: Duration,
    /// Lists of groups, and what became of those that vanished.
    pub groups: Duration,
    /// Descriptions.
    pub members: Duration,
    /// Commits.
    pub commits: Duration,
    /// Log starts and ends.
    pub ends: Duration,
    /// Record times.
    pub times: Duration,
    /// The whole cycle.
    pub total: Duration,
}
