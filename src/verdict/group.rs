//! One group: rebalances, members, and when somebody was last seen to work.

use std::hash::DefaultHasher;
use std::hash::Hash as _;
use std::hash::Hasher as _;
use std::time::Duration;

use crate::model::Moment;
use crate::observation::Assignment;
use crate::observation::Description;
use crate::observation::Member;

use super::Situation;

/// What is remembered of one group.
#[derive(Clone, Copy, Debug, Default)]
pub struct GroupWatch {
    rebalances: u64,
    last: Option<Seen>,
    /// When it was last seen to rebalance.
    rebalanced: Option<Duration>,
    /// When a member was last seen.
    member: Option<Duration>,
    /// When a commit was last seen to move.
    progress: Option<Duration>,
    /// Since when it has had no members, as far as seen.
    empty: Option<Duration>,
}

#[derive(Clone, Copy, Debug)]
struct Seen {
    rebalancing: bool,
    /// Who had what, when that was last known.
    assignment: Option<u64>,
    /// Epoch of the target assignment, for the types that have one.
    epoch: Option<i32>,
    /// A rebalance was counted since the assignment was last known.
    counted: bool,
    members: bool,
}

impl GroupWatch {
    /// Nothing seen.
    pub fn new() -> Self {
        Self::default()
    }

    /// The group was described. The first time counts nothing.
    pub fn update(&mut self, described: &Description, now: Moment) {
        let now = now.mono;
        let members = !described.members.is_empty();
        let rebalancing = described.state.is_rebalancing();
        let assignment = (!rebalancing).then(|| fingerprint(&described.members));
        let epoch = described.epochs.map(|epochs| epochs.assignment);
        let mut counted = false;
        if let Some(last) = self.last {
            let again = match (last.epoch, epoch) {
                (Some(before), Some(epoch)) => before != epoch,
                _ if rebalancing => !last.rebalancing,
                _ => !last.counted && last.assignment.is_some() && last.assignment != assignment,
            };
            self.rebalances += u64::from(again);
            // What was counted when it began is not counted again when the new assignment shows.
            counted = rebalancing && (again || last.counted);
            if again && members {
                self.rebalanced = Some(now);
            }
        }
        if rebalancing {
            self.rebalanced = Some(now);
        }
        if members {
            self.member = Some(now);
            self.empty = None;
        } else {
            self.empty.get_or_insert(now);
        }
        self.last = Some(Seen {
            rebalancing,
            assignment: assignment.or(self.last.and_then(|last| last.assignment)),
            epoch,
            counted,
            members,
        });
    }

    /// A commit of the group was seen to move.
    pub fn progressed(&mut self, now: Moment) {
        self.progress = Some(now.mono);
    }

    /// What its partitions must know.
    pub fn situation(&self, now: Moment, objective: bool) -> Situation {
        Situation {
            now: now.mono,
            rebalanced: self.rebalanced,
            members: self.last.map(|last| last.members),
            active: self.member.max(self.progress),
            objective,
        }
    }

    /// Observed starts of a rebalance or changes of the assignment.
    pub fn rebalances(&self) -> u64 {
        self.rebalances
    }

    /// How long the group has been without members, as far as seen; `None` with members.
    pub fn empty_for(&self, now: Moment) -> Option<Duration> {
        self.empty.map(|since| now.mono.saturating_sub(since))
    }
}

/// Who has what, in whatever order the members come.
fn fingerprint(members: &[Member]) -> u64 {
    let one = |member: &Member| {
        let mut hash = DefaultHasher::new();
        member.id.hash(&mut hash);
        match &member.assignment {
            Assignment::Partitions(topics) => topics.hash(&mut hash),
            Assignment::Opaque => {}
        }
        hash.finish()
    };
    members.iter().map(one).fold(0, u64::wrapping_add)
}
