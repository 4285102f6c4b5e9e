//! One topic of one group: its partitions and what they add up to.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::failure::Heard;
use crate::failure::Reason;
use crate::lag;
use crate::model::LagTime;
use crate::model::Offset;
use crate::model::Partition;
use crate::model::TopicName;
use crate::verdict::Situation;

use super::evaluate::Context;
use super::history::GroupTopicHistory;
use super::pair;
use super::pair::Pair;
use super::pair::Surroundings;
use super::pair::find;
use super::topic::TopicNow;
use super::topic::says_it_does_not_exist;
use super::view::GroupTopicView;
use super::view::PartitionView;
use super::view::TimeView;

/// What the group has on one topic in this cycle.
pub(super) struct Holding<'a> {
    /// Sorted by partition.
    pub(super) commits: &'a [(Partition, Heard<Offset>)],
    /// Sorted by partition.
    pub(super) owners: &'a [(Partition, u32)],
    /// What is known of the members.
    pub(super) ownership: Ownership,
    /// Its lag counts up to the last stable offset.
    pub(super) read_committed: bool,
    /// Of a share group: where its broker counts no record that is not done with. Start offsets follow later.
    pub(super) done_with: &'a [Partition],
    /// What of the group matters to each of its partitions.
    pub(super) situation: Situation,
}

/// What is known of who owns what.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Ownership {
    /// Who owns what, and that nobody owns the rest.
    Known,
    /// The group rebalances: its members are known, what they own is not.
    Moving,
    /// The members could not be read.
    Unknown,
}

/// The view of one topic of a group, and whether a commit on it moved.
pub(super) fn evaluate(
    name: &TopicName,
    holding: &Holding<'_>,
    history: &mut GroupTopicHistory,
    before: Option<&GroupTopicView>,
    context: &Context<'_>,
) -> (GroupTopicView, bool) {
    let topic = TopicNow::of(name, context);
    let before = if history.is_made_anew(topic) { None } else { before };
    let around = Surroundings {
        topic,
        times: context.times.get(name),
        situation: holding.situation,
        owners_known: holding.ownership == Ownership::Known,
        read_committed: holding.read_committed,
        done_with: holding.done_with,
        context,
    };
    let mut moved = false;
    let expected = holding.commits.len().max(holding.owners.len());
    let mut partitions = Vec::with_capacity(expected);
    history
        .pairs
        .reserve_exact(expected.saturating_sub(history.pairs.len()));
    for pair in pairs(holding) {
        let likely = partitions.len();
        let earlier = before.and_then(|before| earlier(before, pair.partition, likely));
        let (view, changes) = pair::evaluate(pair, &around, history.pair(pair.partition, likely), earlier);
        history.count(changes);
        moved |= changes.moved;
        partitions.push(view);
    }
    forget_pairs(history, &partitions);
    (view(name, holding, partitions, &around, (history, before)), moved)
}

fn view(
    name: &TopicName,
    holding: &Holding<'_>,
    partitions: Vec<PartitionView>,
    around: &Surroundings<'_>,
    (history, before): (&GroupTopicHistory, Option<&GroupTopicView>),
) -> GroupTopicView {
    let Surroundings { topic, context, .. } = *around;
    let (uncommitted_partitions, uncommitted_records) = uncommitted(topic, &partitions, before, holding.read_committed);
    let assigned = u32::try_from(holding.owners.len()).unwrap_or(u32::MAX);
    GroupTopicView {
        name: context
            .names
            .get(name)
            .cloned()
            .unwrap_or_else(|| Arc::from(name.to_string())),
        exists: match topic {
            TopicNow::There(..) => Some(true),
            TopicNow::Gone => Some(false),
            TopicNow::Unknown(_) => before.and_then(|b| b.exists),
        },
        lag: sum(&partitions),
        lag_time: slowest(&partitions),
        unknown_times: unknown_times(&partitions),
        uncommitted_partitions,
        uncommitted_records,
        assigned_partitions: (holding.ownership != Ownership::Unknown).then_some(assigned),
        unowned_partitions: unowned(holding, topic),
        unreadable: unreadable(&partitions),
        consumed: history.consumed,
        lost: history.lost,
        rewinds: history.rewinds,
        retention_margin: margin(&partitions),
        partitions,
    }
}

/// Where nobody has any partition the members read other topics, or there are none: nothing of this one is missing.
fn unowned(holding: &Holding<'_>, topic: TopicNow<'_>) -> Option<u32> {
    let TopicNow::There(_, meta) = topic else { return None };
    if holding.ownership != Ownership::Known || holding.owners.is_empty() {
        return None;
    }
    let owned = |partition| holding.owners.binary_search_by_key(&partition, |(p, _)| *p).is_ok();
    let without = meta.partitions.iter().filter(|it| !owned(it.partition)).count();
    u32::try_from(without).ok()
}

impl GroupTopicHistory {
    /// True when the topic is another than the one all of this is about: its offsets have nothing to do with the old ones.
    fn is_made_anew(&mut self, topic: TopicNow<'_>) -> bool {
        let TopicNow::There(_, meta) = topic else { return false };
        let anew = self.id.is_some() && meta.id.is_some() && self.id != meta.id;
        if anew {
            self.pairs.clear();
        }
        self.id = meta.id;
        anew
    }
}

/// Commits and owners, merged by partition.
fn pairs<'a>(holding: &'a Holding<'_>) -> impl Iterator<Item = Pair> + 'a {
    let mut commits = holding.commits.iter().copied().peekable();
    let mut owners = holding.owners.iter().copied().peekable();
    std::iter::from_fn(move || {
        let next = match (commits.peek(), owners.peek()) {
            (Some((c, _)), Some((o, _))) => *c.min(o),
            (Some((c, _)), None) => *c,
            (None, Some((o, _))) => *o,
            (None, None) => return None,
        };
        let committed = commits
            .next_if(|(partition, _)| *partition == next)
            .map(|(_, offset)| offset);
        let owner = owners
            .next_if(|(partition, _)| *partition == next)
            .map(|(_, member)| member);
        Some(Pair {
            partition: next,
            committed,
            owner,
        })
    })
}

fn earlier(before: &GroupTopicView, partition: Partition, likely: usize) -> Option<&PartitionView> {
    let at = find(&before.partitions, likely, partition, |view| view.partition).ok()?;
    Some(&before.partitions[at])
}

/// Pairs that are no longer there are forgotten: a commit that comes back later begins anew.
fn forget_pairs(history: &mut GroupTopicHistory, partitions: &[PartitionView]) {
    if history.pairs.len() > partitions.len() {
        history.pairs.retain(|pair| {
            partitions
                .binary_search_by_key(&pair.partition, |view| view.partition)
                .is_ok()
        });
    }
}

/// True for a committed partition that exists, or of which nobody could say that it does not.
fn counts(view: &PartitionView) -> bool {
    (view.committed.is_some() || view.unreadable.is_some()) && !view.unreadable.is_some_and(says_it_does_not_exist)
}

/// `None` while a committed partition that exists is unreadable, and where there is none.
fn sum(partitions: &[PartitionView]) -> Option<u128> {
    let mut counted = partitions.iter().filter(|view| counts(view)).peekable();
    counted.peek()?;
    counted.map(|view| view.lag().map(u128::from)).sum()
}

/// The sum of what could be read; `None` where nothing could.
pub(super) fn readable_sum(partitions: &[PartitionView]) -> Option<u128> {
    partitions
        .iter()
        .filter_map(PartitionView::lag)
        .map(u128::from)
        .reduce(|a, b| a + b)
}

fn slowest(partitions: &[PartitionView]) -> Option<LagTime> {
    let known = partitions.iter().filter_map(|view| match view.time {
        TimeView::Known(time) => Some(time),
        _ => None,
    });
    known.max_by_key(|time| time.age_ms)
}

fn unknown_times(partitions: &[PartitionView]) -> Vec<(Reason, u32)> {
    tally(partitions.iter().filter_map(|view| match view.time {
        TimeView::Unknown(reason) => Some(reason),
        _ => None,
    }))
}

fn unreadable(partitions: &[PartitionView]) -> Vec<(Reason, u32)> {
    tally(
        partitions
            .iter()
            .filter_map(|view| view.unreadable)
            .map(crate::failure::Cause::reason),
    )
}

fn tally(reasons: impl Iterator<Item = Reason>) -> Vec<(Reason, u32)> {
    let mut counts = BTreeMap::new();
    for reason in reasons {
        *counts.entry(reason).or_insert(0) += 1;
    }
    counts.into_iter().collect()
}

fn margin(partitions: &[PartitionView]) -> Option<f64> {
    let margins = partitions
        .iter()
        .filter_map(|v| lag::retention_margin(v.committed?, v.start?, v.end?));
    margins.min_by(f64::total_cmp)
}

/// Partitions of the topic without a commit, and the records in them now; what stood before while nobody can say.
fn uncommitted(
    topic: TopicNow<'_>,
    partitions: &[PartitionView],
    before: Option<&GroupTopicView>,
    read_committed: bool,
) -> (Option<u32>, Option<u128>) {
    let TopicNow::There(reading, meta) = topic else {
        let standing = before.filter(|_| matches!(topic, TopicNow::Unknown(_)) && partitions.iter().any(|p| !p.fresh));
        return standing.map_or((None, None), |b| (b.uncommitted_partitions, b.uncommitted_records));
    };
    let has_commit = |partition: Partition, likely: usize| {
        find(partitions, likely, partition, |view| view.partition).is_ok_and(|at| counts(&partitions[at]))
    };
    let mut count = 0;
    let mut records = Some(0);
    for (likely, (part, log)) in meta.partitions.iter().zip(&reading.logs).enumerate() {
        if !has_commit(part.partition, likely) {
            count += 1;
            let end = log.counting_end(read_committed);
            let held = log
                .start
                .and_then(|start| end.map(|end| u128::from(lag::held(start, end))));
            records = records.zip(held.ok()).map(|(a, b)| a + b);
        }
    }
    (Some(count), records)
}
