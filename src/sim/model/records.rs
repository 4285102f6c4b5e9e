//! What comes into partitions and what goes out of them.

use std::time::Duration;

use super::Kind;
use super::Log;
use super::Model;
use super::NoSuch;
use super::Run;
use super::millis;

impl Model {
    /// Appends records with these times, one by one.
    ///
    /// # Errors
    ///
    /// When there is no such partition.
    pub fn append_at(&mut self, topic: &str, partition: i32, times: &[i64]) -> Result<(), NoSuch> {
        let now = self.now;
        let log = &mut self.partition_mut(topic, partition)?.log;
        for time in times {
            log.append(1, *time, Kind::Data, now);
        }
        Ok(())
    }

    /// Appends `count` records dated now.
    ///
    /// # Errors
    ///
    /// When there is no such partition.
    pub fn append(&mut self, topic: &str, partition: i32, count: i64) -> Result<(), NoSuch> {
        let now = self.now;
        self.partition_mut(topic, partition)?
            .log
            .append(count, now, Kind::Data, now);
        Ok(())
    }

    /// Gives a partition the records `start..end`, spread evenly over the last `over` up to now, in place of all it had.
    ///
    /// # Errors
    ///
    /// When there is no such partition.
    pub fn fill(
        &mut self,
        topic: &str,
        partition: i32,
        (start, end): (i64, i64),
        over: Duration,
    ) -> Result<(), NoSuch> {
        let now = self.now;
        let state = self.partition_mut(topic, partition)?;
        let retention = state.log.retention;
        state.log = if end > start {
            Log::holding(Run::spread(start, end, now.saturating_sub(millis(over)), now))
        } else {
            Log::starting_at(start)
        };
        state.log.retention = retention;
        Ok(())
    }

    /// Lets a producer write `records` per `per` from now on, as evenly as milliseconds allow; 0 records stop it.
    ///
    /// # Errors
    ///
    /// When there is no such partition.
    pub fn produce(&mut self, topic: &str, partition: i32, records: i64, per: Duration) -> Result<(), NoSuch> {
        let now = self.now;
        let (every, batch) = rhythm(records, millis(per));
        self.partition_mut(topic, partition)?.log.produce(every, batch, now);
        Ok(())
    }

    /// Lets a producer have written `records` per `per` for the last `ago`, up to now and on, after all that was there.
    ///
    /// # Errors
    ///
    /// When there is no such partition.
    pub fn produce_since(
        &mut self,
        topic: &str,
        partition: i32,
        (records, per): (i64, Duration),
        ago: Duration,
    ) -> Result<(), NoSuch> {
        let then = self.now.saturating_sub(millis(ago));
        let (every, batch) = rhythm(records, millis(per));
        self.partition_mut(topic, partition)?.log.produce(every, batch, then);
        Ok(())
    }

    /// The offset of the first record dated `ago` before now or later; the end where there is none.
    ///
    /// # Errors
    ///
    /// When there is no such partition.
    pub fn offset_of(&mut self, topic: &str, partition: i32, ago: Duration) -> Result<i64, NoSuch> {
        let now = self.now;
        let log = &self.partition_mut(topic, partition)?.log;
        let found = log.since(now.saturating_sub(millis(ago)), i64::MAX, now);
        Ok(found.map_or_else(|| log.end(now), |(offset, _)| offset))
    }

    /// Cuts a log off at `offset`, as an unclean election does.
    ///
    /// # Errors
    ///
    /// When there is no such partition.
    pub fn truncate(&mut self, topic: &str, partition: i32, offset: i64) -> Result<(), NoSuch> {
        let now = self.now;
        self.partition_mut(topic, partition)?.log.truncate(offset, now);
        Ok(())
    }

    /// Deletes the records below `offset` (DeleteRecords, or retention that went ahead).
    ///
    /// # Errors
    ///
    /// When there is no such partition.
    pub fn delete_records(&mut self, topic: &str, partition: i32, offset: i64) -> Result<(), NoSuch> {
        let now = self.now;
        self.partition_mut(topic, partition)?.log.delete_before(offset, now);
        Ok(())
    }

    /// Compacts the records `first..end` away; their offsets stay empty.
    ///
    /// # Errors
    ///
    /// When there is no such partition.
    pub fn compact(&mut self, topic: &str, partition: i32, (first, end): (i64, i64)) -> Result<(), NoSuch> {
        let now = self.now;
        self.partition_mut(topic, partition)?.log.compact(first, end, now);
        Ok(())
    }

    /// Leaves `offsets` empty offsets at the end of the log.
    ///
    /// # Errors
    ///
    /// When there is no such partition.
    pub fn skip_offsets(&mut self, topic: &str, partition: i32, offsets: i64) -> Result<(), NoSuch> {
        let now = self.now;
        self.partition_mut(topic, partition)?.log.skip(offsets, now);
        Ok(())
    }
}

/// Milliseconds between batches, and records a batch, for `records` per `per` milliseconds. A batch comes every 100 ms where records are many.
fn rhythm(records: i64, per: i64) -> (i64, i64) {
    const BREATH: i64 = 100;
    if records <= 0 {
        return (1, 0);
    }
    let per = per.max(1);
    let single = per / records;
    if single >= BREATH {
        return (single, 1);
    }
    let batch = (records.saturating_mul(BREATH) / per).max(1);
    ((batch.saturating_mul(per) / records).max(1), batch)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rhythm_comes_close_to_the_rate_it_was_asked_for() {
        for (records, per) in [
            (1, 60_000),
            (3, 1_000),
            (10, 1_000),
            (50, 1_000),
            (999, 1_000),
            (20_000, 1_000),
        ] {
            let (every, batch) = rhythm(records, per);
            let made = batch * per / every;
            assert!(
                (made - records).abs() <= records / 20,
                "{records} per {per} ms became {made}"
            );
        }
        assert_eq!(rhythm(0, 1_000).1, 0);
    }
}
