//! One task per cluster: *poll → observe → evaluate → publish*. The task owns everything it remembers; others see one immutable
//! snapshot per cycle and never wait for Kafka.

mod cycle;
mod filter;
mod own_resets;
mod times;

pub use own_resets::Moved;
pub use own_resets::OwnResets;

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::clock::Clock;
use crate::config::Cluster;
use crate::config::Config;
use crate::config::Isolation;
use crate::config::LeftTopics;
use crate::config::Objective;
use crate::kafka::RecordTimes;
use crate::kafka::Survey;
use crate::observation::Observation;
use crate::snapshot;
use crate::snapshot::History;
use crate::snapshot::Settings;
use crate::snapshot::Snapshot;
use crate::time;
use crate::verdict;

use cycle::Cycle;

/// How often a topic's configuration is asked for: it hardly ever changes.
const CONFIGS_EVERY: Duration = Duration::from_secs(600);

/// Polls one cluster.
pub struct Poller<S, R> {
    cluster: Arc<Cluster>,
    survey: S,
    records: R,
    clock: Clock,
    interval: Duration,
    history: History,
    settings: Settings,
    own_resets: OwnResets,
    /// The latest snapshot. This task is the only sender; whoever shows the cluster holds a receiver.
    publish: watch::Sender<Arc<Snapshot>>,
    /// Whether the last cycle reached the cluster: a line is logged when that changes.
    was_up: Option<bool>,
}

impl<S: Survey, R: RecordTimes> Poller<S, R> {
    /// A poller of `cluster` by `survey` and `records`, and where its snapshots appear.
    pub fn new(
        config: &Config,
        cluster: Arc<Cluster>,
        (survey, records): (S, R),
        clock: Clock,
    ) -> (Self, watch::Receiver<Arc<Snapshot>>) {
        let (publish, snapshots) = watch::channel(Arc::new(snapshot::nothing_yet(cluster.name.clone())));
        let settings = settings(config, &cluster, &config.objectives);
        let interval = config.poll_interval;
        let history = History::new(time_settings(config, &cluster));
        (
            Self {
                cluster,
                survey,
                records,
                clock,
                interval,
                history,
                settings,
                own_resets: OwnResets::default(),
                publish,
                was_up: None,
            },
            snapshots,
        )
    }

    /// Polls until it is told to stop, and then ends between two cycles. A cycle that overruns its interval is followed by the next whole
    /// interval; the ones in between are counted as skipped, never stacked.
    pub async fn run(&mut self, stop: CancellationToken) {
        while !stop.is_cancelled() {
            let begun = self.clock.now().mono;
            self.poll().await;
            let taken = self.clock.now().mono.saturating_sub(begun);
            let intervals = whole_intervals(taken, self.interval);
            self.history.skipped(u64::from(intervals - 1));
            tokio::select! {
                () = stop.cancelled() => return,
                () = self.clock.sleep_until(begun + self.interval * intervals) => {}
            }
        }
    }

    /// Takes another configuration of the same cluster, between two cycles: counters, histories and last good readings stay, except those of
    /// what is no longer watched. [`GroupView::objective`](crate::snapshot::GroupView::objective) is a place in `objectives`, which has
    /// every objective of the configuration and may have more.
    pub fn reconfigure(&mut self, config: &Config, cluster: Arc<Cluster>, objectives: &[Objective]) {
        self.settings = settings(config, &cluster, objectives);
        self.interval = config.poll_interval;
        self.history.timelines.reconfigure(time_settings(config, &cluster));
        self.history.retain(
            |group| cluster.groups.lets_through(group.bytes()),
            |topic| cluster.topics.lets_through(topic.bytes()),
        );
        self.cluster = cluster;
    }

    /// Reads through these clients from the next cycle on.
    pub fn reconnect(&mut self, (survey, records): (S, R)) {
        self.survey = survey;
        self.records = records;
    }

    /// The cluster as it is configured.
    pub fn cluster(&self) -> &Arc<Cluster> {
        &self.cluster
    }

    /// Where resets of our own are told, so that they count as no progress.
    pub fn own_resets(&self) -> OwnResets {
        self.own_resets.clone()
    }

    /// One cycle.
    pub async fn poll(&mut self) {
        self.own_resets.before_reading(&mut self.history);
        let cycle = Cycle {
            survey: &mut self.survey,
            cluster: &self.cluster,
            clock: &self.clock,
            history: &self.history,
            deadline: Instant::now() + longest_cycle(self.interval, self.cluster.request_timeout),
        };
        let mut heard = cycle.observe().await;
        self.times(&mut heard).await;
        self.configs(&mut heard).await;
        self.own_resets.after_reading(&mut self.history, &heard);
        let snapshot = snapshot::evaluate(&mut self.history, heard, &self.settings);
        self.tell(&snapshot);
        self.publish.send_replace(Arc::new(snapshot));
    }

    /// The last stage: what the times of records are.
    async fn times(&mut self, heard: &mut Observation) {
        let begun = self.clock.now();
        let timelines = &mut self.history.timelines;
        times::tell(timelines, heard, &self.cluster);
        let budget = times::budget(self.interval, self.cluster.request_timeout);
        let (survey, records) = (&mut self.survey, &mut self.records);
        times::learn(timelines, survey, records, heard.finished, Instant::now() + budget).await;
        heard.calls.add(&self.survey.take_calls());
        heard.finished = self.clock.now();
        heard.stages.times = heard.finished.mono.saturating_sub(begun.mono);
        heard.stages.total += heard.stages.times;
    }

    /// Topic configuration, now and then: what retention there is.
    async fn configs(&mut self, heard: &mut Observation) {
        let due = self.history.take_due_configs(heard.finished, CONFIGS_EVERY);
        if due.is_empty() {
            return;
        }
        let deadline = Instant::now() + self.cluster.request_timeout;
        let configs = self.survey.configs(&due, deadline).await;
        heard.configs = due.into_iter().zip(configs).collect();
        heard.calls.add(&self.survey.take_calls());
    }

    /// One line for each change of health, one per cycle for who debugs.
    fn tell(&mut self, snapshot: &Snapshot) {
        let Some(cycle) = &snapshot.cycle else { return };
        let cluster = &*self.cluster.name;
        let failure = cycle.failures.first().map(ToString::to_string);
        match (cycle.up, self.was_up) {
            (true, Some(true)) | (false, Some(false)) => {}
            (true, _) => tracing::info!(cluster, groups = snapshot.groups.len(), "cluster is being read"),
            (false, _) => tracing::warn!(cluster, error = failure.as_deref(), "cluster cannot be read"),
        }
        self.was_up = Some(cycle.up);
        tracing::debug!(
            cluster,
            took = ?cycle.stages.total,
            read = cycle.groups_read,
            unreadable = cycle.groups_unreadable,
            error = failure.as_deref(),
            "polled"
        );
    }
}

fn time_settings(config: &Config, cluster: &Cluster) -> time::Settings {
    time::Settings {
        poll_interval: config.poll_interval,
        read: cluster.record_time.read,
        per_cycle: cluster.record_time.per_cycle,
    }
}

/// Without a rule no group's name is looked at.
fn reads_committed(cluster: &Cluster) -> snapshot::ReadsCommitted {
    if !cluster.knows_read_committed() {
        return Box::new(|_| false);
    }
    let cluster = cluster.clone();
    Box::new(move |group| cluster.isolation_of(group.bytes()) == Isolation::ReadCommitted)
}

/// `places` is the list that the found objective's place is told in.
fn settings(config: &Config, cluster: &Cluster, places: &[Objective]) -> Settings {
    let place = |objective: &Objective| places.iter().position(|it| it == objective);
    let objectives: Vec<(Objective, Option<usize>)> =
        config.objectives.iter().map(|it| (it.clone(), place(it))).collect();
    Settings {
        cluster: cluster.name.clone(),
        verdict: verdict::Settings {
            poll_interval: config.poll_interval,
            status_cycles: config.status_cycles,
            window_max: config.status_window_max,
            dormant_after: config.dormant_after,
            max_staleness: config.max_staleness,
        },
        read_committed: reads_committed(cluster),
        drop_left_topics: cluster.left_topics == LeftTopics::Drop,
        objective: Box::new(move |group| {
            let mut first = objectives.iter().filter(|(it, _)| it.groups.matches(group.bytes()));
            first.next()?.1
        }),
    }
}

/// A cycle may take its interval, and where that is shorter than a request may take, two requests one after the other.
fn longest_cycle(interval: Duration, request_timeout: Duration) -> Duration {
    interval.max(request_timeout * 2)
}

/// How many intervals from the begin of a cycle to the begin of the next.
fn whole_intervals(taken: Duration, interval: Duration) -> u32 {
    let nanos = interval.as_nanos().max(1);
    u32::try_from(taken.as_nanos().div_ceil(nanos))
        .unwrap_or(u32::MAX)
        .max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cycle_that_overruns_is_followed_by_the_next_whole_interval() {
        let seconds = Duration::from_secs;
        for (taken, intervals) in [(0, 1), (5, 1), (15, 1), (16, 2), (30, 2), (31, 3)] {
            assert_eq!(whole_intervals(seconds(taken), seconds(15)), intervals, "{taken} s");
        }
    }
}
