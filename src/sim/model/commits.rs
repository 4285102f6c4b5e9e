//! The commits of one group, small: a million of them stand in a bench.

use std::collections::BTreeMap;

use kafka_protocol::messages::TopicName;

use super::pace::Pace;

/// A commit as it is stored and answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Commit {
    /// The offset.
    pub offset: i64,
    /// Leader epoch of the last record read; -1 for none, as on the wire.
    pub epoch: i32,
    /// The consumer's free text.
    pub metadata: String,
}

impl Commit {
    /// A commit without leader epoch and text.
    pub fn at(offset: i64) -> Self {
        Self {
            offset,
            epoch: -1,
            metadata: String::new(),
        }
    }
}

/// Where a group stands on every partition it ever committed or reads.
#[derive(Clone, Debug, Default)]
pub struct Commits {
    /// Sorted by topic.
    topics: Vec<(TopicName, Vec<Slot>)>,
    /// Free texts, mostly none.
    metadata: BTreeMap<(TopicName, i32), String>,
    /// Partitions whose last commit belongs to a transaction that is still open.
    pending: Vec<(TopicName, i32)>,
    paces: Vec<Pace>,
}

/// One partition. Sorted by partition within its topic.
#[derive(Clone, Copy, Debug)]
pub struct Slot {
    /// The partition.
    pub partition: i32,
    /// The leader epoch, -1 for none.
    pub epoch: i32,
    /// The commit, or where the reader started from.
    pub offset: i64,
    /// One more than the index of the reader's pace; 0 where nobody reads.
    pace: u16,
}

impl Commits {
    /// The topics with their partitions, sorted.
    pub fn topics(&self) -> &[(TopicName, Vec<Slot>)] {
        &self.topics
    }

    /// The partitions of one topic, sorted.
    pub fn topic(&self, topic: &TopicName) -> &[Slot] {
        match self.find(topic) {
            Ok(index) => &self.topics[index].1,
            Err(_) => &[],
        }
    }

    /// The pace of the reader of a partition.
    pub fn pace(&self, slot: &Slot) -> Option<&Pace> {
        self.paces.get(usize::from(slot.pace).checked_sub(1)?)
    }

    /// The free text of a commit.
    pub fn metadata(&self, topic: &TopicName, partition: i32) -> &str {
        if self.metadata.is_empty() {
            return "";
        }
        let key = (topic.clone(), partition);
        self.metadata.get(&key).map_or("", String::as_str)
    }

    /// True while a transaction that commits this partition is open.
    pub fn is_pending(&self, topic: &TopicName, partition: i32) -> bool {
        self.pending.iter().any(|(t, p)| t == topic && *p == partition)
    }

    /// Stores a commit; a reader at work stops there.
    pub(super) fn store(&mut self, topic: &TopicName, partition: i32, commit: Commit) {
        let slot = self.slot(topic, partition);
        slot.offset = commit.offset;
        slot.epoch = commit.epoch;
        slot.pace = 0;
        let key = (topic.clone(), partition);
        if commit.metadata.is_empty() {
            self.metadata.remove(&key);
        } else {
            self.metadata.insert(key, commit.metadata);
        }
    }

    /// Lets a reader go on from the slot's offset at `pace`.
    pub(super) fn read(&mut self, topic: &TopicName, partitions: &[i32], pace: Pace) {
        let found = self.paces.iter().position(|known| *known == pace);
        let index = found.unwrap_or_else(|| {
            self.paces.push(pace);
            self.paces.len() - 1
        });
        // A group has a handful of paces; beyond 65,534 the last one serves.
        let number = u16::try_from(index + 1).unwrap_or(u16::MAX);
        for partition in partitions {
            self.slot(topic, *partition).pace = number;
        }
    }

    /// Writes down where every reader stands, as `reached` says it, and stops them all.
    pub(super) fn settle(&mut self, reached: impl Fn(&TopicName, &Slot, &Pace) -> (i64, i32)) {
        for (topic, slots) in &mut self.topics {
            for slot in slots {
                let pace = usize::from(slot.pace)
                    .checked_sub(1)
                    .and_then(|index| self.paces.get(index));
                if let Some(pace) = pace {
                    (slot.offset, slot.epoch) = reached(topic, slot, pace);
                    slot.pace = 0;
                }
            }
        }
        self.paces.clear();
    }

    /// Forgets the commit of a partition; false when there was none.
    pub(super) fn forget(&mut self, topic: &TopicName, partition: i32) -> bool {
        let Ok(index) = self.find(topic) else {
            return false;
        };
        let slots = &mut self.topics[index].1;
        let Ok(at) = slots.binary_search_by_key(&partition, |slot| slot.partition) else {
            return false;
        };
        slots.remove(at);
        if slots.is_empty() {
            self.topics.remove(index);
        }
        self.metadata.remove(&(topic.clone(), partition));
        true
    }

    /// Forgets every commit on a topic.
    pub(super) fn forget_topic(&mut self, topic: &TopicName) {
        self.topics.retain(|(name, _)| name != topic);
        self.metadata.retain(|(name, _), _| name != topic);
        self.pending.retain(|(name, _)| name != topic);
    }

    /// Marks a commit as one of an open transaction, or as settled.
    pub(super) fn set_pending(&mut self, topic: &TopicName, partition: i32, pending: bool) {
        self.pending.retain(|(t, p)| t != topic || *p != partition);
        if pending {
            self.pending.push((topic.clone(), partition));
        }
    }

    fn find(&self, topic: &TopicName) -> Result<usize, usize> {
        self.topics.binary_search_by(|(name, _)| name.cmp(topic))
    }

    fn slot(&mut self, topic: &TopicName, partition: i32) -> &mut Slot {
        let index = self.find(topic).unwrap_or_else(|index| {
            self.topics.insert(index, (topic.clone(), Vec::new()));
            index
        });
        let slots = &mut self.topics[index].1;
        let at = slots
            .binary_search_by_key(&partition, |slot| slot.partition)
            .unwrap_or_else(|at| {
                slots.insert(at, Slot::none(partition));
                at
            });
        &mut slots[at]
    }
}

impl Slot {
    fn none(partition: i32) -> Self {
        Self {
            partition,
            epoch: -1,
            offset: 0,
            pace: 0,
        }
    }
}
