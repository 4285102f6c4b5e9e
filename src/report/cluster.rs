//! The clusters and how reading them goes.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Serialize;

use super::Source;
use super::json::Date;
use super::json::Seconds;
use crate::model::Status;
use crate::snapshot::CycleView;
use crate::snapshot::Totals;

/// Every cluster.
#[derive(Debug, Serialize)]
pub struct Clusters<'a> {
    clusters: Vec<Cluster<'a>>,
}

#[derive(Debug, Serialize)]
struct Cluster<'a> {
    cluster: &'a str,
    up: bool,
    read_at: Option<Date>,
    last_success: Option<Date>,
    brokers: Option<u32>,
    groups: usize,
    topics: usize,
    /// Groups by status; every status is there.
    statuses: BTreeMap<&'static str, usize>,
    cycle: Option<Cycle>,
    cycles_total: Results,
    /// Groups whose partitions `series_limit` keeps out of the metrics.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    series_dropped_groups: Vec<&'a str>,
}

#[derive(Debug, Serialize)]
struct Cycle {
    started: Date,
    finished: Date,
    duration_seconds: BTreeMap<&'static str, Seconds>,
    groups_read: u32,
    groups_excluded: u32,
    groups_unreadable: u32,
    /// The first few failures, in words.
    failures: Vec<String>,
}

#[derive(Debug, Serialize)]
struct Results {
    ok: u64,
    partial: u64,
    failed: u64,
    skipped: u64,
}

impl<'a> Clusters<'a> {
    /// The clusters, each with the groups whose partitions are left out of its metrics.
    pub fn new(clusters: impl IntoIterator<Item = (Source<'a>, &'a [Arc<str>])>) -> Self {
        let clusters = clusters
            .into_iter()
            .map(|(source, dropped)| Cluster::new(source, dropped));
        Self {
            clusters: clusters.collect(),
        }
    }
}

impl<'a> Cluster<'a> {
    fn new(Source { snapshot, .. }: Source<'a>, dropped: &'a [Arc<str>]) -> Self {
        let mut statuses: BTreeMap<_, _> = Status::ALL.iter().map(|status| (status.as_str(), 0)).collect();
        for group in &snapshot.groups {
            *statuses.entry(group.status.as_str()).or_default() += 1;
        }
        Self {
            cluster: &snapshot.cluster,
            up: snapshot.cycle.as_ref().is_some_and(|cycle| cycle.up),
            read_at: snapshot.read_at.map(Date::from),
            last_success: snapshot.last_success.map(Date::from),
            brokers: snapshot.brokers,
            groups: snapshot.groups.len(),
            topics: snapshot.topics.len(),
            statuses,
            cycle: snapshot.cycle.as_ref().map(Cycle::from),
            cycles_total: Results::from(&snapshot.totals),
            series_dropped_groups: dropped.iter().map(AsRef::as_ref).collect(),
        }
    }
}

impl From<&CycleView> for Cycle {
    fn from(view: &CycleView) -> Self {
        let stages = &view.stages;
        let stages = [
            ("metadata", stages.metadata),
            ("groups", stages.groups),
            ("members", stages.members),
            ("commits", stages.commits),
            ("ends", stages.ends),
            ("times", stages.times),
            ("total", stages.total),
        ];
        Self {
            started: view.started.into(),
            finished: view.finished.into(),
            duration_seconds: stages.into_iter().map(|(stage, took)| (stage, took.into())).collect(),
            groups_read: view.groups_read,
            groups_excluded: view.groups_excluded,
            groups_unreadable: view.groups_unreadable,
            failures: view.failures.iter().map(ToString::to_string).collect(),
        }
    }
}

impl From<&Totals> for Results {
    fn from(totals: &Totals) -> Self {
        Self {
            ok: totals.cycles_ok,
            partial: totals.cycles_partial,
            failed: totals.cycles_failed,
            skipped: totals.cycles_skipped,
        }
    }
}
