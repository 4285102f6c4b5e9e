use std::fs;
use std::net::SocketAddr;
use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use clap::Parser;
use jiff::tz::TimeZone;
use serde_json::Value;
use serde_json::json;
use tokio::net::TcpListener;

use super::super::EndpointArgs;
use super::endpoint::Endpoint;
use super::*;
use crate::clock::Clock;
use crate::config;
use crate::config::AdminToken;
use crate::config::Allow;
use crate::config::Patterns;
use crate::http::Limits;
use crate::http::Server;
use crate::http::Tls;
use crate::http::admin::Admin;
use crate::model::GroupState;
use crate::reset::Resets;
use crate::reset::audit::Audit;
use crate::reset::fake::Cluster;
use crate::reset::fake::Step;
use crate::reset::fake::Twist;
use crate::reset::fake::member;

mod executing;
mod secure;
mod waiting;

#[derive(Debug, Parser)]
enum Typed {
    #[command(subcommand)]
    Reset(ResetCommand),
}

/// One run: status, stdout, stderr.
type Ran = (ExitStatus, String, String);

struct Bench {
    cluster: Cluster,
    folder: tempfile::TempDir,
}

impl Bench {
    fn new() -> Self {
        let cluster = Cluster::new(|world| {
            world.topic("orders", &[(0, 40), (5, 40), (10, 40)]);
            world.empty_group("g");
            world.commit("g", "orders", 0, 20);
            world.commit("g", "orders", 1, 21);
            world.commit("g", "orders", 2, 40);
        });
        let folder = tempfile::tempdir().expect("a folder");
        Self { cluster, folder }
    }

    fn file(&self, name: &str, text: &str) -> PathBuf {
        let path = self.folder.path().join(name);
        fs::write(&path, text).expect("written");
        path
    }

    fn log(&self) -> PathBuf {
        self.folder.path().join("audit.jsonl")
    }

    fn kafka(&self) -> Way<Cluster> {
        let resets = Resets::new(self.cluster.clone(), Some(Audit::new(self.log())), Clock::system());
        Way::Kafka(Box::new(resets), caller::this_user())
    }

    /// The same cluster behind an admin listener.
    async fn endpoint(&self) -> Way<Cluster> {
        let token = self.file("token", "correct horse\n");
        let address = self.listen(&token).await;
        Way::Endpoint(
            Endpoint::new(&format!("http://{address}"), &token, &EndpointArgs::default()).expect("an endpoint"),
        )
    }

    async fn listen(&self, token: &Path) -> SocketAddr {
        self.listen_with(token, None).await
    }

    async fn listen_with(&self, token: &Path, tls: Option<Tls>) -> SocketAddr {
        let config = config::Admin {
            listen: ([127, 0, 0, 1], 0).into(),
            tokens: vec![AdminToken {
                name: "on-call".to_owned(),
                file: token.to_owned(),
            }],
            allow: vec![Allow {
                cluster: "main".to_owned(),
                groups: Patterns::new([".*"]).expect("valid"),
            }],
            audit_log: self.log(),
            require_reason: false,
            tls: None,
        };
        let resets = Resets::new(self.cluster.clone(), Some(Audit::new(self.log())), Clock::system());
        let admin = Admin::new(Arc::new(resets), &config, Clock::system());
        let listener = TcpListener::bind(config.listen).await.expect("a port");
        let address = listener.local_addr().expect("an address");
        let server = Server::new(listener, admin, Limits::default(), tls);
        tokio::spawn(server.run(std::future::pending(), Duration::ZERO));
        address
    }

    async fn run(&self, way: &Way<Cluster>, watched: bool, line: &[&str]) -> Ran {
        let typed = ["tidemark", "reset"].iter().chain(line);
        let Typed::Reset(command) = Typed::try_parse_from(typed).expect("good usage");
        let (mut out, mut err) = (Vec::new(), Vec::new());
        let mut console = Console::new(&mut out, Box::new(&mut err), watched, TimeZone::UTC);
        let status = match &command {
            ResetCommand::Plan(args) => {
                let at = Place {
                    cluster: "main".to_owned(),
                    group: args.group.clone(),
                };
                plan(args, &at, way, &mut console).await
            }
            ResetCommand::Execute(args) => match read_plan(args) {
                Err(problem) => console.usage(&problem),
                Ok(planned) => {
                    let at = Place {
                        cluster: planned.plan.cluster.clone(),
                        group: GroupId::from(planned.plan.group.as_str()),
                    };
                    execute(args, planned, &at, way, &mut console).await
                }
            },
        };
        drop(console);
        let text = |bytes| String::from_utf8(bytes).expect("text");
        (status.expect("written"), text(out), text(err))
    }

    async fn plan(&self, way: &Way<Cluster>, line: &[&str]) -> Value {
        let (status, out, err) = self.run(way, false, &[&["plan", "--group", "g"], line].concat()).await;
        assert_eq!((status, err.as_str()), (ExitStatus::Done, ""), "{line:?}");
        serde_json::from_str(&out).expect("JSON")
    }

    async fn planned_file(&self, way: &Way<Cluster>, line: &[&str]) -> PathBuf {
        let planned = self.plan(way, line).await;
        self.file("plan.json", &planned.to_string())
    }

    fn committed(&self) -> Vec<i64> {
        self.cluster.world().committed("g").into_values().collect()
    }
}

fn targets(planned: &Value) -> Vec<Option<i64>> {
    let rows = planned["plan"]["partitions"].as_array().expect("rows");
    rows.iter().map(|row| row["to"].as_i64()).collect()
}

#[tokio::test]
async fn every_way_to_name_scope_and_target_is_planned() {
    let bench = Bench::new();
    let way = bench.kafka();
    for (line, expected) in [
        (&["--committed", "--to-offset", "33"][..], vec![33, 33, 33]),
        (&["--committed", "--to-earliest"], vec![0, 5, 10]),
        (&["--topic", "orders", "--to-latest"], vec![40, 40, 40]),
        (&["--topic", "orders:0,2", "--to-current"], vec![20, 40]),
        (
            &["--topic", "orders:0", "--topic", "orders:2", "--to-current"],
            vec![20, 40],
        ),
        (&["--committed", "--shift-by", "-7"], vec![13, 14, 33]),
        (&["--committed", "--shift-by", "11", "--clamp"], vec![31, 32, 40]),
        (
            &["--committed", "--to-datetime", "2100-01-01T00:00:00"],
            vec![40, 40, 40],
        ),
        (&["--committed", "--by-duration", "PT1H"], vec![40, 40, 40]),
    ] {
        let expected: Vec<_> = expected.into_iter().map(Some).collect();
        assert_eq!(targets(&bench.plan(&way, line).await), expected, "{line:?}");
    }
    assert_eq!(
        targets(&bench.plan(&way, &["--committed", "--forget"]).await),
        [None, None, None]
    );
    assert_eq!(bench.committed(), [20, 21, 40]);
}

#[tokio::test]
async fn topics_can_be_left_out() {
    let bench = Bench::new();
    bench.cluster.world().topic("other", &[(0, 9)]);
    bench.cluster.world().commit("g", "other", 0, 5);
    let planned = bench
        .plan(
            &bench.kafka(),
            &["--committed", "--exclude-topic", "orders", "--to-earliest"],
        )
        .await;
    assert_eq!(targets(&planned), [Some(0)]);
}

#[tokio::test]
async fn a_file_gives_each_partition_its_offset() {
    let bench = Bench::new();
    let way = bench.kafka();
    let full = bench.file("full.csv", "orders,0,1\n\"orders\",1,22\n\norders,2,40\n");
    let short = bench.file("short.csv", "0,1\n1,22\n2,40\n");
    let (full, short) = (full.to_str().expect("text"), short.to_str().expect("text"));
    for line in [&["--from-file", full][..], &["--topic", "orders", "--from-file", short]] {
        assert_eq!(targets(&bench.plan(&way, line).await), [Some(1), Some(22), Some(40)]);
    }
}

#[tokio::test]
async fn a_file_with_a_bad_line_gives_nothing_and_every_bad_line_is_named() {
    let bench = Bench::new();
    let file = bench.file("bad.csv", "orders,0,1\norders,x,2\n\norders,1\n");
    let line = ["plan", "--group", "g", "--from-file", file.to_str().expect("text")];
    let (status, out, err) = bench.run(&bench.kafka(), false, &line).await;
    assert_eq!((status, out.as_str()), (ExitStatus::Refused, ""));
    assert_eq!(
        err,
        format!(
            "tidemark: refused: invalid_request: {}: nothing is taken from it:\n  line 2: \"x\" is no partition\n  line 4: 2 fields, not \
             \"topic,partition,offset\"\n",
            file.display()
        )
    );
    assert!(bench.cluster.world().steps.is_empty());
}

#[tokio::test]
async fn what_makes_no_sense_is_wrong_usage() {
    let bench = Bench::new();
    let way = bench.kafka();
    for line in [
        &["--committed", "--to-datetime", "yesterday"][..],
        &["--committed", "--to-datetime", "2026-01-31"],
        &["--committed", "--by-duration", "2"],
        &["--topic", "orders:0", "--from-file", "/dev/null"],
        &["--from-file", "/nowhere/offsets.csv"],
    ] {
        let (status, out, err) = bench
            .run(&way, false, &[&["plan", "--group", "g"], line].concat())
            .await;
        assert_eq!((status, out.as_str()), (ExitStatus::Usage, ""), "{line:?}");
        assert!(err.starts_with("tidemark: "), "{err}");
    }
    let (status, _, err) = bench
        .run(&way, false, &["execute", "/nowhere/plan.json", "--confirm", "g"])
        .await;
    assert_eq!(
        (status, err.as_str()),
        (
            ExitStatus::Usage,
            "tidemark: /nowhere/plan.json: No such file or directory (os error 2)\n"
        )
    );
}

#[tokio::test]
async fn a_terminal_gets_the_other_form_on_stderr() {
    let bench = Bench::new();
    let line = ["plan", "--group", "g", "--committed", "--to-earliest"];
    let (_, out, err) = bench.run(&bench.kafka(), true, &line).await;
    // On a busy machine progress is told before.
    assert!(
        out.starts_with('{') && err.contains("Plan for group \"g\""),
        "{out}{err}"
    );
    let (_, out, err) = bench
        .run(&bench.kafka(), true, &[&line[..], &["--output", "table"]].concat())
        .await;
    assert!(
        err.contains("{\n") && out.starts_with("Plan for group \"g\""),
        "{out}{err}"
    );
    assert!(out.contains("Replays 66 records in 3 partitions; skips 0."), "{out}");
}

#[tokio::test]
async fn the_command_line_records_who_ran_it() {
    let bench = Bench::new();
    bench
        .plan(
            &bench.kafka(),
            &["--committed", "--to-earliest", "--reason", "bad deploy"],
        )
        .await;
    let text = fs::read_to_string(bench.log()).expect("a log");
    let line: Value = serde_json::from_str(&text).expect("one line");
    assert_eq!(
        (&line["via"], &line["request"]["reason"]),
        (&json!("cli"), &json!("bad deploy"))
    );
    assert!(line["who"].as_str().is_some_and(|who| !who.is_empty()));
}
