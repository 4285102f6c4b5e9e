//! The last hour of a group's lag as a small curve.

use std::fmt::Write as _;
use std::time::Duration;

use super::figures::count;
use super::figures::duration;
use super::markup::Text;
use crate::snapshot::Trend;

/// What is shown.
const HOUR: Duration = Duration::from_secs(3600);
/// The drawing's own units: two a minute, and room for the line at top and bottom.
const WIDTH: f64 = 120.0;
const HEIGHT: f64 = 24.0;
const MARGIN: f64 = 2.0;

/// The curve; the newest point is at the right edge, a full width is an hour. Nothing before there are two points.
pub(super) fn spark(trend: &Trend) -> String {
    let points = shown(trend);
    let known: Vec<f64> = points.iter().filter_map(|(_, lag)| *lag).collect();
    let (Some(first), Some(last)) = (known.first(), known.last()) else {
        return String::new();
    };
    if known.len() < 2 {
        return String::new();
    }
    let most = known.iter().copied().fold(0.0, f64::max);
    let reach = points.first().map_or(Duration::ZERO, |(back, _)| *back);
    let words = format!(
        "Lag of the last {}: {}, at most {}",
        duration(reach),
        course(*first, *last),
        number(most)
    );
    format!(
        "<svg class=\"spark\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" preserveAspectRatio=\"none\" role=\"img\" aria-label=\"{0}\"><title>{0}</title><path d=\"{1}\"/></svg>",
        Text(words),
        path(&points, most)
    )
}

/// How long ago, and how much; oldest first.
fn shown(trend: &Trend) -> Vec<(Duration, Option<f64>)> {
    let lags = trend.lags();
    let number = lags.len();
    let aged = lags.enumerate().map(|(index, lag)| {
        let steps = u32::try_from(number - 1 - index).unwrap_or(u32::MAX);
        (trend.every().saturating_mul(steps), lag)
    });
    aged.skip_while(|(back, _)| *back > HOUR).collect()
}

fn course(first: f64, last: f64) -> String {
    if number(first) == number(last) {
        format!("{} as at its begin", number(last))
    } else {
        format!("from {} to {}", number(first), number(last))
    }
}

fn number(lag: f64) -> String {
    count(format_args!("{:.0}", lag.max(0.0)))
}

/// Lines between neighbours; what is unknown is a gap, and what stands alone a dot.
fn path(points: &[(Duration, Option<f64>)], most: f64) -> String {
    let mut path = String::new();
    let mut drawing = false;
    for (back, lag) in points {
        let Some(lag) = lag else {
            drawing = false;
            continue;
        };
        let x = WIDTH - WIDTH * back.as_secs_f64() / HOUR.as_secs_f64();
        let share = if most > 0.0 { lag / most } else { 0.0 };
        let y = HEIGHT - MARGIN - (HEIGHT - 2.0 * MARGIN) * share;
        let pen = if drawing {
            format!("L{x:.1} {y:.1}")
        } else {
            format!("M{x:.1} {y:.1}h0")
        };
        write!(path, "{pen}").expect("a string takes every write");
        drawing = true;
    }
    path
}
