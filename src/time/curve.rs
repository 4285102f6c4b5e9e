//! When the log end passed which offset: a line of at most [`CAPACITY`] points over (offset, time), each with the error of the piece that
//! ends in it. When it is full, the point goes that costs least: the error its piece would then have, measured by the age of what lies there.

use crate::model::Offset;

/// Points of one partition: 16 bytes each, 416 in all.
pub(super) const CAPACITY: usize = 26;

/// Ages below this count as this when points are weighed: the last minutes stay dense.
const YOUNG_MS: u64 = 120_000;
/// What is older than this goes first.
const KEPT_MS: u64 = 8 * 86_400_000;

/// When a record came, as far as the log end tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Arrival {
    /// Milliseconds on the clock that never jumps.
    pub(super) at_ms: u64,
    /// The true time lies within this of `at_ms`.
    pub(super) error_ms: u64,
}

/// What an observed end says about the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// No smaller than before.
    Onward,
    /// Smaller: truncated, made anew, or told by a broker that lags behind.
    Back,
}

/// The line.
#[derive(Clone, Debug, Default)]
pub(super) struct Curve {
    points: Vec<Point>,
}

impl Curve {
    /// The log end at a time; times never go down.
    pub(super) fn observe(&mut self, end: Offset, now_ms: u64) -> Step {
        let Some(last) = self.points.last().copied() else {
            self.push(Point::new(end, now_ms, 0));
            return Step::Onward;
        };
        if end < last.offset {
            return Step::Back;
        }
        let standing = self.points.len() > 1 && self.points[self.points.len() - 2].offset == end;
        if standing {
            self.points.pop();
        }
        let slack = if end > last.offset {
            now_ms.saturating_sub(last.at_ms())
        } else {
            0
        };
        self.push(Point::new(end, now_ms, slack));
        Step::Onward
    }

    /// When the record at an offset came; `None` outside of what was observed.
    pub(super) fn arrival(&self, at: Offset) -> Option<Arrival> {
        let right = self.points.partition_point(|point| point.offset <= at);
        let (before, after) = (self.points.get(right.checked_sub(1)?)?, self.points.get(right)?);
        Some(Arrival {
            at_ms: line(*before, *after, distance(at, before.offset) + 0.5),
            error_ms: after.slack_ms(),
        })
    }

    /// The last observed end and since when it is known that far.
    pub(super) fn end(&self) -> Option<(Offset, u64)> {
        self.points.last().map(|last| (last.offset, last.at_ms()))
    }

    /// True when some record was seen to come.
    pub(super) fn has_moved(&self) -> bool {
        self.points.first().map(|p| p.offset) != self.points.last().map(|p| p.offset)
    }

    /// Bytes on the heap.
    pub(super) fn heap(&self) -> usize {
        self.points.capacity() * size_of::<Point>()
    }

    fn push(&mut self, point: Point) {
        if self.points.len() == CAPACITY {
            self.thin(point.at_ms());
        }
        if self.points.len() == self.points.capacity() {
            // Exact steps: most partitions are idle and keep two points for ever.
            let more = self.points.len().clamp(2, 8).min(CAPACITY - self.points.len());
            self.points.reserve_exact(more);
        }
        self.points.push(point);
    }

    /// Takes one point away.
    fn thin(&mut self, now_ms: u64) {
        if now_ms.saturating_sub(self.points[1].at_ms()) > KEPT_MS {
            self.points.remove(0);
            return;
        }
        let mut cheapest = (f64::INFINITY, 1, 0);
        for at in 1..self.points.len() - 1 {
            let (cost, slack) = self.cost(at, now_ms);
            if cost < cheapest.0 {
                cheapest = (cost, at, slack);
            }
        }
        let (_, at, slack) = cheapest;
        let after = self.points[at + 1];
        self.points[at + 1] = Point::new(after.offset, after.at_ms(), slack);
        self.points.remove(at);
    }

    /// What it would cost to leave a point out, and the error of the longer piece.
    #[expect(clippy::cast_precision_loss, reason = "a weight, not a figure that is shown")]
    fn cost(&self, at: usize, now_ms: u64) -> (f64, u64) {
        let [before, point, after] = [self.points[at - 1], self.points[at], self.points[at + 1]];
        // Both pieces stay within their own error of their own line, which is farthest from the new one here.
        let bend = line(before, after, distance(point.offset, before.offset)).abs_diff(point.at_ms());
        let slack = point.slack_ms().max(after.slack_ms()).saturating_add(bend);
        let age = now_ms.saturating_sub(after.at_ms()).max(YOUNG_MS);
        (slack as f64 / age as f64, slack)
    }
}

/// An offset and a time, with the error of the piece that ends here: sixteen bytes.
#[derive(Clone, Copy, Debug)]
struct Point {
    offset: Offset,
    /// 42 bits of milliseconds (139 years), then 22 bits of error in steps of 16 ms (up to 18 hours).
    packed: u64,
}

const SLACK_BITS: u32 = 22;
const SLACK_MAX: u64 = (1 << SLACK_BITS) - 1;
const SLACK_STEP_MS: u64 = 16;
/// An error too great to be kept: none that could be relied on.
const UNBOUNDED_MS: u64 = u32::MAX as u64;

impl Point {
    fn new(offset: Offset, at_ms: u64, slack_ms: u64) -> Self {
        let slack = slack_ms.div_ceil(SLACK_STEP_MS).min(SLACK_MAX);
        Self {
            offset,
            packed: at_ms << SLACK_BITS | slack,
        }
    }

    fn at_ms(self) -> u64 {
        self.packed >> SLACK_BITS
    }

    fn slack_ms(self) -> u64 {
        match self.packed & SLACK_MAX {
            SLACK_MAX => UNBOUNDED_MS,
            steps => steps * SLACK_STEP_MS,
        }
    }
}

/// The time on the line between two points, `along` offsets after the first.
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a share of a time difference; rounded to the millisecond, never negative"
)]
fn line(before: Point, after: Point, along: f64) -> u64 {
    let width = distance(after.offset, before.offset);
    let height = after.at_ms().saturating_sub(before.at_ms());
    let share = if width > 0.0 { (along / width).min(1.0) } else { 0.0 };
    before.at_ms() + (height as f64 * share).round() as u64
}

#[expect(
    clippy::cast_precision_loss,
    reason = "exact below 2^53; beyond, a share of it still is to 16 digits"
)]
fn distance(later: Offset, earlier: Offset) -> f64 {
    later.since(earlier) as f64
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn at(raw: u64) -> Offset {
        Offset::new(raw.cast_signed()).expect("not negative")
    }

    fn told(ends: &[(u64, u64)]) -> Curve {
        let mut curve = Curve::default();
        for (end, time) in ends {
            assert_eq!(curve.observe(at(*end), *time), Step::Onward);
        }
        curve
    }

    #[test]
    fn a_record_came_between_the_two_polls_that_saw_the_end_pass_it() {
        let curve = told(&[(100, 0), (110, 15_000), (110, 30_000), (120, 45_000)]);
        let arrival = |offset| curve.arrival(at(offset)).map(|a| (a.at_ms, a.error_ms));
        assert_eq!(arrival(99), None, "it was there before anybody looked");
        assert_eq!(arrival(100), Some((750, 15_008)));
        assert_eq!(arrival(109), Some((14_250, 15_008)));
        assert_eq!(arrival(110), Some((30_750, 15_008)), "not while the log stood still");
        assert_eq!(arrival(119), Some((44_250, 15_008)));
        assert_eq!(arrival(120), None, "it has not come yet");
    }

    #[test]
    fn a_partition_that_stands_still_keeps_two_points() {
        let mut curve = Curve::default();
        for poll in 0..10_000 {
            curve.observe(at(7), poll * 15_000);
        }
        assert_eq!(curve.heap(), 2 * size_of::<Point>());
        assert!(!curve.has_moved());
    }

    #[test]
    fn a_full_history_takes_416_bytes_and_a_steady_week_stays_within_two_polls() {
        let mut curve = Curve::default();
        let week = 7 * 86_400 / 15;
        for poll in 0..=week {
            curve.observe(at(poll * 150), poll * 15_000);
        }
        assert_eq!(curve.heap(), 416);
        for offset in (0..week * 150).step_by(9_973) {
            let arrival = curve.arrival(at(offset)).expect("within the week");
            assert!(
                arrival.error_ms < 30_000 && arrival.at_ms.abs_diff(offset * 100) <= arrival.error_ms,
                "{offset}"
            );
        }
    }

    #[test]
    fn an_end_that_goes_back_is_told() {
        let mut curve = told(&[(100, 0)]);
        assert_eq!(curve.observe(at(99), 1), Step::Back);
    }

    proptest! {
        #[test]
        fn no_arrival_is_farther_off_than_the_bound_says(
            steps in prop::collection::vec((prop_oneof![3 => Just(0u64), 2 => 1..50u64, 1 => 1_000..100_000u64], 1..40_000u64), 2..400),
        ) {
            let mut curve = Curve::default();
            let (mut end, mut now, mut truth) = (0, 0, Vec::new());
            curve.observe(at(end), now);
            for (grown, passed) in steps {
                let before = now;
                now += passed;
                end += grown;
                curve.observe(at(end), now);
                if grown > 0 {
                    truth.push((end - grown, end - 1, before, now));
                }
            }
            for (first, last, from, to) in truth {
                for offset in [first, last] {
                    let Some(arrival) = curve.arrival(at(offset)) else { continue };
                    // Whenever between the two polls it came.
                    prop_assert!(arrival.at_ms.abs_diff(from) <= arrival.error_ms + 1, "{offset}: {arrival:?}, {from}..{to}");
                    prop_assert!(arrival.at_ms.abs_diff(to) <= arrival.error_ms + 1, "{offset}: {arrival:?}, {from}..{to}");
                }
            }
            prop_assert!(curve.heap() <= CAPACITY * size_of::<Point>());
        }
    }
}
