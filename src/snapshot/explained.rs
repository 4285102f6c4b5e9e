//! Which partitions explain a group, with the numbers behind their verdicts.

use std::cmp::Reverse;
use std::sync::Arc;

use crate::model::Status;
use crate::verdict::Explanation;

use super::evaluate::Context;
use super::history::GroupHistory;
use super::view::Explained;
use super::view::GroupTopicView;
use super::view::GroupView;
use super::view::OwnerView;
use super::view::PartitionView;

/// Partitions of a group that are explained.
const KEPT: usize = 16;

/// The worst partitions, worst first, and in any case the one with the greatest lag. Of a group that is well, or long abandoned, it alone.
pub(super) fn explained(history: &GroupHistory, view: &GroupView, context: &Context<'_>) -> Box<[Explained]> {
    let explain = |(topic, partition): Place| {
        let topic_view = view.judged().get(topic)?;
        let view_of = *topic_view.partitions.get(partition)?;
        Some(Explained {
            topic: Arc::clone(&topic_view.name),
            view: view_of,
            owner: owner(&view_of, view),
            why: why(history, topic, &view_of, context),
        })
    };
    chosen(view.judged()).into_iter().filter_map(explain).collect()
}

/// Indices of a topic, and of a partition in it.
type Place = (usize, usize);

fn chosen(topics: &[GroupTopicView]) -> Vec<Place> {
    let mut worst = Vec::new();
    let mut greatest: Option<(u64, Place)> = None;
    for (place, view) in places(topics) {
        if view.status < Status::Dormant {
            worst.push((rank(view), place));
        }
        if worst.len() >= 4 * KEPT {
            keep_worst(&mut worst);
        }
        if let Some(lag) = view.lag()
            && greatest.is_none_or(|(most, _)| lag > most)
        {
            greatest = Some((lag, place));
        }
    }
    keep_worst(&mut worst);
    let mut chosen: Vec<Place> = worst.into_iter().map(|(_, place)| place).collect();
    if let Some((_, place)) = greatest.filter(|(_, place)| !chosen.contains(place)) {
        chosen.truncate(KEPT - 1);
        chosen.push(place);
    }
    chosen
}

fn places(topics: &[GroupTopicView]) -> impl Iterator<Item = (Place, &PartitionView)> {
    topics.iter().enumerate().flat_map(|(topic, view)| {
        let partitions = view.partitions.iter().enumerate();
        partitions.map(move |(partition, view)| ((topic, partition), view))
    })
}

type Rank = (Status, Reverse<Option<u32>>, Reverse<Option<u64>>);

fn rank(view: &PartitionView) -> Rank {
    // Bits of floats that are not negative are in the order of the floats.
    let stalled = view.stalled_seconds.map(|seconds| seconds.max(0.0).to_bits());
    (view.status, Reverse(stalled), Reverse(view.lag()))
}

fn keep_worst(worst: &mut Vec<(Rank, Place)>) {
    worst.sort_unstable();
    worst.truncate(KEPT);
}

fn owner(view: &PartitionView, group: &GroupView) -> Option<OwnerView> {
    let at = usize::try_from(view.owner?).ok()?;
    let member = group.members.as_ref()?.members.get(at)?;
    Some(OwnerView {
        client_id: Arc::clone(&member.client_id),
        host: Arc::clone(&member.host),
    })
}

fn why(history: &GroupHistory, topic: usize, view: &PartitionView, context: &Context<'_>) -> Explanation {
    let kept = history.topics.values().find(|kept| kept.place == Some(topic));
    let pair = kept.and_then(|kept| {
        let at = kept
            .pairs
            .binary_search_by_key(&view.partition, |pair| pair.partition)
            .ok()?;
        Some(&kept.pairs[at].state)
    });
    pair.map_or_else(Explanation::default, |state| {
        state.explain(context.now.mono, &context.settings.verdict)
    })
}
