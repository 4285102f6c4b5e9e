//! One partition of one topic of one group: C, S and E of one and the same reading, or why there are none.

use crate::failure::Cause;
use crate::failure::Heard;
use crate::lag;
use crate::model::Offset;
use crate::model::Partition;
use crate::model::Status;

use super::evaluate::Context;
use super::history::GroupTopicHistory;
use super::history::PairHistory;
use super::topic::TopicNow;
use super::topic::says_it_does_not_exist;
use super::view::PartitionView;
use super::view::TimeView;

/// What is known of a pair in this cycle before anything is concluded.
#[derive(Clone, Copy)]
pub(super) struct Pair {
    pub(super) partition: Partition,
    /// `None` without a commit.
    pub(super) committed: Option<Heard<Offset>>,
    /// Index of the owner.
    pub(super) owner: Option<u32>,
}

/// The view of a pair; takes what happened since the last reading into the counters.
pub(super) fn evaluate(
    pair: Pair,
    topic: TopicNow<'_>,
    history: &mut GroupTopicHistory,
    before: Option<&PartitionView>,
    context: &Context<'_>,
) -> PartitionView {
    let limits = limits(topic, pair.partition, context);
    let Some(committed) = pair.committed else {
        return uncommitted(pair, limits);
    };
    match (committed, limits) {
        (Ok(committed), Ok((start, end))) => {
            let kept = history.pair(pair.partition);
            let told = kept.take_in(committed, start, context);
            history.consumed += told.consumed;
            history.lost += told.lost;
            history.rewinds += u64::from(told.rewound);
            read(pair, committed, start, end)
        }
        (committed, limits) => {
            let cause = committed.err().or(limits.err()).unwrap_or(Cause::Malformed);
            let kept = history.pair(pair.partition);
            let standing = before
                .filter(|_| !says_it_does_not_exist(cause) && kept.read_at.is_some_and(|at| context.still_good(at)));
            standing.map_or_else(
                || unreadable(pair, committed.ok(), cause),
                |b| PartitionView { fresh: false, ..*b },
            )
        }
    }
}

/// S and the E that counts.
fn limits(topic: TopicNow<'_>, partition: Partition, context: &Context<'_>) -> Heard<(Offset, Offset)> {
    let log = topic.log(partition)?;
    let end = if context.settings.read_committed {
        log.stable.unwrap_or(log.end)?
    } else {
        log.end?
    };
    Ok((log.start?, end))
}

fn read(pair: Pair, committed: Offset, start: Offset, end: Offset) -> PartitionView {
    PartitionView {
        partition: pair.partition,
        owner: pair.owner,
        committed: Some(committed),
        start: Some(start),
        end: Some(end),
        time: TimeView::Absent,
        stalled_seconds: None,
        status: if lag::lost(committed, start) > 0 {
            Status::Lost
        } else if lag::ahead(committed, end) > 0 {
            Status::Ahead
        } else {
            Status::Ok
        },
        unreadable: None,
        fresh: true,
    }
}

fn uncommitted(pair: Pair, limits: Heard<(Offset, Offset)>) -> PartitionView {
    PartitionView {
        partition: pair.partition,
        owner: pair.owner,
        committed: None,
        start: limits.ok().map(|(start, _)| start),
        end: limits.ok().map(|(_, end)| end),
        time: TimeView::Absent,
        stalled_seconds: None,
        status: Status::Ok,
        unreadable: None,
        fresh: true,
    }
}

/// A commit that was heard is shown though the log was not: it is a fact of its own.
fn unreadable(pair: Pair, committed: Option<Offset>, cause: Cause) -> PartitionView {
    PartitionView {
        partition: pair.partition,
        owner: pair.owner,
        committed,
        start: None,
        end: None,
        time: TimeView::Absent,
        stalled_seconds: None,
        status: if says_it_does_not_exist(cause) {
            Status::Ok
        } else {
            Status::Unreadable
        },
        unreadable: Some(cause),
        fresh: true,
    }
}

/// What happened between two readings of a pair.
#[derive(Default)]
struct Told {
    consumed: u64,
    lost: u64,
    rewound: bool,
}

impl GroupTopicHistory {
    /// What is kept of a partition; pairs are evaluated in order, so that a search finds the place.
    fn pair(&mut self, partition: Partition) -> &mut PairHistory {
        let at = match self.pairs.binary_search_by_key(&partition, |pair| pair.partition) {
            Ok(at) => at,
            Err(at) => {
                self.pairs.insert(
                    at,
                    PairHistory {
                        partition,
                        committed: None,
                        start: None,
                        read_at: None,
                    },
                );
                at
            }
        };
        &mut self.pairs[at]
    }
}

impl PairHistory {
    fn take_in(&mut self, committed: Offset, start: Offset, context: &Context<'_>) -> Told {
        let told = match (self.committed, self.start) {
            (Some(before), Some(start_before)) => Told {
                consumed: committed.since(before),
                // What retention took beyond the commit as it is now, since the start was read last.
                lost: lag::lost(committed, start) - lag::lost(committed, start_before.min(start)),
                rewound: committed < before,
            },
            // The first reading: nothing happened yet while this process watched.
            _ => Told::default(),
        };
        self.committed = Some(committed);
        self.start = Some(start);
        self.read_at = Some(context.now.mono);
        told
    }
}
