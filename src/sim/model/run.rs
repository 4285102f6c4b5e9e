//! A stretch of records that came at an even pace. A log of a billion records is one of these: nothing is stored per record.

/// Records of consecutive offsets, `batch` at a time every `every` milliseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run {
    /// Offset of the first record.
    pub first: i64,
    /// One past the last offset; `i64::MAX` while a producer still writes it.
    pub end: i64,
    /// Time of the first record, in milliseconds since 1970.
    pub at: i64,
    /// Milliseconds between batches; 0 when all came at once.
    pub every: i64,
    /// Records per batch; at least 1.
    pub batch: i64,
    /// What the records are.
    pub kind: Kind,
}

/// What the records of a run are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Ordinary records.
    Data,
    /// Records of a transaction of this producer.
    Transactional(u32),
    /// The marker that ends a transaction of this producer; no consumer sees it.
    Marker {
        /// The producer's id.
        producer: u32,
        /// False for an abort.
        committed: bool,
    },
}

impl Run {
    /// `count` records of one time.
    pub fn at_once(first: i64, count: i64, at: i64) -> Self {
        Self {
            first,
            end: first.saturating_add(count.max(0)),
            at,
            every: 0,
            batch: 1,
            kind: Kind::Data,
        }
    }

    /// The records `first..end`, spread evenly from `from` up to `to`.
    pub fn spread(first: i64, end: i64, from: i64, to: i64) -> Self {
        let count = end.saturating_sub(first).max(1);
        let span = to.saturating_sub(from).max(0);
        // One record a batch as long as a millisecond can tell them apart.
        let batch = if span == 0 { count } else { (count / span).max(1) };
        let steps = (count / batch).max(1);
        Self {
            first,
            end,
            at: from,
            every: span / steps,
            batch,
            kind: Kind::Data,
        }
    }

    /// The time of the record at `offset`, which the run contains.
    pub fn time(&self, offset: i64) -> i64 {
        let batches = offset.saturating_sub(self.first) / self.batch;
        self.at.saturating_add(batches.saturating_mul(self.every))
    }

    /// The first offset whose record is dated `time` or later.
    pub fn since(&self, time: i64) -> Option<i64> {
        let wait = time.saturating_sub(self.at);
        let offset = if wait <= 0 {
            self.first
        } else if self.every == 0 {
            return None;
        } else {
            let batches = wait.saturating_add(self.every - 1) / self.every;
            self.first.saturating_add(batches.saturating_mul(self.batch))
        };
        (offset < self.end).then_some(offset)
    }

    /// What an open run has written by `now`.
    pub fn until(mut self, now: i64) -> Self {
        let wait = now.saturating_sub(self.at);
        let batches = if wait < 0 { 0 } else { wait / self.every.max(1) + 1 };
        self.end = self
            .first
            .saturating_add(batches.saturating_mul(self.batch))
            .min(self.end);
        self
    }

    /// True for a run without records.
    pub fn is_empty(&self) -> bool {
        self.end <= self.first
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn an_open_run_has_its_first_batch_at_its_first_moment() {
        let open = Run {
            first: 10,
            end: i64::MAX,
            at: 1_000,
            every: 100,
            batch: 5,
            kind: Kind::Data,
        };
        assert_eq!(open.until(999).end, 10);
        assert_eq!(open.until(1_000).end, 15);
        assert_eq!(open.until(1_099).end, 15);
        assert_eq!(open.until(1_100).end, 20);
        assert_eq!(open.time(14), 1_000);
        assert_eq!(open.time(15), 1_100);
    }

    #[test]
    fn records_near_the_last_offset_are_told_apart() {
        let run = Run::spread(0, i64::MAX - 1, 0, 86_400_000);
        assert_eq!(run.time(0), 0);
        assert!(run.time(i64::MAX - 2) <= 86_400_000);
    }

    proptest! {
        #[test]
        fn the_record_found_by_time_is_the_first_of_that_time_or_later(
            count in 1_i64..2_000,
            from in 0_i64..1_000,
            span in 0_i64..5_000,
            time in 0_i64..8_000,
        ) {
            let run = Run::spread(7, 7 + count, from, from + span);
            let expected = (run.first..run.end).find(|&offset| run.time(offset) >= time);
            prop_assert_eq!(run.since(time), expected);
        }
    }
}
