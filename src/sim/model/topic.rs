//! Topics as the cluster keeps them.

use std::collections::BTreeMap;

use kafka_protocol::messages::BrokerId;
use uuid::Uuid;

use super::log::Log;

/// One topic.
#[derive(Clone, Debug)]
pub struct Topic {
    /// Its id; a topic made anew under the same name has another.
    pub id: Uuid,
    /// Kafka's own topics.
    pub internal: bool,
    /// By index.
    pub partitions: Vec<PartitionState>,
    /// What was set on the topic itself; `retention.ms` here is also enforced.
    pub(super) configs: BTreeMap<String, String>,
}

/// One partition: who leads it and what its log holds.
#[derive(Clone, Debug)]
pub struct PartitionState {
    /// The records.
    pub log: Log,
    /// `None` while nobody leads.
    pub leader: Option<BrokerId>,
    /// Grows with every change of the leader.
    pub epoch: i32,
    /// Earlier epochs and the offset each began at, oldest first.
    pub(super) epochs: Vec<(i32, i64)>,
    /// Where the copies are.
    pub replicas: Vec<BrokerId>,
    /// Which of them are in sync.
    pub in_sync: Vec<BrokerId>,
}

impl PartitionState {
    pub(super) fn new(replicas: Vec<BrokerId>) -> Self {
        Self {
            log: Log::default(),
            leader: replicas.first().copied(),
            epoch: 0,
            epochs: Vec::new(),
            in_sync: replicas.clone(),
            replicas,
        }
    }

    /// The epoch in which the record at `offset` was written.
    pub fn epoch_at(&self, offset: i64) -> i32 {
        let mut found = self.epochs.first().map_or(self.epoch, |(epoch, _)| *epoch);
        for (epoch, first) in &self.epochs {
            if *first <= offset {
                found = *epoch;
            }
        }
        found
    }

    /// Hands the partition to another leader, or to none, in a new epoch.
    pub(super) fn lead(&mut self, leader: Option<BrokerId>, now: i64) {
        if self.epochs.is_empty() {
            self.epochs.push((self.epoch, 0));
        }
        self.epoch = self.epoch.saturating_add(1);
        self.epochs.push((self.epoch, self.log.end(now)));
        self.leader = leader;
    }
}

impl Topic {
    /// The value of a setting and whether it was set on the topic; `None` for a setting the simulation does not know.
    pub fn config(&self, key: &str) -> Option<(&str, bool)> {
        if let Some(value) = self.configs.get(key) {
            return Some((value, true));
        }
        let (_, value) = DEFAULTS.iter().find(|(name, _)| *name == key)?;
        Some((value, false))
    }

    /// The names of all settings the simulation knows for a topic.
    pub fn config_keys(&self) -> Vec<&str> {
        let own = self.configs.keys().map(String::as_str);
        let default = DEFAULTS.iter().map(|(key, _)| *key);
        let more = default.filter(|key| !self.configs.contains_key(*key));
        own.chain(more).collect()
    }
}

/// What Kafka has where nothing was set.
const DEFAULTS: [(&str, &str); 6] = [
    ("cleanup.policy", "delete"),
    ("max.message.bytes", "1048588"),
    ("message.timestamp.type", "CreateTime"),
    ("min.insync.replicas", "1"),
    ("retention.bytes", "-1"),
    ("retention.ms", "604800000"),
];
