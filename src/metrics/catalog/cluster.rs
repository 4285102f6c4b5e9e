//! Families about tidemark itself: how reading each cluster goes, and the process.

use super::Emit;
use super::Family;
use super::Values;
use crate::metrics::number::Value;
use crate::metrics::render::Scope;

/// Told at the scrape: the age of what is served.
pub(in crate::metrics) const SNAPSHOT_AGE: &str = "tidemark_snapshot_age_seconds";
/// Told at the scrape: resets, which do not wait for a cycle.
pub(in crate::metrics) const RESETS: &str = "tidemark_resets_total";
/// Told by the `prometheus` crate.
pub(in crate::metrics) const BUILD_INFO: &str = "tidemark_build_info";
/// Told by the `prometheus` crate.
pub(in crate::metrics) const RELOAD_SUCCESSFUL: &str = "tidemark_config_last_reload_successful";
/// Told by the `prometheus` crate.
pub(in crate::metrics) const RELOAD_SUCCESS: &str = "tidemark_config_last_reload_success_timestamp_seconds";

pub(super) const FAMILIES: &[Family] = &[
    Family::new(
        "tidemark_up",
        "1 when the last cycle read something from the cluster.",
        Values::Cluster(&[], |scope, emit| {
            let up = scope.snapshot.cycle.as_ref().is_some_and(|cycle| cycle.up);
            emit(&[], Value::from(u32::from(up)));
        }),
    ),
    Family::new(
        "tidemark_last_success_timestamp_seconds",
        "End of the last cycle in which nothing failed.",
        Values::Cluster(&[], |scope, emit| {
            if let Some(millis) = scope.snapshot.last_success.and_then(|at| u64::try_from(at.0).ok()) {
                emit(&[], Value::Millis(millis));
            }
        }),
    ),
    Family::new(
        "tidemark_cycle_duration_seconds",
        "How long each stage of the last cycle took.",
        Values::Cluster(&["stage"], stages),
    ),
    Family::new(
        "tidemark_cycles_total",
        "Cycles by result: ok, partial (something failed), failed (nothing was read), skipped (the one before had not ended).",
        Values::Cluster(&["result"], |scope, emit| {
            let totals = &scope.snapshot.totals;
            emit(&[("result", "ok")], Value::from(totals.cycles_ok));
            emit(&[("result", "partial")], Value::from(totals.cycles_partial));
            emit(&[("result", "failed")], Value::from(totals.cycles_failed));
            emit(&[("result", "skipped")], Value::from(totals.cycles_skipped));
        }),
    ),
    Family::new(
        "tidemark_kafka_requests_total",
        "Requests to Kafka.",
        Values::Cluster(&["api"], |scope, emit| {
            for (api, &count) in &scope.snapshot.totals.requests {
                emit(&[("api", api.as_str())], Value::from(count));
            }
        }),
    ),
    Family::new(
        "tidemark_kafka_errors_total",
        "What Kafka refused or did not answer: whole requests, single groups, topics and partitions. The code is Kafka's own name or its number.",
        Values::Cluster(&["api", "code"], |scope, emit| {
            for ((api, code), &count) in &scope.snapshot.totals.errors {
                emit(&[("api", api.as_str()), ("code", code)], Value::from(count));
            }
        }),
    ),
    Family::new(
        "tidemark_groups",
        "Groups that the last cycle read, left out as configured, or could not read in full.",
        Values::Cluster(&["result"], |scope, emit| {
            if let Some(cycle) = &scope.snapshot.cycle {
                emit(&[("result", "read")], Value::from(cycle.groups_read));
                emit(&[("result", "excluded")], Value::from(cycle.groups_excluded));
                emit(&[("result", "unreadable")], Value::from(cycle.groups_unreadable));
            }
        }),
    ),
    Family::new(
        "tidemark_series_dropped_total",
        "What was left out: series by series_limit, counted anew in every cycle; groups and topics whose name would read like another's.",
        Values::Cluster(&["why"], |scope, emit| {
            emit(&[("why", "series_limit")], Value::from(scope.series_dropped));
            emit(
                &[("why", "name_clash")],
                Value::from(scope.snapshot.totals.name_clashes),
            );
        }),
    ),
    Family::new(
        SNAPSHOT_AGE,
        "Age of what is served, at the scrape.",
        Values::Scrape(&[]),
    ),
    Family::new(
        RESETS,
        "Offset resets by result: planned, executed, refused, failed. Only with an admin listener.",
        Values::Scrape(&["result"]),
    ),
    Family::new(
        BUILD_INFO,
        "1; the version of tidemark, and the revision it was built from where that is known.",
        Values::Process(&["version", "revision"]),
    ),
    Family::new(
        RELOAD_SUCCESSFUL,
        "1 when the configuration that was read last is in force; 0 when it was wrong and the one before goes on.",
        Values::Process(&[]),
    ),
    Family::new(
        RELOAD_SUCCESS,
        "When a configuration was last read and taken.",
        Values::Process(&[]),
    ),
];

fn stages(scope: &Scope<'_>, emit: Emit<'_>) {
    let Some(cycle) = &scope.snapshot.cycle else { return };
    let stages = &cycle.stages;
    for (stage, took) in [
        ("metadata", stages.metadata),
        ("groups", stages.groups),
        ("members", stages.members),
        ("commits", stages.commits),
        ("ends", stages.ends),
        ("times", stages.times),
        ("total", stages.total),
    ] {
        emit(&[("stage", stage)], Value::from(took));
    }
}
