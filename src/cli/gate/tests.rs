//! Every way in which a gate is open or shut.

use super::*;
use crate::cli::ClusterArgs;
use crate::failure::Cause;
use crate::failure::Reason;
use crate::metrics::fixture;
use crate::model::GroupId;
use crate::model::GroupType;
use crate::model::LagTime;
use crate::model::TimeMethod;

fn args() -> CheckArgs {
    CheckArgs {
        cluster: ClusterArgs::default(),
        group: GroupId::from("g"),
        max_lag: Duration::from_secs(60),
        max_lag_records: None,
        wait: None,
    }
}

/// A group that lags by sixty records, the oldest of that age.
fn group(age_ms: u64) -> GroupView {
    let time = Some(LagTime {
        age_ms,
        error_ms: 0,
        method: TimeMethod::Record,
    });
    let mut topic = fixture::topic("t", vec![fixture::partition(0, 40, 0, 100)]);
    topic.lag_time = time;
    let mut group = fixture::group("g", vec![topic]);
    group.lag_time = time;
    group
}

fn changed(age_ms: u64, change: impl FnOnce(&mut GroupView)) -> GroupView {
    let mut group = group(age_ms);
    change(&mut group);
    group
}

fn judged(group: GroupView) -> String {
    judge(&fixture::snapshot("main", vec![group]), &args()).to_string()
}

#[test]
fn a_gate_is_open_up_to_the_very_limit_and_shut_beyond_it() {
    for (age_ms, told) in [
        (0, "ok: group \"g\" lags 0s, 60 records"),
        (1_500, "ok: group \"g\" lags 1s 500ms, 60 records"),
        (60_000, "ok: group \"g\" lags 1m, 60 records"),
        (60_001, "not ok: group \"g\" lags 1m, more than 1m"),
        (840_250, "not ok: group \"g\" lags 14m, more than 1m"),
    ] {
        assert_eq!(judged(group(age_ms)), told);
    }
}

#[test]
fn records_count_only_where_they_are_limited() {
    let of = |most| {
        let args = CheckArgs {
            max_lag_records: most,
            ..args()
        };
        judge(&fixture::snapshot("main", vec![group(5)]), &args).to_string()
    };
    assert_eq!(of(Some(60)), "ok: group \"g\" lags 5ms, 60 records");
    assert_eq!(of(Some(59)), "not ok: group \"g\" lags 60 records, more than 59");
    assert_eq!(of(None), "ok: group \"g\" lags 5ms, 60 records");
}

#[test]
fn no_lag_makes_up_for_a_bad_status() {
    for status in Status::ALL {
        let told = judged(changed(5, |group| group.status = status));
        let bad = ["stalled", "stopped", "lost", "unreadable"].contains(&status.as_str());
        assert_eq!(
            told.starts_with(&format!("not ok: group \"g\" is {status}: ")),
            bad,
            "{told}"
        );
        assert_eq!(told.starts_with("ok: "), !bad, "{told}");
    }
}

#[test]
fn what_is_unknown_is_not_ok() {
    for (group, told) in [
        (
            changed(5, |group| group.failure = Some(Cause::TimedOut)),
            "not ok: group \"g\" could not be read in the latest poll: REQUEST_TIMED_OUT",
        ),
        (
            changed(5, |group| group.kind = GroupType::Share),
            "not ok: group \"g\" is of type share, which commits no offsets and has no lag",
        ),
        (
            changed(5, |group| group.lag = None),
            "not ok: group \"g\" has no lag that can be told: not all of it could be read",
        ),
        (
            changed(5, |group| group.topics[0].partitions[0].fresh = false),
            "not ok: group \"g\" has no lag that can be told: not all of it could be read",
        ),
        (
            changed(5, |group| {
                group.topics.clear();
                group.lag = None;
            }),
            "not ok: group \"g\" has no lag: nothing is committed",
        ),
        (
            changed(5, |group| {
                group.topics[0].unknown_times = vec![(Reason::Authorization, 3)];
            }),
            "not ok: group \"g\" has 3 partitions whose lag in seconds cannot be told",
        ),
        (
            changed(5, |group| group.lag_time = None),
            "not ok: group \"g\" has a partition whose lag in seconds cannot be told",
        ),
    ] {
        assert_eq!(judged(group), told);
    }
}

#[test]
fn a_group_that_is_not_there_is_not_ok_and_neither_is_one_that_nobody_could_list() {
    let mut seen = fixture::snapshot("main", Vec::new());
    let failed = judge(&seen, &args()).to_string();
    assert_eq!(
        failed,
        "not ok: group \"g\" could not be read: OffsetFetch: REQUEST_TIMED_OUT (127.0.0.1:9092)"
    );
    seen.cycle.as_mut().expect("there").failures.clear();
    assert_eq!(judge(&seen, &args()).to_string(), "not ok: there is no group \"g\"");
}

#[test]
fn only_the_age_of_a_record_may_be_known_in_a_moment() {
    let of = |group| judge(&fixture::snapshot("main", vec![group]), &args());
    let undated = changed(5, |group| group.topics[0].unknown_times = vec![(Reason::EventTime, 1)]);
    assert!(matches!(of(undated), Gate::Unknown(_)));
    assert!(matches!(of(changed(5, |group| group.lag = None)), Gate::Shut(_)));
}
