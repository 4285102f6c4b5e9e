//! What the simulated cluster is: brokers, topics, groups. Times are milliseconds since 1970 on the cluster's own wall clock; whatever
//! grows does so as a function of [`Model::now`], so the state is the same however often it was asked for.

mod brokers;
mod commits;
mod group;
mod groups;
mod log;
mod members;
mod pace;
mod records;
mod run;
mod topic;
mod topics;
mod transactions;

pub use brokers::Broker;
pub use brokers::Sasl;
pub use commits::Commit;
pub use commits::Commits;
pub use commits::Slot;
pub use group::Group;
pub use group::Member;
pub use group::Rebalances;
pub use log::Aborted;
pub use log::Log;
pub use pace::Pace;
pub use run::Kind;
pub use run::Run;
pub use topic::PartitionState;
pub use topic::Topic;
pub use transactions::Txn;

use std::collections::BTreeMap;
use std::collections::HashMap;
use std::time::Duration;

use kafka_protocol::messages::BrokerId;
use kafka_protocol::messages::GroupId;
use kafka_protocol::messages::TopicName;
use kafka_protocol::protocol::StrBytes;
use thiserror::Error;
use uuid::Uuid;

/// What an edit named and the cluster does not have.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum NoSuch {
    /// No topic of this name.
    #[error("no topic {0}")]
    Topic(String),
    /// The topic has no such partition.
    #[error("no partition {1} of topic {0}")]
    Partition(String, i32),
    /// No group of this id.
    #[error("no group {0}")]
    Group(String),
    /// The group has no such member.
    #[error("no member {1} in group {0}")]
    Member(String, String),
    /// No broker of this id.
    #[error("no broker {0}")]
    Broker(i32),
    /// The transaction has ended.
    #[error("no open transaction")]
    Transaction,
}

/// A cluster's whole state.
#[derive(Clone, Debug)]
pub struct Model {
    pub(super) now: i64,
    seed: u64,
    drawn: u64,
    cluster_id: String,
    brokers: BTreeMap<i32, Broker>,
    topics: HashMap<TopicName, Topic>,
    names: HashMap<Uuid, TopicName>,
    groups: BTreeMap<GroupId, Group>,
    /// True to make a topic that Metadata asks for with `allow_auto_topic_creation`, as real brokers do by default.
    pub auto_create: bool,
    /// True to show group types in lower case, as brokers do from 4.3 on.
    pub lower_case_types: bool,
    /// What connections have to log in with.
    pub sasl: Option<Sasl>,
}

impl Model {
    /// A cluster of brokers 1 to `brokers` with nothing in it. All that is drawn at random comes from `seed`.
    pub fn new(brokers: u16, seed: u64) -> Self {
        let mut model = Self {
            now: 0,
            seed,
            drawn: 0,
            cluster_id: String::new(),
            brokers: (1..=brokers.max(1)).map(|id| (i32::from(id), Broker::new())).collect(),
            topics: HashMap::new(),
            names: HashMap::new(),
            groups: BTreeMap::new(),
            auto_create: false,
            lower_case_types: false,
            sasl: None,
        };
        model.cluster_id = format!("sim-{:016x}", model.draw());
        model
    }

    /// The present of the cluster, in milliseconds since 1970.
    pub fn now(&self) -> i64 {
        self.now
    }

    /// Sets the present; for building a past before the cluster starts. A running cluster is at its clock's time.
    pub fn set_now(&mut self, now: i64) {
        self.now = now;
    }

    /// The cluster's id.
    pub fn cluster_id(&self) -> &str {
        &self.cluster_id
    }

    /// The next number of the seeded sequence.
    pub(super) fn draw(&mut self) -> u64 {
        self.drawn += 1;
        mix(self.seed ^ mix(self.drawn))
    }

    /// A number that belongs to a name, the same whenever asked.
    fn drawn_for(&self, name: &[u8], number: i32) -> u64 {
        let folded = name.iter().fold(self.seed, |sum, byte| mix(sum ^ u64::from(*byte)));
        mix(folded ^ u64::from(number.unsigned_abs()))
    }
}

/// A topic's name as the codec has it.
pub fn topic_name(name: &str) -> TopicName {
    TopicName(string(name))
}

/// A group's id as the codec has it.
pub fn group_id(id: &str) -> GroupId {
    GroupId(string(id))
}

/// A broker's id as the codec has it.
pub fn broker_id(id: i32) -> BrokerId {
    BrokerId(id)
}

/// A string as the codec has it.
pub(super) fn string(text: &str) -> StrBytes {
    StrBytes::from_string(text.to_owned())
}

/// Milliseconds of a duration; the largest number there is for longer ones.
pub(super) fn millis(duration: Duration) -> i64 {
    i64::try_from(duration.as_millis()).unwrap_or(i64::MAX)
}

/// One step of SplitMix64: a well-mixed number for every number.
fn mix(number: u64) -> u64 {
    let mut z = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
