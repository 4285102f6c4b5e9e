//! What a cycle heard + what is remembered → the next snapshot. Pure: the same observation and history give the same snapshot.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use crate::failure::Api;
use crate::failure::Cause;
use crate::failure::ErrorCode;
use crate::failure::Failure;
use crate::failure::Reason;
use crate::model::GroupId;
use crate::model::Moment;
use crate::model::TopicName;
use crate::observation::Calls;
use crate::observation::GroupReading;
use crate::observation::Observation;
use crate::observation::TopicReading;
use crate::time::Timelines;
use crate::verdict;

use super::group;
use super::history::GroupHistory;
use super::history::History;
use super::topic;
use super::view::CycleView;
use super::view::GroupView;
use super::view::Snapshot;
use super::view::Totals;

/// How many failures of a cycle are kept in words; the counters have them all.
const FAILURES_KEPT: usize = 8;

/// What evaluation must know of the configuration.
pub struct Settings {
    /// The cluster's name.
    pub cluster: Arc<str>,
    /// How windows and staleness are measured.
    pub verdict: verdict::Settings,
    /// Whose lag counts up to the last stable offset instead of the high watermark.
    pub read_committed: ReadsCommitted,
    /// Topics that a group with members left behind are left out.
    pub drop_left_topics: bool,
    /// Which objective covers a group.
    pub objective: ObjectiveOf,
}

/// Whether the lag of a group counts up to the last stable offset.
pub type ReadsCommitted = Box<dyn Fn(&GroupId) -> bool + Send + Sync>;

/// Finds the objective of a group: its place in the configured list.
pub type ObjectiveOf = Box<dyn Fn(&GroupId) -> Option<usize> + Send + Sync>;

/// What evaluating one group needs besides the group.
pub(super) struct Context<'a> {
    pub(super) now: Moment,
    pub(super) settings: &'a Settings,
    pub(super) topics: &'a HashMap<TopicName, TopicReading>,
    /// Names as text, made once per topic and shared by every group's view.
    pub(super) names: &'a HashMap<TopicName, Arc<str>>,
    pub(super) times: &'a Timelines,
}

impl Context<'_> {
    /// True when something read at `read_at` may still stand for a reading that failed.
    pub(super) fn still_good(&self, read_at: Duration) -> bool {
        self.now.mono.saturating_sub(read_at) <= self.settings.verdict.max_staleness
    }
}

/// Turns what a cycle heard into the next snapshot.
pub fn evaluate(history: &mut History, heard: Observation, settings: &Settings) -> Snapshot {
    let cycle = cycle_view(&heard);
    let clashes = &mut history.totals.name_clashes;
    topic::learn(&mut history.topics, &heard);
    for gone in &heard.gone {
        history.groups.remove(gone);
    }
    let context = Context {
        now: heard.finished,
        settings,
        topics: &heard.topics,
        names: &names(&heard),
        times: &history.timelines,
    };
    let groups = groups(&mut history.groups, heard.groups, &context);
    let groups = without_clashes(groups, |group| &group.name, |group| group.id.utf8().is_some(), clashes);
    let topics = topic::views(&history.topics, &context, clashes);
    history.count_cycle(&heard.calls, &cycle);
    if let Ok(brokers) = &heard.brokers {
        history.brokers = u32::try_from(brokers.len()).ok();
    }
    Snapshot {
        cluster: settings.cluster.clone(),
        cycle: Some(cycle),
        read_at: history.read_at,
        last_success: history.last_success,
        brokers: history.brokers,
        groups,
        topics,
        totals: history.totals.clone(),
    }
}

fn cycle_view(heard: &Observation) -> CycleView {
    let (read, unreadable) = count(&heard.groups);
    CycleView {
        started: heard.started,
        finished: heard.finished,
        up: heard.brokers.is_ok(),
        stages: heard.stages,
        groups_read: read,
        groups_excluded: u32::try_from(heard.excluded).unwrap_or(u32::MAX),
        groups_unreadable: unreadable,
        failures: failures(&heard.brokers, &heard.unlisted, &heard.calls),
    }
}

/// What is served before the first cycle has ended.
pub fn nothing_yet(cluster: Arc<str>) -> Snapshot {
    Snapshot {
        cluster,
        cycle: None,
        read_at: None,
        last_success: None,
        brokers: None,
        groups: Vec::new(),
        topics: Vec::new(),
        totals: Totals::default(),
    }
}

/// Errors that are answers: a commit left over on a topic that is no more is reported by what is shown of it, in every cycle; and who
/// may not see a topic's configuration is shown none.
pub(super) fn is_answer(api: Api, cause: Cause) -> bool {
    match (api, cause) {
        (Api::Metadata, Cause::Code(code)) => code == ErrorCode::UNKNOWN_TOPIC_OR_PARTITION,
        (Api::DescribeConfigs, cause) => cause.reason() == Reason::Authorization,
        _ => false,
    }
}

fn names(heard: &Observation) -> HashMap<TopicName, Arc<str>> {
    heard
        .topics
        .keys()
        .map(|topic| (topic.clone(), Arc::from(topic.to_string())))
        .collect()
}

fn count(groups: &[GroupReading]) -> (u32, u32) {
    let whole = |g: &&GroupReading| {
        g.description.is_ok() && !matches!(g.commits, Some(Err(_))) && !matches!(g.shares, Some(Err(_)))
    };
    let read = groups.iter().filter(whole).count();
    let number = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
    (number(read), number(groups.len() - read))
}

fn groups(
    known: &mut HashMap<GroupId, GroupHistory>,
    mut readings: Vec<GroupReading>,
    context: &Context<'_>,
) -> Vec<Arc<GroupView>> {
    // Readers of the same topic one after another: what is known of it stays at hand.
    readings.sort_by(|a, b| first_topic(a).cmp(&first_topic(b)));
    let mut views = Vec::with_capacity(readings.len());
    let mut kept = HashMap::with_capacity(readings.len());
    for reading in readings {
        let id = reading.listed.id.clone();
        let mut group = known
            .remove(&id)
            .unwrap_or_else(|| GroupHistory::new(reading.listed.clone()));
        views.push(group::evaluate(&mut group, reading, context));
        kept.insert(id, group);
    }
    // What was not read is not shown: the collector asks for every known group until its coordinator says that it is gone.
    *known = kept;
    views
}

fn first_topic(reading: &GroupReading) -> Option<&TopicName> {
    let commits = reading.commits.as_ref()?.as_ref().ok()?;
    commits.first().map(|commits| &commits.topic)
}

impl History {
    fn count_cycle(&mut self, calls: &Calls, cycle: &CycleView) {
        for (api, count) in &calls.requests {
            *self.totals.requests.entry(*api).or_default() += count;
        }
        let mut failed = false;
        for ((api, cause), count) in &calls.errors {
            if !is_answer(*api, *cause) {
                failed = true;
                *self
                    .totals
                    .errors
                    .entry((*api, cause.label().into_owned()))
                    .or_default() += count;
            }
        }
        match (cycle.up, failed) {
            (false, _) => self.totals.cycles_failed += 1,
            (true, true) => self.totals.cycles_partial += 1,
            (true, false) => self.totals.cycles_ok += 1,
        }
        if cycle.up {
            self.read_at = Some(cycle.finished);
        }
        if cycle.up && !failed {
            self.last_success = Some(cycle.finished.wall);
        }
    }
}

fn failures<T>(
    brokers: &Result<T, Failure>,
    unlisted: &[(crate::model::BrokerId, Failure)],
    calls: &Calls,
) -> Vec<Failure> {
    let mut told: Vec<Failure> = brokers.as_ref().err().cloned().into_iter().collect();
    told.extend(unlisted.iter().map(|(_, failure)| failure.clone()));
    let mut counted: Vec<_> = calls
        .errors
        .iter()
        .filter(|((api, cause), _)| !is_answer(*api, *cause))
        .collect();
    counted.sort();
    for ((api, cause), times) in counted {
        if !told
            .iter()
            .any(|failure| failure.api == *api && failure.cause == *cause)
        {
            told.push(Failure::because(*api, *cause, format_args!("{times} times")));
        }
    }
    told.truncate(FAILURES_KEPT);
    told
}

/// Sorts by the name that is shown. Where two names read alike the one that really is that text stays, and the others are counted.
pub(super) fn without_clashes<T>(
    mut items: Vec<T>,
    name: impl Fn(&T) -> &Arc<str>,
    is_text: impl Fn(&T) -> bool,
    clashes: &mut u64,
) -> Vec<T> {
    items.sort_by(|a, b| name(a).cmp(name(b)).then_with(|| is_text(b).cmp(&is_text(a))));
    let before = items.len();
    items.dedup_by(|later, first| name(later) == name(first));
    *clashes += u64::try_from(before - items.len()).unwrap_or(u64::MAX);
    items
}
