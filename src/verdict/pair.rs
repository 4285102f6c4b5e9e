//! One partition of one group.

use std::time::Duration;

use crate::lag;
use crate::model::Offset;
use crate::model::Status;

use super::Changes;
use super::Explanation;
use super::Owner;
use super::Readable;
use super::Reading;
use super::Settings;
use super::Situation;
use super::Verdict;
use super::rise::Lag;
use super::rise::Rise;
use super::tick::Tick;
use super::waits::Waits;

/// While a group rebalances, and until its members have had time to go on, nothing becomes stalled or stopped for so long beyond the
/// window.
const REBALANCE_GRACE: Duration = Duration::from_secs(300);
/// Whoever is `behind` is so by more than this.
const BEHIND_AT_LEAST: Duration = Duration::from_secs(60);
/// A gap of more polls than this between two readings is a gap: what happened in it was not seen.
const GAP_POLLS: u32 = 3;

/// What is remembered of one partition of one group: at most 128 bytes.
#[derive(Clone, Copy, Debug, Default)]
pub struct PairState {
    committed: Option<Offset>,
    start: Option<Offset>,
    /// E of the last reading; without a commit, E when the owner was first seen.
    end: Option<Offset>,
    /// The place that C was at before it went down.
    rewound_from: Option<Offset>,
    rise: Rise,
    waits: Waits,
    /// When C last moved or was first read; without a commit, when the owner was first seen.
    moved: Option<Tick>,
    /// When readable lag began; without a commit, when E was first seen to grow under the owner.
    lag_since: Option<Tick>,
    /// The last good reading; the first try before there was one.
    read: Option<Tick>,
    /// Since when readings have come without a gap.
    settled: Option<Tick>,
    /// The first good reading.
    first_read: Option<Tick>,
    status: Option<Status>,
    /// A member had the partition when that was last known.
    owned: bool,
    /// C stood still for longer than the window, and does since.
    stuck: bool,
    /// The begin of the present wait was seen, so that its length will be known.
    whole: bool,
    /// The length of a whole wait is known.
    paced: bool,
}

impl PairState {
    /// Nothing known.
    pub fn new() -> Self {
        Self::default()
    }

    /// One more reading.
    pub fn update(&mut self, reading: &Reading, at: &Situation, settings: &Settings) -> Verdict {
        let now = Tick::at(at.now);
        self.note_gap(now, settings);
        match reading.owner {
            Owner::Member => self.owned = true,
            Owner::Nobody => self.owned = false,
            Owner::Unknown => {}
        }
        let verdict = match reading.committed {
            Some(committed) => self.with_commit(committed, reading, at, settings),
            None => self.without_commit(reading, now, settings),
        };
        self.read = Some(now);
        self.first_read.get_or_insert(now);
        self.status = Some(verdict.status);
        verdict
    }

    /// C, S or E could not be read. The last verdict stands until the last good reading is older than `max_staleness`.
    pub fn missed(&mut self, now: Duration, settings: &Settings) -> Verdict {
        let now = Tick::at(now);
        let read = *self.read.get_or_insert(now);
        let usual_wait = self.waits.usual(settings);
        let too_old = now.since(read) > settings.max_staleness;
        let stands = self.first_read.is_some() && !too_old;
        Verdict {
            status: if too_old {
                Status::Unreadable
            } else {
                self.status.unwrap_or(Status::Ok)
            },
            stalled: (stands && self.committed.is_some()).then(|| self.standing(read)),
            window: self.window(usual_wait, now, settings),
            usual_wait,
            changes: Changes::default(),
        }
    }

    /// True while the last good reading is not older than `max_staleness`: it stands for one that failed.
    pub fn stands(&self, now: Duration, settings: &Settings) -> bool {
        let fresh = |read| Tick::at(now).since(read) <= settings.max_staleness;
        self.first_read.is_some() && self.read.is_some_and(fresh)
    }

    /// Our own reset set C: that is no consumption, and readers start anew from there.
    pub fn reset_to(&mut self, committed: Offset) {
        if let Some(before) = self.committed {
            if committed < before {
                self.rewound_from = self.rewound_from.max(Some(before));
            }
            self.committed = Some(committed);
        }
    }

    /// The numbers behind the last verdict.
    pub fn explain(&self, now: Duration, settings: &Settings) -> Explanation {
        let now = Tick::at(now);
        let usual_wait = self.waits.usual(settings);
        let thirds = self.rise.thirds();
        Explanation {
            read_at: self.read.filter(|_| self.first_read.is_some()).map(Tick::since_start),
            standing: if self.committed.is_some() {
                self.standing(now)
            } else {
                Duration::ZERO
            },
            begin_seen: self.whole,
            watched: self.settled.map_or(Duration::ZERO, |settled| now.since(settled)),
            waits: self.waits.all(settings),
            usual_wait,
            window: self.window(usual_wait, now, settings),
            rewound_from: self.rewound_from,
            lowest_lags: thirds.map(|thirds| thirds.lags),
            lowest_ages: thirds.map(|thirds| thirds.ages),
            uncommitted: match (self.committed, self.moved) {
                (None, Some(owner)) => Some((now.since(owner), self.lag_since.map(|grew| now.since(grew)))),
                _ => None,
            },
        }
    }

    fn with_commit(&mut self, committed: Offset, reading: &Reading, at: &Situation, settings: &Settings) -> Verdict {
        let now = Tick::at(at.now);
        let changes = self.take_in(committed, reading, now, settings);
        let records = lag::records(committed, reading.start, reading.end);
        let readable = records > 0 && reading.readable == Readable::Presumably;
        self.note_lag(readable, now);
        if !readable || self.rewound_from.is_some_and(|from| committed > from) {
            self.rewound_from = None;
        }
        let pace = self.pace(at, settings);
        let lag = Lag {
            records,
            age: reading.age,
            moved: changes.moved,
        };
        self.rise.observe(
            lag,
            settings.window(pace.usual_wait, settings.cycles()),
            settings.poll_interval,
            now,
        );
        self.start = Some(reading.start);
        self.end = Some(reading.end);
        let stuck_before = self.stuck;
        self.stuck = readable && (stuck_before || self.is_over(&pace, now, settings));
        let behind = self.is_behind(&pace, reading.age, now);
        let found = [
            self.stuck
                .then(|| self.stuck_as(stuck_before && pace.recovering, reading, at, settings)),
            (lag::lost(committed, reading.start) > 0).then_some(Status::Lost),
            (lag::ahead(committed, reading.end) > 0).then_some(Status::Ahead),
            self.rewound_from.map(|_| Status::Rewound),
            behind.then_some(Status::Behind),
        ];
        Verdict {
            status: super::worst(found.into_iter().flatten()),
            stalled: Some(self.standing(now)),
            window: pace.window,
            usual_wait: pace.usual_wait,
            changes,
        }
    }

    /// What became of C since the last reading.
    fn take_in(&mut self, committed: Offset, reading: &Reading, now: Tick, settings: &Settings) -> Changes {
        let Some(before) = self.committed else {
            // The first commit that is seen. Where its absence was seen before, its begin was too.
            *self = Self {
                committed: Some(committed),
                moved: Some(now),
                whole: self.first_read.is_some(),
                owned: self.owned,
                settled: self.settled,
                first_read: self.first_read,
                ..Self::default()
            };
            return Changes::default();
        };
        let start_before = self.start.unwrap_or(reading.start);
        let lost = lag::lost(committed, reading.start) - lag::lost(committed, start_before.min(reading.start));
        let moved = committed != before;
        // The log is shorter than the commit was: another log, where nobody goes back to old records.
        let anew = self.end.is_some_and(|end| before > end) || before > reading.end;
        let rewound = committed < before && !anew;
        if moved {
            self.note_move(committed > before, now, settings);
        }
        if rewound {
            self.rewound_from = self.rewound_from.max(Some(before));
        } else if anew {
            self.rewound_from = None;
        }
        self.committed = Some(committed);
        Changes {
            consumed: committed.since(before),
            lost,
            rewound,
            moved,
        }
    }

    fn note_move(&mut self, forward: bool, now: Tick, settings: &Settings) {
        if forward {
            self.paced |= self.whole;
            match self.lag_since {
                // Never seen to lag: it waited for less than a poll.
                None => self.waits.add(Duration::ZERO, false, settings),
                Some(_) if self.whole => self.waits.add(self.standing(now), self.stuck, settings),
                // Of a wait that began before anybody looked, half was seen as likely as not.
                Some(_) => self.waits.add(self.standing(now) * 2, self.stuck, settings),
            }
        } else {
            self.rise = Rise::default();
        }
        self.moved = Some(now);
        self.lag_since = self.lag_since.map(|_| now);
        self.stuck = false;
        self.whole = true;
    }

    fn note_lag(&mut self, readable: bool, now: Tick) {
        if !readable {
            self.lag_since = None;
            self.whole = true;
        } else if self.lag_since.is_none() {
            self.lag_since = Some(now);
        }
    }

    fn note_gap(&mut self, now: Tick, settings: &Settings) {
        let gap = self
            .read
            .is_none_or(|read| now.since(read) > settings.poll_interval.saturating_mul(GAP_POLLS));
        if gap || self.first_read.is_none() {
            self.settled = Some(now);
        }
    }

    /// How long C has stood still while there was something to read.
    fn standing(&self, now: Tick) -> Duration {
        match (self.lag_since, self.moved) {
            (Some(lag), Some(moved)) => now.since(lag.max(moved)),
            _ => Duration::ZERO,
        }
    }

    fn pace(&self, at: &Situation, settings: &Settings) -> Pace {
        let usual_wait = self.waits.usual(settings);
        let needed = settings.cycles().max(usual_wait.unwrap_or_default());
        Pace {
            usual_wait,
            window: self.window(usual_wait, Tick::at(at.now), settings),
            recovering: at
                .rebalanced
                .is_some_and(|rebalanced| at.now.saturating_sub(rebalanced) < needed),
        }
    }

    fn window(&self, usual_wait: Option<Duration>, now: Tick, settings: &Settings) -> Duration {
        let watched = self.first_read.map_or(Duration::ZERO, |first| now.since(first));
        let known = self.paced && watched >= settings.caution();
        settings.window(usual_wait, if known { settings.cycles() } else { settings.caution() })
    }

    /// True once C has been the same in every reading of the window, and nothing excuses it.
    fn is_over(&self, pace: &Pace, now: Tick, settings: &Settings) -> bool {
        let standing = self.standing(now);
        let watched = self.settled.map_or(Duration::ZERO, |settled| now.since(settled));
        // Polls jitter: a reading that comes a little early still is the window's last.
        let reached = standing.min(watched) + settings.poll_interval / 4 >= pace.window;
        reached && !(pace.recovering && standing < pace.window + REBALANCE_GRACE)
    }

    /// Which of the statuses of a partition that stands still. `recovering`: it was called one before, and members just came.
    fn stuck_as(&self, recovering: bool, reading: &Reading, at: &Situation, settings: &Settings) -> Status {
        if self.owned {
            // Somebody who came for what was stopped has not had time to move it.
            let stopped = recovering && self.status != Some(Status::Stalled);
            return if stopped { Status::Stopped } else { Status::Stalled };
        }
        let unread_for = reading.age.unwrap_or_default().max(self.standing(Tick::at(at.now)));
        let quiet = at
            .active
            .is_none_or(|active| at.now.saturating_sub(active) >= settings.dormant_after);
        if at.members == Some(false) && !at.objective && quiet && unread_for > settings.dormant_after {
            Status::Dormant
        } else {
            Status::Stopped
        }
    }

    fn is_behind(&self, pace: &Pace, age: Option<Duration>, now: Tick) -> bool {
        let rises = self.rise.holds(now);
        let moves = self.whole && self.moved.is_some_and(|moved| now.since(moved) < pace.window);
        let usual = pace.usual_wait.unwrap_or_default();
        let late = age.is_some_and(|age| age > BEHIND_AT_LEAST.max(usual.saturating_mul(2)));
        rises && moves && late
    }

    fn without_commit(&mut self, reading: &Reading, now: Tick, settings: &Settings) -> Verdict {
        if self.committed.is_some() {
            // The commit went: expired, or deleted.
            *self = Self {
                owned: self.owned,
                settled: self.settled,
                first_read: self.first_read,
                ..Self::default()
            };
        }
        if !self.owned {
            (self.moved, self.lag_since) = (None, None);
        } else if self.moved.is_none() || self.end.is_none_or(|end| reading.end < end) {
            (self.moved, self.lag_since) = (Some(now), None);
            self.end = Some(reading.end);
        } else if self.lag_since.is_none() && self.end.is_some_and(|end| reading.end > end) {
            self.lag_since = Some(now);
        }
        let window = self.window(None, now, settings);
        let over = self
            .lag_since
            .is_some_and(|grew| now.since(grew) + settings.poll_interval / 4 >= window);
        Verdict {
            status: if over { Status::Uncommitted } else { Status::Ok },
            stalled: None,
            window,
            usual_wait: None,
            changes: Changes::default(),
        }
    }
}

/// What may be expected of a partition at this moment.
struct Pace {
    usual_wait: Option<Duration>,
    window: Duration,
    /// The group rebalances, or its members have not had time to move what they have.
    recovering: bool,
}

#[cfg(test)]
mod tests;
