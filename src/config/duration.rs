//! Durations as people write them, with their unit.

use std::time::Duration;

/// A duration with its unit, as in `15s` or `1h 30m`; `None` for anything else.
pub fn parse_duration(text: &str) -> Option<Duration> {
    // `M` would be a month, where whoever writes it means minutes.
    let has_unit = text.chars().any(char::is_alphabetic) && !text.contains('M');
    has_unit.then(|| humantime::parse_duration(text).ok()).flatten()
}

/// The duration as [`parse_duration`] reads it: `1h 30m`. Exact; days at most, for months have no length.
pub fn show_duration(duration: Duration) -> String {
    let units = [
        ("d", 86_400_000_000_000),
        ("h", 3_600_000_000_000),
        ("m", 60_000_000_000),
        ("s", 1_000_000_000),
        ("ms", 1_000_000),
        ("us", 1_000),
        ("ns", 1_u128),
    ];
    let mut rest = duration.as_nanos();
    let mut parts = Vec::new();
    for (unit, nanos) in units {
        if rest >= nanos {
            parts.push(format!("{}{unit}", rest / nanos));
            rest %= nanos;
        }
    }
    match parts.is_empty() {
        true => "0s".to_owned(),
        false => parts.join(" "),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_duration_is_shown_in_the_units_people_use() {
        let shown = |millis| show_duration(Duration::from_millis(millis));
        assert_eq!([shown(0), shown(15_000), shown(90_000)], ["0s", "15s", "1m 30s"]);
        assert_eq!([shown(86_400_000), shown(5_400_500)], ["1d", "1h 30m 500ms"]);
        assert_eq!(show_duration(Duration::from_secs(365 * 86_400)), "365d");
    }

    #[test]
    fn a_number_without_unit_is_no_duration() {
        for text in ["", "15", "0", "1.5", "soon", "15 M", "-5s", "15s!", "1h30"] {
            assert_eq!(parse_duration(text), None, "{text}");
        }
        assert_eq!(parse_duration("0.5s"), Some(Duration::from_millis(500)));
    }

    proptest! {
        #[test]
        fn what_is_shown_is_read_back_exactly(nanos in 0..=u64::MAX) {
            let duration = Duration::from_nanos(nanos);
            prop_assert_eq!(parse_duration(&show_duration(duration)), Some(duration));
        }
    }
}
