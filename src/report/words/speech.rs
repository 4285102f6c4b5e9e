//! Words for names, numbers, durations and times.

use std::fmt;
use std::time::Duration;

use jiff::Timestamp;

use super::super::table::cut;
use super::super::table::grouped;
use super::super::table::printable;
use crate::failure::Cause;
use crate::failure::Reason;
use crate::model::UnixMillis;

/// Columns of a name in a sentence.
const NAME: usize = 80;
const DAY: Duration = Duration::from_secs(86_400);

/// A name as a sentence can carry it: in quotes where it could be mistaken for words around it.
pub(super) fn name(text: &str) -> String {
    let shown = cut(&printable(text), NAME);
    let bare = |letter: char| letter.is_alphanumeric() || "-_./:@#+~=*%&…\\{}".contains(letter);
    if !shown.is_empty() && shown.chars().all(bare) && !shown.ends_with([':', '.']) {
        shown
    } else {
        format!("\"{}\"", shown.replace('"', "\\\""))
    }
}

pub(super) fn number(number: impl fmt::Display) -> String {
    grouped(&number.to_string())
}

/// `1 record`, `8,410 records`.
pub(super) fn count(of: u128, one: &str, many: &str) -> String {
    format!("{} {}", number(of), if of == 1 { one } else { many })
}

pub(super) fn records(of: u128) -> String {
    count(of, "record", "records")
}

/// A duration in as many units as matter, rounded down: what is said to have lasted has.
pub(super) fn duration(of: Duration) -> String {
    let seconds = of.as_secs();
    let (minutes, hours, days) = (seconds / 60, seconds / 3600, seconds / 86_400);
    let two = |big: u64, unit, small: u64, rest| match small {
        0 => format!("{big} {unit}"),
        small => format!("{big} {unit} {small} {rest}"),
    };
    if seconds < 120 {
        format!("{seconds} s")
    } else if minutes < 120 {
        format!("{minutes} min")
    } else if hours < 10 {
        two(hours, "h", minutes % 60, "min")
    } else if hours < 48 {
        format!("{hours} h")
    } else if days < 10 {
        two(days, "d", hours % 24, "h")
    } else {
        format!("{} d", number(days))
    }
}

/// A time of day; with the date where that is not within the last day.
pub(super) fn time(at: UnixMillis, now: UnixMillis) -> String {
    let end = if at.0 < 0 { Timestamp::MIN } else { Timestamp::MAX };
    let date = Timestamp::from_millisecond(at.0).unwrap_or(end);
    let recent = at <= now && now.since(at) < DAY;
    let form = if recent { "%H:%M UTC" } else { "%Y-%m-%d %H:%M UTC" };
    date.strftime(form).to_string()
}

/// A rate as people say it.
pub(super) fn rate(per_second: f64) -> String {
    let (figure, unit) = if per_second >= 1.0 {
        (per_second, "a second")
    } else if per_second * 60.0 >= 1.0 {
        (per_second * 60.0, "a minute")
    } else {
        (per_second * 3600.0, "an hour")
    };
    format!("{} {unit}", number(format!("{figure:.0}")))
}

/// `a, b and c`.
pub(super) fn list(items: &[String]) -> String {
    match items {
        [] => String::new(),
        [only] => only.clone(),
        [head @ .., last] => format!("{} and {last}", head.join(", ")),
    }
}

/// Why something cannot be read: fit to stand after "because".
pub(super) fn because(cause: Cause) -> String {
    let why = match cause.reason() {
        Reason::UnknownTopic => "the topic or partition does not exist",
        Reason::NoLeader => "it has no leader",
        Reason::Authorization => "tidemark is not allowed to",
        Reason::Timeout => "no answer came in time",
        Reason::BrokerUnavailable => "the broker cannot be reached",
        Reason::Unstable => "Kafka is in the middle of something",
        Reason::EventTime => "the record's time cannot be used",
        Reason::Other => "Kafka's answer was an error",
    };
    format!("{why} ({})", cause.label())
}
