//! The dashboards: generated, whole, and with something to say.

use std::collections::BTreeSet;
use std::fs;
use std::process::Command;

use serde_json::Value;
use tidemark::sim::story;
use tidemark::sim::story::Truth;

use super::names::Names;
use super::path;
use super::text;
use crate::support::Prometheus;
use crate::support::have;

/// Expressions that may stay empty, by a piece of them, and why.
const MAY_BE_EMPTY: [(&str, &str); 7] = [
    ("kafka_streams_group_tasks", "the demo has no streams group"),
    ("tidemark_resets_total", "the demo has no admin listener"),
    ("tidemark_kafka_errors_total", "nothing fails in the demo"),
    (
        "kafka_group_topic_lag_seconds_unknown_partitions",
        "every time is known in the demo",
    ),
    ("kafka_topic_retention_bytes", "no topic of the demo is limited by size"),
    ("tidemark_groups", "only while a poll has ended"),
    (
        "kafka_group_topic_rewinds_total{kafka_cluster=\"main\", topic=",
        "annotations mark what happens",
    ),
];

/// One panel.
struct Panel {
    board: String,
    title: String,
    expressions: Vec<String>,
    raw: Value,
}

fn boards() -> Vec<(String, Value)> {
    let files = fs::read_dir(path("dashboards")).expect("a folder");
    let files = files.map(|entry| entry.expect("an entry").path());
    let mut boards: Vec<_> = files
        .filter(|file| file.extension().is_some_and(|it| it == "json"))
        .map(|file| {
            let name = file.file_stem().expect("a name").to_string_lossy().into_owned();
            let board = fs::read_to_string(&file).expect("a file");
            (name, serde_json::from_str(&board).expect("JSON"))
        })
        .collect();
    boards.sort_by(|one, other| one.0.cmp(&other.0));
    boards
}

/// One of them by its name.
pub(super) fn board(name: &str) -> Value {
    serde_json::from_str(&text(&format!("dashboards/{name}.json"))).expect("JSON")
}

fn panels(name: &str, board: &Value) -> Vec<Panel> {
    let nested = |panel: &Value| panel["panels"].as_array().cloned().unwrap_or_default();
    let all = board["panels"].as_array().expect("panels");
    let all = all
        .iter()
        .flat_map(|panel| [vec![panel.clone()], nested(panel)].concat());
    all.filter(|panel| panel["type"] != "row")
        .map(|panel| Panel {
            board: name.to_owned(),
            title: panel["title"].as_str().expect("a title").to_owned(),
            expressions: panel["targets"]
                .as_array()
                .expect("targets")
                .iter()
                .map(|target| target["expr"].as_str().expect("an expression").to_owned())
                .collect(),
            raw: panel,
        })
        .collect()
}

/// Expressions of variables, with the label that is wanted of each.
fn variables(board: &Value) -> Vec<(String, String)> {
    let all = board["templating"]["list"].as_array().expect("a list").iter();
    let queries = all.filter_map(|it| it["query"]["query"].as_str());
    queries
        .map(|query| {
            let inside = query.strip_prefix("label_values(").and_then(|it| it.strip_suffix(')'));
            let (expression, label) = inside.and_then(|it| it.rsplit_once(", ")).expect("label_values");
            (expression.to_owned(), label.to_owned())
        })
        .collect()
}

fn annotations(board: &Value) -> Vec<String> {
    let all = board["annotations"]["list"].as_array().cloned().unwrap_or_default();
    all.iter()
        .filter_map(|it| Some(it["expr"].as_str()?.to_owned()))
        .collect()
}

#[test]
fn the_dashboards_are_what_their_source_makes() {
    let sdk = Command::new("python3")
        .args(["-c", "import grafana_foundation_sdk"])
        .output();
    if !have(&["python3"]) || !sdk.is_ok_and(|run| run.status.success()) {
        // As with every other tool that is missing, but this one is no program.
        assert!(
            std::env::var_os("TIDEMARK_TESTS_REQUIRE_ALL").is_none(),
            "pip install -r dashboards/requirements.txt"
        );
        return;
    }
    let run = Command::new("python3")
        .arg("-B")
        .arg(path("dashboards/source/generate.py"))
        .arg("--check")
        .output()
        .expect("python3 starts");
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
}

#[test]
fn every_metric_and_label_of_the_dashboards_exists() {
    let known = Names::all();
    let mut unknown = Vec::new();
    for (name, board) in boards() {
        let panels = panels(&name, &board).into_iter().flat_map(|panel| panel.expressions);
        let variables = variables(&board).into_iter().map(|(expression, _)| expression);
        for expression in panels.chain(variables).chain(annotations(&board)) {
            unknown.extend(known.unknown(&expression));
        }
    }
    assert_eq!(unknown, Vec::<String>::new());
}

#[test]
fn every_panel_says_what_it_shows_and_in_what_unit() {
    let all: Vec<_> = boards().iter().flat_map(|(name, board)| panels(name, board)).collect();
    assert!(all.len() > 50, "{}", all.len());
    for panel in all {
        let place = format!("{}: {}", panel.board, panel.title);
        assert!(
            panel.raw["description"].as_str().is_some_and(|it| it.len() > 10),
            "{place}"
        );
        let kind = panel.raw["type"].as_str().expect("a type");
        let unit = panel.raw["fieldConfig"]["defaults"]["unit"].is_string();
        assert!(unit || kind == "table" || kind == "state-timeline", "{place}");
        assert_eq!(panel.raw["datasource"]["uid"], "${datasource}", "{place}");
    }
}

/// Fast on a thousand groups: what is recorded, and nothing by partition.
#[test]
fn the_overview_asks_for_no_partition() {
    let board = text("dashboards/tidemark-overview.json");
    assert!(!board.contains("kafka_group_partition_") && !board.contains("kafka_topic_partition_"));
    assert!(!board.contains("kafka_group_topic_"));
}

#[test]
fn links_lead_to_dashboards_that_exist() {
    let known: BTreeSet<String> = boards().iter().map(|(_, board)| board["uid"].to_string()).collect();
    for (name, board) in boards() {
        assert_eq!(board["uid"], name.as_str());
        let text = board.to_string();
        for link in text.split("\"/d/").skip(1) {
            let uid = link.split('?').next().expect("a uid");
            assert!(known.contains(&format!("\"{uid}\"")), "{name}: {uid}");
        }
    }
}

/// What stands for the variables of Grafana while a test asks.
pub(super) fn filled(expression: &str, group: &str, topic: &str) -> String {
    expression
        .replace("$__rate_interval", "30s")
        .replace("$__interval", "30s")
        .replace("$cluster", "main")
        .replace("=~\"$topic\"", "=~\".*\"")
        .replace("$group", group)
        .replace("$topic", topic)
}

fn topics() -> BTreeSet<&'static str> {
    let truths = story::all().iter().flat_map(|story| story.truths);
    let topic = |truth: &Truth| match truth {
        Truth::Lag(topic, ..) | Truth::LagSeconds(topic, ..) | Truth::Lost(topic, _) | Truth::Uncommitted(topic, _) => {
            Some(*topic)
        }
        _ => None,
    };
    truths.filter_map(topic).collect()
}

/// Runs every expression of every panel and variable for every story; complains about errors, and about what is empty for all of them.
pub(super) fn all_say_something(prometheus: &Prometheus) {
    let mut empty = Vec::new();
    for (name, board) in boards() {
        for panel in panels(&name, &board) {
            for expression in &panel.expressions {
                let allowed = MAY_BE_EMPTY.iter().any(|(piece, _)| expression.contains(piece));
                if !says_something(prometheus, expression) && !allowed {
                    empty.push(format!("{name}: {}: {expression}", panel.title));
                }
            }
        }
        for (expression, label) in variables(&board) {
            let found = find(prometheus, &expression, |labels| labels.contains_key(&label));
            if !found {
                empty.push(format!("{name}: {label} of {expression}"));
            }
        }
        for expression in annotations(&board) {
            find(prometheus, &expression, |_| true);
        }
    }
    assert_eq!(empty, Vec::<String>::new());
}

fn says_something(prometheus: &Prometheus, expression: &str) -> bool {
    find(prometheus, expression, |_| true)
}

fn find(
    prometheus: &Prometheus,
    expression: &str,
    check: impl Fn(&std::collections::BTreeMap<String, String>) -> bool,
) -> bool {
    let groups: Vec<&str> = story::all().iter().map(|story| story.group).collect();
    let topics: Vec<&str> = topics().into_iter().collect();
    let count = groups.len().max(topics.len());
    let tries: BTreeSet<String> = (0..count)
        .map(|index| filled(expression, groups[index % groups.len()], topics[index % topics.len()]))
        .collect();
    tries.iter().any(|expression| {
        assert_eq!(prometheus.error(expression), None, "{expression}");
        let found = prometheus.query(expression).expect("an answer");
        found.iter().any(|(labels, _)| check(labels))
    })
}
