//! Which rule holds for a group, and the numbers it was judged by.

use std::time::Duration;

use serde::Serialize;

use super::json::Seconds;
use crate::model::Offset;
use crate::model::Status;
use crate::snapshot::Explained;
use crate::snapshot::GroupView;
use crate::snapshot::OwnerView;
use crate::snapshot::TimeView;

/// The rule that holds.
#[derive(Debug, Serialize)]
pub(super) struct Rule<'a> {
    holds_when: &'static str,
    partitions: Vec<Judged<'a>>,
}

/// A partition with the numbers of its verdict. What does not apply to it is left out.
#[derive(Debug, Serialize)]
struct Judged<'a> {
    topic: &'a str,
    partition: i32,
    status: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    owner: Option<Owner<'a>>,
    /// Why nothing is wrong with lag that stands still.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    committed_offset: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    start_offset: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    end_offset: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    lag_records: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    lag_seconds: Option<Seconds>,
    standing_seconds: Seconds,
    standing_begin_seen: bool,
    window_seconds: Seconds,
    watched_seconds: Seconds,
    #[serde(skip_serializing_if = "Option::is_none")]
    usual_wait_seconds: Option<Seconds>,
    last_waits_seconds: Vec<Seconds>,
    #[serde(skip_serializing_if = "Option::is_none")]
    rewound_from_offset: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    lowest_lag_records: Option<[f64; 2]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    lowest_lag_seconds: Option<[f64; 2]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    owned_seconds: Option<Seconds>,
    #[serde(skip_serializing_if = "Option::is_none")]
    growing_seconds: Option<Seconds>,
}

#[derive(Debug, Serialize)]
struct Owner<'a> {
    client_id: &'a str,
    host: &'a str,
}

impl<'a> From<&'a GroupView> for Rule<'a> {
    fn from(view: &'a GroupView) -> Self {
        Self {
            holds_when: holds_when(view.status),
            partitions: view.explained.iter().map(Judged::from).collect(),
        }
    }
}

impl<'a> From<&'a Explained> for Judged<'a> {
    fn from(row: &'a Explained) -> Self {
        let Explained {
            topic,
            view,
            owner,
            why,
        } = row;
        let seconds = |duration: Option<Duration>| duration.map(Seconds::from);
        Self {
            topic,
            partition: view.partition.0,
            status: view.status.as_str(),
            owner: owner
                .as_ref()
                .map(|OwnerView { client_id, host }| Owner { client_id, host }),
            reason: view.at_open_transaction.then_some("open_transaction"),
            committed_offset: view.committed.map(Offset::get),
            start_offset: view.start.map(Offset::get),
            end_offset: view.end.map(Offset::get),
            lag_records: view.lag(),
            lag_seconds: match view.time {
                TimeView::Known(time) => Seconds::new(time.seconds()),
                TimeView::Absent | TimeView::Unknown(_) => None,
            },
            standing_seconds: why.standing.into(),
            standing_begin_seen: why.begin_seen,
            window_seconds: why.window.into(),
            watched_seconds: why.watched.into(),
            usual_wait_seconds: seconds(why.usual_wait),
            last_waits_seconds: why.waits.iter().copied().map(Seconds::from).collect(),
            rewound_from_offset: why.rewound_from.map(Offset::get),
            lowest_lag_records: why.lowest_lags.map(thirds),
            lowest_lag_seconds: why.lowest_ages.map(thirds),
            owned_seconds: seconds(why.uncommitted.map(|(owned, _)| owned)),
            growing_seconds: seconds(why.uncommitted.and_then(|(_, grew)| grew)),
        }
    }
}

fn thirds((first, last): (f32, f32)) -> [f64; 2] {
    [first.into(), last.into()]
}

/// The rule of each status.
pub fn holds_when(status: Status) -> &'static str {
    match status {
        Status::Stalled => {
            "there is something to read, a member owns the partition, and the committed offset was the same in every reading of the window"
        }
        Status::Stopped => {
            "there is something to read, nobody owns the partition, and the committed offset was the same in every reading of the window"
        }
        Status::Lost => "the committed offset is below the start of the log",
        Status::Unreadable => "committed offset or log end could not be read for longer than max_staleness",
        Status::Uncommitted => {
            "a member owns the partition, nothing is committed, and the log has grown for the whole window since the owner came"
        }
        Status::Ahead => "the committed offset is above the end of the log",
        Status::Rewound => {
            "the committed offset went down, and has not passed its old value, nor was the lag 0, nor the topic made anew since"
        }
        Status::Behind => {
            "the committed offset moves, but the lowest lag in the last third of the window is above the lowest in the first, and the lag in seconds is above a minute and twice the usual wait"
        }
        Status::Dormant => {
            "no members, something to read, and for dormant_after neither a member nor a moving commit was seen while the lag in seconds is longer than that"
        }
        Status::Ok => "no other rule holds",
    }
}
