//! `docs/openapi.yaml`, held against real answers: of snapshots with everything odd in them, and of the demo's stories as they are told.

use std::collections::BTreeSet;

use boon::Compiler;
use boon::SchemaIndex;
use boon::Schemas;
use serde_json::Value;
use tokio::sync::oneshot;
use yaml_rust2::Yaml;
use yaml_rust2::YamlLoader;

use super::client::Running;
use super::client::scrape;
use super::client::soon;
use crate::app::App;
use crate::clock::Clock;
use crate::config::Flag;
use crate::config::Source;
use crate::config::load;
use crate::failure::Cause;
use crate::http::Limits;
use crate::metrics::fixture;
use crate::model::GroupType;
use crate::model::LagTime;
use crate::model::Partition;
use crate::model::TimeMethod;
use crate::observation::Epochs;
use crate::observation::MemberProtocol;
use crate::observation::Tasks;
use crate::sim::story;
use crate::snapshot::GroupView;
use crate::snapshot::ShareFigures;
use crate::snapshot::ShareView;
use crate::snapshot::Snapshot;
use crate::snapshot::TaskCounts;

const PAGE: &str = include_str!("../../../docs/openapi.yaml");
const AT: &str = "http://tidemark/openapi.json";
const PATHS: [(&str, &str); 3] = [
    ("/api/v1/clusters", "Clusters"),
    ("/api/v1/clusters/{cluster}/groups", "Groups"),
    ("/api/v1/clusters/{cluster}/groups/{group}", "Group"),
];

fn json(yaml: &Yaml) -> Value {
    match yaml {
        Yaml::Hash(fields) => {
            let field = |(key, value): (&Yaml, &Yaml)| (key.as_str().expect("a text as key").to_owned(), json(value));
            Value::Object(fields.iter().map(field).collect())
        }
        Yaml::Array(list) => list.iter().map(json).collect(),
        Yaml::String(text) => text.as_str().into(),
        Yaml::Integer(number) => (*number).into(),
        Yaml::Boolean(flag) => (*flag).into(),
        Yaml::Null => Value::Null,
        other => panic!("no such thing is in the file: {other:?}"),
    }
}

fn described() -> Value {
    let documents = YamlLoader::load_from_str(PAGE).expect("YAML");
    json(&documents[0])
}

/// The description, and every field that was seen in an answer.
struct Checker {
    schemas: Schemas,
    compiler: Compiler,
    seen: BTreeSet<String>,
}

impl Checker {
    fn new() -> Self {
        let mut compiler = Compiler::new();
        compiler.enable_format_assertions();
        compiler.add_resource(AT, described()).expect("a resource");
        Self {
            schemas: Schemas::new(),
            compiler,
            seen: BTreeSet::new(),
        }
    }

    fn schema(&mut self, name: &str) -> SchemaIndex {
        let place = format!("{AT}#/components/schemas/{name}");
        self.compiler
            .compile(&place, &mut self.schemas)
            .unwrap_or_else(|error| panic!("{name}: {error:#}"))
    }

    fn check(&mut self, name: &str, document: &Value) {
        let schema = self.schema(name);
        if let Err(error) = self.schemas.validate(document, schema) {
            panic!("{error:#}\n{document:#}");
        }
        note(document, &mut self.seen);
    }

    /// Every address of every cluster and group that a server has.
    async fn check_all(&mut self, get: impl AsyncFn(&str) -> Value) {
        let clusters = get("/api/v1/clusters").await;
        self.check("Clusters", &clusters);
        for cluster in clusters["clusters"].as_array().expect("a list") {
            let cluster = escaped(&cluster["cluster"]);
            let list = get(&format!("/api/v1/clusters/{cluster}/groups")).await;
            self.check("Groups", &list);
            for group in list["groups"].as_array().expect("a list") {
                let group = escaped(&group["group"]);
                let group = get(&format!("/api/v1/clusters/{cluster}/groups/{group}")).await;
                self.check("Group", &group);
            }
        }
    }
}

fn escaped(name: &Value) -> String {
    let name = name.as_str().expect("a name");
    percent_encoding::utf8_percent_encode(name, percent_encoding::NON_ALPHANUMERIC).to_string()
}

fn note(document: &Value, seen: &mut BTreeSet<String>) {
    match document {
        Value::Object(fields) => fields.iter().for_each(|(field, value)| {
            seen.insert(field.clone());
            note(value, seen);
        }),
        Value::Array(list) => list.iter().for_each(|value| note(value, seen)),
        _ => {}
    }
}

/// What the other fixtures have not.
fn rare() -> Snapshot {
    let mut group = fixture::group("rare", Vec::new());
    group.epochs = Some(Epochs {
        group: 3,
        assignment: 2,
        topology: Some(1),
    });
    let mut member = fixture::member(1);
    (member.epoch, member.instance_id) = (Some(3), Some("standing".into()));
    (member.target, member.protocol) = (Some(2), Some(MemberProtocol::Classic));
    member.tasks = Some(Box::new(Tasks {
        active: vec![("0".into(), vec![Partition(1)])],
        ..Tasks::default()
    }));
    let members = group.members.as_mut().expect("there");
    members.members = vec![member];
    (members.behind, members.pending, members.classic) = (Some(1), Some(1), Some(1));
    (members.epoch_min, members.tasks) = (Some(2), Some(TaskCounts::default()));
    let mut snapshot = fixture::snapshot("rare/ones", vec![group, share()]);
    snapshot.last_success = None;
    snapshot
}

fn share() -> GroupView {
    let mut denied = fixture::partition(1, 4, 0, 9);
    (denied.committed, denied.unreadable) = (None, Some(Cause::TimedOut));
    let mut topic = fixture::topic("shared", vec![fixture::partition(0, 4, 0, 9), denied]);
    let known = LagTime {
        age_ms: 3_000,
        error_ms: 0,
        method: TimeMethod::Record,
    };
    topic.lag_time = Some(known);
    let figures = |told| ShareFigures { told, members: Some(2) };
    let mut group = fixture::group("share", Vec::new());
    (group.kind, group.lag, group.readable_lag) = (GroupType::Share, None, None);
    group.share = Some(Box::new(ShareView {
        topics: vec![topic],
        figures: vec![vec![figures(Some(3)), figures(None)]],
        lag: Some(3),
    }));
    group
}

#[tokio::test]
async fn the_description_holds_for_whatever_can_be_said_and_describes_nothing_else() {
    let mut checker = Checker::new();
    let (handler, pollers) = scrape(vec![fixture::motley("main"), fixture::blank("new"), rare()]);
    pollers[0].send_modify(|latest| {
        let mut packed = crate::metrics::Packer::new(
            std::sync::Arc::new(crate::config::Cluster {
                series_limit: 1,
                ..fixture::cluster("main")
            }),
            "kafka_cluster".into(),
            fixture::objectives(),
        );
        latest.packed = std::sync::Arc::new(packed.pack(&latest.snapshot));
    });
    let server = Running::start(handler, Limits::default(), None, std::time::Duration::from_secs(5)).await;
    checker.check_all(async |path| server.get(path).await.json()).await;
    for (path, status) in [
        ("/api/v1/clusters/nope/groups", 404),
        ("/api/v1/clusters/main/groups/nope", 404),
        ("/api/v1/clusters/main/groups?x=1", 400),
        ("/api/v1/nope", 404),
    ] {
        let answer = server.get(path).await;
        assert_eq!(answer.status, status, "{path}");
        checker.check("Refusal", &answer.json());
    }
    let spare = described();
    let schemas = spare["components"]["schemas"].as_object().expect("schemas");
    for (name, schema) in schemas {
        let fields = schema["properties"].as_object().into_iter().flatten();
        for (field, _) in fields {
            assert!(
                checker.seen.contains(field),
                "{name} describes {field}, which nothing has"
            );
        }
    }
}

#[tokio::test]
async fn the_description_holds_for_the_demos_stories() {
    let clock = Clock::system();
    let cluster = story::start(None, clock.clone(), 1).expect("brokers");
    let flag = |key, value: &str| Flag {
        name: "test",
        key,
        value: value.to_owned(),
    };
    let flags = [flag("listen", "127.0.0.1:0"), flag("poll_interval", "1s")];
    let config = load(&Source::Brokers(cluster.bootstrap()), &flags, Vec::new()).expect("a configuration");
    let app = App::build(&config.config, clock).await.expect("a port");
    let address = app.address();
    let (stop, stopped) = oneshot::channel::<()>();
    let running = tokio::spawn(app.run(async {
        let _ = stopped.await;
    }));
    let get = async |path: &str| super::client::get(address, path).await;
    soon(async {
        while get("/-/ready").await.status != 200 {
            tokio::task::yield_now().await;
        }
    })
    .await;
    let mut checker = Checker::new();
    checker.check_all(async |path| get(path).await.json()).await;
    assert!(checker.seen.contains("committed_offset"), "no story was told");
    stop.send(()).expect("it runs");
    soon(running).await.expect("no panic").expect("a clean end");
}

#[test]
fn the_description_has_every_route_and_every_parameter() {
    let page = described();
    let paths: Vec<_> = page["paths"].as_object().expect("paths").keys().collect();
    assert_eq!(paths, PATHS.map(|(path, _)| path));
    for (path, schema) in PATHS {
        let content = &page["paths"][path]["get"]["responses"]["200"]["content"]["application/json"]["schema"];
        assert_eq!(content["$ref"], format!("#/components/schemas/{schema}"), "{path}");
    }
    let parameters = page["paths"][PATHS[1].0]["get"]["parameters"]
        .as_array()
        .expect("a list");
    let named: Vec<_> = parameters
        .iter()
        .filter(|it| it["in"] == "query")
        .map(|it| it["name"].as_str().expect("a name"))
        .collect();
    let refused = crate::http::query::parse("nope")
        .expect_err("no such parameter")
        .to_string();
    assert_eq!(
        refused,
        format!("no such parameter: nope; there are {}", named.join(", "))
    );
    let words = &page["components"]["schemas"]["Status"]["enum"];
    let statuses: Value = crate::model::Status::ALL
        .iter()
        .map(|it| Value::from(it.as_str()))
        .collect();
    assert_eq!(*words, statuses);
}
