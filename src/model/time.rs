//! Points in time and how the age of a record was found.

use std::time::Duration;

use super::Offset;

/// A wall-clock time: milliseconds since 1970-01-01 UTC, as Kafka dates records.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct UnixMillis(pub i64);

impl UnixMillis {
    /// The time from `earlier` to `self`; zero when `earlier` is later.
    pub fn since(self, earlier: Self) -> Duration {
        Duration::from_millis(u64::try_from(i128::from(self.0) - i128::from(earlier.0)).unwrap_or(0))
    }
}

/// One instant on both clocks. Ages are told by `mono`, which never jumps; dates by `wall`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Moment {
    /// Time since the process started (since the simulation started, on a stepped clock).
    pub mono: Duration,
    /// The wall clock at the same instant.
    pub wall: UnixMillis,
}

/// Where a lag in seconds came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TimeMethod {
    /// Nothing unread: the commit is at or beyond the end, or only markers and aborted records remain.
    CaughtUp,
    /// The record at the commit was read, or its time is known to the millisecond.
    Record,
    /// Interpolated between two times at which tidemark saw the log end pass.
    Arrival,
    /// Bracketed by ListOffsets by timestamp.
    Bracket,
}

impl TimeMethod {
    /// The word the JSON uses.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::CaughtUp => "caught_up",
            Self::Record => "record",
            Self::Arrival => "arrival",
            Self::Bracket => "bracket",
        }
    }
}

/// A lag in seconds with its provenance. Sixteen bytes, as one stands beside every partition of every group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LagTime {
    /// Age of the oldest unread record, in milliseconds.
    pub age_ms: u64,
    /// The true age lies within this of `age_ms`.
    pub error_ms: u32,
    /// How it was found.
    pub method: TimeMethod,
}

impl LagTime {
    /// Nothing unread.
    pub const CAUGHT_UP: Self = Self {
        age_ms: 0,
        error_ms: 0,
        method: TimeMethod::CaughtUp,
    };

    /// The age in seconds, as metrics and JSON show it.
    #[expect(clippy::cast_precision_loss, reason = "exact to the millisecond for 285,000 years")]
    pub fn seconds(self) -> f64 {
        self.age_ms as f64 / 1000.0
    }
}

/// Whose time a record has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeSource {
    /// The record's own timestamp.
    Record,
    /// When tidemark saw the log end pass it.
    Arrival,
}

/// What a read at an offset found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecordAt {
    /// The first record at or after the offset; `None` for a record without a timestamp.
    Found(Offset, Option<UnixMillis>),
    /// The log ended before another record came: only markers, aborted or compacted data up to the end that was known when it was asked.
    NothingUnread,
}
