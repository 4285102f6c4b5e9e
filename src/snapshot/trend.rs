//! The last hour of a group's lag in at most sixty points, and at what pace it is worked off.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use crate::model::Moment;

/// Points that are kept.
const KEPT: usize = 60;
/// Points come no less often than this: sixty of them are an hour.
const COARSE: Duration = Duration::from_secs(60);
/// What the present pace is told from.
const PACE_OVER: Duration = Duration::from_secs(300);
/// Commits come every few seconds: over less than this their steps would be measured.
const READING_AT_LEAST: Duration = Duration::from_secs(30);

/// The course of one group's lag. Points come with every poll at first; whenever there are more than sixty, every second one goes, until
/// a minute lies between two.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Trend {
    every: Duration,
    newest: Option<Moment>,
    /// Records that the group had consumed at the newest point.
    consumed: u64,
    points: VecDeque<Point>,
}

/// One point. Eight bytes, as sixty of them are kept of every group.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Point {
    /// Records; NaN where the sum could not be told.
    lag: f32,
    /// Records a second since the point before; NaN where that is unknown.
    consumed: f32,
}

const UNKNOWN: Point = Point {
    lag: f32::NAN,
    consumed: f32::NAN,
};

/// How fast a group reads, and what becomes of its lag meanwhile; of the last minutes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pace {
    /// Records a second that were committed.
    pub consumed: f64,
    /// By how many records a second the lag grows; below zero where it shrinks.
    pub growth: f64,
}

/// What a group read in the last minutes in which it did.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reading {
    /// Records, of all its topics together; above 0.
    pub records: f64,
    /// In how long.
    pub over: Duration,
    /// How long before the newest point that ended.
    pub before: Duration,
}

impl Pace {
    /// Records a second that came.
    pub fn produced(self) -> f64 {
        (self.consumed + self.growth).max(0.0)
    }
}

impl Trend {
    /// How far two points are apart.
    pub fn every(&self) -> Duration {
        self.every
    }

    /// When the newest point was taken; `None` before there was one.
    pub fn until(&self) -> Option<Moment> {
        self.newest
    }

    /// The lag in records, oldest first, to seven digits; `None` where it could not be told.
    pub fn lags(&self) -> impl ExactSizeIterator<Item = Option<f64>> + DoubleEndedIterator + '_ {
        self.points.iter().map(|point| number(point.lag))
    }

    /// The pace of the last five minutes, or of the time since the begin; `None` before there are three points in a row.
    pub fn pace(&self) -> Option<Pace> {
        let wanted = PACE_OVER.as_millis().checked_div(self.every.as_millis())?;
        let wanted = usize::try_from(wanted).unwrap_or(KEPT).clamp(3, KEPT);
        let known = |point: &&Point| !point.lag.is_nan();
        let lately: Vec<&Point> = self.points.iter().rev().take(wanted).take_while(known).collect();
        let (newest, oldest) = (lately.first()?, lately.last()?);
        if lately.len() < 3 {
            return None;
        }
        let steps = f64::from(u32::try_from(lately.len() - 1).ok()?);
        let rates = lately[..lately.len() - 1].iter().map(|point| f64::from(point.consumed));
        let pace = Pace {
            consumed: rates.sum::<f64>() / steps,
            growth: (f64::from(newest.lag) - f64::from(oldest.lag)) / (steps * self.every.as_secs_f64()),
        };
        pace.consumed.is_finite().then_some(pace)
    }

    /// What the group read in the five minutes up to when it last went forward; `None` where it did not within the hour that is kept, or
    /// where less than half a minute of that is known.
    pub fn reading(&self) -> Option<Reading> {
        let wanted = PACE_OVER.as_millis().checked_div(self.every.as_millis())?;
        let wanted = usize::try_from(wanted).unwrap_or(KEPT).clamp(3, KEPT);
        let since = self.points.iter().rev().position(|point| point.consumed > 0.0)?;
        let read = self.points.iter().rev().skip(since).take(wanted);
        let rates: Vec<_> = read.map_while(|point| number(point.consumed)).collect();
        let points = u32::try_from(rates.len()).ok()?;
        let over = self.every.checked_mul(points)?;
        (points >= 3 && over >= READING_AT_LEAST).then(|| Reading {
            records: rates.iter().sum::<f64>() * self.every.as_secs_f64(),
            over,
            before: self.every.saturating_mul(u32::try_from(since).unwrap_or(u32::MAX)),
        })
    }

    /// Takes in what a cycle found, where a point is due.
    pub(crate) fn observe(self: &mut Arc<Self>, now: Moment, lag: Option<u128>, consumed: u64, poll: Duration) {
        let Some(newest) = self.newest else {
            *Arc::make_mut(self) = Self::begin(now, lag, consumed, poll);
            return;
        };
        let passed = now.mono.saturating_sub(newest.mono);
        // Polls jitter.
        if passed + poll.min(self.every) / 2 < self.every {
            return;
        }
        let trend = Arc::make_mut(self);
        while trend.slots(passed) > KEPT && trend.every < COARSE {
            trend.thin();
        }
        let slots = trend.slots(passed);
        if slots > KEPT {
            *trend = Self::begin(now, lag, consumed, poll);
            return;
        }
        trend.points.extend((1..slots).map(|_| UNKNOWN));
        trend
            .points
            .push_back(Point::new(lag, rate(trend.consumed, consumed, passed)));
        (trend.newest, trend.consumed) = (Some(now), consumed);
        trend.shorten();
    }

    fn begin(now: Moment, lag: Option<u128>, consumed: u64, poll: Duration) -> Self {
        Self {
            every: poll.max(Duration::from_millis(1)),
            newest: Some(now),
            consumed,
            points: [Point::new(lag, f32::NAN)].into(),
        }
    }

    /// How many points a time takes, rounded.
    fn slots(&self, passed: Duration) -> usize {
        let halves = passed.as_millis() * 2 / self.every.as_millis().max(1);
        usize::try_from(halves.div_ceil(2)).unwrap_or(usize::MAX)
    }

    fn shorten(&mut self) {
        while self.points.len() > KEPT && self.every < COARSE {
            self.thin();
        }
        let over = self.points.len().saturating_sub(KEPT);
        self.points.drain(..over);
    }

    /// Every second point goes; the newest stays.
    fn thin(&mut self) {
        let old = std::mem::take(&mut self.points);
        let skip = (old.len() - 1) % 2;
        let mut before = UNKNOWN;
        for (index, point) in old.into_iter().enumerate() {
            if index % 2 == skip {
                let consumed = (point.consumed + before.consumed) / 2.0;
                self.points.push_back(Point { consumed, ..point });
            }
            before = point;
        }
        self.every *= 2;
    }
}

impl Point {
    #[expect(
        clippy::cast_precision_loss,
        reason = "to seven digits: it is for a line, not for a sum"
    )]
    fn new(lag: Option<u128>, consumed: f32) -> Self {
        Self {
            lag: lag.map_or(f32::NAN, |lag| lag as f32),
            consumed,
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "a rate, to seven digits")]
fn rate(before: u64, now: u64, during: Duration) -> f32 {
    // What is forgotten with a topic is no rate below zero.
    let consumed = now.checked_sub(before);
    consumed.map_or(f32::NAN, |records| records as f32 / during.as_secs_f32())
}

fn number(value: f32) -> Option<f64> {
    (!value.is_nan()).then_some(f64::from(value))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::UnixMillis;

    fn at(seconds: u64) -> Moment {
        Moment {
            mono: Duration::from_secs(seconds),
            wall: UnixMillis(i64::try_from(seconds).expect("small") * 1000),
        }
    }

    /// A group polled every so many seconds: lag and consumed records by the time.
    fn watched(
        polls: impl Iterator<Item = u64>,
        poll: u64,
        lag: impl Fn(u64) -> Option<u128>,
        consumed: u64,
    ) -> Arc<Trend> {
        let mut trend = Arc::new(Trend::default());
        for second in polls {
            trend.observe(at(second), lag(second), consumed * second, Duration::from_secs(poll));
        }
        trend
    }

    #[test]
    fn points_are_as_dense_as_polls_at_first_and_a_minute_apart_in_the_end() {
        for (poll, hours, every) in [(15, 1, 60), (1, 2, 64), (60, 3, 60), (300, 9, 300)] {
            let trend = watched(
                (0..hours * 3600).step_by(usize::try_from(poll).expect("small")),
                poll,
                |s| Some(s.into()),
                1,
            );
            assert_eq!(trend.every(), Duration::from_secs(every), "poll {poll}");
            assert!((30..=60).contains(&trend.lags().len()), "{}", trend.lags().len());
        }
        let young = watched((0..150).step_by(15), 15, |s| Some(s.into()), 1);
        assert_eq!((young.every(), young.lags().len()), (Duration::from_secs(15), 10));
    }

    #[test]
    fn every_point_is_the_lag_at_its_time() {
        let trend = watched((0..3 * 3600).step_by(15), 15, |s| Some(s.into()), 1);
        let newest = trend.until().expect("there").mono;
        for (back, lag) in trend.lags().rev().enumerate() {
            let then = newest.saturating_sub(trend.every() * u32::try_from(back).expect("small"));
            assert_eq!(lag, Some(then.as_secs_f64()), "{back} back");
        }
    }

    #[test]
    fn what_was_not_seen_is_a_gap_and_not_a_line() {
        let polls = (0..60).step_by(15).chain((120..180).step_by(15));
        let trend = watched(polls, 15, |s| (s != 30).then_some(7), 1);
        let shown: Vec<bool> = trend.lags().map(|lag| lag.is_some()).collect();
        let expected = [
            true, true, false, true, false, false, false, false, true, true, true, true,
        ];
        assert_eq!(shown, expected);
        let after_a_day = watched([0, 15, 86_400].into_iter(), 15, |_| Some(1), 1);
        assert_eq!(after_a_day.lags().flatten().count(), 1, "{after_a_day:?}");
    }

    #[test]
    fn jitter_makes_no_gap_and_no_double() {
        let polls = [0u64, 14, 31, 44, 60, 76, 89];
        let trend = watched(polls.into_iter(), 15, |_| Some(1), 1);
        assert_eq!(trend.lags().len(), 7);
        assert!(trend.lags().all(|lag| lag.is_some()));
    }

    #[test]
    fn the_pace_is_of_the_last_minutes() {
        let burst = |s: u64| {
            Some(if s < 1800 {
                90_000
            } else {
                u128::from(90_000 - 3 * (s - 1800))
            })
        };
        let trend = watched((0..3600).step_by(15), 15, burst, 10);
        let pace = trend.pace().expect("known");
        assert!(
            (pace.consumed - 10.0).abs() < 0.01 && (pace.growth + 3.0).abs() < 0.1,
            "{pace:?}"
        );
        assert!((pace.produced() - 7.0).abs() < 0.1, "{pace:?}");
    }

    #[test]
    fn there_is_no_pace_before_three_points_nor_across_a_gap_nor_when_a_topic_was_forgotten() {
        assert_eq!(watched([0, 15].into_iter(), 15, |_| Some(1), 1).pace(), None);
        assert_eq!(
            watched([0, 15, 30].into_iter(), 15, |s| (s < 30).then_some(1), 1).pace(),
            None
        );
        let mut trend = watched([0, 15, 30].into_iter(), 15, |_| Some(1), 1);
        assert!(trend.pace().is_some());
        trend.observe(at(45), Some(1), 3, Duration::from_secs(15));
        assert_eq!(trend.pace(), None);
        assert_eq!(Trend::default().pace(), None);
    }

    #[test]
    fn what_is_shown_does_not_change_under_its_reader() {
        let mut trend = watched([0, 15].into_iter(), 15, |_| Some(1), 1);
        let shown = trend.clone();
        trend.observe(at(20), Some(9), 20, Duration::from_secs(15));
        assert!(Arc::ptr_eq(&trend, &shown), "nothing was due");
        trend.observe(at(30), Some(9), 30, Duration::from_secs(15));
        assert_eq!((shown.lags().len(), trend.lags().len()), (2, 3));
    }

    #[test]
    fn a_point_takes_eight_bytes() {
        assert_eq!(size_of::<Point>(), 8);
    }

    #[test]
    fn what_was_read_is_told_of_the_last_minutes_in_which_it_was() {
        let mut trend = Arc::<Trend>::default();
        // Ten records a second for ten minutes, then nobody is there for ten.
        for step in 0..=80_u64 {
            let seconds = step * 15;
            let consumed = 10 * seconds.min(600);
            trend.observe(at(seconds), Some(0), consumed, Duration::from_secs(15));
        }
        let reading = trend.reading().expect("it was seen reading");
        assert!(
            (reading.records / reading.over.as_secs_f64() - 10.0).abs() < 1.0,
            "{reading:?}"
        );
        assert!(reading.over <= PACE_OVER, "{reading:?}");
        let until = trend.until().expect("a point").mono - reading.before;
        assert!((until.as_secs_f64() - 600.0).abs() <= 60.0, "{until:?}");
    }

    #[test]
    fn who_was_never_seen_reading_or_too_shortly_has_no_rate() {
        let mut idle = Arc::<Trend>::default();
        let mut short = Arc::<Trend>::default();
        for second in 0..20 {
            idle.observe(at(second * 15), Some(5), 7, Duration::from_secs(15));
            short.observe(at(second), Some(5), second, Duration::from_secs(1));
        }
        assert_eq!(idle.reading(), None);
        assert_eq!(short.reading(), None);
        assert_eq!(Trend::default().reading(), None);
    }
}
