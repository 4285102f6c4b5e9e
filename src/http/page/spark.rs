//! The last hour of a group's lag as a small curve.

use std::fmt;
use std::time::Duration;

use super::figures::count;
use super::figures::duration;
use super::markup::Text;
use crate::snapshot::Trend;

/// How far curves reach back: whichever is enough for what is known, an hour at most.
const SPANS: [(u64, &str); 4] = [
    (5 * 60, "last 5 min"),
    (15 * 60, "last 15 min"),
    (30 * 60, "last 30 min"),
    (60 * 60, "last hour"),
];
/// The drawing's own units, and room for the line at top and bottom.
const WIDTH: f64 = 120.0;
const HEIGHT: f64 = 24.0;
const MARGIN: f64 = 2.0;

/// How much time the width of a curve stands for: the same for all curves that stand together.
#[derive(Clone, Copy, Debug)]
pub(super) struct Span {
    over: Duration,
    words: &'static str,
}

impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.words)
    }
}

impl Span {
    /// Enough for these. They may be of a process that has not watched for an hour.
    pub(super) fn of<'a>(trends: impl IntoIterator<Item = &'a Trend>) -> Self {
        let longest = trends.into_iter().map(reach).max().unwrap_or_default();
        let enough = SPANS
            .iter()
            .find(|(seconds, _)| Duration::from_secs(*seconds) >= longest);
        let (seconds, words) = *enough.unwrap_or(&SPANS[SPANS.len() - 1]);
        Self {
            over: Duration::from_secs(seconds),
            words,
        }
    }

    /// The curve; the newest point is at the right edge. Nothing before there are two points.
    pub(super) fn draw(self, trend: &Trend) -> String {
        let points = self.shown(trend);
        let known: Vec<f64> = points.iter().filter_map(|(_, lag)| *lag).collect();
        let [first, .., last] = known[..] else {
            return String::new();
        };
        let most = known.iter().copied().fold(0.0, f64::max);
        let reach = points.first().map_or(Duration::ZERO, |(back, _)| *back);
        let words = format!(
            "Lag over {}: {}, at most {}",
            duration(reach),
            course(first, last),
            number(most)
        );
        format!(
            "<svg class=\"spark\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" preserveAspectRatio=\"none\" role=\"img\" aria-label=\"{0}\">\
             <title>{0}</title><path d=\"{1}\"/></svg>",
            Text(words),
            self.path(&points, most)
        )
    }

    /// How long ago, and how much; oldest first.
    fn shown(self, trend: &Trend) -> Vec<(Duration, Option<f64>)> {
        let lags = trend.lags();
        let number = lags.len();
        let aged = lags.enumerate().map(|(index, lag)| {
            let steps = u32::try_from(number - 1 - index).unwrap_or(u32::MAX);
            (trend.every().saturating_mul(steps), lag)
        });
        aged.skip_while(|(back, _)| *back > self.over).collect()
    }

    /// Lines between neighbours; what is unknown is a gap, and what stands alone a dot.
    fn path(self, points: &[(Duration, Option<f64>)], most: f64) -> String {
        let mut path = String::new();
        let mut drawing = false;
        for (back, lag) in points {
            let Some(lag) = lag else {
                drawing = false;
                continue;
            };
            let x = WIDTH - WIDTH * back.as_secs_f64() / self.over.as_secs_f64();
            let share = if most > 0.0 { lag / most } else { 0.0 };
            let y = HEIGHT - MARGIN - (HEIGHT - 2.0 * MARGIN) * share;
            let pen = if drawing {
                format!("L{x:.1} {y:.1}")
            } else {
                format!("M{x:.1} {y:.1}h0")
            };
            path.push_str(&pen);
            drawing = true;
        }
        path
    }
}

fn reach(trend: &Trend) -> Duration {
    let steps = trend.lags().len().saturating_sub(1);
    trend.every().saturating_mul(u32::try_from(steps).unwrap_or(u32::MAX))
}

fn course(first: f64, last: f64) -> String {
    if number(first) == number(last) {
        format!("{} as at the beginning", number(last))
    } else {
        format!("from {} to {}", number(first), number(last))
    }
}

fn number(lag: f64) -> String {
    count(format_args!("{:.0}", lag.max(0.0)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::fixture;

    fn paths(svg: &str) -> &str {
        let (_, rest) = svg.split_once("d=\"").expect("a path");
        rest.split_once('"').expect("its end").0
    }

    #[test]
    fn the_newest_is_at_the_right_and_what_is_unknown_is_a_gap() {
        let trend = fixture::trend(&[Some(0), Some(50), None, Some(100), Some(25)], 1);
        let span = Span::of([&*trend]);
        let svg = span.draw(&trend);
        assert_eq!(span.to_string(), "last 5 min");
        assert_eq!(paths(&svg), "M24.0 22.0h0L48.0 12.0M96.0 2.0h0L120.0 17.0", "{svg}");
        assert!(
            svg.contains("aria-label=\"Lag over 4 min 0 s: from 0 to 25, at most 100\""),
            "{svg}"
        );
    }

    #[test]
    fn what_stands_together_has_one_scale() {
        let (long, short) = (fixture::trend(&[Some(7); 60], 1), fixture::trend(&[Some(7); 3], 1));
        let span = Span::of([&*short, &*long]);
        assert_eq!(span.to_string(), "last hour");
        assert!(paths(&span.draw(&short)).starts_with("M116.0 2.0"));
        assert!(span.draw(&long).contains("7 as at the beginning"));
        assert_eq!(Span::of([]).to_string(), "last 5 min");
    }

    #[test]
    fn there_is_no_curve_of_less_than_two_points() {
        for lags in [&[][..], &[Some(5)], &[None, None, Some(5)]] {
            let trend = fixture::trend(lags, 1);
            assert_eq!(Span::of([&*trend]).draw(&trend), "");
        }
    }
}
