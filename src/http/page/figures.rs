//! How figures look: numbers in groups of three, durations in two units, moments as "ago" with the exact one beside it, and what is
//! absent with why.

use std::fmt;
use std::time::Duration;

use jiff::Timestamp;

use super::markup::Text;
use crate::failure::Reason;
use crate::model::LagTime;
use crate::model::TimeMethod;
use crate::model::UnixMillis;
use crate::report::Why;
use crate::report::grouped;

/// `1,234,567`.
pub(super) fn count(number: impl fmt::Display) -> String {
    grouped(&number.to_string())
}

/// `1 member`, `3 members`.
pub(super) fn counted(number: usize, one: &str, many: &str) -> String {
    format!("{} {}", count(number), if number == 1 { one } else { many })
}

/// A count, or why there is none.
pub(super) fn count_or(number: Option<impl fmt::Display>, why: Option<Why>) -> String {
    number.map_or_else(|| absent(why), count)
}

/// A duration in its two largest units, rounded down; with tenths below ten seconds.
pub(super) fn duration(duration: Duration) -> String {
    let seconds = duration.as_secs();
    let (minutes, hours, days) = (seconds / 60, seconds / 3600, seconds / 86_400);
    match seconds {
        _ if duration.is_zero() => "0 s".to_owned(),
        0..10 => format!("{seconds}.{} s", duration.subsec_millis() / 100),
        10..60 => format!("{seconds} s"),
        60..3600 => format!("{minutes} min {} s", seconds % 60),
        3600..86_400 => format!("{hours} h {} min", minutes % 60),
        _ => format!("{} d {} h", count(days), hours % 24),
    }
}

/// A lag in time, or why there is none; how it was got on hover.
pub(super) fn lag_time(time: Option<LagTime>, why: Option<Why>) -> String {
    let Some(time) = time else { return absent(why) };
    let exact = match time.method {
        TimeMethod::CaughtUp => "nothing is unread".to_owned(),
        method => format!(
            "{} s, give or take {} s, {}",
            time.seconds(),
            f64::from(time.error_ms) / 1000.0,
            told_by(method)
        ),
    };
    format!(
        "<span title=\"{}\">{}</span>",
        Text(exact),
        duration(Duration::from_millis(time.age_ms))
    )
}

fn told_by(method: TimeMethod) -> &'static str {
    match method {
        TimeMethod::CaughtUp => "nothing is unread",
        TimeMethod::Record => "by the record's own time",
        TimeMethod::Arrival => "by when records were seen to arrive",
        TimeMethod::Bracket => "between two answers of Kafka",
    }
}

/// Nothing to show, and why.
pub(super) fn absent(why: Option<Why>) -> String {
    match why {
        Some(why) => format!("<span class=\"absent\">{}</span>", in_words(why)),
        None => "<span class=\"absent\" aria-hidden=\"true\">–</span>".to_owned(),
    }
}

/// Why a figure is absent, for a person.
pub(super) fn in_words(why: Why) -> &'static str {
    match why {
        Why::Unreadable(Reason::UnknownTopic) => "topic is gone",
        Why::Unreadable(Reason::NoLeader) => "no leader",
        Why::Unreadable(Reason::Authorization) => "not allowed",
        Why::Unreadable(Reason::Timeout) => "no answer",
        Why::Unreadable(Reason::BrokerUnavailable) => "broker away",
        Why::Unreadable(Reason::Unstable) => "Kafka is busy",
        Why::Unreadable(Reason::EventTime) => "no usable time",
        Why::Unreadable(Reason::Other) => "an error",
        Why::NotCommitted => "never committed",
        Why::NotApplicable => "does not apply",
        Why::NotRead => "not read",
        Why::NoMembers => "no members",
        Why::HasMembers => "has members",
    }
}

/// A moment, relative to now, and exactly on hover; the script keeps it up to date.
pub(super) struct Ago {
    pub(super) then: UnixMillis,
    pub(super) now: UnixMillis,
}

impl fmt::Display for Ago {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Ok(exact) = Timestamp::from_millisecond(self.then.0) else {
            return f.write_str("at an unknown time");
        };
        write!(
            f,
            "<time datetime=\"{exact}\" title=\"{}\" data-ago>{}</time>",
            exact.strftime("%Y-%m-%d %H:%M:%S UTC"),
            ago(self.now.since(self.then))
        )
    }
}

/// `12 s ago`: one unit; the script has the same rule.
pub(super) fn ago(age: Duration) -> String {
    match age.as_secs() {
        seconds @ 0..60 => format!("{seconds} s ago"),
        seconds @ 60..3600 => format!("{} min ago", seconds / 60),
        seconds @ 3600..172_800 => format!("{} h ago", seconds / 3600),
        seconds => format!("{} d ago", seconds / 86_400),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_is_relative_with_the_exact_one_beside_it() {
        let moment = Ago {
            then: UnixMillis(1_767_323_045_678),
            now: UnixMillis(1_767_323_105_700),
        };
        assert_eq!(
            moment.to_string(),
            "<time datetime=\"2026-01-02T03:04:05.678Z\" title=\"2026-01-02 03:04:05 UTC\" data-ago>1 min ago</time>"
        );
    }

    #[test]
    fn an_age_has_one_unit() {
        for (seconds, words) in [
            (0, "0 s ago"),
            (59, "59 s ago"),
            (60, "1 min ago"),
            (3599, "59 min ago"),
            (3600, "1 h ago"),
            (172_799, "47 h ago"),
            (172_800, "2 d ago"),
        ] {
            assert_eq!(ago(Duration::from_secs(seconds)), words);
        }
    }

    #[test]
    fn a_duration_has_the_two_units_that_matter() {
        for (millis, words) in [
            (0, "0 s"),
            (30, "0.0 s"),
            (470, "0.4 s"),
            (9_999, "9.9 s"),
            (10_999, "10 s"),
            (59_999, "59 s"),
            (60_000, "1 min 0 s"),
            (840_250, "14 min 0 s"),
            (3_600_000, "1 h 0 min"),
            (86_400_000, "1 d 0 h"),
            (100_000_000_000, "1,157 d 9 h"),
        ] {
            assert_eq!(duration(Duration::from_millis(millis)), words, "{millis}");
        }
    }

    #[test]
    fn what_is_absent_says_why() {
        assert_eq!(
            count_or(None::<u64>, Some(Why::NotCommitted)),
            "<span class=\"absent\">never committed</span>"
        );
        assert_eq!(count_or(Some(1_234_567), None), "1,234,567");
    }
}
