use std::fs;
use std::path::Path;
use std::path::PathBuf;
use std::sync::Mutex as StdMutex;

use serde_json::Value;
use serde_json::json;

use super::*;
use crate::failure::Cause;
use crate::failure::ErrorCode;
use crate::model::Offset;
use crate::model::UnixMillis;
use crate::reset::fake::Cluster;
use crate::reset::fake::Step;
use crate::reset::fake::Twist;
use crate::reset::fake::key;
use crate::reset::replay::Rate;

#[derive(Default)]
struct Told {
    endings: StdMutex<Vec<Ending>>,
    moved: StdMutex<Vec<(Key, Option<Offset>)>>,
}

impl Observer for Told {
    fn ended(&self, cluster: &str, ending: Ending) {
        assert_eq!(cluster, "main");
        self.endings.lock().expect("unpoisoned").push(ending);
    }

    fn moved(&self, cluster: &str, group: &GroupId, to: &[(Key, Option<Offset>)], who: &str) {
        assert_eq!((cluster, group.to_string().as_str(), who), ("main", "g\nx", "on-call"));
        self.moved.lock().expect("unpoisoned").extend_from_slice(to);
    }
}

struct Bench {
    cluster: Cluster,
    resets: Resets<Cluster>,
    told: Arc<Told>,
    log: PathBuf,
    _folder: tempfile::TempDir,
}

const GROUP: &str = "g\nx";

impl Bench {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let log = folder.path().join("audit.jsonl");
        Self::with_log(folder, log)
    }

    fn with_log(folder: tempfile::TempDir, log: PathBuf) -> Self {
        let cluster = Cluster::new(|world| {
            world.topic("orders", &[(0, 40), (0, 40)]);
            world.empty_group(GROUP);
            world.commit(GROUP, "orders", 0, 20);
            world.commit(GROUP, "orders", 1, 12);
        });
        let told = Arc::new(Told::default());
        let clock = Clock::stepped(UnixMillis(1_769_846_400_000));
        let resets = Resets::new(cluster.clone(), Some(Audit::new(log.clone())), clock)
            .observed_by(Arc::clone(&told) as Arc<dyn Observer>);
        Self {
            cluster,
            resets,
            told,
            log,
            _folder: folder,
        }
    }

    async fn plan(&self) -> Result<Planned, Refusal> {
        let body = br#"{"scope": "committed", "to": {"offset": 12}, "reason": "bad deploy"}"#;
        self.resets.plan(&caller(), &place(), Asked::parse(body)).await
    }

    async fn run(&self, planned: &Planned, confirm: &str) -> Result<Executed, Stopped> {
        let order = planned.clone().confirmed(confirm.to_owned());
        self.resets.execute(&caller(), &place(), Ok(order)).await
    }

    fn lines(&self) -> Vec<Value> {
        lines(&self.log)
    }

    fn endings(&self) -> Vec<Ending> {
        self.told.endings.lock().expect("unpoisoned").clone()
    }
}

fn lines(path: &Path) -> Vec<Value> {
    let text = fs::read_to_string(path).unwrap_or_default();
    text.lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect()
}

fn caller() -> Caller {
    Caller {
        who: "on-call".to_owned(),
        via: "http",
        peer: Some(([10, 0, 0, 1], 4711).into()),
        certificate: None,
    }
}

fn place() -> Place {
    Place {
        cluster: "main".to_owned(),
        group: GroupId::from(GROUP),
    }
}

#[tokio::test]
async fn a_plan_leaves_one_line_that_says_who_what_and_why() {
    let bench = Bench::new();
    let planned = bench.plan().await.expect("a plan");
    let mut lines = bench.lines();
    let attempt = lines[0]["attempt"].take();
    assert_eq!(attempt.as_str().map(str::len), Some(16));
    assert_eq!(
        lines,
        [json!({
            "time": "2026-01-31T08:00:00.000Z", "event": "plan", "result": "planned", "attempt": null,
            "who": "on-call", "via": "http", "peer": "10.0.0.1:4711", "cluster": "main", "group": "g\nx",
            "request": {"scope": "committed", "to": {"offset": 12}, "reason": "bad deploy"},
            "plan": planned.plan, "fingerprint": planned.fingerprint,
        })]
    );
    assert_eq!(bench.endings(), [Ending::Planned]);
}

#[tokio::test]
async fn an_execute_leaves_an_intent_with_the_undo_and_an_outcome() {
    let bench = Bench::new();
    let planned = bench.plan().await.expect("a plan");
    let log = bench.log.clone();
    // When the write comes, the intent is in the file, and no outcome is.
    bench.cluster.change(Step::Write, 1, move |_| {
        let lines = lines(&log);
        assert_eq!(lines.len(), 2);
        assert_eq!(
            (&lines[1]["event"], &lines[1]["result"]),
            (&json!("intent"), &Value::Null)
        );
    });
    let executed = bench.run(&planned, GROUP).await.expect("done");
    let lines = bench.lines();
    assert_eq!(lines.len(), 3);
    let (intent, outcome) = (&lines[1], &lines[2]);
    assert_eq!(intent["plan"], serde_json::to_value(&planned.plan).expect("JSON"));
    assert_eq!(intent["undo"], serde_json::to_value(&executed.undo).expect("JSON"));
    assert_eq!(
        intent["before"],
        json!([{"topic": "orders", "partition": 0, "offset": 20, "leader_epoch": 3, "metadata": "note 0"}])
    );
    assert_eq!(
        outcome["executed"]["results"][0],
        json!({"topic": "orders", "partition": 0, "from": 20, "to": 12, "result": "done"})
    );
    assert_eq!(
        (&outcome["event"], &outcome["result"]),
        (&json!("outcome"), &json!("executed"))
    );
    assert_eq!(
        (&intent["attempt"], &intent["who"]),
        (&outcome["attempt"], &outcome["who"])
    );
    assert_eq!(bench.endings(), [Ending::Planned, Ending::Executed]);
    // p1 was at 12 already.
    assert_eq!(
        *bench.told.moved.lock().expect("unpoisoned"),
        [(key("orders", 0), Offset::new(12))]
    );
}

#[tokio::test]
async fn a_refused_attempt_leaves_one_line_that_says_why() {
    let bench = Bench::new();
    let planned = bench.plan().await.expect("a plan");
    bench.run(&planned, "no").await.expect_err("a refusal");
    let refused = Err(Refusal::NotAllowed {
        cluster: "main".to_owned(),
        group: GroupId::from(GROUP),
    });
    bench
        .resets
        .execute(&caller(), &place(), refused.clone().map(|never: Order| never))
        .await
        .expect_err("a refusal");
    bench
        .resets
        .plan(&caller(), &place(), refused.map(|_| unreachable!()))
        .await
        .expect_err("a refusal");
    let lines = bench.lines();
    let said: Vec<_> = lines
        .iter()
        .map(|line| (line["event"].as_str(), line["result"].as_str(), line["error"].as_str()))
        .collect();
    assert_eq!(
        said,
        [
            (Some("plan"), Some("planned"), None),
            (Some("execute"), Some("refused"), Some("wrong_confirmation")),
            (Some("execute"), Some("refused"), Some("not_allowed")),
            (Some("plan"), Some("refused"), Some("not_allowed")),
        ]
    );
    assert_eq!(
        bench.endings(),
        [Ending::Planned, Ending::Refused, Ending::Refused, Ending::Refused]
    );
}

#[tokio::test]
async fn what_failed_half_way_is_in_the_outcome_partition_by_partition() {
    let bench = Bench::new();
    bench.cluster.world().commit(GROUP, "orders", 1, 30);
    let planned = bench.plan().await.expect("a plan");
    bench
        .cluster
        .twist(Step::Write, 1, Twist::Answer(vec![Ok(()), Err(Cause::TimedOut)]));
    bench.run(&planned, GROUP).await.expect_err("failed");
    let outcome = &bench.lines()[2];
    assert_eq!(
        (&outcome["result"], &outcome["error"]),
        (&json!("failed"), &json!("commit_failed"))
    );
    let results: Vec<_> = outcome["executed"]["results"]
        .as_array()
        .expect("rows")
        .iter()
        .map(|row| &row["result"])
        .collect();
    assert_eq!(results, ["done", "unknown"]);
    assert_eq!(bench.endings(), [Ending::Planned, Ending::Failed]);
}

#[tokio::test]
async fn an_intent_that_was_fenced_has_an_outcome_that_says_so() {
    let bench = Bench::new();
    let planned = bench.plan().await.expect("a plan");
    bench.cluster.twist(
        Step::Write,
        1,
        Twist::Answer(vec![Err(Cause::Code(ErrorCode::UNKNOWN_MEMBER_ID))]),
    );
    bench.run(&planned, GROUP).await.expect_err("a refusal");
    let lines = bench.lines();
    let said: Vec<_> = lines
        .iter()
        .map(|line| (line["event"].as_str(), line["result"].as_str(), line["error"].as_str()))
        .collect();
    assert_eq!(
        said[1..],
        [
            (Some("intent"), None, None),
            (Some("outcome"), Some("refused"), Some("group_active"))
        ]
    );
}

#[tokio::test]
async fn without_a_log_there_is_no_plan_and_no_write() {
    let bench = Bench::new();
    let planned = bench.plan().await.expect("a plan");
    let full = Bench::with_log(tempfile::tempdir().expect("a folder"), PathBuf::from("/dev/full"));
    assert_eq!(full.plan().await.expect_err("a refusal").word(), "audit_unavailable");
    let Err(Stopped::Refused(refusal)) = full.run(&planned, GROUP).await else {
        panic!("not refused")
    };
    assert_eq!(refusal.word(), "audit_unavailable");
    assert!(full.cluster.world().written.is_empty());
    assert_eq!(full.endings(), [Ending::Refused, Ending::Refused]);
}

#[tokio::test]
async fn a_log_that_fails_after_the_write_is_said_in_the_answer() {
    let bench = Bench::new();
    let planned = bench.plan().await.expect("a plan");
    let log = bench.log.clone();
    bench.cluster.change(Step::Write, 1, move |_| {
        fs::remove_file(&log).expect("removed");
        fs::create_dir(&log).expect("made");
    });
    let executed = bench.run(&planned, GROUP).await.expect("done");
    assert!(
        executed.warnings[0].starts_with("the outcome was not recorded"),
        "{:?}",
        executed.warnings
    );
}

#[tokio::test]
async fn a_group_that_is_not_utf8_is_recorded_by_its_bytes_too() {
    let bench = Bench::new();
    let at = Place {
        cluster: "main".to_owned(),
        group: GroupId::from(&b"a\xff"[..]),
    };
    let asked = Asked::parse(br#"{"scope": "committed", "to": "latest"}"#);
    assert_eq!(
        bench
            .resets
            .plan(&caller(), &at, asked)
            .await
            .expect_err("a refusal")
            .word(),
        "cannot_verify"
    );
    let line = &bench.lines()[0];
    assert_eq!((&line["group"], &line["group_hex"]), (&json!("a\\xff"), &json!("61ff")));
}

struct Seen;

impl Witness for Seen {
    fn read(&self, cluster: &str, group: &GroupId) -> Option<Rate> {
        let known = cluster == "main" && *group == GroupId::from(GROUP);
        let until = UnixMillis(1_769_846_300_000);
        known
            .then(|| Rate::new(replay::Of::Group, 60, std::time::Duration::from_secs(60), until))
            .flatten()
    }
}

#[tokio::test]
async fn a_replay_is_timed_by_what_the_group_was_seen_reading_or_else_by_what_was_written() {
    let bench = Bench::new();
    let replay = bench.plan().await.expect("a plan").replay.expect("a replay");
    assert_eq!(
        (replay.seconds, replay.rate),
        (None, None),
        "no record is dated in this cluster"
    );
    let clock = Clock::stepped(UnixMillis(1_769_846_400_000));
    let resets = Resets::new(bench.cluster.clone(), None, clock).witnessed_by(Arc::new(Seen));
    let body = br#"{"scope": "committed", "to": {"offset": 12}}"#;
    let planned = resets
        .plan(&caller(), &place(), Asked::parse(body))
        .await
        .expect("a plan");
    let records: u64 = planned.plan.partitions.iter().filter_map(|row| row.replayed).sum();
    let replay = planned.replay.clone().expect("a replay");
    assert!(records > 0);
    assert_eq!(
        (replay.seconds, replay.rate.map(|rate| rate.of)),
        (Some(records), Some(replay::Of::Group))
    );
    // It is no part of what is confirmed.
    let order = Planned {
        replay: None,
        ..planned
    }
    .confirmed(GROUP.to_owned());
    assert!(resets.execute(&caller(), &place(), Ok(order)).await.is_ok());
}

#[tokio::test]
async fn a_plan_that_replays_nothing_asks_nothing_for_it() {
    let bench = Bench::new();
    let body = br#"{"scope": "committed", "to": "latest"}"#;
    let planned = bench
        .resets
        .plan(&caller(), &place(), Asked::parse(body))
        .await
        .expect("a plan");
    assert_eq!(planned.replay, None);
    assert!(!bench.cluster.world().steps.contains(&Step::Times));
}
