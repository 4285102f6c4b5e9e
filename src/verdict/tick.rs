//! A point in time in four bytes, as a million of them are kept.

use std::num::NonZeroU32;
use std::time::Duration;

/// Tenths of a second since the process started; good for thirteen years.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Tick(NonZeroU32);

impl Tick {
    pub(super) fn at(since_start: Duration) -> Self {
        let tenths = u32::try_from(millis(since_start) / 100).unwrap_or(u32::MAX);
        Self(NonZeroU32::MIN.saturating_add(tenths))
    }

    /// The time from `earlier` to `self`; zero when `earlier` is later.
    pub(super) fn since(self, earlier: Self) -> Duration {
        Duration::from_millis(100) * self.0.get().saturating_sub(earlier.0.get())
    }

    pub(super) fn since_start(self) -> Duration {
        Duration::from_millis(100) * (self.0.get() - 1)
    }

    pub(super) fn later(self, by: Duration) -> Self {
        Self::at(self.since_start() + by)
    }
}

/// In 64 bits, which divide many times as fast as the 128 that a duration gives.
pub(super) fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
