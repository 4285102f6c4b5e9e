//! How old the record at an offset is, without reading it: ListOffsets by timestamp answers "the first offset dated T or later", which needs
//! only DESCRIBE. Each answer bounds the record's time from one side; each round asks for the T that narrows the bounds most.
//!
//! An answer beyond the offset says for certain that the record is dated before T. One at or below it says that it is dated T or later
//! only where times do not go down along the log, as nearly everywhere; at the very offset it names the record's time itself.

use std::ops::Range;
use std::time::Duration;

use crate::model::Offset;
use crate::model::UnixMillis;

/// First question: is it older than this?
const FIRST_MS: i64 = 60_000;
/// Older than anything that is believed.
const HORIZON: UnixMillis = super::EARLIEST;

/// What is known of the time of one record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Bracket {
    /// Dated then or later; `None` before an answer said so.
    at_least: Option<UnixMillis>,
    /// Dated before then.
    below: UnixMillis,
    /// Every record before this offset is dated before `below`; `None` before an answer said so.
    until: Option<Offset>,
}

/// What an answer made of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Narrowed {
    /// The record's own time.
    Exact(UnixMillis),
    /// Narrower, or as before.
    Between,
}

impl Bracket {
    /// Nothing known but that the record exists now.
    pub(super) fn new(now: UnixMillis) -> Self {
        Self {
            at_least: None,
            below: UnixMillis(now.0.saturating_add(super::AHEAD_MS)),
            until: None,
        }
    }

    /// What is known of this record says of one at a later offset: a group that moves on need not begin anew.
    pub(super) fn carried_to(&self, later: Offset, now: UnixMillis) -> Self {
        match self.until {
            Some(until) if later < until => *self,
            _ => Self {
                at_least: self.at_least,
                ..Self::new(now)
            },
        }
    }

    /// The next time to ask for; `None` when `tolerable` milliseconds are reached, or when no question would help.
    pub(super) fn question(&self, now: UnixMillis, tolerable_ms: u64) -> Option<UnixMillis> {
        match self.at_least {
            None if self.below <= HORIZON => None,
            None => {
                let known_age = now.0.saturating_sub(self.below.0).max(0);
                let age = known_age.saturating_mul(4).max(FIRST_MS);
                Some(UnixMillis(now.0.saturating_sub(age)).max(HORIZON))
            }
            Some(at_least) if self.until.is_none() => {
                let step = i64::try_from(tolerable_ms).unwrap_or(i64::MAX).saturating_mul(2);
                let next = UnixMillis(at_least.0.saturating_add(step));
                (next <= self.below).then_some(next)
            }
            Some(at_least) => {
                let width = self.below.since(at_least).as_millis();
                let half = i64::try_from(width / 2).unwrap_or(i64::MAX);
                (width > 2 * u128::from(tolerable_ms) && half > 0).then(|| UnixMillis(at_least.0 + half))
            }
        }
    }

    /// Takes in the answer to "which is the first offset dated `asked` or later?" for the record at the start of `log`, whose end was
    /// known before that was asked.
    pub(super) fn learn(
        &mut self,
        log: Range<Offset>,
        asked: UnixMillis,
        answer: Option<(Offset, UnixMillis)>,
    ) -> Narrowed {
        let at = log.start;
        match answer {
            Some((found, time)) if found == at => return Narrowed::Exact(time),
            Some((found, time)) if found < at => {
                // With times that go down it may lie above what is known to be above: the certain side stays.
                let later = time.max(asked).min(UnixMillis(self.below.0 - 1));
                self.at_least = Some(self.at_least.map_or(later, |known| known.max(later)));
            }
            other => {
                if asked <= self.below {
                    self.below = asked;
                    // Where no record is dated so late, none of those that were there is.
                    self.until = Some(other.map_or(log.end, |(found, _)| found));
                }
                self.at_least = self.at_least.filter(|known| *known < self.below);
            }
        }
        Narrowed::Between
    }

    /// How old the record is at most; zero before an answer said so.
    pub(super) fn oldest_age(&self, now: UnixMillis) -> Duration {
        self.at_least.map_or(Duration::ZERO, |at_least| now.since(at_least))
    }

    /// The middle and half the width, once there are two sides.
    pub(super) fn estimate(&self) -> Option<(UnixMillis, u64)> {
        let at_least = self.at_least?;
        self.until?;
        let width = u64::try_from(self.below.since(at_least).as_millis()).unwrap_or(u64::MAX);
        let half = width.div_ceil(2);
        Some((UnixMillis(at_least.0.saturating_add(half.cast_signed())), half))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: UnixMillis = UnixMillis(1_700_000_000_000);

    /// Answers as a broker would over records dated `times`.
    fn ask(times: &[i64], asked: UnixMillis) -> Option<(Offset, UnixMillis)> {
        let found = times.iter().position(|time| *time >= asked.0)?;
        Some((Offset::new(i64::try_from(found).ok()?)?, UnixMillis(times[found])))
    }

    fn rounds(times: &[i64], at: usize) -> (usize, Bracket, Option<UnixMillis>) {
        let mut bracket = Bracket::new(NOW);
        let offset = Offset::new(i64::try_from(at).expect("small")).expect("not negative");
        let end = Offset::new(i64::try_from(times.len()).expect("small")).expect("not negative");
        for round in 0..100 {
            let age = bracket.estimate().map_or(0, |(time, _)| NOW.0 - time.0).max(0);
            let Some(asked) = bracket.question(NOW, (age / 50).max(15_000).unsigned_abs()) else {
                return (round, bracket, None);
            };
            if let Narrowed::Exact(time) = bracket.learn(offset..end, asked, ask(times, asked)) {
                return (round + 1, bracket, Some(time));
            }
        }
        panic!("never narrow enough");
    }

    #[test]
    fn a_dozen_rounds_are_enough_from_a_minute_to_a_year() {
        for age in [
            5_000,
            90_000,
            3_600_000,
            86_400_000,
            7 * 86_400_000,
            365 * 86_400_000i64,
        ] {
            // A record every second for a while around it, so that no question hits the very record by luck.
            let times: Vec<i64> = (-2_000..2_000).map(|n| NOW.0 - age + n * 7).collect();
            let (rounds, bracket, exact) = rounds(&times, 2_000);
            let (time, error) = exact.map_or_else(|| bracket.estimate().expect("two sides"), |time| (time, 0));
            assert!(
                (time.0 - (NOW.0 - age)).unsigned_abs() <= error,
                "{age}: {time:?} ± {error}"
            );
            assert!(
                error <= (age / 50).max(15_000).unsigned_abs() && rounds <= 15,
                "{age}: {rounds} rounds, ± {error}"
            );
        }
    }

    #[test]
    fn a_lone_record_is_found_to_the_millisecond() {
        let (rounds, _, exact) = rounds(&[NOW.0 - 7_200_000], 0);
        assert_eq!(exact, Some(UnixMillis(NOW.0 - 7_200_000)));
        assert!(rounds <= 5, "{rounds}");
    }

    #[test]
    fn records_without_a_believable_time_end_the_questions() {
        let mut bracket = Bracket::new(NOW);
        let mut asked = 0;
        while let Some(time) = bracket.question(NOW, 15_000) {
            bracket.learn(Offset::ZERO..Offset::new(9).expect("not negative"), time, None);
            asked += 1;
        }
        assert_eq!(bracket.estimate(), None);
        assert!(asked < 20, "{asked}");
    }
}
