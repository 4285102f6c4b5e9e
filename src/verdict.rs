//! Stalled time, waits, windows and statuses: how a partition of a group is doing, by the definitions of `docs/statuses.md`.
//!
//! One [`PairState`] of at most 128 bytes per group and partition, one [`GroupWatch`] per group. In each cycle: [`GroupWatch::update`]
//! where the group was described, then for every pair [`PairState::update`] where C, S and E were read, [`PairState::missed`] where not.
//! Nothing here asks a clock: time is an argument, and only its steady half is used.

mod group;
mod pair;
mod rise;
mod tick;
mod waits;

pub use group::GroupWatch;
pub use pair::PairState;

use std::time::Duration;

use crate::model::Offset;
use crate::model::Status;

/// What must be known of the configuration.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// How often readings come.
    pub poll_interval: Duration,
    /// Polls that a window has at least.
    pub status_cycles: u32,
    /// Longest window.
    pub window_max: Duration,
    /// After how long without members and progress a group is dormant.
    pub dormant_after: Duration,
    /// How long a last good reading stands.
    pub max_staleness: Duration,
}

/// Until a partition was watched for so many times `status_cycles` polls, 11 minutes by default, and while no whole wait is known, its
/// window is at least that long: whoever commits every ten minutes is no false alarm after a restart.
const CAUTION: u32 = 9;

impl Settings {
    fn cycles(&self) -> Duration {
        self.poll_interval.saturating_mul(self.status_cycles)
    }

    fn caution(&self) -> Duration {
        self.cycles().saturating_mul(CAUTION)
    }

    /// How long C may stand still, and no less than `least` unless it is longer than the longest window.
    fn window(&self, usual_wait: Option<Duration>, least: Duration) -> Duration {
        let waits = usual_wait.unwrap_or_default().saturating_mul(3);
        least.max(waits).min(self.window_max)
    }
}

/// C, S and E of one partition, read in one cycle.
#[derive(Clone, Copy, Debug)]
pub struct Reading {
    /// C; `None` where there is no commit.
    pub committed: Option<Offset>,
    /// S.
    pub start: Offset,
    /// E, as the lag counts it.
    pub end: Offset,
    /// Whether what lies between C and E can be read.
    pub readable: Readable,
    /// Whether a member has the partition.
    pub owner: Owner,
    /// Lag in seconds, where it can be told.
    pub age: Option<Duration>,
}

/// Whether the lag in records is readable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Readable {
    /// As far as anybody knows.
    Presumably,
    /// Only markers, aborted or compacted data are left.
    Nothing,
    /// C is where the records of an open transaction begin, and the owner may be waiting for that to end.
    NotYet,
}

/// Whether a member has a partition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Owner {
    /// One has.
    Member,
    /// None has.
    Nobody,
    /// The group rebalances, or its members could not be read: what was known last holds.
    Unknown,
}

/// What of the group matters to each of its partitions; made by [`GroupWatch::situation`].
#[derive(Clone, Copy, Debug)]
pub struct Situation {
    /// Time since the process started.
    pub now: Duration,
    /// When the group was last seen to rebalance; `None` if never.
    pub rebalanced: Option<Duration>,
    /// Whether it has members; `None` while nobody could say.
    pub members: Option<bool>,
    /// When a member or a moving commit was last seen; `None` if never.
    pub active: Option<Duration>,
    /// True for a group that an objective covers: never dormant.
    pub objective: bool,
}

/// How a partition is doing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Verdict {
    /// The worst status that holds.
    pub status: Status,
    /// Stalled time: since the latest of C moved, readable lag began, this process first read the partition; zero without readable
    /// lag, `None` without a commit and while unreadable.
    pub stalled: Option<Duration>,
    /// How long C may stand still before that is a status.
    pub window: Duration,
    /// The 90th percentile of the last waits; `None` while none is known.
    pub usual_wait: Option<Duration>,
    /// What happened since the reading before.
    pub changes: Changes,
}

/// What happened between two readings, for the counters. Nothing happened before the first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Changes {
    /// By how much C went forward, resets of our own left out.
    pub consumed: u64,
    /// Records that retention took before they were read.
    pub lost: u64,
    /// C went down, though the log still has its old place.
    pub rewound: bool,
    /// C is another than before: tell [`GroupWatch::progressed`].
    pub moved: bool,
}

/// The numbers behind a verdict, for `explain`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Explanation {
    /// When C, S and E were last read, as time since the process started; `None` if never.
    pub read_at: Option<Duration>,
    /// How long C has stood still with readable lag.
    pub standing: Duration,
    /// Whether that was seen to begin; otherwise it may be longer.
    pub begin_seen: bool,
    /// How long readings have come without a gap.
    pub watched: Duration,
    /// The last waits, oldest first; quick ones in a row count as one.
    pub waits: Vec<Duration>,
    /// Their 90th percentile.
    pub usual_wait: Option<Duration>,
    /// How long C may stand still.
    pub window: Duration,
    /// The place that C must pass so that it is no longer rewound.
    pub rewound_from: Option<Offset>,
    /// Lowest lag in records in the first and in the last third of the window; `None` before it was watched for so long.
    pub lowest_lags: Option<(f32, f32)>,
    /// Lowest lag in seconds likewise. A little more than a poll counts as no difference.
    pub lowest_ages: Option<(f32, f32)>,
    /// Without a commit: how long an owner has been there, and how long ago the log was seen to grow under it.
    pub uncommitted: Option<(Duration, Option<Duration>)>,
}

/// The status of a group: the worst of its partitions'. Partitions that no longer exist must not be among them.
pub fn worst(statuses: impl IntoIterator<Item = Status>) -> Status {
    statuses.into_iter().min().unwrap_or(Status::Ok)
}
