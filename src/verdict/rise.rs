//! Does the lag only grow? The lowest lag in the last third of the window against the lowest in the first.
//!
//! Readings come at any moment between two commits, so that even a steady reader's lowest lag differs from third to third by what is
//! produced in a poll: that much counts as no difference. A rise slower than that shows over a longer time, against the lowest lag of
//! a span of twelve windows before.

use std::time::Duration;

use super::tick::Tick;

const PARTS: usize = 6;
/// Parts in a span: twelve windows.
const SPAN: u8 = 72;
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
    /// A rise that was seen counts until then.
    until: Option<Tick>,
    /// The window that the parts are of, in seconds.
    window: u16,
    /// Parts that have passed since the begin, up to six.
    watched: u8,
    /// Parts of the present span that have passed.
    span: u8,
}

impl Default for Rise {
    fn default() -> Self {
        Self {
            lows: [f32::INFINITY; PARTS],
            from: None,
            growth: 0.0,
            before: f32::INFINITY,
            lately: f32::INFINITY,
            until: None,
            window: 0,
            watched: 0,
            span: 0,
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
    pub(super) fn observe(&mut self, lag: Lag, window: Duration, poll: Duration, now: Tick) {
        if !lag.during.is_zero() {
            let growth = lag.grown as f32 / lag.during.as_secs_f32();
            self.growth += (growth - self.growth) / 5.0;
        }
        self.fit(window, now);
        self.turn(window, poll, now);
        let records = lag.records as f32;
        let newest = &mut self.lows[PARTS - 1];
        *newest = newest.min(records);
        self.lately = self.lately.min(records);
    }

    /// True while the lag rises, and for a window after that was last seen.
    pub(super) fn holds(&self, now: Tick) -> bool {
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

    /// Parts of a window of quite another length say nothing about this one.
    fn fit(&mut self, window: Duration, now: Tick) {
        let seconds = u16::try_from(window.as_secs()).unwrap_or(u16::MAX).max(1);
        let (short, long) = (seconds.min(self.window), seconds.max(self.window));
        if u32::from(long) * 2 > u32::from(short) * 3 {
            (self.lows, self.watched, self.from) = ([f32::INFINITY; PARTS], 0, Some(now));
            self.window = seconds;
        }
    }

    /// Moves on to the part that `now` is in; what the parts before it say is judged when they are whole.
    fn turn(&mut self, window: Duration, poll: Duration, now: Tick) {
        let part = (window / 6).max(Duration::from_millis(100));
        let from = *self.from.get_or_insert(now);
        let passed = now.since(from).as_millis() / part.as_millis();
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
        self.judge(window, poll, now);
        for _ in 0..parts {
            self.lows.rotate_left(1);
            self.lows[PARTS - 1] = f32::INFINITY;
        }
        self.watched = self.watched.saturating_add(parts);
        self.from = Some(from.later(part * u32::from(parts)));
        self.span += parts;
        if self.span >= SPAN {
            (self.before, self.lately, self.span) = (self.lately, f32::INFINITY, 0);
        }
    }

    fn judge(&mut self, window: Duration, poll: Duration, now: Tick) {
        // The newest part is only now whole: with it, one more has passed than is counted.
        let Some((first, last)) = self.thirds() else { return };
        let noise = self.noise(poll);
        if last > first && (last > first + noise || last > self.before + noise) {
            self.until = Some(now.later(window));
        } else if last + noise < first {
            self.until = None;
        }
    }
}
