//! How a consumer moves through a partition: its commit as a function of the time.

use std::time::Duration;

use super::log::Log;
use super::millis;

/// The pace of a consumer on the partitions it reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pace {
    /// Since when it has gone at this pace.
    since: i64,
    /// Milliseconds between commits.
    every: i64,
    /// Records it always leaves unread.
    behind: i64,
    /// Records and the milliseconds in which it can read so many, where it has a limit.
    limit: Option<(i64, i64)>,
}

impl Pace {
    /// Reads everything there is and commits every `every`.
    pub fn keeping_up(every: Duration) -> Self {
        Self {
            since: 0,
            every: millis(every).max(1),
            behind: 0,
            limit: None,
        }
    }

    /// The same, with `records` left unread.
    pub fn behind(self, records: i64) -> Self {
        Self {
            behind: records.max(0),
            ..self
        }
    }

    /// Reads at most `records` per `per`.
    pub fn at_most(self, records: i64, per: Duration) -> Self {
        Self {
            limit: Some((records.max(0), millis(per).max(1))),
            ..self
        }
    }

    /// The same pace, held since this moment.
    pub(super) fn since(self, since: i64) -> Self {
        Self { since, ..self }
    }

    /// The commit at `now` of a consumer that started from `base`; `phase` spreads the commits of many.
    pub(super) fn commit(&self, base: i64, log: &Log, phase: i64, now: i64) -> i64 {
        let first = self.since.saturating_add(phase.rem_euclid(self.every));
        if now < first {
            return base;
        }
        let tick = now - (now - first) % self.every;
        let reached = log.end(tick).saturating_sub(self.behind);
        let able = self.limit.map_or(i64::MAX, |(records, per)| {
            base.saturating_add((tick - self.since).saturating_mul(records) / per)
        });
        base.max(reached.min(able))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn log() -> Log {
        let mut log = Log::default();
        log.produce(10, 1, 0);
        log
    }

    #[test]
    fn who_keeps_up_has_what_was_there_at_the_last_commit() {
        let pace = Pace::keeping_up(Duration::from_secs(1));
        assert_eq!(pace.commit(0, &log(), 0, 999), 1);
        assert_eq!(pace.commit(0, &log(), 0, 1_000), 101);
        assert_eq!(pace.commit(0, &log(), 0, 1_999), 101);
        assert_eq!(pace.behind(40).commit(0, &log(), 0, 1_000), 61);
    }

    #[test]
    fn who_has_a_limit_falls_behind() {
        let pace = Pace::keeping_up(Duration::from_secs(1)).at_most(50, Duration::from_secs(1));
        assert_eq!(pace.commit(0, &log(), 0, 10_000), 500);
    }

    #[test]
    fn a_commit_never_goes_back() {
        let pace = Pace::keeping_up(Duration::from_secs(1)).behind(1_000);
        assert_eq!(pace.commit(7, &log(), 0, 3_000), 7);
    }
}
