//! Making, finding and changing groups and their commits.

use kafka_protocol::messages::GroupId;
use kafka_protocol::messages::TopicName;

use crate::model::GroupState;
use crate::model::GroupType;

use super::Commit;
use super::Group;
use super::Model;
use super::NoSuch;
use super::Pace;
use super::Rebalances;
use super::Slot;
use super::group_id;
use super::topic_name;

impl Model {
    /// The group of this id; made of this type when there is none.
    pub fn create_group(&mut self, id: &str, kind: GroupType) -> &mut Group {
        let id = group_id(id);
        let coordinator = self.coordinator_by_name(&id);
        self.groups.entry(id).or_insert_with(|| Group::new(kind, coordinator))
    }

    /// One group.
    pub fn group(&self, id: &GroupId) -> Option<&Group> {
        self.groups.get(id)
    }

    /// One group, to be changed.
    ///
    /// # Errors
    ///
    /// When there is none of this id.
    pub fn group_mut(&mut self, id: &str) -> Result<&mut Group, NoSuch> {
        self.groups
            .get_mut(&group_id(id))
            .ok_or_else(|| NoSuch::Group(id.to_owned()))
    }

    /// All groups, by id.
    pub fn groups(&self) -> impl Iterator<Item = (&GroupId, &Group)> + '_ {
        self.groups.iter()
    }

    /// Deletes a group with its commits.
    ///
    /// # Errors
    ///
    /// When there is no such group.
    pub fn delete_group(&mut self, id: &str) -> Result<(), NoSuch> {
        match self.groups.remove(&group_id(id)) {
            Some(_) => Ok(()),
            None => Err(NoSuch::Group(id.to_owned())),
        }
    }

    /// Sets a group's state and leaves its members alone.
    ///
    /// # Errors
    ///
    /// When there is no such group.
    pub fn set_state(&mut self, id: &str, state: GroupState) -> Result<(), NoSuch> {
        self.group_mut(id)?.state = state;
        Ok(())
    }

    /// Lets a group rebalance again and again, counted from now.
    ///
    /// # Errors
    ///
    /// When there is no such group.
    pub fn set_rebalances(&mut self, id: &str, rebalances: Option<Rebalances>) -> Result<(), NoSuch> {
        let now = self.now;
        self.group_mut(id)?.rebalances = rebalances.map(|every| every.from(now));
        Ok(())
    }

    /// Stores a commit. A group that does not exist becomes one of commits alone; whoever read the partition at a pace stops.
    pub fn commit(&mut self, group: &str, topic: &str, partition: i32, offset: i64) {
        self.commit_with(group, topic, partition, Commit::at(offset));
    }

    /// Stores a commit with leader epoch and text.
    pub fn commit_with(&mut self, group: &str, topic: &str, partition: i32, commit: Commit) {
        let topic = topic_name(topic);
        self.create_group(group, GroupType::Simple)
            .commits
            .store(&topic, partition, commit);
    }

    /// Forgets a commit; false when there was none.
    ///
    /// # Errors
    ///
    /// When there is no such group.
    pub fn forget(&mut self, group: &str, topic: &str, partition: i32) -> Result<bool, NoSuch> {
        let topic = topic_name(topic);
        Ok(self.group_mut(group)?.commits.forget(&topic, partition))
    }

    /// Lets a group read partitions at a pace, from its commits there (from 0 where it has none), beginning now.
    ///
    /// # Errors
    ///
    /// When there is no such group.
    pub fn read(&mut self, group: &str, topic: &str, partitions: &[i32], pace: Pace) -> Result<(), NoSuch> {
        self.read_since(group, topic, partitions, (pace, self.now))
    }

    /// The same, as if it had begun at `since`.
    ///
    /// # Errors
    ///
    /// When there is no such group.
    pub fn read_since(
        &mut self,
        group: &str,
        topic: &str,
        partitions: &[i32],
        (pace, since): (Pace, i64),
    ) -> Result<(), NoSuch> {
        let topic = topic_name(topic);
        let id = self.known_group(group)?;
        for partition in partitions {
            self.settle_partition(&id, &topic, *partition);
        }
        self.group_mut(group)?
            .commits
            .read(&topic, partitions, pace.since(since));
        Ok(())
    }

    /// Stops every reader of a group where it stands.
    ///
    /// # Errors
    ///
    /// When there is no such group.
    pub fn stop_reading(&mut self, group: &str) -> Result<(), NoSuch> {
        let id = self.known_group(group)?;
        self.settle(&id);
        Ok(())
    }

    /// What a group has committed on a partition by now: offset and leader epoch.
    pub fn committed(&self, id: &GroupId, topic: &TopicName, slot: &Slot) -> (i64, i32) {
        let Some(group) = self.groups.get(id) else {
            return (slot.offset, slot.epoch);
        };
        let Some(pace) = group.commits.pace(slot) else {
            return (slot.offset, slot.epoch);
        };
        let until = group
            .rebalances
            .map_or(self.now, |rebalances| rebalances.reading_until(self.now));
        self.reached(topic, slot, pace, until)
    }

    /// Where a reader stands at `until`.
    fn reached(&self, topic: &TopicName, slot: &Slot, pace: &Pace, until: i64) -> (i64, i32) {
        let Some(state) = self.partition(topic, slot.partition) else {
            return (slot.offset, slot.epoch);
        };
        // A phase of its own spreads the commits of the partitions of one reader.
        let phase = i64::from(slot.partition).wrapping_mul(97);
        let offset = pace.commit(slot.offset, &state.log, phase, until);
        (offset, state.epoch)
    }

    /// Writes down where a group's readers stand, and stops them.
    pub(super) fn settle(&mut self, id: &GroupId) {
        let Some(group) = self.groups.get_mut(id) else {
            return;
        };
        let until = group
            .rebalances
            .map_or(self.now, |rebalances| rebalances.reading_until(self.now));
        let mut commits = std::mem::take(&mut group.commits);
        commits.settle(|topic, slot, pace| self.reached(topic, slot, pace, until));
        if let Some(group) = self.groups.get_mut(id) {
            group.commits = commits;
        }
    }

    fn settle_partition(&mut self, id: &GroupId, topic: &TopicName, partition: i32) {
        let Some(group) = self.groups.get(id) else {
            return;
        };
        let found = group
            .commits
            .topic(topic)
            .iter()
            .find(|slot| slot.partition == partition);
        let Some(slot) = found.copied().filter(|slot| group.commits.pace(slot).is_some()) else {
            return;
        };
        let (offset, epoch) = self.committed(id, topic, &slot);
        let metadata = group.commits.metadata(topic, partition).to_owned();
        let commit = Commit {
            offset,
            epoch,
            metadata,
        };
        if let Some(group) = self.groups.get_mut(id) {
            group.commits.store(topic, partition, commit);
        }
    }

    /// Writes down where the readers of a topic stand before the topic goes.
    pub(super) fn settle_readers_of(&mut self, topic: &TopicName) {
        let readers: Vec<_> = self
            .groups
            .iter()
            .flat_map(|(id, group)| {
                group
                    .commits
                    .topic(topic)
                    .iter()
                    .map(|slot| (id.clone(), slot.partition))
            })
            .collect();
        for (id, partition) in readers {
            self.settle_partition(&id, topic, partition);
        }
    }
}
