//! One partition of one topic of one group: C, S and E of one and the same reading, or why there are none.

use std::time::Duration;

use crate::failure::Cause;
use crate::failure::Heard;
use crate::failure::Reason;
use crate::model::Offset;
use crate::model::Partition;
use crate::model::Status;
use crate::observation::PartitionLog;
use crate::time::Answer;
use crate::time::TopicTimes;
use crate::verdict::Changes;
use crate::verdict::Owner;
use crate::verdict::PairState;
use crate::verdict::Readable;
use crate::verdict::Reading;
use crate::verdict::Situation;
use crate::verdict::Verdict;

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

/// What all pairs of one topic of one group share.
pub(super) struct Surroundings<'a> {
    pub(super) topic: TopicNow<'a>,
    pub(super) times: Option<&'a TopicTimes>,
    pub(super) situation: Situation,
    /// False while the group rebalances or its members are unknown.
    pub(super) owners_known: bool,
    /// Lag counts up to the last stable offset.
    pub(super) read_committed: bool,
    /// Partitions in which nothing is left to read, whatever the offsets say.
    pub(super) done_with: &'a [Partition],
    pub(super) context: &'a Context<'a>,
}

/// The view of a pair, and what happened since the reading before.
pub(super) fn evaluate(
    pair: Pair,
    around: &Surroundings<'_>,
    state: &mut PairState,
    before: Option<&PartitionView>,
) -> (PartitionView, Changes) {
    let log = around.topic.log(pair.partition);
    let limits = log.and_then(|log| limits(log, around.read_committed));
    let exists = log.is_ok();
    let pair = Pair {
        committed: pair
            .committed
            .map(|heard| if exists { heard.map_err(of_what_exists) } else { heard }),
        ..pair
    };
    match (pair.committed.transpose(), limits) {
        (Ok(committed), Ok((start, end))) => read(pair, committed, (start, end), around, state),
        (Ok(None), Err(_)) => (blank(pair, Status::Ok), Changes::default()),
        (committed, limits) => {
            let cause = committed.err().or(limits.err()).unwrap_or(Cause::Malformed);
            let heard = committed.ok().flatten();
            (unread(pair, heard, cause, around, state, before), Changes::default())
        }
    }
}

/// S and the E that counts.
fn limits(log: &PartitionLog, read_committed: bool) -> Heard<(Offset, Offset)> {
    let end = log.counting_end(read_committed).map_err(of_what_exists)?;
    Ok((log.start.map_err(of_what_exists)?, end))
}

/// True when C is where the records of an open transaction begin: whoever reads committed records only gets no further, and does no
/// wrong. Nobody waits where nobody is.
fn is_at_open_transaction(around: &Surroundings<'_>, pair: Pair, committed: Option<Offset>, owner: Owner) -> bool {
    let Ok(PartitionLog {
        end: Ok(end),
        stable: Some(Ok(stable)),
        ..
    }) = around.topic.log(pair.partition)
    else {
        return false;
    };
    committed == Some(*stable) && stable < end && owner != Owner::Nobody
}

fn read(
    pair: Pair,
    committed: Option<Offset>,
    (start, end): (Offset, Offset),
    around: &Surroundings<'_>,
    state: &mut PairState,
) -> (PartitionView, Changes) {
    let answer = committed.map(|committed| {
        if around.done_with.contains(&pair.partition) {
            Answer::NothingReadable
        } else {
            age(around, pair.partition, committed.max(start), end)
        }
    });
    let time = answer.map_or(TimeView::Absent, |answer| match answer.lag_time() {
        Ok(time) => TimeView::Known(time),
        Err(reason) => TimeView::Unknown(reason),
    });
    let owner = match (around.owners_known, pair.owner) {
        (false, _) => Owner::Unknown,
        (true, Some(_)) => Owner::Member,
        (true, None) => Owner::Nobody,
    };
    let at_open_transaction = is_at_open_transaction(around, pair, committed, owner);
    let reading = Reading {
        committed,
        start,
        end,
        readable: match answer {
            Some(Answer::NothingReadable) => Readable::Nothing,
            _ if at_open_transaction => Readable::NotYet,
            _ => Readable::Presumably,
        },
        owner,
        age: match time {
            TimeView::Known(time) => Some(Duration::from_millis(time.age_ms)),
            _ => None,
        },
    };
    let verdict = state.update(&reading, &around.situation, &around.context.settings.verdict);
    let view = PartitionView {
        committed,
        start: Some(start),
        end: Some(end),
        time,
        at_open_transaction,
        ..judged(pair, &verdict)
    };
    (view, verdict.changes)
}

/// The metadata says whether a partition exists. A leader or coordinator that does not know one that does has not heard of it yet.
fn of_what_exists(cause: Cause) -> Cause {
    if says_it_does_not_exist(cause) {
        Cause::NoLeader
    } else {
        cause
    }
}

/// The age of the oldest unread record.
fn age(around: &Surroundings<'_>, partition: Partition, at: Offset, end: Offset) -> Answer {
    let unknown = Answer::Unknown(Reason::Other);
    around
        .times
        .map_or(unknown, |times| times.age(partition, at, end, around.context.now))
}

/// The last good reading stands until it is too old, but never against Kafka's word that the partition does not exist.
fn unread(
    pair: Pair,
    committed: Option<Offset>,
    cause: Cause,
    around: &Surroundings<'_>,
    state: &mut PairState,
    before: Option<&PartitionView>,
) -> PartitionView {
    if says_it_does_not_exist(cause) {
        return PartitionView {
            committed,
            unreadable: Some(cause),
            ..blank(pair, Status::Ok)
        };
    }
    let (now, settings) = (around.context.now.mono, &around.context.settings.verdict);
    let verdict = state.missed(now, settings);
    match before.filter(|_| state.stands(now, settings)) {
        Some(before) => PartitionView {
            fresh: false,
            ..*before
        },
        // A commit that was heard is shown though the log was not: it is a fact of its own.
        None => PartitionView {
            committed,
            unreadable: Some(cause),
            ..judged(pair, &verdict)
        },
    }
}

fn judged(pair: Pair, verdict: &Verdict) -> PartitionView {
    PartitionView {
        stalled_seconds: verdict.stalled.map(|stalled| stalled.as_secs_f32()),
        ..blank(pair, verdict.status)
    }
}

fn blank(pair: Pair, status: Status) -> PartitionView {
    PartitionView {
        partition: pair.partition,
        owner: pair.owner,
        committed: None,
        start: None,
        end: None,
        time: TimeView::Absent,
        stalled_seconds: None,
        status,
        unreadable: None,
        at_open_transaction: false,
        fresh: true,
    }
}

impl GroupTopicHistory {
    /// What is kept of a partition, which is sought for from a place on where it is likely to be.
    pub(super) fn pair(&mut self, partition: Partition, likely: usize) -> &mut PairState {
        let at = match find(&self.pairs, likely, partition, |pair| pair.partition) {
            Ok(at) => at,
            Err(at) => {
                self.pairs.insert(
                    at,
                    PairHistory {
                        partition,
                        state: PairState::new(),
                    },
                );
                at
            }
        };
        &mut self.pairs[at].state
    }

    pub(super) fn count(&mut self, changes: Changes) {
        self.consumed += changes.consumed;
        self.lost += changes.lost;
        self.rewinds += u64::from(changes.rewound);
    }
}

/// The place of a partition among those sorted by it, or where it would have to be: mostly where it is likely to be.
pub(super) fn find<T>(
    sorted: &[T],
    likely: usize,
    partition: Partition,
    of: impl Fn(&T) -> Partition,
) -> Result<usize, usize> {
    match sorted.get(likely) {
        Some(there) if of(there) == partition => Ok(likely),
        _ => sorted.binary_search_by_key(&partition, of),
    }
}
