//! One group: its figures, members, topics and partitions.

use std::collections::BTreeMap;

use serde::Serialize;

use super::Source;
use super::absent::Absent;
use super::absent::Why;
use super::json::Date;
use super::json::Seconds;
use super::json::hex;
use super::member::Member;
use super::partition::Partition;
use super::partition::Time;
use super::past::Course;
use super::past::Happened;
use super::share::ShareTopic;
use super::share::share_topics;
use super::why::Rule;
use super::words::Words;
use crate::failure::Reason;
use crate::snapshot::GroupTopicView;
use crate::snapshot::GroupView;
use crate::snapshot::MembersView;
use crate::snapshot::TaskCounts;

/// One group, whole.
#[derive(Debug, Serialize)]
pub struct Group<'a> {
    pub(super) cluster: &'a str,
    #[serde(flatten)]
    pub(super) figures: Figures<'a>,
    #[serde(flatten)]
    words: Said,
    rule: Rule<'a>,
    events: Vec<Happened<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    history: Option<Course>,
    member_list: Option<Vec<Member<'a>>>,
    pub(super) topics: Vec<Topic<'a>>,
    /// Of share groups only: where other groups have commits, they have start offsets.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) share_topics: Option<Vec<ShareTopic<'a>>>,
}

/// What is told of a group in a list of groups.
#[derive(Debug, Serialize)]
pub(super) struct Figures<'a> {
    pub(super) group: &'a str,
    /// The bytes in hex, where they are not UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    group_bytes: Option<String>,
    #[serde(rename = "type")]
    pub(super) kind: String,
    protocol: &'a str,
    pub(super) state: Option<String>,
    pub(super) status: &'static str,
    pub(super) lag_records: Option<u128>,
    readable_lag_records: Option<u128>,
    #[serde(flatten)]
    pub(super) time: Time,
    stalled_seconds: Option<Seconds>,
    pub(super) members: Option<usize>,
    idle_members: Option<u32>,
    member_partitions_max: Option<u32>,
    member_partitions_min: Option<u32>,
    empty_seconds: Option<Seconds>,
    rebalances_total: Option<u64>,
    coordinator_id: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    group_epoch: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    assignment_epoch: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    topology_epoch: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    member_epoch_min: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    members_behind: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    partitions_pending: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    classic_members: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tasks: Option<TasksByRole>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) share_lag_records: Option<u128>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) share_lag_seconds: Option<Seconds>,
    #[serde(skip_serializing_if = "Option::is_none")]
    objective: Option<ObjectiveOf<'a>>,
    /// When the oldest figure here was read.
    read_at: Date,
    /// Kafka's name of the error, when the latest reading failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    error_code: Option<std::borrow::Cow<'static, str>>,
    #[serde(skip_serializing_if = "Absent::is_empty")]
    absent: Absent,
}

/// How many tasks a streams group has.
#[derive(Debug, Serialize)]
struct TasksByRole {
    active: u32,
    standby: u32,
    warmup: u32,
}

#[derive(Debug, Serialize)]
struct ObjectiveOf<'a> {
    lag_objective_seconds: Seconds,
    team: &'a str,
    severity: &'a str,
}

/// The verdict in words.
#[derive(Debug, Serialize)]
struct Said {
    verdict: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    to_be_ok: Option<String>,
    cures: Vec<Cure>,
}

#[derive(Debug, Serialize)]
struct Cure {
    what: String,
    command: String,
}

impl From<Words> for Said {
    fn from(words: Words) -> Self {
        let cure = |it: super::words::Cure| Cure {
            what: it.what,
            command: it.command,
        };
        Self {
            verdict: words.verdict,
            to_be_ok: words.to_be_ok,
            cures: words.cures.into_iter().map(cure).collect(),
        }
    }
}

/// One topic of a group.
#[derive(Debug, Serialize)]
pub(super) struct Topic<'a> {
    pub(super) topic: &'a str,
    /// `null`: nobody could say.
    exists: Option<bool>,
    lag_records: Option<u128>,
    #[serde(flatten)]
    time: Time,
    lag_seconds_unknown_partitions: BTreeMap<&'static str, u32>,
    uncommitted_partitions: Option<u32>,
    uncommitted_records: Option<u128>,
    assigned_partitions: Option<u32>,
    unowned_partitions: Option<u32>,
    unreadable_partitions: BTreeMap<&'static str, u32>,
    consumed_records_total: u64,
    lost_records_total: u64,
    rewinds_total: u64,
    retention_margin_ratio: Option<f64>,
    pub(super) partitions: Vec<Partition<'a>>,
    #[serde(skip_serializing_if = "Absent::is_empty")]
    absent: Absent,
}

impl<'a> Source<'a> {
    /// The whole group.
    pub fn group(self, view: &'a GroupView) -> Group<'a> {
        let members = view.members.as_ref();
        Group {
            cluster: &self.snapshot.cluster,
            figures: self.figures(view),
            words: self.words(view).into(),
            rule: view.into(),
            events: view.events.iter().map(Happened::from).collect(),
            history: Course::of(&view.trend),
            member_list: members.map(|it| it.members.iter().map(Member::from).collect()),
            topics: view.topics.iter().map(|topic| Topic::new(topic, view)).collect(),
            share_topics: view.share.as_deref().map(share_topics),
        }
    }

    pub(super) fn figures(self, view: &'a GroupView) -> Figures<'a> {
        let members = view.members.as_ref();
        Figures {
            group: &view.name,
            group_bytes: view.id.utf8().is_none().then(|| hex(view.id.bytes())),
            kind: view.kind.to_string(),
            protocol: &view.protocol,
            state: view.state.as_ref().map(ToString::to_string),
            status: view.status.as_str(),
            lag_records: view.lag,
            readable_lag_records: view.readable_lag,
            time: view.lag_time.into(),
            stalled_seconds: view.stalled.map(Seconds::from),
            members: members.map(|it| it.members.len()),
            idle_members: members.and_then(|it| it.idle),
            member_partitions_max: members.and_then(|it| it.partitions_max),
            member_partitions_min: members.and_then(|it| it.partitions_min),
            empty_seconds: view.empty_for.map(Seconds::from),
            rebalances_total: view.rebalances,
            coordinator_id: view.coordinator.map(|broker| broker.0),
            group_epoch: view.epochs.map(|epochs| epochs.group),
            assignment_epoch: view.epochs.map(|epochs| epochs.assignment),
            topology_epoch: view.epochs.and_then(|epochs| epochs.topology),
            member_epoch_min: members.and_then(|it| it.epoch_min),
            members_behind: members.and_then(|it| it.behind),
            partitions_pending: members.and_then(|it| it.pending),
            classic_members: members.and_then(|it| it.classic),
            tasks: members.and_then(|it| it.tasks).map(TasksByRole::from),
            share_lag_records: view.share.as_ref().and_then(|share| share.lag),
            share_lag_seconds: view
                .share
                .as_ref()
                .and_then(|share| share.lag_time())
                .and_then(|time| Seconds::new(time.seconds())),
            objective: self.objective(view),
            read_at: view.read_at.into(),
            error_code: view.failure.map(crate::failure::Cause::label),
            absent: absent_of_group(view),
        }
    }

    fn objective(self, view: &GroupView) -> Option<ObjectiveOf<'a>> {
        self.objectives.get(view.objective?).map(|it| ObjectiveOf {
            lag_objective_seconds: it.lag.into(),
            team: &it.team,
            severity: &it.severity,
        })
    }
}

impl From<TaskCounts> for TasksByRole {
    fn from(counts: TaskCounts) -> Self {
        Self {
            active: counts.active,
            standby: counts.standby,
            warmup: counts.warmup,
        }
    }
}

impl<'a> Topic<'a> {
    fn new(view: &'a GroupTopicView, group: &'a GroupView) -> Self {
        let members = group.members.as_ref();
        Self {
            topic: &view.name,
            exists: view.exists,
            lag_records: view.lag,
            time: view.lag_time.into(),
            lag_seconds_unknown_partitions: by_reason(&view.unknown_times),
            uncommitted_partitions: view.uncommitted_partitions,
            uncommitted_records: view.uncommitted_records,
            assigned_partitions: view.assigned_partitions,
            unowned_partitions: view.unowned_partitions,
            unreadable_partitions: by_reason(&view.unreadable),
            consumed_records_total: view.consumed,
            lost_records_total: view.lost,
            rewinds_total: view.rewinds,
            retention_margin_ratio: view.retention_margin,
            partitions: view.partitions.iter().map(|it| Partition::new(it, members)).collect(),
            absent: absent_of_topic(view, group),
        }
    }
}

fn by_reason(counts: &[(Reason, u32)]) -> BTreeMap<&'static str, u32> {
    counts.iter().map(|&(reason, count)| (reason.as_str(), count)).collect()
}

/// The reason that most partitions have.
fn commonest(counts: &[(Reason, u32)]) -> Option<Why> {
    counts
        .iter()
        .max_by_key(|(_, count)| count)
        .map(|&(reason, _)| Why::Unreadable(reason))
}

fn has_commit(topic: &GroupTopicView) -> bool {
    topic.partitions.iter().any(|it| it.committed.is_some()) || !topic.unreadable.is_empty()
}

fn why_no_lag(topic: &GroupTopicView, group: &GroupView) -> Why {
    if !group.kind.commits_offsets() {
        Why::NotApplicable
    } else if !has_commit(topic) && group.failure.is_none() {
        Why::NotCommitted
    } else {
        commonest(&topic.unreadable)
            .or_else(|| failed(group))
            .unwrap_or(Why::NotRead)
    }
}

fn failed(group: &GroupView) -> Option<Why> {
    group.failure.map(|cause| Why::Unreadable(cause.reason()))
}

/// Why figures of a group's topic are absent, by the names of the fields of the document.
pub fn absent_of_topic(view: &GroupTopicView, group: &GroupView) -> Absent {
    let no_lag = || why_no_lag(view, group);
    let unknown = || commonest(&view.unknown_times).unwrap_or_else(no_lag);
    let not_read = || failed(group).unwrap_or(Why::NotRead);
    let mut absent = Absent::default();
    absent.note("lag_records", view.lag.as_ref(), no_lag);
    absent.note("lag_seconds", view.lag_time.as_ref(), unknown);
    absent.note("uncommitted_partitions", view.uncommitted_partitions.as_ref(), no_lag);
    absent.note("uncommitted_records", view.uncommitted_records.as_ref(), no_lag);
    absent.note("assigned_partitions", view.assigned_partitions.as_ref(), not_read);
    absent.note("unowned_partitions", view.unowned_partitions.as_ref(), || {
        match view.assigned_partitions {
            Some(0) => Why::NotApplicable,
            _ => not_read(),
        }
    });
    absent.note("retention_margin_ratio", view.retention_margin.as_ref(), no_lag);
    absent
}

/// Why figures of a group are absent, by the names of the fields of the document.
pub fn absent_of_group(view: &GroupView) -> Absent {
    let failed = || failed(view).unwrap_or(Why::NotRead);
    let no_lag = || {
        let why: Vec<_> = view.topics.iter().map(|topic| why_no_lag(topic, view)).collect();
        let unreadable = why.iter().find(|why| matches!(why, Why::Unreadable(_)));
        match (view.kind.commits_offsets(), unreadable.or(why.first())) {
            (false, _) => Why::NotApplicable,
            (true, Some(why)) => *why,
            (true, None) if view.failure.is_some() => failed(),
            (true, None) => Why::NotCommitted,
        }
    };
    let unknown = || {
        let unknown = view.topics.iter().find_map(|topic| commonest(&topic.unknown_times));
        unknown.unwrap_or_else(no_lag)
    };
    let mut absent = Absent::default();
    absent.note("state", view.state.as_ref(), failed);
    absent.note("lag_records", view.lag.as_ref(), no_lag);
    absent.note("readable_lag_records", view.readable_lag.as_ref(), no_lag);
    absent.note("lag_seconds", view.lag_time.as_ref(), unknown);
    absent.note("stalled_seconds", view.stalled.as_ref(), no_lag);
    absent.note("members", view.members.as_ref(), failed);
    absent.note("coordinator_id", view.coordinator.as_ref(), failed);
    absent.note("rebalances_total", view.rebalances.as_ref(), || Why::NotApplicable);
    absent_members(view, &mut absent);
    absent
}

fn absent_members(view: &GroupView, absent: &mut Absent) {
    let none = MembersView::default();
    let members = view.members.as_ref();
    let why = || match members {
        None => failed(view).unwrap_or(Why::NotRead),
        Some(it) if it.members.is_empty() && view.kind.assigns_partitions() => Why::NoMembers,
        Some(_) => Why::NotApplicable,
    };
    let it = members.unwrap_or(&none);
    absent.note("idle_members", it.idle.as_ref(), why);
    absent.note("member_partitions_max", it.partitions_max.as_ref(), why);
    absent.note("member_partitions_min", it.partitions_min.as_ref(), why);
    absent.note("empty_seconds", view.empty_for.as_ref(), || match members {
        Some(it) if !it.members.is_empty() => Why::HasMembers,
        _ => failed(view).unwrap_or(Why::NotRead),
    });
}
