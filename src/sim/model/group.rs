//! Groups of every type as their coordinator keeps them.

use std::time::Duration;

use bytes::Bytes;
use kafka_protocol::messages::BrokerId;
use kafka_protocol::messages::TopicName;

use crate::model::GroupState;
use crate::model::GroupType;

use super::commits::Commits;
use super::millis;
use super::topic_name;

/// One group.
#[derive(Clone, Debug)]
pub struct Group {
    /// Its type.
    pub kind: GroupType,
    /// Its state, but for the times of a [`Rebalances`].
    pub state: GroupState,
    /// The assignor or the protocol that was chosen.
    pub protocol: String,
    /// Generation of a classic group, epoch of the newer ones.
    pub epoch: i32,
    /// Epoch of the target assignment (newer groups).
    pub assignment_epoch: i32,
    /// Who is in it.
    pub members: Vec<Member>,
    /// Commits; of a share group the start offsets.
    pub commits: Commits,
    /// Who answers for it.
    pub coordinator: BrokerId,
    /// Brokers that list it, where that is not its coordinator alone.
    pub listed_by: Option<Vec<BrokerId>>,
    /// Rebalances that come and go by themselves.
    pub rebalances: Option<Rebalances>,
}

/// A rebalance that comes again and again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rebalances {
    since: i64,
    every: i64,
    lasts: i64,
}

/// One member of a group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    /// The id.
    pub id: String,
    /// KIP-345: the id of a static member.
    pub instance_id: Option<String>,
    /// `client.id`.
    pub client_id: String,
    /// The address, with Kafka's leading slash.
    pub host: String,
    /// What it subscribes to.
    pub topics: Vec<TopicName>,
    /// What it has, sorted by topic.
    pub assigned: Vec<(TopicName, Vec<i32>)>,
    /// What it should have, where that differs (newer groups).
    pub target: Option<Vec<(TopicName, Vec<i32>)>>,
    /// Its epoch (newer groups).
    pub epoch: i32,
    /// Bytes to show instead of the assignment: workers of Connect, or nonsense.
    pub raw: Option<Bytes>,
    /// True when `assigned` was given by hand, so that no rebalance changes it.
    pub(super) pinned: bool,
}

impl Group {
    pub(super) fn new(kind: GroupType, coordinator: BrokerId) -> Self {
        Self {
            protocol: protocol_of(&kind).to_owned(),
            kind,
            state: GroupState::Empty,
            epoch: 0,
            assignment_epoch: 0,
            members: Vec::new(),
            commits: Commits::default(),
            coordinator,
            listed_by: None,
            rebalances: None,
        }
    }

    /// The state at `now`.
    pub fn state(&self, now: i64) -> &GroupState {
        match &self.rebalances {
            Some(rebalances) if rebalances.is_on(now) => self.rebalancing(),
            _ => &self.state,
        }
    }

    fn rebalancing(&self) -> &GroupState {
        match self.kind {
            GroupType::Consumer | GroupType::Streams => &GroupState::Reconciling,
            GroupType::Share => &self.state,
            _ => &GroupState::PreparingRebalance,
        }
    }

    /// The protocol type as ListGroups and DescribeGroups say it.
    pub fn protocol_type(&self) -> &'static str {
        match self.kind {
            GroupType::Simple | GroupType::Other(_) => "",
            GroupType::Connect => "connect",
            GroupType::Share => "share",
            GroupType::Streams => "streams",
            GroupType::Classic | GroupType::Consumer => "consumer",
        }
    }

    /// The type as ListGroups v5 says it.
    pub fn listed_type(&self) -> String {
        match &self.kind {
            GroupType::Consumer => "Consumer".to_owned(),
            GroupType::Share => "Share".to_owned(),
            GroupType::Streams => "Streams".to_owned(),
            GroupType::Other(name) => name.to_string(),
            GroupType::Classic | GroupType::Connect | GroupType::Simple => "Classic".to_owned(),
        }
    }

    /// True where DescribeGroups is the call that describes it.
    pub fn is_classic(&self) -> bool {
        matches!(self.kind, GroupType::Classic | GroupType::Connect | GroupType::Simple)
    }

    /// True when a member subscribes to the topic.
    pub fn subscribes(&self, topic: &TopicName) -> bool {
        self.members.iter().any(|member| member.topics.contains(topic))
    }
}

impl Rebalances {
    /// A rebalance of `lasts` at the end of every `every`.
    pub fn every(every: Duration, lasts: Duration) -> Self {
        Self {
            since: 0,
            every: millis(every).max(1),
            lasts: millis(lasts),
        }
    }

    pub(super) fn from(self, since: i64) -> Self {
        Self { since, ..self }
    }

    fn is_on(&self, now: i64) -> bool {
        (now - self.since).rem_euclid(self.every) >= self.every - self.lasts
    }

    /// The last moment up to `now` at which members read: during a rebalance the one at which it began.
    pub(super) fn reading_until(&self, now: i64) -> i64 {
        if !self.is_on(now) {
            return now;
        }
        now - (now - self.since).rem_euclid(self.every) + self.every - self.lasts
    }
}

impl Member {
    /// A member with this client id, as its id too, on this machine.
    pub fn new(client_id: &str) -> Self {
        Self {
            id: client_id.to_owned(),
            instance_id: None,
            client_id: client_id.to_owned(),
            host: "/127.0.0.1".to_owned(),
            topics: Vec::new(),
            assigned: Vec::new(),
            target: None,
            epoch: 0,
            raw: None,
            pinned: false,
        }
    }

    /// Subscribes to topics; the partitions are shared out when it joins.
    pub fn subscribed(mut self, topics: &[&str]) -> Self {
        self.topics = topics.iter().map(|topic| topic_name(topic)).collect();
        self.topics.sort();
        self
    }

    /// Holds exactly these partitions of a topic (and subscribes to it), whatever joins or leaves.
    pub fn assigned(mut self, topic: &str, partitions: &[i32]) -> Self {
        let name = topic_name(topic);
        self.pinned = true;
        if !self.topics.contains(&name) {
            self.topics.push(name.clone());
        }
        self.assigned.push((name, partitions.to_vec()));
        self.assigned.sort();
        self
    }

    /// At this address.
    pub fn on(mut self, host: &str) -> Self {
        self.host = format!("/{host}");
        self
    }

    /// With an instance id.
    pub fn instance(mut self, id: &str) -> Self {
        self.instance_id = Some(id.to_owned());
        self
    }

    /// With these bytes as assignment.
    pub fn raw(mut self, bytes: impl Into<Bytes>) -> Self {
        self.raw = Some(bytes.into());
        self
    }
}

/// What a group of the type names as its protocol or assignor while it has members.
fn protocol_of(kind: &GroupType) -> &'static str {
    match kind {
        GroupType::Classic => "range",
        GroupType::Connect => "sessioned",
        GroupType::Consumer => "uniform",
        GroupType::Share => "simple",
        GroupType::Streams => "sticky",
        GroupType::Simple | GroupType::Other(_) => "",
    }
}
