//! Pictures for tests.

use std::sync::Arc;

use serde_json::Value;
use serde_json::json;

use super::command::PlanCommand;
use super::picture;
use super::picture::Cluster;
use super::picture::Key;
use super::picture::Opened;
use super::picture::Picture;
use super::state::State;

/// A group as a list of groups has it; `more` replaces fields.
pub(super) fn group(name: &str, status: &str, more: Value) -> Value {
    let mut group = json!({
        "group": name, "type": "classic", "protocol": "range", "state": "Stable", "status": status, "lag_records": 0,
        "lag_seconds": 0.0, "stalled_seconds": 0.0, "members": 2, "empty_seconds": null,
        "absent": {"empty_seconds": "has_members"}
    });
    merge(&mut group, more);
    group
}

/// A partition; `more` replaces fields.
pub(super) fn partition(number: i32, status: &str, more: Value) -> Value {
    let mut partition = json!({
        "partition": number, "status": status, "committed_offset": 100, "start_offset": 0, "end_offset": 100, "lag_records": 0,
        "lag_seconds": 0.0, "lag_seconds_error": 0.0, "lag_seconds_method": "caught_up", "stalled_seconds": 0.0,
        "lost_records": 0, "commit_ahead_records": 0,
        "owner": {"member_id": "m", "client_id": "worker-1", "host": "10.0.0.7"}, "fresh": true
    });
    merge(&mut partition, more);
    partition
}

fn merge(into: &mut Value, more: Value) {
    let (Value::Object(into), Value::Object(more)) = (into, more) else {
        panic!("objects");
    };
    into.extend(more);
}

/// A cluster that was read without any failure.
pub(super) fn cluster(name: &str, groups: &[Value]) -> Cluster {
    troubled(name, true, &[], groups)
}

/// A cluster with failures.
pub(super) fn troubled(name: &str, up: bool, failures: &[&str], groups: &[Value]) -> Cluster {
    let health = json!({"clusters": [{
        "cluster": name, "up": up, "read_at": "2026-01-02T03:04:05.678Z", "cycle": {"failures": failures}
    }]});
    let health = picture::clusters(health.to_string().as_bytes()).unwrap().remove(0);
    let groups = picture::groups(json!({ "groups": groups }).to_string().as_bytes()).unwrap();
    Cluster {
        health,
        groups: Arc::new(groups),
    }
}

pub(super) fn picture(clusters: Vec<Cluster>) -> Picture {
    Picture { clusters, opened: None }
}

pub(super) fn key(cluster: &str, group: &str) -> Key {
    Key {
        cluster: cluster.into(),
        group: group.into(),
    }
}

/// A group, whole: its figures and its topics with their partitions.
pub(super) fn whole(figures: Value, topics: Vec<(&str, Vec<Value>)>) -> Opened {
    let topics = topics
        .into_iter()
        .map(|(topic, partitions)| json!({ "topic": topic, "partitions": partitions }));
    let mut document = figures;
    merge(&mut document, json!({ "topics": topics.collect::<Vec<_>>() }));
    Opened::Found(Box::new(picture::group(document.to_string().as_bytes()).unwrap()))
}

/// Groups of every kind of trouble, one of them with a name that would steer a terminal.
pub(super) fn motley() -> Picture {
    let groups = vec![
        group(
            "checkout",
            "ok",
            json!({"lag_records": 12, "lag_seconds": 0.4, "members": 3}),
        ),
        group(
            "payments",
            "stalled",
            json!({"lag_records": 8410, "lag_seconds": 840.25, "stalled_seconds": 720.0}),
        ),
        group(
            "invoice-mailer",
            "stopped",
            json!({"lag_records": 1_234_567, "lag_seconds": 90_000.0, "members": 0, "state": "Empty", "empty_seconds": 90_000.0}),
        ),
        group(
            "evil\x1b]0;x\x07\n",
            "unreadable",
            json!({"lag_records": null, "lag_seconds": null, "absent": {"lag_records": "timeout", "lag_seconds": "timeout"}}),
        ),
        group(
            "消费者",
            "behind",
            json!({"lag_records": 500, "lag_seconds": null, "absent": {"lag_seconds": "event_time"}}),
        ),
        group(
            "email-workers",
            "ok",
            json!({
                "type": "share", "lag_records": null, "lag_seconds": null,
                "absent": {"lag_records": "not_applicable", "lag_seconds": "not_applicable"}
            }),
        ),
        group(
            "old-dashboard",
            "dormant",
            json!({"lag_records": 77, "lag_seconds": 864_000.0, "members": 0, "state": "Empty"}),
        ),
    ];
    picture(vec![cluster("main", &groups)])
}

/// A state that knows nothing yet.
pub(super) fn state() -> State {
    State::new("http://127.0.0.1:9640".into(), PlanCommand::default())
}
