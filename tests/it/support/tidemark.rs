//! One `tidemark serve` process with a configuration of its own, on a port that the system chose.

use std::fs;
use std::fs::File;
use std::io::Read;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::Command;
use std::process::ExitStatus;
use std::process::Output;
use std::sync::Mutex;
use std::time::Duration;
use std::time::Instant;

use flate2::read::GzDecoder;
use regex::Regex;
use serde_json::Value;
use serde_json::json;
use tempfile::TempDir;

use super::http;
use super::http::Answer;
use super::kafka::tail;
use super::process::Process;
use super::scrape::Scrape;
use super::wait::PATIENCE;
use super::wait::eventually;

/// The binary that cargo built for this test.
pub(crate) const BINARY: &str = env!("CARGO_BIN_EXE_tidemark");

/// A running exporter. Killed when dropped.
pub(crate) struct Tidemark {
    process: Mutex<Process>,
    address: SocketAddr,
    home: TempDir,
}

/// An exporter to be started.
pub(crate) struct Builder {
    config: Value,
    ready: bool,
}

impl Builder {
    /// Sets a key of the first cluster.
    pub(crate) fn cluster(mut self, key: &str, value: impl Into<Value>) -> Self {
        self.config["clusters"][0][key] = value.into();
        self
    }

    /// Sets a key at the top.
    pub(crate) fn set(mut self, key: &str, value: impl Into<Value>) -> Self {
        self.config[key] = value.into();
        self
    }

    /// Adds a cluster.
    pub(crate) fn another(mut self, cluster: Value) -> Self {
        self.config["clusters"].as_array_mut().expect("a list").push(cluster);
        self
    }

    /// Does not wait for the first cycle: the cluster is not there.
    pub(crate) fn unready(mut self) -> Self {
        self.ready = false;
        self
    }

    /// Starts it; returns when it is ready.
    pub(crate) fn start(self) -> Tidemark {
        let home = tempfile::Builder::new()
            .prefix("tidemark-serve-")
            .tempdir()
            .expect("a folder");
        // JSON is YAML too.
        fs::write(home.path().join("tidemark.yaml"), self.config.to_string()).expect("a file");
        let log = File::create(home.path().join("log")).expect("a file");
        let mut command = Process::command(BINARY, home.path());
        command.args(["serve", "-c"]).arg(home.path().join("tidemark.yaml"));
        command.stdout(log.try_clone().expect("a file")).stderr(log);
        let mut process = Process::spawn(&mut command);
        let log = home.path().join("log");
        let address = eventually("tidemark says where it listens", Duration::from_secs(20), || {
            let said = fs::read_to_string(&log).unwrap_or_default();
            assert!(process.exited().is_none(), "tidemark ended: {said}");
            listening(&said)
        });
        let tidemark = Tidemark {
            process: Mutex::new(process),
            address,
            home,
        };
        if self.ready {
            tidemark.until("ready", || tidemark.get("/-/ready", &[]).is_ok_and(|a| a.status == 200));
        }
        tidemark
    }
}

/// The address of the scrape listener from the log, in either of its formats.
fn listening(log: &str) -> Option<SocketAddr> {
    let address = Regex::new(r#"\baddress"?[=:]\s*"?([0-9.:]+)"#).expect("an expression");
    let scrape = Regex::new(r#"\blistener"?[=:]\s*"?scrape\b"#).expect("an expression");
    let line = log
        .lines()
        .find(|line| line.contains("listening") && scrape.is_match(line))?;
    address.captures(line)?[1].parse().ok()
}

impl Tidemark {
    /// An exporter of one cluster, `main`, polled every second.
    pub(crate) fn of(bootstrap: &str) -> Builder {
        let config = json!({
            "listen": "127.0.0.1:0",
            "poll_interval": "1s",
            "clusters": [{
                "name": "main",
                "bootstrap_servers": bootstrap,
                "request_timeout": "3s",
                "partition_families": ["lag_records", "lag_seconds", "committed_offset", "stalled_seconds"],
            }],
        });
        Builder { config, ready: true }
    }

    /// Where it serves scrapes.
    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    /// Its process id.
    pub(crate) fn pid(&self) -> u32 {
        self.process().pid()
    }

    /// The file it was started with.
    pub(crate) fn config(&self) -> PathBuf {
        self.home.path().join("tidemark.yaml")
    }

    /// Puts another configuration in the place of its file, as a whole.
    pub(crate) fn rewrite(&self, change: impl FnOnce(&mut Value)) {
        let mut config = serde_json::from_slice(&fs::read(self.config()).expect("its file")).expect("JSON");
        change(&mut config);
        self.write(&config.to_string());
    }

    /// Puts any text there.
    pub(crate) fn write(&self, text: &str) {
        let next = self.home.path().join("next");
        fs::write(&next, text).expect("a file");
        fs::rename(&next, self.config()).expect("renamed");
    }

    /// Sends it a signal by its name.
    pub(crate) fn signal(&self, name: &str) {
        self.process().signal(name);
    }

    /// Everything it has logged so far.
    pub(crate) fn log(&self) -> String {
        fs::read_to_string(self.home.path().join("log")).unwrap_or_default()
    }

    /// One request; `headers` are whole lines.
    pub(crate) fn get(&self, path: &str, headers: &[&str]) -> std::io::Result<Answer> {
        http::get(self.address, path, headers)
    }

    /// One answer of `/metrics`, held to all that a strict reader and the contract ask of it.
    pub(crate) fn scrape(&self) -> Scrape {
        Scrape::of(&self.answer("/metrics"))
    }

    /// What it says of itself, by the packed form, which costs it least.
    pub(crate) fn own_figures(&self) -> Scrape {
        let answer = self.get("/metrics", &["Accept-Encoding: gzip"]).expect("an answer");
        assert_eq!((answer.status, answer.header("content-encoding")), (200, "gzip"));
        let mut text = String::new();
        GzDecoder::new(answer.body.as_slice())
            .read_to_string(&mut text)
            .expect("one gzip member of UTF-8");
        let own = |line: &str| line.trim_start_matches("# TYPE ").starts_with("tidemark_");
        Scrape::read(text.split_inclusive('\n').filter(|line| own(line)).collect())
    }

    /// The JSON of `GET /api/v1…`.
    pub(crate) fn api(&self, path: &str) -> Value {
        let answer = self.answer(&format!("/api/v1{path}"));
        assert!(
            answer.header("content-type").starts_with("application/json"),
            "{answer:?}"
        );
        serde_json::from_slice(&answer.body).expect("JSON")
    }

    fn answer(&self, path: &str) -> Answer {
        let answer = self
            .get(path, &[])
            .unwrap_or_else(|error| panic!("{error}; {}", self.last_words()));
        assert_eq!(answer.status, 200, "GET {path}");
        answer
    }

    /// Completed cycles so far.
    pub(crate) fn cycles(&self) -> f64 {
        let scrape = self.own_figures();
        ["ok", "partial", "failed"]
            .iter()
            .map(|result| scrape.total("tidemark_cycles_total", &[("result", result)]))
            .sum()
    }

    /// A scrape made when a cycle that began after this call has completed.
    pub(crate) fn next_cycle(&self) -> Scrape {
        let before = self.cycles();
        self.until("a whole cycle", || self.cycles() >= before + 2.0);
        self.scrape()
    }

    /// Repeats `check` on fresh scrapes until it holds; returns the scrape of which it did.
    pub(crate) fn scrape_until(&self, what: &str, check: impl Fn(&Scrape) -> bool) -> Scrape {
        eventually(what, PATIENCE, || Some(self.scrape()).filter(|scrape| check(scrape)))
    }

    fn until(&self, what: &str, check: impl Fn() -> bool) {
        eventually(what, PATIENCE, || {
            assert!(
                self.process().exited().is_none(),
                "tidemark ended; {}",
                self.last_words()
            );
            check().then_some(())
        });
    }

    /// Tells it to end (SIGTERM) and waits: its status, and how long it took.
    pub(crate) fn stop(&self, within: Duration) -> (ExitStatus, Duration) {
        let began = Instant::now();
        self.process().signal("TERM");
        let status = self.process().wait(within);
        (status, began.elapsed())
    }

    fn process(&self) -> std::sync::MutexGuard<'_, Process> {
        self.process.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    fn last_words(&self) -> String {
        format!("it said last: {}", tail(&self.log(), 30))
    }
}

/// What a test that fails needs to know of the process.
impl Drop for Tidemark {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("tidemark {}", self.last_words());
        }
    }
}

/// Runs the command with these arguments to its end.
pub(crate) fn cli(arguments: &[&str]) -> Output {
    Command::new(BINARY)
        .args(arguments)
        .output()
        .expect("the binary starts")
}
