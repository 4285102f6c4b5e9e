//! Families of a group, and of a topic of a group.

use super::Emit;
use super::Family;
use super::Values;
use crate::metrics::number::Value;
use crate::metrics::render::Scope;
use crate::model::GroupState;
use crate::model::Status;
use crate::snapshot::GroupTopicView;
use crate::snapshot::GroupView;
use crate::snapshot::MembersView;

pub(super) const TOPICS: &[Family] = &[
    Family::new(
        "kafka_group_topic_lag_records",
        "Sum over the partitions of the topic; absent while a committed partition that exists is unreadable.",
        Values::GroupTopic(|_, it| it.lag.map(Value::Count)),
    ),
    Family::new(
        "kafka_group_topic_lag_seconds",
        "The greatest lag in seconds of the partitions of the topic that have one.",
        Values::GroupTopic(|_, it| it.lag_time.map(|time| Value::Millis(time.age_ms))),
    ),
    Family::new(
        "kafka_group_topic_lag_seconds_unknown_partitions",
        "Partitions with lag whose seconds cannot be told, by reason; only where above 0.",
        Values::GroupTopicReasons(|it| &it.unknown_times),
    ),
    Family::new(
        "kafka_group_topic_uncommitted_partitions",
        "Partitions without a commit, of topics where the group has a commit or an assignment.",
        Values::GroupTopic(|_, it| it.uncommitted_partitions.map(Value::from)),
    ),
    Family::new(
        "kafka_group_topic_uncommitted_records",
        "Records that are now in the partitions without a commit.",
        Values::GroupTopic(|_, it| it.uncommitted_records.map(Value::Count)),
    ),
    Family::new(
        "kafka_group_topic_assigned_partitions",
        "Partitions that are assigned to a member.",
        Values::GroupTopic(|_, it| it.assigned_partitions.map(Value::from)),
    ),
    Family::new(
        "kafka_group_topic_unowned_partitions",
        "Partitions that no member has, though the group is not rebalancing and its members read others of the topic; only where above 0.",
        Values::GroupTopic(|_, it| it.unowned_partitions.filter(|&count| count > 0).map(Value::from)),
    ),
    Family::new(
        "kafka_group_topic_unreadable_partitions",
        "Committed partitions whose committed offset or log could not be read, by reason.",
        Values::GroupTopicReasons(|it| &it.unreadable),
    ),
    Family::new(
        "kafka_group_topic_consumed_records_total",
        "By how much the committed offsets went forward; rewinds are left out, and so are tidemark's own resets.",
        Values::GroupTopic(|group, it| counted(group, it, |it| it.consumed)),
    ),
    Family::new(
        "kafka_group_topic_lost_records_total",
        "Records that retention took before the group read them, while this process watched.",
        Values::GroupTopic(|group, it| counted(group, it, |it| it.lost)),
    ),
    Family::new(
        "kafka_group_topic_rewinds_total",
        "Commits that went down while this process watched.",
        Values::GroupTopic(|group, it| counted(group, it, |it| it.rewinds)),
    ),
    Family::new(
        "kafka_group_topic_retention_margin_ratio",
        "Lowest share of a partition's log that lies between its start and the commit: 1 is safe, 0 means that the next deletion takes unread records.",
        Values::GroupTopic(|_, it| it.retention_margin.and_then(Value::ratio)),
    ),
];

pub(super) const FAMILIES: &[Family] = &[
    Family::new(
        "kafka_group_lag_records",
        "Sum over the topics of the group; absent while an existing topic with a commit has none.",
        Values::Group(|it| it.lag.map(Value::Count)),
    ),
    Family::new(
        "kafka_group_readable_lag_records",
        "Sum of what could be read: a lower bound of the lag while something is unreadable.",
        Values::Group(|it| it.readable_lag.map(Value::Count)),
    ),
    Family::new(
        "kafka_group_lag_seconds",
        "The greatest lag in seconds of the group's partitions.",
        Values::Group(|it| it.lag_time.map(|time| Value::Millis(time.age_ms))),
    ),
    Family::new(
        "kafka_group_stalled_seconds",
        "The greatest stalled time of the group's partitions.",
        Values::Group(|it| it.stalled.map(Value::from)),
    ),
    Family::new(
        "kafka_group_members",
        "Members of the group.",
        Values::Group(|it| of_members(it, |members| u32::try_from(members.members.len()).ok())),
    ),
    Family::new(
        "kafka_group_idle_members",
        "Members without a partition; absent for groups that assign no partitions.",
        Values::Group(|it| of_members(it, |members| members.idle)),
    ),
    Family::new(
        "kafka_group_member_partitions_max",
        "Partitions of the most loaded member.",
        Values::Group(|it| of_members(it, |members| members.partitions_max)),
    ),
    Family::new(
        "kafka_group_member_partitions_min",
        "Partitions of the least loaded member.",
        Values::Group(|it| of_members(it, |members| members.partitions_min)),
    ),
    Family::new(
        "kafka_group_epoch",
        "Epoch of the group, of the types that have one (consumer, share, streams): counts changes of members and subscriptions.",
        Values::Group(|it| Value::id(it.epochs?.group)),
    ),
    Family::new(
        "kafka_group_assignment_epoch",
        "Epoch of the target assignment: below that of the group while a new one is computed.",
        Values::Group(|it| Value::id(it.epochs?.assignment)),
    ),
    Family::new(
        "kafka_group_member_epoch_min",
        "The lowest epoch that a member of the group has reached.",
        Values::Group(|it| Value::id(it.members.as_ref()?.epoch_min?)),
    ),
    Family::new(
        "kafka_group_members_behind",
        "Members that have not reached the epoch of the group.",
        Values::Group(|it| of_members(it, |members| members.behind)),
    ),
    Family::new(
        "kafka_group_partitions_pending",
        "Partitions whose present owner is not the one of the target assignment.",
        Values::Group(|it| of_members(it, |members| members.pending)),
    ),
    Family::new(
        "kafka_group_classic_members",
        "Members of a group of type consumer that still speak the classic protocol; absent where the broker does not say.",
        Values::Group(|it| of_members(it, |members| members.classic)),
    ),
    Family::new(
        "kafka_group_empty_seconds",
        "How long the group has had no members, as far as seen. Kafka drops its commits after offsets.retention.minutes.",
        Values::Group(|it| it.empty_for.map(Value::from)),
    ),
    Family::new(
        "kafka_group_state",
        "1 for the state that the group is in, 0 for the others of its type.",
        Values::GroupWith(&["state"], |_, it, emit| states(it, emit)),
    ),
    Family::new(
        "kafka_group_status",
        "1 for the worst status of the group's partitions, 0 for the others.",
        Values::GroupWith(&["status"], |_, it, emit| {
            for status in Status::ALL {
                emit(
                    &[("status", status.as_str())],
                    Value::from(u32::from(it.status == status)),
                );
            }
        }),
    ),
    Family::new(
        "kafka_group_info",
        "1; the type of the group, and its protocol or assignor.",
        Values::GroupWith(&["type", "protocol"], |_, it, emit| {
            emit(
                &[("type", &it.kind.to_string()), ("protocol", &it.protocol)],
                Value::Count(1),
            );
        }),
    ),
    Family::new(
        "kafka_group_coordinator_id",
        "Id of the broker that coordinates the group.",
        Values::Group(|it| it.coordinator.and_then(|broker| Value::id(broker.0))),
    ),
    Family::new(
        "kafka_group_rebalances_total",
        "Rebalances and changes of the assignment that were seen; one that is shorter than a poll may be missed.",
        Values::Group(|it| it.rebalances.map(Value::from)),
    ),
    Family::new(
        "kafka_group_lag_objective_seconds",
        "The greatest lag in seconds that the configured objective allows.",
        Values::GroupWith(&[], |scope, it, emit| {
            if let Some(objective) = scope.objective(it) {
                emit(&[], Value::from(objective.lag));
            }
        }),
    ),
    Family::new(
        "kafka_group_labels_info",
        "1; the labels of the configured objective.",
        Values::GroupWith(&["team", "severity"], |scope, it, emit| {
            if let Some(objective) = scope.objective(it) {
                let labels = [("team", &*objective.team), ("severity", &*objective.severity)];
                emit(&labels, Value::Count(1));
            }
        }),
    ),
];

/// Counters of commits mean nothing for groups that make none.
fn counted(group: &GroupView, topic: &GroupTopicView, count: fn(&GroupTopicView) -> u64) -> Option<Value> {
    group.kind.commits_offsets().then(|| Value::from(count(topic)))
}

fn of_members(group: &GroupView, figure: fn(&MembersView) -> Option<u32>) -> Option<Value> {
    group.members.as_ref().and_then(figure).map(Value::from)
}

/// The states of the group's type, and the present one when it is none of them.
fn states(group: &GroupView, emit: Emit<'_>) {
    let Some(present) = &group.state else { return };
    let mut one = |state: &GroupState| {
        emit(
            &[("state", &state.to_string())],
            Value::from(u32::from(state == present)),
        );
    };
    let usual = group.kind.states();
    usual.iter().for_each(&mut one);
    if !usual.contains(present) {
        one(present);
    }
}

impl Scope<'_> {
    /// The objective that covers the group.
    fn objective(&self, group: &GroupView) -> Option<&crate::config::Objective> {
        self.objectives.get(group.objective?)
    }
}
