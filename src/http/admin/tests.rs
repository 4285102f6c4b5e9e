use std::fs;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use percent_encoding::NON_ALPHANUMERIC;
use percent_encoding::percent_encode;
use serde_json::Value;
use serde_json::json;
use tokio::io::AsyncReadExt as _;
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpListener;
use tokio::net::TcpStream;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use super::*;
use crate::config::AdminToken;
use crate::config::Allow;
use crate::config::Patterns;
use crate::failure::Cause;
use crate::failure::ErrorCode;
use crate::http::Drained;
use crate::http::Limits;
use crate::http::Server;
use crate::metrics::ResetCounters;
use crate::model::GroupState;
use crate::model::UnixMillis;
use crate::reset::audit::Audit;
use crate::reset::fake::Cluster;
use crate::reset::fake::Step as At;
use crate::reset::fake::Twist;
use crate::reset::fake::member;

mod blocked;
mod turned_away;

const TOKEN: &str = "correct horse battery staple";

/// An admin listener on a real socket, before a cluster in memory.
struct Bench {
    cluster: Cluster,
    address: SocketAddr,
    clock: Clock,
    running: Running,
    shutdown: CancellationToken,
    server: JoinHandle<Drained>,
    log: PathBuf,
    _folder: tempfile::TempDir,
}

struct Answer {
    status: u16,
    head: String,
    body: Value,
}

impl Bench {
    async fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let log = folder.path().join("audit.jsonl");
        let token = |name: &str, token: &str| {
            let file = folder.path().join(name);
            fs::write(&file, token).expect("written");
            AdminToken {
                name: name.to_owned(),
                file,
            }
        };
        let config = config::Admin {
            listen: ([127, 0, 0, 1], 0).into(),
            tokens: vec![token("on-call", &format!("{TOKEN}\n")), token("robot", "beep")],
            allow: vec![Allow {
                cluster: "main".to_owned(),
                groups: Patterns::new(["g.*", "hard.*"]).expect("valid"),
            }],
            audit_log: log.clone(),
            require_reason: false,
            tls: None,
        };
        let cluster = Cluster::new(|world| {
            world.topic("orders", &[(0, 40), (0, 40)]);
            for group in ["g", "guarded?", "other"] {
                world.empty_group(group);
                world.commit(group, "orders", 0, 20);
                world.commit(group, "orders", 1, 30);
            }
        });
        let clock = Clock::stepped(UnixMillis(1_769_846_400_000));
        let counters = ResetCounters::new(["main".into()]);
        let resets =
            Resets::new(cluster.clone(), Some(Audit::new(log.clone())), clock.clone()).observed_by(Arc::new(counters));
        let admin = Admin::new(Arc::new(resets), &config, clock.clone());
        let running = admin.running();
        let listener = TcpListener::bind(config.listen).await.expect("a port");
        let address = listener.local_addr().expect("an address");
        let shutdown = CancellationToken::new();
        let stop = shutdown.clone();
        let server = Server::new(listener, admin, Limits::default(), None);
        let server = tokio::spawn(server.run(async move { stop.cancelled().await }, Duration::from_secs(5)));
        Self {
            cluster,
            address,
            clock,
            running,
            shutdown,
            server,
            log,
            _folder: folder,
        }
    }

    async fn send(&self, method: &str, path: &str, token: Option<&str>, body: &[u8]) -> TcpStream {
        let authorization = token.map_or_else(String::new, |token| format!("Authorization: Bearer {token}\r\n"));
        let head = format!(
            "{method} {path} HTTP/1.1\r\nHost: t\r\n{authorization}Content-Length: {}\r\nConnection: close\r\n\r\n",
            body.len()
        );
        let mut stream = TcpStream::connect(self.address).await.expect("connected");
        stream.write_all(head.as_bytes()).await.expect("sent");
        stream.write_all(body).await.expect("sent");
        stream
    }

    async fn ask(&self, method: &str, path: &str, token: Option<&str>, body: &[u8]) -> Answer {
        let mut stream = self.send(method, path, token, body).await;
        let mut bytes = Vec::new();
        stream.read_to_end(&mut bytes).await.expect("answered");
        let text = String::from_utf8(bytes).expect("UTF-8");
        let (head, body) = text.split_once("\r\n\r\n").expect("a head");
        assert!(
            head.to_ascii_lowercase().contains("content-type: application/json"),
            "{head}"
        );
        Answer {
            status: head[9..12].parse().expect("a status"),
            head: head.to_owned(),
            body: serde_json::from_str(body).expect("JSON"),
        }
    }

    async fn post(&self, group: &str, step: &str, body: &Value) -> Answer {
        self.ask("POST", &path(group, step), Some(TOKEN), body.to_string().as_bytes())
            .await
    }

    async fn planned(&self, group: &str) -> Value {
        let answer = self
            .post(group, "plan", &json!({"scope": "committed", "to": {"offset": 12}}))
            .await;
        assert_eq!(answer.status, 200, "{}", answer.body);
        answer.body
    }

    fn lines(&self) -> Vec<Value> {
        let text = fs::read_to_string(&self.log).unwrap_or_default();
        text.lines()
            .map(|line| serde_json::from_str(line).expect("JSON"))
            .collect()
    }

    fn committed(&self, group: &str) -> Vec<i64> {
        self.cluster.world().committed(group).into_values().collect()
    }
}

fn path(group: &str, step: &str) -> String {
    let group = percent_encode(group.as_bytes(), NON_ALPHANUMERIC);
    format!("/admin/v1/clusters/main/groups/{group}/reset/{step}")
}

fn confirmed(mut planned: Value, group: &str) -> Value {
    planned["confirm"] = group.into();
    planned
}

fn refused(answer: &Answer) -> (u16, &str) {
    assert!(
        answer.body["message"]
            .as_str()
            .is_some_and(|message| !message.is_empty()),
        "{}",
        answer.body
    );
    assert!(answer.body["details"].is_array(), "{}", answer.body);
    (answer.status, answer.body["error"].as_str().expect("a word"))
}

#[tokio::test]
async fn a_plan_its_execution_and_its_undo() {
    let bench = Bench::new().await;
    let planned = bench.planned("g").await;
    assert_eq!(bench.committed("g"), [20, 30]);
    let done = bench.post("g", "execute", &confirmed(planned.clone(), "g")).await;
    assert_eq!(done.status, 200, "{}", done.body);
    assert_eq!(
        done.body["results"],
        json!([
            {"topic": "orders", "partition": 0, "from": 20, "to": 12, "result": "done"},
            {"topic": "orders", "partition": 1, "from": 30, "to": 12, "result": "done"},
        ])
    );
    assert_eq!(
        (bench.committed("g"), bench.committed("other")),
        (vec![12, 12], vec![20, 30])
    );
    let again = bench.post("g", "execute", &confirmed(planned, "g")).await;
    assert_eq!((again.status, &again.body), (200, &done.body));
    let back = bench.post("g", "plan", &done.body["undo"]).await;
    assert_eq!(bench.post("g", "execute", &confirmed(back.body, "g")).await.status, 200);
    assert_eq!(bench.committed("g"), [20, 30]);
    assert!(
        done.head.to_ascii_lowercase().contains("cache-control: no"),
        "{}",
        done.head
    );
}

#[tokio::test]
async fn what_failed_half_way_is_a_502_with_every_partitions_result() {
    let bench = Bench::new().await;
    let planned = bench.planned("g").await;
    let denied = Err(Cause::Code(ErrorCode::TOPIC_AUTHORIZATION_FAILED));
    bench.cluster.twist(At::Write, 1, Twist::Answer(vec![Ok(()), denied]));
    let answer = bench.post("g", "execute", &confirmed(planned, "g")).await;
    assert_eq!(refused(&answer), (502, "commit_failed"));
    assert_eq!(
        answer.body["message"],
        "1 of 2 partitions are as ordered: look at the results, then send the same plan again to finish it, or plan the undo"
    );
    let row = json!({"topic": "orders", "partition": 1, "from": 30, "to": 12, "result": "TOPIC_AUTHORIZATION_FAILED"});
    assert_eq!(answer.body["details"], json!([row]));
    assert_eq!(
        (&answer.body["results"][0]["result"], &answer.body["results"][1]),
        (&json!("done"), &row)
    );
    assert!(answer.body["undo"]["to"]["offsets"].is_array() && answer.body["not_undoable"].is_array());
}

#[tokio::test]
async fn every_name_addresses_its_own_group_and_no_other() {
    let names = [
        "hard dc-1/tx",
        "hard/",
        "hard%2Fz",
        "hard/z",
        "hard%252Fz",
        "hard100%",
        "hard a?b=c&d",
        "hard+b",
        "hard b",
        "hardGrüße-消费",
        "hardA`1[[B, C]]",
        "hard\"q",
        "hard\\s",
        "hard\nbreak",
        "hard;x",
        "hard#y",
        "hard\u{0}",
    ];
    let bench = Bench::new().await;
    for (offset, name) in (0..).zip(names) {
        bench.cluster.world().empty_group(name);
        bench.cluster.world().commit(name, "orders", 0, offset);
    }
    for (offset, name) in (0..).zip(names) {
        let planned = bench
            .post(name, "plan", &json!({"scope": "committed", "to": {"offset": 40}}))
            .await
            .body;
        assert_eq!(
            (&planned["plan"]["group"], &planned["plan"]["partitions"][0]["from"]),
            (&json!(name), &json!(offset))
        );
        let answer = bench.post(name, "execute", &confirmed(planned, name)).await;
        assert_eq!(answer.status, 200, "{}", answer.body);
        let done = (0..)
            .zip(names)
            .map(|(other, _): (i64, _)| if other <= offset { 40 } else { other });
        let committed: Vec<_> = names.iter().flat_map(|name| bench.committed(name)).collect();
        assert_eq!(committed, done.collect::<Vec<_>>());
    }
    assert!(
        bench
            .lines()
            .iter()
            .all(|line| names.contains(&line["group"].as_str().expect("text")))
    );
}

#[tokio::test]
async fn a_group_that_is_not_utf8_is_not_mistaken_for_one_that_looks_like_it() {
    let bench = Bench::new().await;
    bench.cluster.world().empty_group("g\\xff");
    bench.cluster.world().commit("g\\xff", "orders", 0, 1);
    let answer = bench
        .ask(
            "POST",
            "/admin/v1/clusters/main/groups/g%ff/reset/plan",
            Some(TOKEN),
            br#"{"scope":"committed","to":"latest"}"#,
        )
        .await;
    assert_eq!(refused(&answer), (503, "cannot_verify"));
    assert_eq!(bench.lines()[0]["group_hex"], "67ff");
}

#[tokio::test]
async fn what_passes_the_token_is_recorded_by_name_and_the_token_is_nowhere() {
    let bench = Bench::new().await;
    bench.planned("g").await;
    bench.ask("POST", &path("other", "execute"), Some("beep"), b"{").await;
    bench
        .ask("POST", &path("g", "execute"), Some("beep"), &vec![b' '; BODY_LIMIT + 1])
        .await;
    let lines = bench.lines();
    let said: Vec<_> = lines
        .iter()
        .map(|line| (line["who"].as_str(), line["via"].as_str(), line["error"].as_str()))
        .collect();
    assert_eq!(
        said,
        [
            (Some("on-call"), Some("http"), None),
            (Some("robot"), Some("http"), Some("not_allowed")),
            (Some("robot"), Some("http"), Some("too_large")),
        ]
    );
    assert!(
        lines
            .iter()
            .all(|line| line["peer"].as_str().is_some_and(|peer| peer.starts_with("127.0.0.1:")))
    );
    let text = fs::read_to_string(&bench.log).expect("a log");
    assert!(!text.contains(TOKEN) && !text.contains("beep"));
}

#[tokio::test]
async fn a_client_that_hangs_up_stops_nothing_half_way_and_a_shutdown_waits_for_it() {
    let bench = Bench::new().await;
    let planned = bench.planned("g").await;
    // The write is answered only after the client has gone.
    bench.cluster.twist(At::Write, 1, Twist::WrittenInSilence);
    let began = Arc::new(tokio::sync::Notify::new());
    let begins = Arc::clone(&began);
    let commits = bench
        .cluster
        .world()
        .steps
        .iter()
        .filter(|step| **step == At::Commits)
        .count();
    bench
        .cluster
        .change(At::Commits, commits + 1, move |_| begins.notify_one());
    let client = bench
        .send(
            "POST",
            &path("g", "execute"),
            Some(TOKEN),
            confirmed(planned, "g").to_string().as_bytes(),
        )
        .await;
    began.notified().await;
    drop(client);
    bench.shutdown.cancel();
    assert_eq!(bench.server.await.expect("no panic"), Drained::Finished);
    bench.running.finished().await;
    assert_eq!(
        bench.cluster.world().committed("g").into_values().collect::<Vec<_>>(),
        [12, 12]
    );
    let text = fs::read_to_string(&bench.log).expect("a log");
    let last: Value = serde_json::from_str(text.lines().last().expect("a line")).expect("JSON");
    assert_eq!(
        (&last["event"], &last["result"]),
        (&json!("outcome"), &json!("executed"))
    );
}

#[tokio::test]
async fn a_second_execute_is_told_that_one_is_running() {
    let bench = Bench::new().await;
    let order = confirmed(bench.planned("g").await, "g");
    bench.cluster.twist(At::Write, 1, Twist::WrittenInSilence);
    let (first, second) = tokio::join!(bench.post("g", "execute", &order), bench.post("g", "execute", &order));
    let mut statuses = [first.status, second.status];
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 409]);
    assert_eq!(
        [first, second]
            .iter()
            .filter(|answer| answer.body["error"] == "busy")
            .count(),
        1
    );
}
