//! Rules and runbook.

use std::collections::BTreeSet;
use std::fs;
use std::process::Command;

use serde_json::Value;

use super::names::Names;
use super::path;
use super::text;
use super::yaml;
use crate::support::have;

const RULES: [&str; 2] = [
    "deploy/prometheus/rules/recording.yml",
    "deploy/prometheus/rules/alerts.yml",
];
const RUNBOOK: &str = "https://github.com/tidemark/tidemark/blob/main/docs/alerts.md#";

/// Every rule of a file.
fn rules(file: &str) -> Vec<Value> {
    let groups = yaml(&text(file))["groups"].as_array().expect("groups").clone();
    let all = groups
        .iter()
        .flat_map(|group| group["rules"].as_array().expect("rules"));
    all.cloned().collect()
}

fn alerts() -> Vec<Value> {
    rules(RULES[1])
}

fn names() -> BTreeSet<String> {
    alerts().iter().map(name).collect()
}

fn name(alert: &Value) -> String {
    alert["alert"].as_str().expect("a name").to_owned()
}

/// A duration of the rules in seconds.
fn seconds(duration: &Value) -> u64 {
    let text = duration.as_str().expect("a duration");
    let (number, unit) = text.split_at(text.len() - 1);
    let unit = match unit {
        "s" => 1,
        "m" => 60,
        "h" => 3600,
        other => panic!("{other}"),
    };
    number.parse::<u64>().expect("a number") * unit
}

fn promtool(arguments: &[&str]) {
    let run = Command::new("promtool")
        .args(arguments)
        .output()
        .expect("promtool starts");
    let said = format!(
        "{}{}",
        String::from_utf8_lossy(&run.stdout),
        String::from_utf8_lossy(&run.stderr)
    );
    assert!(run.status.success(), "{said}");
}

/// The files of unit tests.
fn unit_tests() -> Vec<String> {
    let folder = fs::read_dir(path("deploy/prometheus/rules/tests")).expect("a folder");
    let files = folder.map(|entry| entry.expect("an entry").path().display().to_string());
    files.collect()
}

#[test]
fn promtool_accepts_the_rules_and_the_scrape_configuration() {
    if have(&["promtool"]) {
        for file in RULES {
            promtool(&["check", "rules", &path(file).display().to_string()]);
        }
        let scrape = path("deploy/prometheus/scrape.yml").display().to_string();
        promtool(&["check", "config", "--syntax-only", &scrape]);
    }
}

#[test]
fn every_alert_fires_waits_outlasts_gaps_and_restarts_and_resolves_in_promtool() {
    if have(&["promtool"]) {
        let files = unit_tests();
        assert!(files.len() >= 3, "{files:?}");
        let files = files.iter().map(String::as_str);
        promtool(&["test", "rules"].into_iter().chain(files).collect::<Vec<_>>());
    }
}

#[test]
fn amtool_accepts_the_example_of_alertmanager_which_names_alerts_that_exist() {
    let example = "deploy/prometheus/alertmanager.yml";
    let known = names();
    let config = yaml(&text(example));
    for rule in config["inhibit_rules"].as_array().expect("rules") {
        for side in ["source_matchers", "target_matchers"] {
            let matchers = rule[side].as_array().expect("matchers");
            let named = matchers.iter().filter_map(|it| it.as_str()?.strip_prefix("alertname="));
            for alert in named.flat_map(|named| named.trim_start_matches('~').trim_matches('"').split('|')) {
                assert!(known.contains(alert), "{alert}");
            }
        }
    }
    if have(&["amtool"]) {
        let run = Command::new("amtool").arg("check-config").arg(path(example)).output();
        let run = run.expect("amtool starts");
        assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    }
}

#[test]
fn every_metric_and_label_in_the_rules_exists() {
    let known = Names::all();
    let rules = RULES.iter().flat_map(|file| rules(file));
    let unknown: Vec<_> = rules
        .flat_map(|rule| known.unknown(rule["expr"].as_str().expect("an expression")))
        .collect();
    assert_eq!(unknown, Vec::<String>::new());
}

#[test]
fn every_alert_waits_outlasts_a_gap_and_says_what_is_wrong_where_to_look_and_what_to_do() {
    for alert in alerts() {
        let name = name(&alert);
        assert!(seconds(&alert["for"]) >= 300, "{name}");
        assert!(seconds(&alert["keep_firing_for"]) >= 600, "{name}");
        let notes = &alert["annotations"];
        assert_eq!(
            notes["runbook_url"],
            format!("{RUNBOOK}{}", name.to_lowercase()),
            "{name}"
        );
        for note in ["summary", "description", "page"] {
            assert!(
                notes[note].as_str().is_some_and(|text| text.len() > 20),
                "{name}: {note}"
            );
        }
        let of_a_group = name.starts_with("KafkaGroup");
        assert_eq!(notes["facts"].is_string(), of_a_group, "{name}");
        let severity = alert["labels"]["severity"].as_str().expect("a severity");
        let known = ["critical", "warning", "info"].contains(&severity);
        assert!(known || name == "KafkaGroupLagAboveObjective", "{name}: {severity}");
    }
}

#[test]
fn every_alert_has_its_section_in_the_runbook_and_no_section_is_left_over() {
    let runbook = text("docs/alerts.md");
    let sections: BTreeSet<String> = runbook
        .lines()
        .filter_map(|line| Some(line.strip_prefix("### ")?.to_owned()))
        .collect();
    assert_eq!(sections, names());
    for section in runbook.split("\n### ").skip(1) {
        let section = section.split("\n## ").next().expect("a section");
        let (title, _) = section.split_once('\n').expect("a title");
        for part in ["\nLook at\n- ", "\nCure\n- "] {
            assert!(section.contains(part), "{title} lacks {part:?}");
        }
    }
}

/// By the names of the unit tests: each alert has one history at least in which it is silent, fires and resolves.
#[test]
fn every_alert_has_its_unit_test() {
    let mut tested = BTreeSet::new();
    for file in unit_tests() {
        let file = yaml(&fs::read_to_string(&file).expect("a file"));
        for test in file["tests"].as_array().expect("tests") {
            let Some(checks) = test["alert_rule_test"].as_array() else {
                continue;
            };
            let counts: Vec<usize> = checks
                .iter()
                .map(|check| check["exp_alerts"].as_array().map_or(0, Vec::len))
                .collect();
            let silent = counts.first() == Some(&0);
            if silent && counts.last() == Some(&0) && counts.iter().filter(|count| **count > 0).count() >= 3 {
                tested.insert(checks[0]["alertname"].as_str().expect("a name").to_owned());
            }
        }
    }
    assert_eq!(tested, names());
}
