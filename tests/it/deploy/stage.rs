//! The demo with Prometheus and Alertmanager next to it, and the rules in a hurry.

use std::collections::BTreeMap;
use std::collections::BTreeSet;
use std::fs;
use std::fs::File;
use std::net::SocketAddr;
use std::time::Duration;

use regex::Captures;
use regex::Regex;
use serde_json::Value;
use tempfile::TempDir;

use super::text;
use crate::support::Prometheus;
use crate::support::have;
use crate::support::http;
use crate::support::ports::Ports;
use crate::support::process::Process;
use crate::support::until;

/// The demo polls every second, tidemark by default every 15: durations of the rules shrink by as much.
pub(super) const HURRY: u64 = 15;
/// What the demo does in its own rhythm, which is not in a hurry.
const IN_ITS_OWN_TIME: &str = "KafkaGroupRebalancing";

/// The demo, on a port that it keeps over restarts.
pub(super) struct Demo {
    process: Process,
    home: TempDir,
    address: SocketAddr,
    _ports: Ports,
}

impl Demo {
    pub(super) fn start() -> Self {
        let ports = Ports::reserve(&[0]);
        let address = SocketAddr::from(([127, 0, 0, 1], ports.at(0)));
        let home = folder("demo");
        Self {
            process: play(&home, address),
            home,
            address,
            _ports: ports,
        }
    }

    pub(super) fn get(&self, path: &str) -> http::Answer {
        http::get(self.address, path, &[]).expect("an answer")
    }

    /// Ends it as a supervisor does, and starts it anew.
    pub(super) fn restart(&mut self) {
        self.process.signal("TERM");
        self.process.wait(Duration::from_secs(30));
        self.process = play(&self.home, self.address);
    }
}

fn play(home: &TempDir, address: SocketAddr) -> Process {
    let log = File::create(home.path().join("log")).expect("a file");
    let mut command = Process::command(env!("CARGO_BIN_EXE_tidemark"), home.path());
    command.args(["demo", "--listen", &address.to_string()]);
    for (key, value) in [
        ("OBJECTIVES__0__GROUPS", "clickstream-.*"),
        ("OBJECTIVES__0__LAG", "60s"),
        ("OBJECTIVES__0__LABELS__TEAM", "clicks"),
        ("OBJECTIVES__1__GROUPS", "checkout"),
        ("OBJECTIVES__1__LAG", "60s"),
        ("CLUSTERS__0__OWNER_INFO", ".*"),
    ] {
        command.env(format!("TIDEMARK__{key}"), value);
    }
    command.stdout(log.try_clone().expect("a file")).stderr(log);
    let process = Process::spawn(&mut command);
    until("the demo is ready", || {
        http::get(address, "/-/ready", &[]).is_ok_and(|answer| answer.status == 200)
    });
    process
}

/// A running Alertmanager.
pub(super) struct Alertmanager {
    _process: Process,
    address: SocketAddr,
    _home: TempDir,
    _ports: Ports,
}

/// One alert that fires: its name, and the group it is about.
pub(super) type Firing = (String, String);

impl Alertmanager {
    fn start() -> Self {
        let ports = Ports::reserve(&[0]);
        let address = SocketAddr::from(([127, 0, 0, 1], ports.at(0)));
        let home = folder("alertmanager");
        let config = home.path().join("alertmanager.yml");
        fs::write(&config, text("deploy/prometheus/alertmanager.yml")).expect("a file");
        let log = File::create(home.path().join("log")).expect("a file");
        let mut command = Process::command("prometheus-alertmanager", home.path());
        command.arg(format!("--config.file={}", config.display()));
        command.arg(format!("--storage.path={}", home.path().display()));
        command.arg(format!("--web.listen-address={address}"));
        command.arg("--cluster.listen-address=");
        command.stdout(log.try_clone().expect("a file")).stderr(log);
        let alertmanager = Self {
            _process: Process::spawn(&mut command),
            address,
            _home: home,
            _ports: ports,
        };
        until("Alertmanager answers", || {
            http::get(address, "/-/ready", &[]).is_ok_and(|answer| answer.status == 200)
        });
        alertmanager
    }

    /// What fires, and since when.
    pub(super) fn firing(&self) -> BTreeMap<Firing, String> {
        let answer = http::get(self.address, "/api/v2/alerts", &[]).expect("an answer");
        let alerts: Vec<Value> = serde_json::from_slice(&answer.body).expect("JSON");
        let word = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let alert = |alert: &Value| {
            let labels = &alert["labels"];
            (
                (word(&labels["alertname"]), word(&labels["group"])),
                word(&alert["startsAt"]),
            )
        };
        alerts.iter().map(alert).collect()
    }

    /// The annotations of one of them.
    pub(super) fn annotations(&self, name: &str) -> Value {
        let answer = http::get(self.address, "/api/v2/alerts", &[]).expect("an answer");
        let alerts: Vec<Value> = serde_json::from_slice(&answer.body).expect("JSON");
        let alert = alerts.iter().find(|alert| alert["labels"]["alertname"] == name);
        alert.expect("it fires")["annotations"].clone()
    }
}

/// Prometheus with the rules, and Alertmanager behind it. `None` where one of them is missing.
pub(super) fn watching(demo: &Demo) -> Option<(Prometheus, Alertmanager, TempDir)> {
    if !have(&["prometheus", "prometheus-alertmanager"]) {
        return None;
    }
    let rules = folder("rules");
    for file in ["recording.yml", "alerts.yml"] {
        let hurried = in_a_hurry(&text(&format!("deploy/prometheus/rules/{file}")));
        fs::write(rules.path().join(file), hurried).expect("a file");
    }
    let alertmanager = Alertmanager::start();
    let relabel = "{source_labels: [__name__], regex: tidemark_build_info, target_label: tidemark_url, replacement: 'http://tidemark.example'}";
    let config = format!(
        "global: {{scrape_interval: 1s, evaluation_interval: 1s}}\n\
         rule_files: ['{}/*.yml']\n\
         alerting: {{alertmanagers: [{{static_configs: [{{targets: ['{}']}}]}}]}}\n\
         scrape_configs: [{{job_name: tidemark, static_configs: [{{targets: ['{}']}}], metric_relabel_configs: [{relabel}]}}]\n",
        rules.path().display(),
        alertmanager.address,
        demo.address,
    );
    Some((Prometheus::with(&config)?, alertmanager, rules))
}

/// The rules with every duration a fifteenth as long; thresholds stay.
fn in_a_hurry(rules: &str) -> String {
    let durations =
        Regex::new(r"(\[|offset |\bfor: |keep_firing_for: |interval: )(\d+)([smhd])\b").expect("an expression");
    let waits = Regex::new(r"(\bfor: |keep_firing_for: )(\d+)([smhd])\b").expect("an expression");
    let shorter = |found: &Captures<'_>| {
        let seconds = found[2].parse::<u64>().expect("digits") * unit(&found[3]);
        format!("{}{}s", &found[1], (seconds / HURRY).max(1))
    };
    let parts = rules.split("- alert: ").map(|part| {
        let durations = if part.starts_with(IN_ITS_OWN_TIME) {
            &waits
        } else {
            &durations
        };
        durations.replace_all(part, shorter)
    });
    parts.collect::<Vec<_>>().join("- alert: ")
}

/// How long each alert waits (`for`), in a hurry.
pub(super) fn waits() -> BTreeMap<String, Duration> {
    let alert = Regex::new(r"(?s)- alert: (\w+)\n.*?\n        for: (\d+)([smhd])\n").expect("an expression");
    let rules = text("deploy/prometheus/rules/alerts.yml");
    let wait = |found: Captures<'_>| {
        let seconds = found[2].parse::<u64>().expect("digits") * unit(&found[3]);
        (found[1].to_owned(), Duration::from_secs(seconds / HURRY))
    };
    alert.captures_iter(&rules).map(wait).collect()
}

fn unit(unit: &str) -> u64 {
    match unit {
        "s" => 1,
        "m" => 60,
        "h" => 3600,
        _ => 86_400,
    }
}

fn folder(word: &str) -> TempDir {
    let name = format!("tidemark-{word}-");
    tempfile::Builder::new().prefix(&name).tempdir().expect("a folder")
}

/// The names of what fires.
pub(super) fn names(firing: &BTreeMap<Firing, String>) -> BTreeSet<Firing> {
    firing.keys().cloned().collect()
}

mod tests {
    use super::*;

    #[test]
    fn every_duration_shrinks_and_nothing_else() {
        let rules = "- alert: A\n  expr: rate(a:rate5m[5m] offset 1h) > 300\n  for: 5m\n  keep_firing_for: 10m\n- alert: KafkaGroupRebalancing\n  expr: a[5m]\n  for: 20m\n";
        let hurried = "- alert: A\n  expr: rate(a:rate5m[20s] offset 240s) > 300\n  for: 20s\n  keep_firing_for: 40s\n- alert: KafkaGroupRebalancing\n  expr: a[5m]\n  for: 80s\n";
        assert_eq!(in_a_hurry(rules), hurried);
        let waits = waits();
        assert_eq!(waits["KafkaGroupStalled"], Duration::from_secs(20));
        assert_eq!(
            waits.len(),
            text("deploy/prometheus/rules/alerts.yml").matches("- alert:").count()
        );
    }
}
