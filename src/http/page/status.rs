//! Statuses in words. Colour and shape go with the word and never stand alone.

use std::fmt;

use crate::model::Status;

/// A status as a badge.
pub(super) struct Badge(pub(super) Status);

impl fmt::Display for Badge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "<span class=\"badge {}\">{}</span>", tone(self.0), self.0)
    }
}

/// How loud a status is.
pub(super) fn tone(status: Status) -> &'static str {
    match status {
        Status::Stalled | Status::Stopped | Status::Lost => "bad",
        Status::Unreadable | Status::Uncommitted | Status::Ahead | Status::Rewound | Status::Behind => "warn",
        Status::Dormant => "quiet",
        Status::Ok => "fine",
    }
}

/// What a status means, in a few words.
pub(super) fn meaning(status: Status) -> &'static str {
    match status {
        Status::Stalled => "has an owner, and no commit moves",
        Status::Stopped => "nobody reads, and records wait",
        Status::Lost => "records were deleted unread",
        Status::Unreadable => "cannot be read",
        Status::Uncommitted => "reads and never commits",
        Status::Ahead => "commit lies beyond the log's end",
        Status::Rewound => "went back and reads again",
        Status::Behind => "commits, and yet the lag grows",
        Status::Dormant => "left alone for a long time",
        Status::Ok => "nothing is wrong",
    }
}
