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
use crate::http::admin::Admin;
use crate::model::GroupState;
use crate::reset::Resets;
use crate::reset::audit::Audit;
use crate::reset::fake::Cluster;
use crate::reset::fake::Step;
use crate::reset::fake::Twist;
use crate::reset::fake::member;

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
        Way::Endpoint(Endpoint::new(&format!("http://{address}"), &token).expect("an endpoint"))
    }

    async fn listen(&self, token: &Path) -> SocketAddr {
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
        let server = Server::new(listener, admin, Limits::default(), None);
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
    assert!(
        out.starts_with('{') && err.starts_with("Plan for group \"g\""),
        "{out}{err}"
    );
    let (_, out, err) = bench
        .run(&bench.kafka(), true, &[&line[..], &["--output", "table"]].concat())
        .await;
    assert!(
        err.starts_with('{') && out.starts_with("Plan for group \"g\""),
        "{out}{err}"
    );
    assert!(out.contains("Replays 66 records in 3 partitions; skips 0."), "{out}");
}

#[tokio::test]
async fn a_plan_is_executed_and_the_way_back_is_in_a_file_either_way() {
    let bench = Bench::new();
    for way in [bench.kafka(), bench.endpoint().await] {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("plan.json");
        let planned = bench.plan(&way, &["--topic", "orders:0,2", "--to-earliest"]).await;
        fs::write(&file, planned.to_string()).expect("written");
        let line = ["execute", file.to_str().expect("text"), "--confirm", "g"];
        let (status, out, err) = bench.run(&way, false, &line).await;
        assert_eq!(status, ExitStatus::Done, "{out}{err}");
        assert_eq!(bench.committed(), [0, 21, 10]);
        let answer: Value = serde_json::from_str(&out).expect("JSON");
        assert_eq!(answer["results"].as_array().map(Vec::len), Some(2));
        let undo = folder.path().join("plan.undo.json");
        assert_eq!(err, format!("tidemark: the way back is in {}\n", undo.display()));
        let written: Value = serde_json::from_slice(&fs::read(&undo).expect("a file")).expect("JSON");
        assert_eq!(written, answer["undo"]);
        // The same again does no harm.
        assert_eq!(bench.run(&way, false, &line).await.0, ExitStatus::Done);
        assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 2);
        // And back.
        let back = bench.plan(&way, &["--from-file", undo.to_str().expect("text")]).await;
        let file = bench.file("back.json", &back.to_string());
        let line = ["execute", file.to_str().expect("text"), "--confirm", "g"];
        assert_eq!(bench.run(&way, false, &line).await.0, ExitStatus::Done);
        assert_eq!(bench.committed(), [20, 21, 40]);
    }
}

#[tokio::test]
async fn a_refusal_is_status_two_names_its_word_and_leaves_no_file_either_way() {
    let bench = Bench::new();
    for way in [bench.kafka(), bench.endpoint().await] {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("plan.json");
        fs::write(
            &file,
            bench.plan(&way, &["--committed", "--to-earliest"]).await.to_string(),
        )
        .expect("written");
        let (status, out, err) = bench
            .run(
                &way,
                false,
                &["execute", file.to_str().expect("text"), "--confirm", "another"],
            )
            .await;
        assert_eq!((status, out.as_str()), (ExitStatus::Refused, ""));
        assert_eq!(
            err,
            "tidemark: refused: wrong_confirmation: the confirmation \"another\" is not the name of the group, which is \"g\"\n"
        );
        assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 1);
        let (status, _, err) = bench
            .run(&way, false, &["plan", "--group", "h", "--committed", "--to-earliest"])
            .await;
        assert_eq!(status, ExitStatus::Refused);
        assert!(err.starts_with("tidemark: refused: unknown_group: "), "{err}");
    }
    assert_eq!(bench.committed(), [20, 21, 40]);
}

#[tokio::test]
async fn what_failed_half_way_is_status_one_and_keeps_the_way_back_either_way() {
    let bench = Bench::new();
    for (nth, way) in [(1, bench.kafka()), (2, bench.endpoint().await)] {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("plan.json");
        bench.cluster.world().commit("g", "orders", 0, 20);
        fs::write(
            &file,
            bench.plan(&way, &["--committed", "--to-earliest"]).await.to_string(),
        )
        .expect("written");
        bench.cluster.twist(Step::Write, nth, Twist::Answer(vec![Ok(())]));
        let (status, out, err) = bench
            .run(
                &way,
                false,
                &["execute", file.to_str().expect("text"), "--confirm", "g"],
            )
            .await;
        assert_eq!(status, ExitStatus::Failed, "{err}");
        let answer: Value = serde_json::from_str(&out).expect("JSON");
        let results: Vec<_> = answer["results"]
            .as_array()
            .expect("rows")
            .iter()
            .map(|row| &row["result"])
            .collect();
        assert_eq!(results, ["done", "unknown", "unknown"]);
        assert!(
            err.contains("commit_failed: 1 of 3 partitions are as ordered; of 2 no answer came"),
            "{err}"
        );
        assert!(folder.path().join("plan.undo.json").exists());
    }
}

#[tokio::test]
async fn a_blocked_plan_is_no_failure_and_waiting_lasts_until_the_group_is_empty() {
    let bench = Bench::new();
    let way = bench.kafka();
    bench.cluster.world().group(
        "g",
        "classic",
        "consumer",
        GroupState::Stable,
        vec![member("app", "h", None)],
    );
    let file = bench.planned_file(&way, &["--committed", "--to-earliest"]).await;
    let file = file.to_str().expect("text");
    let (status, _, err) = bench.run(&way, false, &["execute", file, "--confirm", "g"]).await;
    assert_eq!(status, ExitStatus::Refused);
    assert!(
        err.contains("group_active: group \"g\" is active: its state is Stable, it has 1 member: app on h."),
        "{err}"
    );
    // Empty at the second look.
    let looks = bench
        .cluster
        .world()
        .steps
        .iter()
        .filter(|step| **step == Step::Group)
        .count();
    bench
        .cluster
        .change(Step::Group, looks + 2, |world| world.empty_group("g"));
    let (status, _, err) = bench
        .run(&way, false, &["execute", file, "--confirm", "g", "--wait", "60s"])
        .await;
    assert_eq!(status, ExitStatus::Done, "{err}");
    assert!(err.starts_with("tidemark: waiting: group_active: "), "{err}");
    assert_eq!(bench.committed(), [0, 5, 10]);
}

#[tokio::test]
async fn waiting_ends() {
    let bench = Bench::new();
    let way = bench.kafka();
    let file = bench.planned_file(&way, &["--committed", "--to-earliest"]).await;
    bench.cluster.world().group(
        "g",
        "classic",
        "consumer",
        GroupState::Stable,
        vec![member("app", "h", None)],
    );
    let line = [
        "execute",
        file.to_str().expect("text"),
        "--confirm",
        "g",
        "--wait",
        "20ms",
    ];
    let (status, _, err) = bench.run(&way, false, &line).await;
    assert_eq!(status, ExitStatus::Refused);
    assert!(err.ends_with("nothing was changed\n"), "{err}");
    assert_eq!(bench.committed(), [20, 21, 40]);
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

#[tokio::test]
async fn an_endpoint_with_the_wrong_token_or_none_at_all_is_told_apart() {
    let bench = Bench::new();
    let address = bench.listen(&bench.file("token", "right")).await;
    let wrong = bench.file("wrong", "wrong");
    let way = Way::Endpoint(Endpoint::new(&format!("http://{address}/"), &wrong).expect("an endpoint"));
    let line = ["plan", "--group", "g", "--committed", "--to-earliest"];
    let (status, _, err) = bench.run(&way, false, &line).await;
    assert_eq!(status, ExitStatus::Refused);
    assert!(err.starts_with("tidemark: refused: unauthenticated: "), "{err}");
    // Nobody listens there: the port was just given back.
    let free = TcpListener::bind("127.0.0.1:0")
        .await
        .expect("a port")
        .local_addr()
        .expect("an address");
    let way = Way::Endpoint(Endpoint::new(&format!("http://{free}"), &wrong).expect("an endpoint"));
    let (status, _, err) = bench.run(&way, false, &line).await;
    assert_eq!(status, ExitStatus::Failed);
    assert!(err.contains("Connection refused"), "{err}");
}

#[test]
fn what_is_no_address_or_no_token_is_wrong_usage() {
    let folder = tempfile::tempdir().expect("a folder");
    let token = folder.path().join("token");
    fs::write(&token, "tok\nen").expect("written");
    let said = |url: &str| Endpoint::new(url, &token).err();
    assert!(said("http://h:1").is_some_and(|problem| problem.contains("no token that a header can carry")));
    fs::write(&token, "token\n").expect("written");
    assert!(said("https://h").is_none() && said("http://[::1]:9641/prefix/").is_none());
    for url in ["", "h:1", "ftp://h", "http://", "http://user:pw@h", "not a url"] {
        assert!(
            said(url).is_some_and(|problem| problem.starts_with("--admin ")),
            "{url}"
        );
    }
    let nobody = EndpointArgs::default();
    assert!(nobody.admin.is_none());
}
