//! Making, finding and changing topics.

use std::collections::BTreeMap;

use kafka_protocol::messages::BrokerId;
use kafka_protocol::messages::TopicName;
use uuid::Uuid;

use super::Model;
use super::NoSuch;
use super::PartitionState;
use super::Topic;
use super::broker_id;
use super::topic_name;

/// How many copies a partition gets where there are brokers enough.
const REPLICATION: usize = 3;

impl Model {
    /// Makes a topic; one that exists is made anew: another id, empty logs. Commits on it stay as they are.
    pub fn create_topic(&mut self, name: &str, partitions: i32) {
        let name = topic_name(name);
        self.drop_topic(&name);
        let id = Uuid::from_u64_pair(self.draw(), self.draw());
        let states = (0..partitions)
            .map(|partition| PartitionState::new(self.replicas(&name, partition)))
            .collect();
        self.names.insert(id, name.clone());
        let topic = Topic {
            id,
            internal: name.starts_with("__"),
            partitions: states,
            configs: BTreeMap::new(),
        };
        self.topics.insert(name, topic);
    }

    /// Deletes a topic and, as a coordinator does, the commits on it.
    ///
    /// # Errors
    ///
    /// When there is no such topic.
    pub fn delete_topic(&mut self, name: &str) -> Result<(), NoSuch> {
        self.delete_topic_leaving_commits(name)?;
        let name = topic_name(name);
        for group in self.groups.values_mut() {
            group.commits.forget_topic(&name);
        }
        Ok(())
    }

    /// Deletes a topic; commits on it stay for now, as before the coordinator hears of it.
    ///
    /// # Errors
    ///
    /// When there is no such topic.
    pub fn delete_topic_leaving_commits(&mut self, name: &str) -> Result<(), NoSuch> {
        self.settle_readers_of(&topic_name(name));
        match self.drop_topic(&topic_name(name)) {
            true => Ok(()),
            false => Err(NoSuch::Topic(name.to_owned())),
        }
    }

    /// Grows a topic to `partitions`.
    ///
    /// # Errors
    ///
    /// When there is no such topic.
    pub fn add_partitions(&mut self, name: &str, partitions: i32) -> Result<(), NoSuch> {
        let key = topic_name(name);
        let first = i32::try_from(self.topic_mut(name)?.partitions.len()).unwrap_or(i32::MAX);
        for partition in first..partitions {
            let state = PartitionState::new(self.replicas(&key, partition));
            self.topic_mut(name)?.partitions.push(state);
        }
        Ok(())
    }

    /// Sets or (with `None`) resets a setting of a topic. `retention.ms` is enforced from now on.
    ///
    /// # Errors
    ///
    /// When there is no such topic.
    pub fn set_config(&mut self, name: &str, key: &str, value: Option<&str>) -> Result<(), NoSuch> {
        let topic = self.topic_mut(name)?;
        match value {
            Some(value) => topic.configs.insert(key.to_owned(), value.to_owned()),
            None => topic.configs.remove(key),
        };
        if key == "retention.ms" {
            // -1 is Kafka's "for ever".
            let retention = value.and_then(|text| text.parse().ok()).filter(|ms| *ms >= 0);
            for partition in &mut topic.partitions {
                partition.log.retention = retention;
            }
        }
        Ok(())
    }

    /// Hands a partition to another leader (`None`: to nobody) in a new epoch.
    ///
    /// # Errors
    ///
    /// When there is no such partition.
    pub fn move_leader(&mut self, topic: &str, partition: i32, leader: Option<i32>) -> Result<(), NoSuch> {
        let now = self.now;
        self.partition_mut(topic, partition)?.lead(leader.map(broker_id), now);
        Ok(())
    }

    /// One topic.
    pub fn topic(&self, name: &TopicName) -> Option<&Topic> {
        self.topics.get(name)
    }

    /// One topic, to be changed.
    ///
    /// # Errors
    ///
    /// When there is none of this name.
    pub fn topic_mut(&mut self, name: &str) -> Result<&mut Topic, NoSuch> {
        self.topics
            .get_mut(&topic_name(name))
            .ok_or_else(|| NoSuch::Topic(name.to_owned()))
    }

    /// The name that belongs to a topic id.
    pub fn topic_by_id(&self, id: Uuid) -> Option<&TopicName> {
        self.names.get(&id)
    }

    /// The names of all topics, sorted.
    pub fn topic_names(&self) -> Vec<TopicName> {
        let mut names: Vec<_> = self.topics.keys().cloned().collect();
        names.sort();
        names
    }

    /// One partition.
    pub fn partition(&self, topic: &TopicName, partition: i32) -> Option<&PartitionState> {
        self.topics.get(topic)?.partitions.get(usize::try_from(partition).ok()?)
    }

    /// One partition, to be changed.
    ///
    /// # Errors
    ///
    /// When the topic or the partition does not exist.
    pub fn partition_mut(&mut self, topic: &str, partition: i32) -> Result<&mut PartitionState, NoSuch> {
        let missing = || NoSuch::Partition(topic.to_owned(), partition);
        let index = usize::try_from(partition).map_err(|_| missing())?;
        self.topic_mut(topic)?.partitions.get_mut(index).ok_or_else(missing)
    }

    pub(super) fn partitions_mut(&mut self) -> impl Iterator<Item = &mut PartitionState> {
        self.topics.values_mut().flat_map(|topic| &mut topic.partitions)
    }

    fn drop_topic(&mut self, name: &TopicName) -> bool {
        match self.topics.remove(name) {
            Some(old) => self.names.remove(&old.id).is_some(),
            None => false,
        }
    }

    /// The brokers a new partition's copies go to, its first leader in front.
    fn replicas(&self, topic: &TopicName, partition: i32) -> Vec<BrokerId> {
        let ids = self.broker_ids();
        let count = u64::try_from(ids.len()).unwrap_or(1);
        // Spread topics by name, partitions one by one, as Kafka does.
        let shift = self.drawn_for(topic.as_bytes(), 0) % count + u64::from(partition.unsigned_abs());
        let first = usize::try_from(shift % count).unwrap_or(0);
        ids.iter()
            .cycle()
            .skip(first)
            .take(ids.len().min(REPLICATION))
            .copied()
            .collect()
    }
}
