//! Lag in seconds: how old the record at an offset is.
//!
//! Per partition a `Curve` remembers when the log end passed which offset, thinned so that a week fits in 416 bytes, and a few
//! wants remember what was learnt of the very offsets that groups sit on. In each cycle the collector
//!
//! 1. tells every log end (the high watermark, whatever the isolation): [`TopicTimes::observe_end`];
//! 2. names every offset whose age will be asked for, max(C, S) of each lagging pair: [`TopicTimes::want`];
//! 3. asks Kafka what [`Timelines::plan`] says, within its deadline, and feeds the answers to the `learn_` functions; the plan of a
//!    second round in the same cycle asks the next questions;
//! 4. takes the answers while the snapshot is made: [`TopicTimes::age`], which changes nothing.
//!
//! Which source answers, and how wrong it may be, is told with every answer; see `docs/time-lag.md`. Knows nothing of Kafka clients.

mod bracket;
mod curve;
mod timeline;
mod timelines;
mod topic;
mod want;

pub use timelines::Plan;
pub use timelines::Timelines;
pub use topic::TopicTimes;

use std::time::Duration;

use crate::failure::Reason;
use crate::model::LagTime;
use crate::model::Moment;
use crate::model::UnixMillis;

/// What must be known of the configuration.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// How often the log ends are observed.
    pub poll_interval: Duration,
    /// Whether records may be read for their time (`record_time.read`).
    pub read: bool,
    /// The most records, and the most questions by time, of one plan (`record_time.per_cycle`).
    pub per_cycle: usize,
}

impl Settings {
    /// How far an age may be off before a record is read instead: one poll and a quarter (polls jitter), or 2 % of the age.
    fn tolerable(&self, age_ms: u64) -> u64 {
        (self.poll_ms() * 5 / 4).max(age_ms / 50)
    }

    fn poll_ms(&self) -> u64 {
        millis(self.poll_interval)
    }
}

/// The age of the record at an offset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// Nothing unread: the offset is at or beyond the end.
    CaughtUp,
    /// Nothing unread although the offset is below the end: only markers, aborted or compacted data are left. The lag is not readable.
    NothingReadable,
    /// Told, with method and error bound.
    Known(LagTime),
    /// Cannot be told.
    Unknown(Reason),
}

impl Answer {
    /// The lag in seconds, or why it cannot be told.
    ///
    /// # Errors
    ///
    /// The reason that is counted.
    pub fn lag_time(self) -> Result<LagTime, Reason> {
        match self {
            Self::CaughtUp | Self::NothingReadable => Ok(LagTime::CAUGHT_UP),
            Self::Known(time) => Ok(time),
            Self::Unknown(reason) => Err(reason),
        }
    }
}

/// Earliest record time that is believed: what is dated before 1971 has seconds where milliseconds belong, or no clock.
const EARLIEST: UnixMillis = UnixMillis(365 * 86_400_000);
/// How far ahead a record may be dated and still count as new; beyond that its time is no time.
const AHEAD_MS: i64 = 86_400_000;

/// A record's time where it can be one.
fn believable(time: Option<UnixMillis>, now: Moment) -> Option<UnixMillis> {
    time.filter(|time| *time >= EARLIEST && time.0 <= now.wall.0.saturating_add(AHEAD_MS))
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

fn bound(error_ms: u64) -> u32 {
    u32::try_from(error_ms).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests;
