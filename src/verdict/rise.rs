//! Does the lag only grow? The lowest lag in the last third of the window against the lowest in the first.
//!
//! Readings come at any moment between two commits, so that even a steady reader's lowest lag differs from third to third by what is
//! produced in a poll: that much counts as no difference. A rise slower than that shows over a longer time, against the lowest lag of
//! a span of sixteen windows before.

use std::time::Duration;

use super::tick::Tick;

const PARTS: usize = 6;
/// Windows in a span.
const SPAN: u32 = 16;
/// The noise of a reading, in polls.
const NOISE: f32 = 1.5;

/// Lowest lags of one partition, in six parts of the window and over long spans.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Rise {
    /// Oldest first; infinite where nothing was read.
    lows: [f32; PARTS],
    /// Begin of the newest part.
    from: Option<Tick>,
    /// How much the log grows, records a second, smoothed.
    growth: f32,
    /// Lowest lag of the last whole span, and of the present one.
    before: f32,
    lately: f32,
    /// Begin of the present span.
    span: Option<Tick>,
    /// A rise that was seen counts until then.
    until: Option<Tick>,
    /// Parts that have passed since the begin.
    watched: u8,
}

impl Default for Rise {
    fn default() -> Self {
        Self {
            lows: [f32::INFINITY; PARTS],
            from: None,
            growth: 0.0,
            before: f32::INFINITY,
            lately: f32::INFINITY,
            span: None,
            until: None,
            watched: 0,
        }
    }
}

/// One reading.
#[derive(Clone, Copy)]
pub(super) struct Lag {
    pub(super) records: u64,
    /// By how much E grew since the last reading, and how long that took.
    pub(super) grown: u64,
    pub(super) during: Duration,
}

impl Rise {
    #[expect(
        clippy::cast_precision_loss,
        reason = "compared with a margin far wider than the seven digits kept"
    )]
    pub(super) fn observe(&mut self, lag: Lag, window: Duration, now: Tick) {
        let records = lag.records as f32;
        if !lag.during.is_zero() {
            let growth = lag.grown as f32 / lag.during.as_secs_f32();
            self.growth += (growth - self.growth) / 5.0;
        }
        self.turn(window, now);
        let newest = &mut self.lows[PARTS - 1];
        *newest = newest.min(records);
        if self.span.is_none_or(|span| now.since(span) >= window * SPAN) {
            self.before = if self.span.is_some() {
                self.lately
            } else {
                f32::INFINITY
            };
            self.lately = f32::INFINITY;
            self.span = Some(now);
        }
        self.lately = self.lately.min(records);
    }

    /// True while the lag rises, and for a window after that was last seen.
    pub(super) fn holds(&mut self, window: Duration, poll: Duration, now: Tick) -> bool {
        let Some((first, last)) = self.thirds() else {
            return false;
        };
        let noise = self.noise(poll);
        if last > first && (last > first + noise || last > self.before + noise) {
            self.until = Some(now.later(window));
        } else if last + noise < first {
            self.until = None;
        }
        self.until.is_some_and(|until| now < until)
    }

    /// Lowest lags of the first and the last third, once a whole window was watched.
    pub(super) fn thirds(&self) -> Option<(f32, f32)> {
        let (first, last) = (self.lows[0].min(self.lows[1]), self.lows[4].min(self.lows[5]));
        (usize::from(self.watched) >= PARTS && first.is_finite() && last.is_finite()).then_some((first, last))
    }

    pub(super) fn noise(&self, poll: Duration) -> f32 {
        self.growth * poll.as_secs_f32() * NOISE
    }

    /// Moves on to the part that `now` is in.
    fn turn(&mut self, window: Duration, now: Tick) {
        let part = (window / 6).max(Duration::from_millis(100));
        let Some(from) = self.from else {
            self.from = Some(now);
            return;
        };
        let passed = now.since(from).as_millis() / part.as_millis();
        let parts = usize::try_from(passed).unwrap_or(usize::MAX);
        if parts >= 2 * PARTS {
            *self = Self {
                from: Some(now),
                ..Self::default()
            };
            return;
        }
        for _ in 0..parts {
            self.lows.rotate_left(1);
            self.lows[PARTS - 1] = f32::INFINITY;
            self.watched = self.watched.saturating_add(1);
        }
        if parts > 0 {
            self.from = Some(from.later(part * u32::try_from(parts).unwrap_or(0)));
        }
    }
}
