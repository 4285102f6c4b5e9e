//! The log of one partition: where it starts and ends, what it holds, as a function of the time.

use super::run::Kind;
use super::run::Run;

/// Retention deletes whole segments; here as much as came within this many milliseconds.
const SEGMENT: i64 = 10_000;

/// A partition's log.
#[derive(Clone, Debug, Default)]
pub struct Log {
    start: i64,
    /// End of what is closed; a producer's open run goes on from here.
    end: i64,
    closed: Vec<Run>,
    open: Option<Run>,
    transactions: Vec<Transaction>,
    /// `retention.ms` of the topic, where it is to be enforced.
    pub(super) retention: Option<i64>,
}

/// A transaction that has not ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Transaction {
    producer: u32,
    first: i64,
}

/// What a producer aborted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Aborted {
    /// The producer.
    pub producer: u32,
    /// First offset of the transaction.
    pub first: i64,
}

impl Log {
    /// An empty log whose next record gets `start`.
    pub fn starting_at(start: i64) -> Self {
        Self {
            start,
            end: start,
            ..Self::default()
        }
    }

    /// A log that holds `run` alone.
    pub fn holding(run: Run) -> Self {
        Self {
            start: run.first,
            end: run.end,
            closed: vec![run],
            ..Self::default()
        }
    }

    /// The offset the next record will get (high watermark).
    pub fn end(&self, now: i64) -> i64 {
        self.open.map_or(self.end, |open| open.until(now).end)
    }

    /// The first offset still in the log: what was deleted and what retention took by now is below it.
    pub fn start(&self, now: i64) -> i64 {
        let Some(retention) = self.retention else {
            return self.start;
        };
        let cutoff = now.saturating_sub(retention);
        let segment = cutoff - cutoff.rem_euclid(SEGMENT);
        let kept = self.runs(now).find_map(|run| run.since(segment));
        self.start.max(kept.unwrap_or_else(|| self.end(now)))
    }

    /// The last stable offset: the first of the oldest open transaction, else the end.
    pub fn stable(&self, now: i64) -> i64 {
        let oldest = self.transactions.iter().map(|transaction| transaction.first).min();
        oldest.unwrap_or_else(|| self.end(now))
    }

    /// The first record dated `time` or later that is still in the log and below `limit`: offset and time.
    pub fn since(&self, time: i64, limit: i64, now: i64) -> Option<(i64, i64)> {
        let start = self.start(now);
        self.runs(now).find_map(|run| {
            let offset = run.since(time)?.max(start);
            (offset < run.end && offset < limit).then(|| (offset, run.time(offset)))
        })
    }

    /// The record with the greatest time that is still in the log: offset and time.
    pub fn newest(&self, now: i64) -> Option<(i64, i64)> {
        let start = self.start(now);
        self.runs(now)
            .filter(|run| run.end > start && !run.is_empty())
            .map(|run| (run.time(run.end - 1), run))
            .reduce(|best, next| if next.0 > best.0 { next } else { best })
            .map(|(time, run)| (run.since(time).unwrap_or(run.end - 1).max(start), time))
    }

    /// The time of the first record at `offset` or after it; `None` at the end.
    pub fn time(&self, offset: i64, now: i64) -> Option<i64> {
        self.runs(now)
            .find(|run| run.end > offset && !run.is_empty())
            .map(|run| run.time(offset.max(run.first)))
    }

    /// What lies at `offset` and after it, as runs cut to begin there.
    pub fn from(&self, offset: i64, now: i64) -> impl Iterator<Item = (i64, Run)> + '_ {
        self.runs(now)
            .filter(move |run| run.end > offset && !run.is_empty())
            .map(move |run| (offset.max(run.first), run))
    }

    /// Transactions whose abort marker lies at `offset` or after it.
    pub fn aborted(&self, offset: i64, now: i64) -> Vec<Aborted> {
        let markers = self.runs(now).filter(|run| run.first >= offset);
        let ended = markers.filter_map(|run| match run.kind {
            Kind::Marker {
                producer,
                committed: false,
            } => Some((producer, run.first)),
            _ => None,
        });
        ended
            .map(|(producer, marker)| Aborted {
                producer,
                first: self.transaction_before(producer, marker),
            })
            .collect()
    }

    /// Where the transaction of `producer` that ended at `marker` began.
    fn transaction_before(&self, producer: u32, marker: i64) -> i64 {
        let mut first = marker;
        for run in self.closed.iter().rev().filter(|run| run.first < marker) {
            match run.kind {
                Kind::Transactional(other) if other == producer => first = run.first,
                Kind::Marker { producer: other, .. } if other == producer => break,
                _ => {}
            }
        }
        first
    }

    fn runs(&self, now: i64) -> impl Iterator<Item = Run> + '_ {
        self.closed.iter().copied().chain(self.open.map(|open| open.until(now)))
    }

    /// Appends `count` records of one time. A producer at work goes on after them.
    pub(super) fn append(&mut self, count: i64, at: i64, kind: Kind, now: i64) {
        self.reopened(now, |log| {
            let mut run = Run::at_once(log.end, count, at);
            run.kind = kind;
            log.end = run.end;
            log.closed.push(run);
        });
    }

    /// Replaces the producer; `None` stops it.
    pub(super) fn produce(&mut self, every: i64, batch: i64, now: i64) {
        self.close(now);
        if batch > 0 {
            self.open = Some(Run {
                first: self.end,
                end: i64::MAX,
                at: now,
                every: every.max(1),
                batch,
                kind: Kind::Data,
            });
        }
    }

    /// Cuts everything from `offset` on; a producer at work goes on from there.
    pub(super) fn truncate(&mut self, offset: i64, now: i64) {
        self.reopened(now, |log| {
            log.closed.retain(|run| run.first < offset);
            if let Some(last) = log.closed.last_mut() {
                last.end = last.end.min(offset);
            }
            log.end = offset;
            log.start = log.start.min(offset);
            log.transactions.retain(|transaction| transaction.first < offset);
        });
    }

    /// Deletes everything below `offset`, at most up to the end.
    pub(super) fn delete_before(&mut self, offset: i64, now: i64) {
        let start = offset.min(self.end(now));
        self.start = self.start.max(start);
        self.closed.retain(|run| run.end > start);
    }

    /// Leaves a gap of offsets without records, as compaction does.
    pub(super) fn skip(&mut self, offsets: i64, now: i64) {
        self.reopened(now, |log| log.end = log.end.saturating_add(offsets.max(0)));
    }

    /// Compacts away the records `first..end`, offsets stay.
    pub(super) fn compact(&mut self, first: i64, end: i64, now: i64) {
        self.reopened(now, |log| {
            let runs = std::mem::take(&mut log.closed);
            log.closed = runs.into_iter().flat_map(|run| without(run, first, end)).collect();
        });
    }

    /// Opens a transaction whose first record is the one at `first`.
    pub(super) fn begin_at(&mut self, producer: u32, first: i64) {
        self.transactions.push(Transaction { producer, first });
    }

    /// Opens a transaction at the end of the log.
    pub(super) fn begin(&mut self, producer: u32, now: i64) {
        let first = self.end(now);
        self.transactions.push(Transaction { producer, first });
    }

    /// Ends the open transaction of `producer` with a marker; false when it has none.
    pub(super) fn finish(&mut self, producer: u32, committed: bool, now: i64) -> bool {
        let before = self.transactions.len();
        self.transactions.retain(|transaction| transaction.producer != producer);
        if self.transactions.len() == before {
            return false;
        }
        self.append(1, now, Kind::Marker { producer, committed }, now);
        true
    }

    /// Closes what the producer wrote so far, lets `change` work on the end, and sets the producer on after it at its old rhythm.
    fn reopened(&mut self, now: i64, change: impl FnOnce(&mut Self)) {
        let open = self.close(now);
        change(self);
        self.open = open.map(|mut next| {
            next.first = self.end;
            next
        });
    }

    /// Closes the open run; what it would have written next is returned, due when it would have been.
    fn close(&mut self, now: i64) -> Option<Run> {
        let mut open = self.open.take()?;
        let done = open.until(now);
        if !done.is_empty() {
            self.closed.push(done);
            self.end = done.end;
        }
        open.at = done.time(done.end);
        Some(open)
    }
}

/// The parts of `run` outside of `first..end`, with the times they had.
fn without(run: Run, first: i64, end: i64) -> Vec<Run> {
    let before = Run {
        end: run.end.min(first),
        ..run
    };
    // Whole batches only can be cut without moving the times of the rest.
    let batches = (end - run.first).max(0) / run.batch;
    let from = run.first + batches * run.batch;
    let after = Run {
        first: from,
        at: run.time(from),
        ..run
    };
    [before, after].into_iter().filter(|part| !part.is_empty()).collect()
}

#[cfg(test)]
mod tests;
