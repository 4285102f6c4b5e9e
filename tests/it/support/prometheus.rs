//! A real Prometheus that scrapes one tidemark, and `promtool`.

use std::collections::BTreeMap;
use std::fs;
use std::fs::File;
use std::io::Write;
use std::net::SocketAddr;
use std::process::Command;
use std::process::Stdio;

use percent_encoding::NON_ALPHANUMERIC;
use percent_encoding::utf8_percent_encode;
use serde_json::Value;
use tempfile::TempDir;

use super::http;
use super::ports::Ports;
use super::process::Process;
use super::tidemark::Tidemark;
use super::wait::until;

/// Labels, and when there was which value.
pub(crate) type Curve = (BTreeMap<String, String>, Vec<(f64, f64)>);

/// A running Prometheus. Ends when dropped.
pub(crate) struct Prometheus {
    _process: Process,
    address: SocketAddr,
    _home: TempDir,
    _ports: Ports,
}

impl Prometheus {
    /// Starts one that scrapes `tidemark` every second; returns when its first scrape went well. `None` where there is no
    /// Prometheus.
    pub(crate) fn scraping(tidemark: &Tidemark) -> Option<Self> {
        Self::with(&format!(
            "global: {{scrape_interval: 1s}}\nscrape_configs: [{{job_name: tidemark, static_configs: [{{targets: ['{}']}}]}}]\n",
            tidemark.address()
        ))
    }

    /// The same with a configuration of one's own, which has a job `tidemark`.
    pub(crate) fn with(config: &str) -> Option<Self> {
        if !super::have(&["prometheus"]) {
            return None;
        }
        let home = tempfile::Builder::new()
            .prefix("tidemark-prometheus-")
            .tempdir()
            .expect("a folder");
        let ports = Ports::reserve(&[0]);
        let address = SocketAddr::from(([127, 0, 0, 1], ports.at(0)));
        fs::write(home.path().join("prometheus.yml"), config).expect("a file");
        let log = File::create(home.path().join("log")).expect("a file");
        let mut command = Process::command("prometheus", home.path());
        command.arg(format!(
            "--config.file={}",
            home.path().join("prometheus.yml").display()
        ));
        command.arg(format!("--storage.tsdb.path={}", home.path().join("data").display()));
        command.arg(format!("--web.listen-address={address}"));
        command.stdout(log.try_clone().expect("a file")).stderr(log);
        let prometheus = Self {
            _process: Process::spawn(&mut command),
            address,
            _home: home,
            _ports: ports,
        };
        until("Prometheus has scraped", || {
            prometheus.value("up{job='tidemark'}") == Some(1.0)
        });
        Some(prometheus)
    }

    /// What is wrong with an expression as it runs; `None` when nothing is.
    pub(crate) fn error(&self, expression: &str) -> Option<String> {
        let answer = self.answer(expression)?;
        Some(answer["error"].as_str()?.to_owned())
    }

    fn answer(&self, expression: &str) -> Option<Value> {
        self.ask("query", expression, "")
    }

    fn ask(&self, route: &str, expression: &str, more: &str) -> Option<Value> {
        let expression = utf8_percent_encode(expression, NON_ALPHANUMERIC);
        let path = format!("/api/v1/{route}?query={expression}{more}");
        serde_json::from_slice(&http::get(self.address, &path, &[]).ok()?.body).ok()
    }

    /// What the expression finds from one second to another, every so many seconds: of each series the labels, and when it had which
    /// value. `None` where the expression is wrong.
    pub(crate) fn range(&self, expression: &str, (from, to): (u64, u64), step: u64) -> Option<Vec<Curve>> {
        let answer = self.ask(
            "query_range",
            expression,
            &format!("&start={from}&end={to}&step={step}"),
        )?;
        let point = |point: &Value| Some((point[0].as_f64()?, point[1].as_str()?.parse().ok()?));
        let curve = |found: &Value| {
            let labels = serde_json::from_value(found["metric"].clone()).ok()?;
            let points = found["values"].as_array()?.iter().map(point).collect::<Option<_>>()?;
            Some((labels, points))
        };
        answer["data"]["result"].as_array()?.iter().map(curve).collect()
    }

    /// What an instant query finds: labels and value. `None` while there is no answer.
    pub(crate) fn query(&self, expression: &str) -> Option<Vec<(BTreeMap<String, String>, f64)>> {
        let answer = self.answer(expression)?;
        let series = |found: &Value| {
            let labels = serde_json::from_value(found["metric"].clone()).ok()?;
            Some((labels, found["value"][1].as_str()?.parse().ok()?))
        };
        answer["data"]["result"].as_array()?.iter().map(series).collect()
    }

    /// The value of the one series that the expression finds.
    pub(crate) fn value(&self, expression: &str) -> Option<f64> {
        let found = self.query(expression)?;
        assert!(found.len() < 2, "{expression} finds {found:?}");
        found.first().map(|(_, value)| *value)
    }
}

/// Holds an exposition against `promtool check metrics`; what it has to say, empty when nothing. `None` where there is no promtool.
pub(crate) fn promtool_check_metrics(exposition: &str) -> Option<String> {
    if !super::have(&["promtool"]) {
        return None;
    }
    let mut command = Command::new("promtool");
    command
        .args(["check", "metrics"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn().expect("promtool starts");
    child
        .stdin
        .take()
        .expect("a pipe")
        .write_all(exposition.as_bytes())
        .expect("promtool reads");
    let run = child.wait_with_output().expect("promtool runs");
    Some(format!(
        "{}{}",
        String::from_utf8_lossy(&run.stdout),
        String::from_utf8_lossy(&run.stderr)
    ))
}
