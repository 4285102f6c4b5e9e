//! Times and durations as the documents show them.

use std::time::Duration;

use jiff::Timestamp;
use serde::Serialize;
use serde::Serializer;

use crate::model::Moment;
use crate::model::UnixMillis;

/// A time as RFC 3339 has it, in UTC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Date(Timestamp);

impl From<UnixMillis> for Date {
    /// A time beyond the year 9999 or before -9999 is cut there.
    fn from(UnixMillis(millis): UnixMillis) -> Self {
        let end = if millis < 0 { Timestamp::MIN } else { Timestamp::MAX };
        Self(Timestamp::from_millisecond(millis).unwrap_or(end))
    }
}

impl From<Moment> for Date {
    fn from(moment: Moment) -> Self {
        moment.wall.into()
    }
}

impl Serialize for Date {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}

impl std::fmt::Display for Date {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

/// A duration in seconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Seconds(f64);

impl Seconds {
    pub(super) fn as_f64(self) -> f64 {
        self.0
    }

    /// `None` for what is no duration.
    pub(super) fn new(seconds: f64) -> Option<Self> {
        (seconds.is_finite() && seconds >= 0.0).then_some(Self(seconds))
    }
}

impl From<Duration> for Seconds {
    fn from(duration: Duration) -> Self {
        Self(duration.as_secs_f64())
    }
}

impl Serialize for Seconds {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(self.0)
    }
}

/// Bytes of a name that is not UTF-8, in hex.
pub(super) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
