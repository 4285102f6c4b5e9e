//! What a share group has read: start offsets where other groups have commits, and the lags that follow.

use serde::Serialize;

use super::absent::Absent;
use super::partition::Time;
use super::partition::absent_of_partition;
use crate::model::Offset;
use crate::snapshot::GroupTopicView;
use crate::snapshot::PartitionView;
use crate::snapshot::ShareFigures;
use crate::snapshot::ShareView;
use crate::snapshot::TimeView;

/// One topic of a share group.
#[derive(Debug, Serialize)]
pub(super) struct ShareTopic<'a> {
    pub(super) topic: &'a str,
    /// `null`: nobody could say.
    exists: Option<bool>,
    lag_records: Option<u128>,
    #[serde(flatten)]
    time: Time,
    pub(super) partitions: Vec<SharePartition>,
}

/// One partition of a share group.
#[derive(Debug, Serialize)]
pub(super) struct SharePartition {
    pub(super) partition: i32,
    pub(super) status: &'static str,
    /// The first record that may still be delivered.
    pub(super) share_start_offset: Option<i64>,
    log_start_offset: Option<i64>,
    pub(super) end_offset: Option<i64>,
    pub(super) lag_records: Option<u64>,
    /// `broker` or `offsets`; `null` without a lag.
    lag_counted_by: Option<&'static str>,
    #[serde(flatten)]
    pub(super) time: Time,
    /// How many members have it.
    pub(super) partition_members: Option<u32>,
    /// Kafka's name of the error, when the latest reading failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    error_code: Option<std::borrow::Cow<'static, str>>,
    /// False when the last good reading stands here.
    fresh: bool,
    #[serde(skip)]
    pub(super) absent: Absent,
}

/// The topics of a share group.
pub(super) fn share_topics(view: &ShareView) -> Vec<ShareTopic<'_>> {
    view.topics.iter().zip(&view.figures).map(topic).collect()
}

fn topic<'a>((view, figures): (&'a GroupTopicView, &'a Vec<ShareFigures>)) -> ShareTopic<'a> {
    ShareTopic {
        topic: &view.name,
        exists: view.exists,
        lag_records: view.lag,
        time: view.lag_time.into(),
        partitions: view.partitions.iter().zip(figures).map(partition).collect(),
    }
}

fn partition((view, share): (&PartitionView, &ShareFigures)) -> SharePartition {
    let lag = share.lag(view);
    SharePartition {
        partition: view.partition.0,
        status: view.status.as_str(),
        share_start_offset: view.committed.map(Offset::get),
        log_start_offset: view.start.map(Offset::get),
        end_offset: view.end.map(Offset::get),
        lag_records: lag,
        lag_counted_by: lag.map(|_| if share.told.is_some() { "broker" } else { "offsets" }),
        time: Time::from(match view.time {
            TimeView::Known(time) => Some(time),
            TimeView::Absent | TimeView::Unknown(_) => None,
        }),
        partition_members: share.members,
        error_code: view.unreadable.map(crate::failure::Cause::label),
        fresh: view.fresh,
        absent: absent_of_partition(view),
    }
}
