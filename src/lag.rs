//! Lag in records: pure arithmetic on three offsets of one partition. With C the committed offset, S the log start and E the log end:
//!
//! | | C | S | E | lag | lost | ahead |
//! |---|---|---|---|---|---|---|
//! | behind | 40 | 0 | 100 | 60 | 0 | 0 |
//! | level | 100 | 0 | 100 | 0 | 0 | 0 |
//! | overtaken by retention | 10 | 90 | 100 | 10 | 80 | 0 |
//! | overtaken, log empty | 10 | 100 | 100 | 0 | 90 | 0 |
//! | log truncated or made anew | 105 | 0 | 100 | 0 | 0 | 5 |

use crate::model::Offset;

/// Records that still exist and were not read: E − max(C, S), never below 0.
pub fn records(committed: Offset, start: Offset, end: Offset) -> u64 {
    end.since(committed.max(start))
}

/// Records that retention took before they were read: max(0, S − C).
pub fn lost(committed: Offset, start: Offset) -> u64 {
    start.since(committed)
}

/// How far the commit is beyond the log: max(0, C − E).
pub fn ahead(committed: Offset, end: Offset) -> u64 {
    committed.since(end)
}

/// Records in a partition: E − S.
pub fn held(start: Offset, end: Offset) -> u64 {
    end.since(start)
}

/// How much of the log is still ahead of deletion: (C − S) / (E − S), from 0 (the next deletion takes unread records) to 1.
/// `None` for an empty log, where nothing can be lost.
#[expect(clippy::cast_precision_loss, reason = "a ratio; 53 bits are plenty")]
pub fn retention_margin(committed: Offset, start: Offset, end: Offset) -> Option<f64> {
    let held = held(start, end);
    (held > 0).then(|| (committed.since(start) as f64 / held as f64).min(1.0))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn at(raw: i64) -> Offset {
        Offset::new(raw).expect("not negative")
    }

    #[test]
    fn the_worked_numbers_of_the_table() {
        for (c, s, e, lag, gone, beyond) in [
            (40, 0, 100, 60, 0, 0),
            (100, 0, 100, 0, 0, 0),
            (10, 90, 100, 10, 80, 0),
            (10, 100, 100, 0, 90, 0),
            (105, 0, 100, 0, 0, 5),
            (0, 0, i64::MAX, i64::MAX.unsigned_abs(), 0, 0),
        ] {
            let (c, s, e) = (at(c), at(s), at(e));
            assert_eq!(
                (records(c, s, e), lost(c, s), ahead(c, e)),
                (lag, gone, beyond),
                "C={c} S={s} E={e}"
            );
        }
    }

    #[test]
    fn the_margin_runs_from_the_end_of_the_log_to_its_start() {
        assert_eq!(retention_margin(at(100), at(0), at(100)), Some(1.0));
        assert_eq!(retention_margin(at(25), at(0), at(100)), Some(0.25));
        assert_eq!(retention_margin(at(5), at(10), at(100)), Some(0.0));
        assert_eq!(retention_margin(at(500), at(0), at(100)), Some(1.0));
        assert_eq!(retention_margin(at(0), at(7), at(7)), None);
    }

    proptest! {
        #[test]
        fn lag_and_what_was_lost_make_up_the_distance(c in 0..i64::MAX, s in 0..i64::MAX, more in 0..i64::MAX) {
            let (c, s, e) = (at(c), at(s), at(s.saturating_add(more)));
            prop_assert!(records(c, s, e) <= held(s, e), "never more than what is there");
            if c <= e {
                prop_assert_eq!(u128::from(records(c, s, e)) + u128::from(lost(c, s)), u128::from(e.since(c)));
            }
            prop_assert!(ahead(c, e) == 0 || records(c, s, e) == 0, "nobody is both ahead and behind");
        }

        #[test]
        fn reading_never_adds_lag_and_writing_never_takes_any(c in 0..1_000_000i64, s in 0..1_000_000i64, e in 0..1_000_000i64, by in 0..1000i64) {
            let lag = records(at(c), at(s), at(e));
            prop_assert!(records(at(c + by), at(s), at(e)) <= lag);
            prop_assert!(records(at(c), at(s), at(e + by)) >= lag);
            prop_assert!(records(at(c), at(s + by), at(e)) <= lag, "retention can only shrink what is left to read");
        }
    }
}
