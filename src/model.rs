//! The words everything else is written in: names, offsets, types, states and statuses. No I/O, no arithmetic on lag.

mod group;
mod name;
mod status;
mod time;

pub use group::GroupState;
pub use group::GroupType;
pub use name::GroupId;
pub use name::Text;
pub use name::TopicId;
pub use name::TopicName;
pub use status::Status;
pub use time::LagTime;
pub use time::Moment;
pub use time::RecordAt;
pub use time::TimeMethod;
pub use time::TimeSource;
pub use time::UnixMillis;

use std::fmt;
use std::num::NonZeroU64;

/// The index of a partition within its topic.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Partition(pub i32);

/// A place in a partition's log, as Kafka counts it: 64-bit, exact, never below 0. Kafka's -1 ("none") is `None` here.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
// Kept as the number plus one, so that an `Option<Offset>` takes eight bytes: a million of them stand in a snapshot.
pub struct Offset(NonZeroU64);

impl Offset {
    /// The first offset of every log.
    pub const ZERO: Self = Self(NonZeroU64::MIN);

    /// `None` for the negative numbers by which Kafka says that there is no offset.
    pub const fn new(raw: i64) -> Option<Self> {
        if raw < 0 {
            return None;
        }
        match NonZeroU64::new(raw.unsigned_abs() + 1) {
            Some(kept) => Some(Self(kept)),
            None => None,
        }
    }

    /// The offset as Kafka sends it.
    pub const fn get(self) -> i64 {
        // At most i64::MAX + 1 was kept.
        (self.0.get() - 1).cast_signed()
    }

    /// How many offsets lie from `earlier` up to `self`; 0 when `earlier` is not earlier.
    pub const fn since(self, earlier: Self) -> u64 {
        self.0.get().saturating_sub(earlier.0.get())
    }
}

impl fmt::Debug for Offset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Offset({})", self.get())
    }
}

impl fmt::Display for Offset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.get().fmt(f)
    }
}

/// The id of a broker.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BrokerId(pub i32);

macro_rules! number {
    ($name:ident) => {
        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }
    };
}

number!(Partition);
number!(BrokerId);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_offset_is_below_zero() {
        assert_eq!(Offset::new(-1), None);
        assert_eq!(Offset::new(i64::MIN), None);
        assert_eq!(Offset::new(0), Some(Offset::ZERO));
    }

    #[test]
    fn every_offset_comes_back_exactly() {
        for raw in [0, 1, 1 << 53, i64::MAX - 1, i64::MAX] {
            assert_eq!(Offset::new(raw).map(Offset::get), Some(raw));
        }
    }

    #[test]
    fn a_distance_is_exact_and_never_negative() {
        let (low, high) = (Offset::ZERO, Offset::new(i64::MAX).expect("not negative"));
        assert_eq!(high.since(low), i64::MAX.unsigned_abs());
        assert_eq!(low.since(high), 0);
    }

    #[test]
    fn an_offset_that_may_be_absent_takes_eight_bytes() {
        assert_eq!(size_of::<Option<Offset>>(), 8);
    }
}
