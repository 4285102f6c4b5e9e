//! Single words.

use super::super::speech::*;
use super::*;

#[test]
fn durations_are_rounded_down_to_what_matters() {
    for (of, shown) in [
        (0, "0 s"),
        (75, "75 s"),
        (119, "119 s"),
        (120, "2 min"),
        (12 * MINUTE + 59, "12 min"),
        (119 * MINUTE, "119 min"),
        (3 * HOUR, "3 h"),
        (3 * HOUR + 59, "3 h"),
        (3 * HOUR + 20 * MINUTE, "3 h 20 min"),
        (26 * HOUR, "26 h"),
        (3 * DAY + 4 * HOUR, "3 d 4 h"),
        (7 * DAY, "7 d"),
        (5_000 * DAY, "5,000 d"),
    ] {
        assert_eq!(duration(seconds(of)), shown);
    }
}

#[test]
fn a_time_of_the_last_day_needs_no_date() {
    let now = fixture::NOW.wall;
    for (ago, shown) in [
        (0, "03:04 UTC"),
        (23 * 3600, "04:04 UTC"),
        (24 * 3600, "2026-01-01 03:04 UTC"),
        (-60, "2026-01-02 03:05 UTC"),
    ] {
        assert_eq!(time(UnixMillis(now.0 - ago * 1000), now), shown, "{ago} s ago");
    }
    for absurd in [i64::MIN, i64::MAX] {
        assert!(time(UnixMillis(absurd), now).ends_with("UTC"));
    }
}

#[test]
fn names_that_could_be_words_are_quoted_and_none_steers_the_terminal() {
    for (raw, shown) in [
        ("orders-1", "orders-1"),
        ("消费", "消费"),
        ("", "\"\""),
        ("a b", "\"a b\""),
        ("x; it is fine", "\"x; it is fine\""),
        ("say \"hi\"", "\"say \\\"hi\\\"\""),
        ("a\nb", "a\\nb"),
        ("\x1b[31mred", "\"\\u{1b}[31mred\""),
        ("done.", "\"done.\""),
        ("a\\xff", "a\\xff"),
    ] {
        assert_eq!(name(raw), shown);
    }
    assert_eq!(name(&"x".repeat(500)).chars().count(), 80);
}

#[test]
fn rates_are_in_the_unit_that_says_something() {
    for (per_second, shown) in [
        (1234.4, "1,234 a second"),
        (1.0, "1 a second"),
        (0.5, "30 a minute"),
        (0.001, "4 an hour"),
        (0.0, "0 an hour"),
    ] {
        assert_eq!(rate(per_second), shown);
    }
}

#[test]
fn a_list_reads_like_one() {
    let list_of = |items: &[&str]| list(&items.iter().map(ToString::to_string).collect::<Vec<_>>());
    assert_eq!(list_of(&[]), "");
    assert_eq!(list_of(&["a"]), "a");
    assert_eq!(list_of(&["a", "b"]), "a and b");
    assert_eq!(list_of(&["a", "b", "c"]), "a, b and c");
}
