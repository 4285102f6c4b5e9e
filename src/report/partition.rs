//! One partition of one topic of one group.

use std::borrow::Cow;

use serde::Serialize;

use super::absent::Absent;
use super::absent::Why;
use super::json::Seconds;
use crate::failure::Reason;
use crate::model::LagTime;
use crate::model::Offset;
use crate::snapshot::MemberView;
use crate::snapshot::MembersView;
use crate::snapshot::PartitionView;
use crate::snapshot::TimeView;

/// One partition.
#[derive(Debug, Serialize)]
pub(super) struct Partition<'a> {
    pub(super) partition: i32,
    pub(super) status: &'static str,
    pub(super) committed_offset: Option<i64>,
    pub(super) start_offset: Option<i64>,
    pub(super) end_offset: Option<i64>,
    pub(super) lag_records: Option<u64>,
    #[serde(flatten)]
    pub(super) time: Time,
    stalled_seconds: Option<Seconds>,
    lost_records: Option<u64>,
    commit_ahead_records: Option<u64>,
    pub(super) owner: Option<Owner<'a>>,
    /// Kafka's name of the error, when the latest reading of committed offset or log failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    error_code: Option<Cow<'static, str>>,
    /// Why nothing is wrong with lag that stands still: `open_transaction`.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'static str>,
    /// False when the last good reading stands here.
    fresh: bool,
    #[serde(skip_serializing_if = "Absent::is_empty")]
    pub(super) absent: Absent,
}

/// A lag in seconds, and how it was got.
#[derive(Clone, Copy, Debug, Serialize)]
pub(super) struct Time {
    pub(super) lag_seconds: Option<Seconds>,
    /// The true value lies within this of it.
    lag_seconds_error: Option<Seconds>,
    lag_seconds_method: Option<&'static str>,
}

/// Who a partition is assigned to.
#[derive(Debug, Serialize)]
pub(super) struct Owner<'a> {
    member_id: &'a str,
    pub(super) client_id: &'a str,
    host: &'a str,
}

impl<'a> Partition<'a> {
    pub(super) fn new(view: &PartitionView, members: Option<&'a MembersView>) -> Self {
        let owner = view
            .owner
            .and_then(|index| members?.members.get(usize::try_from(index).ok()?));
        Self {
            partition: view.partition.0,
            status: view.status.as_str(),
            committed_offset: view.committed.map(Offset::get),
            start_offset: view.start.map(Offset::get),
            end_offset: view.end.map(Offset::get),
            lag_records: view.lag(),
            time: Time::from(match view.time {
                TimeView::Known(time) => Some(time),
                TimeView::Absent | TimeView::Unknown(_) => None,
            }),
            stalled_seconds: view.stalled_seconds.and_then(|seconds| Seconds::new(seconds.into())),
            lost_records: view.lost(),
            commit_ahead_records: view.ahead(),
            owner: owner.map(Owner::from),
            error_code: view.unreadable.map(crate::failure::Cause::label),
            reason: view.at_open_transaction.then_some("open_transaction"),
            fresh: view.fresh,
            absent: absent_of_partition(view),
        }
    }
}

impl From<Option<LagTime>> for Time {
    fn from(time: Option<LagTime>) -> Self {
        Self {
            lag_seconds: time.and_then(|time| Seconds::new(time.seconds())),
            lag_seconds_error: time.and_then(|time| Seconds::new(f64::from(time.error_ms) / 1000.0)),
            lag_seconds_method: time.map(|time| time.method.as_str()),
        }
    }
}

impl<'a> From<&'a MemberView> for Owner<'a> {
    fn from(member: &'a MemberView) -> Self {
        Self {
            member_id: &member.id,
            client_id: &member.client_id,
            host: &member.host,
        }
    }
}

/// Why figures of a partition are absent, by the names of the fields of the document.
pub fn absent_of_partition(view: &PartitionView) -> Absent {
    let reason = view.unreadable.map(|cause| Why::Unreadable(cause.reason()));
    let or_reason = |why| move || reason.unwrap_or(why);
    let no_commit = if view.committed.is_none() {
        Why::NotCommitted
    } else {
        Why::NotRead
    };
    let mut absent = Absent::default();
    absent.note(
        "committed_offset",
        view.committed.as_ref(),
        or_reason(Why::NotCommitted),
    );
    absent.note("start_offset", view.start.as_ref(), or_reason(Why::NotRead));
    absent.note("end_offset", view.end.as_ref(), or_reason(Why::NotRead));
    absent.note("lag_records", view.lag().as_ref(), or_reason(no_commit));
    match view.time {
        TimeView::Known(_) => {}
        TimeView::Absent => absent.note::<()>("lag_seconds", None, or_reason(no_commit)),
        TimeView::Unknown(reason) => absent.note::<Reason>("lag_seconds", None, || Why::Unreadable(reason)),
    }
    absent.note("stalled_seconds", view.stalled_seconds.as_ref(), or_reason(no_commit));
    absent
}
