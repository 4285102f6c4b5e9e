//! Families of a partition of a group.

use super::Family;
use super::Values;
use crate::metrics::number::Value;
use crate::snapshot::TimeView;

pub(super) const FAMILIES: &[Family] = &[
    Family::new(
        "kafka_group_partition_lag_records",
        "Records of the partition that the group has not read: log end minus the later of committed offset and log start.",
        Values::Partition(|it| it.lag().map(Value::from)),
    )
    .only_if(|cluster| cluster.partition_families.lag_records),
    Family::new(
        "kafka_group_partition_lag_seconds",
        "Age of the oldest record of the partition that the group has not read; absent when it cannot be told.",
        Values::Partition(|it| match it.time {
            TimeView::Known(time) => Some(Value::Millis(time.age_ms)),
            TimeView::Absent | TimeView::Unknown(_) => None,
        }),
    )
    .only_if(|cluster| cluster.partition_families.lag_seconds),
    Family::new(
        "kafka_group_partition_committed_offset",
        "The next record that the group would read; absent while it never committed on the partition.",
        Values::Partition(|it| it.committed.map(Value::from)),
    )
    .only_if(|cluster| cluster.partition_families.committed_offset),
    Family::new(
        "kafka_group_partition_stalled_seconds",
        "How long there has been readable lag without the committed offset moving; 0 without readable lag.",
        Values::Partition(|it| it.stalled_seconds.and_then(Value::seconds)),
    )
    .only_if(|cluster| cluster.partition_families.stalled_seconds),
    Family::new(
        "kafka_group_partition_lost_records",
        "Records that retention took before the group read them; only where above 0.",
        Values::Partition(|it| it.lost().filter(|&lost| lost > 0).map(Value::from)),
    ),
    Family::new(
        "kafka_group_partition_commit_ahead_records",
        "How far the committed offset is beyond the log end; only where above 0.",
        Values::Partition(|it| it.ahead().filter(|&ahead| ahead > 0).map(Value::from)),
    ),
    Family::new(
        "kafka_group_partition_status",
        "1 for the present status of the partition; only where it is not ok.",
        Values::PartitionStatus,
    ),
    Family::new(
        "kafka_group_partition_owner_info",
        "1 for the member that the partition is assigned to; only for the groups that the configuration names.",
        Values::PartitionOwner,
    ),
];
