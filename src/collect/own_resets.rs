//! Commits that tidemark itself has just moved: their jump is no progress of consumers.

use std::sync::Arc;
use std::sync::Mutex;
use std::sync::PoisonError;

use crate::model::GroupId;
use crate::model::Offset;
use crate::model::Partition;
use crate::model::TopicName;
use crate::observation::Observation;
use crate::snapshot::History;

/// A commit that was moved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Moved {
    /// Of this group.
    pub group: GroupId,
    /// On this topic.
    pub topic: TopicName,
    /// And partition.
    pub partition: Partition,
    /// To here.
    pub to: Offset,
    /// Who asked for it: the name of a token, or of a user.
    pub by: Arc<str>,
}

/// Hands what a reset has moved to the poller of its cluster. Clones share one list.
#[derive(Clone, Debug, Default)]
pub struct OwnResets {
    /// Filled by whoever carries out resets, emptied by the poller every cycle; held for a moment only.
    moved: Arc<Mutex<Vec<Moved>>>,
}

impl OwnResets {
    /// Tells of commits that were just moved.
    pub fn tell(&self, moved: impl IntoIterator<Item = Moved>) {
        self.moved.lock().unwrap_or_else(PoisonError::into_inner).extend(moved);
    }

    /// Before a cycle: whatever is in the list was moved before its commits are read.
    pub(super) fn before_reading(&self, history: &mut History) {
        for moved in self.moved.lock().unwrap_or_else(PoisonError::into_inner).drain(..) {
            note(history, &moved);
        }
    }

    /// After a cycle: of what was moved meanwhile, that which the cycle has read already.
    pub(super) fn after_reading(&self, history: &mut History, heard: &Observation) {
        self.moved
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .retain(|moved| {
                let was_read = committed(heard, moved) == Some(moved.to);
                if was_read {
                    note(history, moved);
                }
                !was_read
            });
    }
}

fn note(history: &mut History, moved: &Moved) {
    let place = (&moved.topic, moved.partition);
    history.reset_to(&moved.group, place, moved.to, &moved.by);
}

fn committed(heard: &Observation, moved: &Moved) -> Option<Offset> {
    let group = heard.groups.binary_search_by(|g| g.listed.id.cmp(&moved.group)).ok()?;
    let commits = heard.groups[group].commits.as_ref()?.as_ref().ok()?;
    let topic = commits.binary_search_by(|c| c.topic.cmp(&moved.topic)).ok()?;
    let partitions = &commits[topic].partitions;
    let place = partitions
        .binary_search_by_key(&moved.partition, |(partition, _)| *partition)
        .ok()?;
    partitions[place].1.ok()
}
