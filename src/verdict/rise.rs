//! Does the lag only grow? The lowest lag in the last third of the window against the lowest in the first, in records and in seconds.
//!
//! In records alone a steady reader's lag follows the traffic, in seconds alone it grows when the traffic fades: only where both rise the
//! group falls behind. Readings come at any moment between two commits, so that even a steady reader's lowest age differs from third to
//! third by a poll: a little more than a poll counts as no difference. A rise slower than that shows over a longer time: the youngest age of one
//! span of twelve windows against that of the span before.

use std::time::Duration;

use super::tick::Tick;
use super::tick::millis;

const PARTS: usize = 3;
/// Parts in a span: twelve windows.
const SPAN: u8 = 36;
/// Windows for which a rise counts: its next one may be hidden by how readings fall.
const HELD: u32 = 4;

/// Lowest lags of one partition, by thirds of the window and over long spans.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Rise {
    /// Records; oldest first, infinite where nothing was read.
    lags: [f32; PARTS],
    /// Seconds.
    ages: [f32; PARTS],
    /// Begin of the newest part.
    from: Option<Tick>,
    /// Lowest age of the last whole span, and of the present one.
    before: f32,
    lately: f32,
    /// A rise that was seen counts until then.
    until: Option<Tick>,
    /// The window that the parts are of, in seconds.
    window: u16,
    /// Whole parts in the present span.
    span: u8,
    /// A bit for each part in which C moved, the newest lowest.
    moves: u8,
}

impl Default for Rise {
    fn default() -> Self {
        Self {
            lags: [f32::INFINITY; PARTS],
            ages: [f32::INFINITY; PARTS],
            from: None,
            before: f32::INFINITY,
            lately: f32::INFINITY,
            until: None,
            window: 0,
            span: 0,
            moves: 0,
        }
    }
}

/// One reading.
#[derive(Clone, Copy)]
pub(super) struct Lag {
    pub(super) records: u64,
    pub(super) age: Option<Duration>,
    /// C is another than in the last reading.
    pub(super) moved: bool,
}

/// The first and the last third of a window.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Thirds {
    pub(super) lags: (f32, f32),
    pub(super) ages: (f32, f32),
}

impl Rise {
    #[expect(
        clippy::cast_precision_loss,
        reason = "to seven digits; the ages beside it have a margin"
    )]
    pub(super) fn observe(&mut self, lag: Lag, window: Duration, poll: Duration, now: Tick) {
        self.fit(window, now);
        self.turn(window, poll, now);
        let newest = PARTS - 1;
        self.lags[newest] = self.lags[newest].min(lag.records as f32);
        self.moves |= u8::from(lag.moved);
        if let Some(age) = lag.age {
            self.ages[newest] = self.ages[newest].min(age.as_secs_f32());
            self.lately = self.lately.min(age.as_secs_f32());
        }
    }

    /// True for four windows after a rise was seen, for two spans after a slow one, unless the lag clearly falls.
    pub(super) fn holds(&self, now: Tick) -> bool {
        self.until.is_some_and(|until| now < until)
    }

    /// Lowest lags of the first and the last third, once a whole window was watched.
    pub(super) fn thirds(&self) -> Option<Thirds> {
        let thirds = Thirds {
            lags: (self.lags[0], self.lags[PARTS - 1]),
            ages: (self.ages[0], self.ages[PARTS - 1]),
        };
        let [a, b] = [thirds.ages.0, thirds.ages.1];
        (a.is_finite() && b.is_finite()).then_some(thirds)
    }

    /// Parts of a window of quite another length say nothing about this one.
    fn fit(&mut self, window: Duration, now: Tick) {
        let seconds = u16::try_from(window.as_secs()).unwrap_or(u16::MAX).max(1);
        let (short, long) = (seconds.min(self.window), seconds.max(self.window));
        if u32::from(long) * 2 > u32::from(short) * 3 {
            *self = Self {
                from: Some(now),
                until: self.until,
                window: seconds,
                ..Self::default()
            };
        }
    }

    /// Moves on to the part that `now` is in; what the parts before it say is judged when they are whole.
    fn turn(&mut self, window: Duration, poll: Duration, now: Tick) {
        let from = *self.from.get_or_insert(now);
        let passed = millis(now.since(from)) / (millis(window) / 3).max(100);
        let Some(parts) = u8::try_from(passed)
            .ok()
            .filter(|parts| usize::from(*parts) < 2 * PARTS)
        else {
            // Nothing was read for longer than a window.
            *self = Self {
                from: Some(now),
                window: self.window,
                ..Self::default()
            };
            return;
        };
        if parts == 0 {
            return;
        }
        let part = (window / 3).max(Duration::from_millis(100));
        self.judge(window, poll, now);
        for _ in 0..parts {
            self.lags.rotate_left(1);
            self.ages.rotate_left(1);
            self.lags[PARTS - 1] = f32::INFINITY;
            self.ages[PARTS - 1] = f32::INFINITY;
            self.moves <<= 1;
        }
        self.from = Some(from.later(part * u32::from(parts)));
        self.span += parts;
        if self.span >= SPAN {
            if self.lately > self.before + noise(poll) {
                self.until = self.until.max(Some(now.later(part * u32::from(SPAN) * 2)));
            }
            (self.before, self.lately, self.span) = (self.lately, f32::INFINITY, 0);
        }
    }

    fn judge(&mut self, window: Duration, poll: Duration, now: Tick) {
        let Some(Thirds { lags, ages }) = self.thirds() else {
            return;
        };
        // Where C did not move in a third, its lowest lag is only that of its begin.
        let comparable = self.moves & 0b001 != 0 && self.moves & 0b100 != 0;
        if comparable && lags.1 > lags.0 && ages.1 > ages.0 + noise(poll) {
            self.until = self.until.max(Some(now.later(window * HELD)));
        } else if ages.1 + noise(poll) < ages.0 {
            self.until = None;
        }
    }
}

/// By how many seconds two lowest ages differ for no reason: a poll, and what polls jitter.
fn noise(poll: Duration) -> f32 {
    1.1 * poll.as_secs_f32()
}
