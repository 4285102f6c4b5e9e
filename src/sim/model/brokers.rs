//! Brokers, and who of them answers for what.

use kafka_protocol::messages::BrokerId;
use kafka_protocol::messages::GroupId;

use super::Model;
use super::NoSuch;
use super::broker_id;
use super::group_id;
use crate::sim::versions::Versions;

/// One broker.
#[derive(Clone, Debug)]
pub struct Broker {
    /// False while the cluster counts it as lost: Metadata leaves it out, its partitions have no leader.
    pub alive: bool,
    /// The versions it speaks.
    pub versions: Versions,
    /// `broker.rack`.
    pub rack: Option<String>,
}

/// A user that may connect (SASL PLAIN).
#[derive(Clone)]
pub struct Sasl {
    /// The name.
    pub user: String,
    /// The password.
    pub password: String,
}

impl std::fmt::Debug for Sasl {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Sasl").field("user", &self.user).finish_non_exhaustive()
    }
}

impl Broker {
    pub(super) fn new() -> Self {
        Self {
            alive: true,
            versions: Versions::kafka_4(),
            rack: None,
        }
    }
}

impl Model {
    /// The ids of all brokers, dead ones too.
    pub fn broker_ids(&self) -> Vec<BrokerId> {
        self.brokers.keys().copied().map(broker_id).collect()
    }

    /// The brokers the cluster counts as alive.
    pub fn alive(&self) -> impl Iterator<Item = (BrokerId, &Broker)> + '_ {
        self.brokers
            .iter()
            .filter(|(_, broker)| broker.alive)
            .map(|(id, broker)| (broker_id(*id), broker))
    }

    /// One broker.
    pub fn broker(&self, id: BrokerId) -> Option<&Broker> {
        self.brokers.get(&id.0)
    }

    /// One broker, to be changed.
    ///
    /// # Errors
    ///
    /// When there is none of this id.
    pub fn broker_mut(&mut self, id: i32) -> Result<&mut Broker, NoSuch> {
        self.brokers.get_mut(&id).ok_or(NoSuch::Broker(id))
    }

    /// Sets the versions every broker speaks.
    pub fn set_versions(&mut self, versions: &Versions) {
        for broker in self.brokers.values_mut() {
            broker.versions = versions.clone();
        }
    }

    /// True while the broker is one of the cluster's and alive.
    pub fn is_alive(&self, id: BrokerId) -> bool {
        self.broker(id).is_some_and(|broker| broker.alive)
    }

    /// Who coordinates a group, whether it exists or not; `None` while that broker is lost.
    pub fn coordinator(&self, group: &GroupId) -> Option<BrokerId> {
        let chosen = match self.groups.get(group) {
            Some(known) => known.coordinator,
            None => self.coordinator_by_name(group),
        };
        self.is_alive(chosen).then_some(chosen)
    }

    /// The coordinator a group gets when it is made.
    pub(super) fn coordinator_by_name(&self, group: &GroupId) -> BrokerId {
        let count = u64::try_from(self.brokers.len()).unwrap_or(1);
        let index = self.drawn_for(group.as_bytes(), 0) % count;
        let nth = usize::try_from(index).unwrap_or(0);
        broker_id(self.brokers.keys().nth(nth).copied().unwrap_or(1))
    }

    /// Moves a group to another coordinator.
    ///
    /// # Errors
    ///
    /// When there is no such group or broker.
    pub fn move_coordinator(&mut self, group: &str, broker: i32) -> Result<(), NoSuch> {
        self.broker_mut(broker)?;
        self.group_mut(group)?.coordinator = broker_id(broker);
        Ok(())
    }

    /// Lets exactly these brokers list a group, as happens while a coordinator moves; `None`: its coordinator alone.
    ///
    /// # Errors
    ///
    /// When there is no such group.
    pub fn list_group_on(&mut self, group: &str, brokers: Option<&[i32]>) -> Result<(), NoSuch> {
        self.group_mut(group)?.listed_by = brokers.map(|ids| ids.iter().copied().map(broker_id).collect());
        Ok(())
    }

    /// Counts a broker as lost: partitions it led have no leader, groups it coordinated no coordinator.
    ///
    /// # Errors
    ///
    /// When there is no such broker.
    pub fn lose_broker(&mut self, id: i32) -> Result<(), NoSuch> {
        self.broker_mut(id)?.alive = false;
        let (now, lost) = (self.now, broker_id(id));
        for partition in self.partitions_mut() {
            partition
                .in_sync
                .retain(|replica| *replica != lost || partition.replicas.len() == 1);
            if partition.leader == Some(lost) {
                partition.lead(None, now);
            }
        }
        Ok(())
    }

    /// Has a lost broker back: it leads again what nobody leads and it has a copy of.
    ///
    /// # Errors
    ///
    /// When there is no such broker.
    pub fn regain_broker(&mut self, id: i32) -> Result<(), NoSuch> {
        self.broker_mut(id)?.alive = true;
        let (now, back) = (self.now, broker_id(id));
        for partition in self.partitions_mut() {
            if !partition.replicas.contains(&back) {
                continue;
            }
            if !partition.in_sync.contains(&back) {
                partition.in_sync.push(back);
            }
            if partition.leader.is_none() {
                partition.lead(Some(back), now);
            }
        }
        Ok(())
    }

    /// Moves what a lost broker led and coordinated to brokers that are alive.
    ///
    /// # Errors
    ///
    /// When there is no such broker.
    pub fn fail_over(&mut self, id: i32) -> Result<(), NoSuch> {
        self.broker_mut(id)?;
        let alive: Vec<BrokerId> = self.alive().map(|(alive, _)| alive).collect();
        let (now, lost) = (self.now, broker_id(id));
        for partition in self.partitions_mut() {
            if partition.leader.is_none() || partition.leader == Some(lost) {
                let next = partition
                    .replicas
                    .iter()
                    .find(|replica| alive.contains(replica))
                    .copied();
                partition.lead(next, now);
            }
        }
        if let Some(next) = alive.first() {
            for group in self.groups.values_mut().filter(|group| group.coordinator == lost) {
                group.coordinator = *next;
            }
        }
        Ok(())
    }

    /// True when `broker` coordinates `group`.
    pub fn coordinates(&self, broker: BrokerId, group: &GroupId) -> bool {
        self.coordinator(group) == Some(broker)
    }

    /// The id of a group as the codec has it, when there is such a group.
    pub(super) fn known_group(&self, group: &str) -> Result<GroupId, NoSuch> {
        let id = group_id(group);
        if self.groups.contains_key(&id) {
            return Ok(id);
        }
        Err(NoSuch::Group(group.to_owned()))
    }
}
