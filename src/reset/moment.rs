//! Points in time as people write them: dates with a zone, and how long ago.

use jiff::SignedDuration;
use jiff::Span;
use jiff::SpanRelativeTo;
use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;

use crate::model::UnixMillis;

/// A date and time with a zone, by RFC 3339; fractions of a millisecond are dropped.
///
/// # Errors
///
/// Words for a person when it is none.
pub fn datetime(text: &str) -> Result<UnixMillis, String> {
    // jiff reads more than RFC 3339 has: annotations, other separators, dates alone.
    let shaped = text.get(10..11).is_some_and(|t| t.eq_ignore_ascii_case("t")) && !text.contains('[');
    match text.parse::<Timestamp>() {
        Ok(time) if shaped => Ok(UnixMillis(time.as_millisecond())),
        _ => Err(format!(
            "{text:?} is no date and time as RFC 3339 has them, like 2026-01-31T08:00:00Z or 2026-01-31T09:00:00+01:00"
        )),
    }
}

/// The same, and a date and time without a zone is UTC.
///
/// # Errors
///
/// As [`datetime`].
pub fn datetime_or_utc(text: &str) -> Result<UnixMillis, String> {
    let shaped = text.get(10..11).is_some_and(|t| t.eq_ignore_ascii_case("t")) && !text.contains('[');
    datetime(text).or_else(|problem| {
        let local: DateTime = text.parse().map_err(|_| problem.clone())?;
        let utc = TimeZone::UTC.to_timestamp(local).map_err(|_| problem.clone())?;
        if shaped {
            Ok(UnixMillis(utc.as_millisecond()))
        } else {
            Err(problem)
        }
    })
}

/// A duration with units, like `2h` or `1h30m`, or by ISO 8601, like `PT2H`; a day is 24 hours.
///
/// # Errors
///
/// Words for a person when it is none, is negative, or counts in months or years, which have no one length.
pub fn ago(text: &str) -> Result<SignedDuration, String> {
    let problem = || {
        format!(
            "{text:?} is no duration, like 90s, 2h, 1d12h, or PT2H as ISO 8601 has them (no months or years, not negative)"
        )
    };
    let duration = if text.starts_with(['P', 'p']) {
        let span: Span = text.parse().map_err(|_| problem())?;
        if span.get_years() != 0 || span.get_months() != 0 {
            return Err(problem());
        }
        span.to_duration(SpanRelativeTo::days_are_24_hours())
            .map_err(|_| problem())?
    } else {
        if text.contains(['M', 'y', 'Y']) || text.contains("month") {
            return Err(problem());
        }
        let plain = humantime::parse_duration(text).map_err(|_| problem())?;
        SignedDuration::try_from(plain).map_err(|_| problem())?
    };
    if duration.is_negative() {
        Err(problem())
    } else {
        Ok(duration)
    }
}

/// The time that long before `now`.
pub fn before(now: UnixMillis, ago: SignedDuration) -> UnixMillis {
    let millis = i64::try_from(ago.as_millis()).unwrap_or(i64::MAX);
    UnixMillis(now.0.saturating_sub(millis))
}

/// The time by RFC 3339 in UTC, to the millisecond; what lies beyond the calendar is shown as its milliseconds.
pub fn utc(time: UnixMillis) -> String {
    Timestamp::from_millisecond(time.0).map_or_else(|_| format!("{} ms", time.0), |time| format!("{time:.3}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_date_with_a_zone_is_one_instant() {
        let expected = Ok(UnixMillis(1_769_846_400_000));
        for text in [
            "2026-01-31T08:00:00Z",
            "2026-01-31T09:00:00+01:00",
            "2026-01-31t03:00:00.000-05:00",
        ] {
            assert_eq!(datetime(text), expected, "{text}");
        }
        assert_eq!(datetime("2026-01-31T08:00:00.9999Z"), Ok(UnixMillis(1_769_846_400_999)));
    }

    #[test]
    fn what_is_no_date_with_a_zone_is_refused() {
        for text in [
            "yesterday",
            "",
            "2026-01-31",
            "2026-01-31T08:00:00",
            "2026-01-31 08:00:00Z",
            "2026-02-30T08:00:00Z",
            "1769846400",
            "ü2026-01-3T",
        ] {
            assert!(datetime(text).is_err(), "{text}");
        }
        assert_eq!(
            datetime("yesterday").unwrap_err(),
            "\"yesterday\" is no date and time as RFC 3339 has them, like 2026-01-31T08:00:00Z or 2026-01-31T09:00:00+01:00"
        );
    }

    #[test]
    fn without_a_zone_it_is_utc_with_or_without_milliseconds() {
        for text in [
            "2026-01-31T08:00:00",
            "2026-01-31T08:00:00.000",
            "2026-01-31T09:00:00+01:00",
            "2026-01-31T08:00",
        ] {
            assert_eq!(datetime_or_utc(text), Ok(UnixMillis(1_769_846_400_000)), "{text}");
        }
        assert!(datetime_or_utc("2026-01-31").is_err());
        assert!(datetime_or_utc("tomorrow").is_err());
    }

    #[test]
    fn durations_have_units() {
        for (text, seconds) in [
            ("330m", 19_800),
            ("2h", 7_200),
            ("PT2H", 7_200),
            ("PT5H30M", 19_800),
            ("P1DT1H", 90_000),
            ("1d12h", 129_600),
            ("P2W", 1_209_600),
        ] {
            assert_eq!(ago(text), Ok(SignedDuration::from_secs(seconds)), "{text}");
        }
    }

    #[test]
    fn what_has_no_unit_or_no_one_length_is_refused() {
        for text in [
            "2",
            "",
            "-2h",
            "-PT2H",
            "PT-2H",
            "P1M",
            "P1Y",
            "1month",
            "1M",
            "1y",
            "two hours",
            "2 hours ago",
            "PT",
        ] {
            assert!(ago(text).is_err(), "{text}: {:?}", ago(text));
        }
    }

    #[test]
    fn long_ago_stops_at_the_beginning_of_time() {
        assert_eq!(before(UnixMillis(10), SignedDuration::MAX), UnixMillis(10 - i64::MAX));
        assert_eq!(
            before(UnixMillis(5_000), SignedDuration::from_secs(2)),
            UnixMillis(3_000)
        );
    }

    #[test]
    fn a_time_is_shown_in_utc_to_the_millisecond() {
        assert_eq!(utc(UnixMillis(1_769_846_400_007)), "2026-01-31T08:00:00.007Z");
        assert_eq!(utc(UnixMillis(i64::MAX)), "9223372036854775807 ms");
    }
}
