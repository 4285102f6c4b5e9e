//! The verdict on a partition, and on a group as the worst of its partitions.

use std::fmt;

/// How a partition of a group is doing. The order is the contract's: the first is the worst.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Status {
    /// Readable lag, an owner, and no commit moved in the window.
    Stalled,
    /// The same without an owner.
    Stopped,
    /// The commit is below the log start: records went unread.
    Lost,
    /// Commit or log end could not be read for longer than `max_staleness`.
    Unreadable,
    /// An owner, no commit, and the log has grown since it came.
    Uncommitted,
    /// The commit is beyond the log end.
    Ahead,
    /// The commit went down and has not passed its old value since.
    Rewound,
    /// Commits move, but the lag only grows.
    Behind,
    /// No members and no progress for a long time.
    Dormant,
    /// None of the others.
    Ok,
}

impl Status {
    /// Every status, worst first.
    pub const ALL: [Self; 10] = [
        Self::Stalled,
        Self::Stopped,
        Self::Lost,
        Self::Unreadable,
        Self::Uncommitted,
        Self::Ahead,
        Self::Rewound,
        Self::Behind,
        Self::Dormant,
        Self::Ok,
    ];

    /// The label value.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Stalled => "stalled",
            Self::Stopped => "stopped",
            Self::Lost => "lost",
            Self::Unreadable => "unreadable",
            Self::Uncommitted => "uncommitted",
            Self::Ahead => "ahead",
            Self::Rewound => "rewound",
            Self::Behind => "behind",
            Self::Dormant => "dormant",
            Self::Ok => "ok",
        }
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
