//! What matters of a group for a sentence about it.

use std::collections::BTreeSet;
use std::time::Duration;

use super::super::Source;
use super::speech::list;
use super::speech::name;
use super::speech::number;
use crate::config::Objective;
use crate::model::Status;
use crate::model::UnixMillis;
use crate::snapshot::Explained;
use crate::snapshot::GroupTopicView;
use crate::snapshot::GroupView;
use crate::snapshot::MemberView;
use crate::snapshot::PartitionView;
use crate::snapshot::Snapshot;
use crate::snapshot::TimeView;

/// Partitions that are named one by one.
const NAMED: usize = 5;

/// One group as its snapshot has it.
pub(super) struct Scene<'a> {
    pub(super) snapshot: &'a Snapshot,
    pub(super) group: &'a GroupView,
    pub(super) objective: Option<&'a Objective>,
    /// When the snapshot was made.
    pub(super) now: UnixMillis,
    /// Partitions that count for a status: those that exist.
    pub(super) total: usize,
    /// How many of those have each status, in the order of [`Status::ALL`].
    counts: [usize; Status::ALL.len()],
    /// Those that have the group's.
    pub(super) affected: Affected<'a>,
    /// The one of those that the numbers of the rule are of.
    pub(super) worst: Option<&'a Explained>,
}

/// The partitions that make a group's status what it is.
#[derive(Default)]
pub(super) struct Affected<'a> {
    pub(super) count: usize,
    /// The first few numbers.
    numbers: Vec<i32>,
    topics: BTreeSet<&'a str>,
    owners: BTreeSet<u32>,
    /// Partitions without an owner.
    pub(super) unowned: usize,
    pub(super) lag: u128,
    pub(super) lost: u128,
    pub(super) ahead: u64,
    /// Records in them, where nothing is committed.
    pub(super) held: u128,
    /// Age of the oldest unread record; `None` where none is known.
    pub(super) age: Option<Duration>,
}

/// Who holds the affected partitions.
pub(super) enum Holder<'a> {
    /// One member all of them.
    One(&'a MemberView),
    /// So many.
    Several(usize),
    /// Nobody, or nobody knows.
    None,
}

impl<'a> Scene<'a> {
    pub(super) fn of(source: Source<'a>, group: &'a GroupView) -> Self {
        let snapshot = source.snapshot;
        let ended = snapshot.cycle.as_ref().map(|cycle| cycle.finished);
        let mut scene = Self {
            snapshot,
            group,
            objective: group.objective.and_then(|at| source.objectives.get(at)),
            now: ended.unwrap_or(group.read_at).wall,
            total: 0,
            counts: [0; Status::ALL.len()],
            affected: Affected::default(),
            worst: group.explained.iter().find(|row| row.view.status == group.status),
        };
        for topic in group.topics.iter().filter(|topic| topic.exists != Some(false)) {
            for view in topic.partitions.iter().filter(|view| !is_gone(view)) {
                scene.count(topic, view);
            }
        }
        scene
    }

    fn count(&mut self, topic: &'a GroupTopicView, view: &PartitionView) {
        self.total += 1;
        let place = Status::ALL.iter().position(|status| *status == view.status);
        self.counts[place.unwrap_or_default()] += 1;
        if view.status == self.group.status {
            self.affected.add(topic, view);
        }
    }

    /// How many partitions have a status.
    pub(super) fn with(&self, status: Status) -> usize {
        let place = Status::ALL.iter().position(|known| *known == status);
        self.counts[place.unwrap_or_default()]
    }

    /// The affected partitions by number and topic.
    pub(super) fn places(&self) -> String {
        let it = &self.affected;
        let all = it.count == self.total && it.count > 1;
        let mut topics = it.topics.iter();
        match (topics.next(), it.topics.len()) {
            (Some(topic), 1) if it.count == 1 => format!("partition {} of {}", it.numbers[0], name(topic)),
            (Some(topic), 1) if all => format!("all {} partitions of {}", number(it.count), name(topic)),
            (Some(topic), 1) if it.count <= NAMED => {
                let numbers: Vec<String> = it.numbers.iter().map(ToString::to_string).collect();
                format!("partitions {} of {}", list(&numbers), name(topic))
            }
            (Some(topic), 1) => format!("{} partitions of {}", number(it.count), name(topic)),
            (_, topics) if all => format!("all {} partitions of {topics} topics", number(it.count)),
            (_, topics) => format!("{} partitions of {topics} topics", number(it.count)),
        }
    }

    pub(super) fn holder(&self) -> Holder<'a> {
        let it = &self.affected;
        let members = self.group.members.as_ref();
        let member = |at: u32| members?.members.get(usize::try_from(at).ok()?);
        match (it.owners.first(), it.owners.len()) {
            (Some(only), 1) if it.unowned == 0 => member(*only).map_or(Holder::None, Holder::One),
            (_, several @ 2..) => Holder::Several(several),
            _ => Holder::None,
        }
    }

    /// Since when the worst partition has stood still, how long that is, and whether it may be longer.
    pub(super) fn standing(&self) -> Option<(UnixMillis, Duration, bool)> {
        let why = &self.worst?.why;
        let millis = i64::try_from(why.standing.as_millis()).unwrap_or(i64::MAX);
        let since = UnixMillis(self.now.0.saturating_sub(millis));
        Some((since, why.standing, !why.begin_seen))
    }

    /// How many members; `None` while nobody knows.
    pub(super) fn members(&self) -> Option<usize> {
        self.group.members.as_ref().map(|it| it.members.len())
    }

    /// Topics that are deleted and that commits are left on.
    pub(super) fn left(&self) -> impl Iterator<Item = &'a GroupTopicView> {
        let topics = self.group.topics.iter();
        topics
            .filter(|topic| topic.exists == Some(false) && topic.partitions.iter().any(|view| view.committed.is_some()))
    }

    /// The least time until retention takes a record that was not read; `None` where nothing says when.
    pub(super) fn until_retention(&self) -> Option<Duration> {
        let left = self.group.topics.iter().filter_map(|topic| {
            let age = Duration::from_millis(topic.lag_time.filter(|_| topic.lag != Some(0))?.age_ms);
            let topics = &self.snapshot.topics;
            let at = topics.binary_search_by(|it| it.name.cmp(&topic.name)).ok()?;
            let deletes = topics[at].cleanup_policy.as_ref()?.contains("delete");
            let retention = topics[at].retention.filter(|_| deletes && !age.is_zero())?;
            Some(retention.saturating_sub(age))
        });
        left.min()
    }
}

fn is_gone(view: &PartitionView) -> bool {
    let unknown = |cause: crate::failure::Cause| cause.reason() == crate::failure::Reason::UnknownTopic;
    view.unreadable.is_some_and(unknown)
}

impl<'a> Affected<'a> {
    fn add(&mut self, topic: &'a GroupTopicView, view: &PartitionView) {
        self.count += 1;
        if self.numbers.len() < NAMED {
            self.numbers.push(view.partition.0);
        }
        self.topics.insert(&topic.name);
        match view.owner {
            Some(owner) => drop(self.owners.insert(owner)),
            None => self.unowned += 1,
        }
        self.lag += u128::from(view.lag().unwrap_or(0));
        self.lost += u128::from(view.lost().unwrap_or(0));
        self.ahead = self.ahead.max(view.ahead().unwrap_or(0));
        if let (Some(start), Some(end)) = (view.start, view.end) {
            self.held += u128::from(end.since(start));
        }
        if let TimeView::Known(time) = view.time {
            self.age = self.age.max(Some(Duration::from_millis(time.age_ms)));
        }
    }
}
