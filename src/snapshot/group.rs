//! One group: what stands, what is new, and what its topics add up to.

use std::collections::BTreeSet;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use crate::failure::Cause;
use crate::failure::Heard;
use crate::model::GroupType;
use crate::model::LagTime;
use crate::model::Partition;
use crate::model::Status;
use crate::model::TopicName;
use crate::observation::Description;
use crate::observation::GroupReading;
use crate::observation::TopicCommits;
use crate::observation::TopicShares;

use super::evaluate::Context;
use super::event::Happening;
use super::explained::explained;
use super::group_topic;
use super::group_topic::Holding;
use super::group_topic::Ownership;
use super::group_topic::readable_sum;
use super::happened;
use super::history::GroupHistory;
use super::members::Owners;
use super::members::kind;
use super::members::members;
use super::members::owners_are_moving;
use super::share;
use super::view::GroupTopicView;
use super::view::GroupView;
use super::view::MembersView;
use super::view::PartitionView;
use super::view::ShareView;
use super::view::TimeView;

/// The view of one group.
pub(super) fn evaluate(history: &mut GroupHistory, reading: GroupReading, context: &Context<'_>) -> Arc<GroupView> {
    let failure = failure(&reading);
    history.listed = reading.listed;
    let described = describe(history, reading.description, context);
    let kind = kind(&history.listed, described.as_deref(), history.had_members);
    let (members, owners) = match described.as_deref() {
        Some(description) => {
            let (view, owners) = members(description, &kind);
            (Some(view), owners)
        }
        None => (None, Owners::new()),
    };
    let ownership = ownership(described.as_deref());
    let left_behind = members.as_ref().is_some_and(|m| !m.members.is_empty()) && context.settings.drop_left_topics;
    let held = Held {
        owners,
        ownership,
        drop_left: left_behind,
        done_with: reading
            .shares
            .iter()
            .flatten()
            .map(|shares| share::done_with(shares))
            .next()
            .unwrap_or_default(),
    };
    let (topics, share) = match share_reading(&kind, reading.shares, &reading.commits) {
        Some(shares) => (
            Vec::new(),
            Some(share(history, shares, &held, described.as_deref(), context)),
        ),
        None => (topics(history, reading.commits, &held, context), None),
    };
    let mut view = view(
        history,
        context,
        Parts {
            kind,
            described,
            members,
            topics,
            share,
            failure,
        },
    );
    remember(history, &mut view, context);
    let view = Arc::new(view);
    history.view = Some(view.clone());
    view
}

/// What explains the group, what happened to it, and how its lag went.
fn remember(history: &mut GroupHistory, view: &mut GroupView, context: &Context<'_>) {
    let now = context.now;
    view.explained = explained(history, view, context);
    if let Some(before) = &history.view {
        happened::to_status(before, view, now, &mut history.chronicle);
    }
    view.events = history.chronicle.conclude(now.wall);
    let consumed = view.topics.iter().map(|topic| topic.consumed);
    let consumed = consumed.fold(0, u64::wrapping_add);
    let poll = context.settings.verdict.poll_interval;
    history.trend.observe(now, view.lag, consumed, poll);
    view.trend = history.trend.clone();
}

/// What the members have.
struct Held {
    owners: Owners,
    ownership: Ownership,
    /// Topics that nobody is assigned are left out.
    drop_left: bool,
    /// Of a share group: where nothing is left, by the broker's own count.
    done_with: HashMap<TopicName, Vec<Partition>>,
}

fn ownership(described: Option<&Description>) -> Ownership {
    match described {
        None => Ownership::Unknown,
        Some(description) if owners_are_moving(&description.state) => Ownership::Moving,
        Some(_) => Ownership::Known,
    }
}

struct Parts {
    kind: GroupType,
    described: Option<Arc<Description>>,
    members: Option<MembersView>,
    topics: Vec<GroupTopicView>,
    share: Option<Box<ShareView>>,
    failure: Option<Cause>,
}

/// What was heard of a share group; a group that could not be read at all was asked for nothing in particular.
fn share_reading(
    kind: &GroupType,
    shares: Option<Heard<Vec<TopicShares>>>,
    commits: &Option<Heard<Vec<TopicCommits>>>,
) -> Option<Heard<Vec<TopicShares>>> {
    match (kind, shares, commits) {
        (GroupType::Share, Some(shares), _) => Some(shares),
        (GroupType::Share, None, Some(Err(cause))) => Some(Err(*cause)),
        _ => None,
    }
}

fn share(
    history: &mut GroupHistory,
    heard: Heard<Vec<TopicShares>>,
    held: &Held,
    described: Option<&Description>,
    context: &Context<'_>,
) -> Box<ShareView> {
    let told = heard.as_deref().map(share::told).unwrap_or_default();
    let commits = heard.map(|shares| share::as_commits(&shares));
    let before = history.view.clone();
    let topics = topics(history, Some(commits), held, context);
    let before = before.as_deref().and_then(|view| view.share.as_deref());
    Box::new(share::view(topics, &told, before, described))
}

fn failure(reading: &GroupReading) -> Option<Cause> {
    let commits = reading.commits.as_ref().and_then(|commits| commits.as_ref().err());
    let shares = reading.shares.as_ref().and_then(|shares| shares.as_ref().err());
    reading.description.as_ref().err().or(commits).or(shares).copied()
}

/// The description that stands: the new one, or the last good one while it is not too old.
fn describe(history: &mut GroupHistory, heard: Heard<Description>, context: &Context<'_>) -> Option<Arc<Description>> {
    if let Ok(description) = heard {
        history.had_members |= !description.members.is_empty();
        let rebalances = history.watch.rebalances();
        history.watch.update(&description, context.now);
        if let Some((before, _)) = &history.description {
            happened::to_members(before, &description, &mut history.chronicle);
        }
        let times = history.watch.rebalances() - rebalances;
        if times > 0 {
            history.chronicle.note(Happening::Rebalanced { times });
        }
        history.description = Some((Arc::new(description), context.now));
    }
    let (description, at) = history.description.as_ref()?;
    context.still_good(at.mono).then(|| description.clone())
}

fn topics(
    history: &mut GroupHistory,
    heard: Option<Heard<Vec<TopicCommits>>>,
    held: &Held,
    context: &Context<'_>,
) -> Vec<GroupTopicView> {
    match heard {
        None => Vec::new(),
        Some(Ok(commits)) => {
            history.commits_at = Some(context.now);
            read_topics(history, &commits, held, context)
        }
        Some(Err(cause)) => standing_topics(history, cause, context),
    }
}

fn read_topics(
    history: &mut GroupHistory,
    commits: &[TopicCommits],
    held: &Held,
    context: &Context<'_>,
) -> Vec<GroupTopicView> {
    let names: BTreeSet<&TopicName> = commits
        .iter()
        .map(|c| &c.topic)
        .filter(|topic| !held.drop_left || held.owners.contains_key(*topic))
        .chain(held.owners.keys().filter(|topic| context.topics.contains_key(*topic)))
        .collect();
    history.topics.retain(|topic, _| names.contains(topic));
    let objective = (context.settings.objective)(&history.listed.id).is_some();
    let read_committed = (context.settings.read_committed)(&history.listed.id);
    let situation = history.watch.situation(context.now, objective);
    let before = history.view.clone();
    let mut views = Vec::with_capacity(names.len());
    for name in names {
        let committed = commits.binary_search_by(|c| c.topic.cmp(name));
        let holding = Holding {
            commits: committed.map_or(&[][..], |at| &commits[at].partitions),
            owners: held.owners.get(name).map_or(&[][..], Vec::as_slice),
            ownership: held.ownership,
            read_committed,
            done_with: held.done_with.get(name).map_or(&[], Vec::as_slice),
            situation,
        };
        let kept = history.topics.entry(name.clone()).or_default();
        let earlier = before
            .as_deref()
            .zip(kept.place)
            .and_then(|(view, place)| view.judged().get(place));
        kept.place = Some(views.len());
        let (view, moved) = group_topic::evaluate(name, &holding, kept, earlier, context);
        if let Some(earlier) = earlier {
            happened::to_topic(earlier, &view, &mut history.chronicle);
        }
        if moved {
            history.watch.progressed(context.now);
        }
        views.push(view);
    }
    views
}

/// The commits could not be read: everything stands as of the last good reading, until that is too old.
fn standing_topics(history: &GroupHistory, cause: Cause, context: &Context<'_>) -> Vec<GroupTopicView> {
    let Some(before) = &history.view else { return Vec::new() };
    let still_good = history.commits_at.is_some_and(|at| context.still_good(at.mono));
    before
        .judged()
        .iter()
        .map(|topic| {
            let mut topic = topic.clone();
            if still_good {
                topic.partitions.iter_mut().for_each(|p| p.fresh = false);
            } else {
                make_unreadable(&mut topic, cause);
            }
            topic
        })
        .collect()
}

/// What is too old is absent; only the number of partitions that cannot be read is still known. Counters stay.
fn make_unreadable(topic: &mut GroupTopicView, cause: Cause) {
    topic
        .partitions
        .retain(|p| p.committed.is_some() || p.unreadable.is_some());
    for view in &mut topic.partitions {
        *view = PartitionView {
            owner: None,
            committed: None,
            start: None,
            end: None,
            time: TimeView::Absent,
            stalled_seconds: None,
            status: Status::Unreadable,
            unreadable: Some(cause),
            at_open_transaction: false,
            fresh: true,
            ..*view
        };
    }
    topic.lag = None;
    topic.lag_time = None;
    topic.unknown_times.clear();
    topic.uncommitted_partitions = None;
    topic.uncommitted_records = None;
    topic.assigned_partitions = None;
    topic.unowned_partitions = None;
    topic.unreadable = vec![(
        cause.reason(),
        u32::try_from(topic.partitions.len()).unwrap_or(u32::MAX),
    )];
    topic.retention_margin = None;
}

fn view(history: &GroupHistory, context: &Context<'_>, parts: Parts) -> GroupView {
    let Parts {
        kind,
        described,
        members,
        topics,
        share,
        failure,
    } = parts;
    let never_read = (kind.commits_offsets() || share.is_some()) && history.commits_at.is_none();
    let judged = share.as_ref().map_or(&topics, |share| &share.topics);
    GroupView {
        name: history
            .view
            .as_ref()
            .map_or_else(|| history.listed.id.to_string().into(), |v| v.name.clone()),
        protocol: described
            .as_ref()
            .map_or_else(|| "".into(), |d| d.protocol.to_string().into()),
        state: described.as_ref().map(|d| d.state.clone()),
        coordinator: described
            .as_ref()
            .and_then(|_| history.listed.coordinators.first().copied()),
        epochs: described.as_ref().and_then(|d| d.epochs),
        lag: sum(&topics),
        readable_lag: topics
            .iter()
            .filter_map(|t| readable_sum(&t.partitions))
            .reduce(|a, b| a + b),
        lag_time: topics
            .iter()
            .filter_map(|t| t.lag_time)
            .max_by_key(|time: &LagTime| time.age_ms),
        stalled: stalled(judged),
        status: if never_read { Status::Unreadable } else { worst(judged) },
        rebalances: kind.assigns_partitions().then(|| history.watch.rebalances()),
        empty_for: described.as_ref().and_then(|_| history.watch.empty_for(context.now)),
        read_at: read_at(history, &kind, context),
        failure,
        objective: (context.settings.objective)(&history.listed.id),
        explained: Box::default(),
        events: Arc::default(),
        trend: Arc::default(),
        id: history.listed.id.clone(),
        kind,
        members,
        share,
        topics,
    }
}

/// `None` while an existing topic with a commit has no sum, and where nothing is committed.
pub(super) fn sum(topics: &[GroupTopicView]) -> Option<u128> {
    let committed = |t: &&GroupTopicView| {
        t.exists != Some(false)
            && t.partitions
                .iter()
                .any(|p| p.committed.is_some() || p.unreadable.is_some())
    };
    let mut counted = topics.iter().filter(committed).peekable();
    counted.peek()?;
    counted.map(|topic| topic.lag).sum()
}

fn stalled(topics: &[GroupTopicView]) -> Option<Duration> {
    let all = topics
        .iter()
        .flat_map(|topic| &topic.partitions)
        .filter_map(|p| p.stalled_seconds);
    all.max_by(f32::total_cmp).map(Duration::from_secs_f32)
}

fn worst(topics: &[GroupTopicView]) -> Status {
    topics
        .iter()
        .flat_map(|topic| &topic.partitions)
        .map(|p| p.status)
        .min()
        .unwrap_or(Status::Ok)
}

/// When the oldest figure shown was read.
fn read_at(history: &GroupHistory, kind: &GroupType, context: &Context<'_>) -> crate::model::Moment {
    let commits = if kind.commits_offsets() || *kind == GroupType::Share {
        history.commits_at
    } else {
        Some(context.now)
    };
    let described = history.description.as_ref().map(|(_, at)| *at);
    commits.into_iter().chain(described).min().unwrap_or(context.now)
}
