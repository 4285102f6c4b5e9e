//! The whole exporter in a process of its own, on a clock that this one steps. The process is this test binary again, running one test.

use std::env;
use std::fs;
use std::fs::File;
use std::io;
use std::io::BufRead as _;
use std::io::Read as _;
use std::io::Write as _;
use std::net::SocketAddr;
use std::path::Path;
use std::process::Child;
use std::process::ChildStdin;
use std::process::Command;
use std::process::Stdio;
use std::thread::sleep;
use std::time::Duration;
use std::time::Instant;

use flate2::read::GzDecoder;
use serde_json::Value;
use serde_json::json;
use tempfile::TempDir;
use tidemark::app::App;
use tidemark::app::Origin;
use tidemark::clock::Clock;
use tidemark::config::Source;
use tidemark::config::load;

use super::world::BEGIN;
use super::world::INTERVAL;
use crate::support::Scrape;
use crate::support::http;
use crate::support::wait::PATIENCE;
use crate::support::wait::eventually;

/// The file that the exporter is to be run with; whoever runs the test below without it is not meant.
const CONFIG: &str = "TIDEMARK_SOAKED_CONFIG";

/// Set: records are not read for their time, which takes librdkafka a second in real time for every topic that it hears of.
const READ: &str = "TIDEMARK_SOAK_READS_NO_RECORDS";

/// The exporter that is soaked. Ends when dropped.
pub(super) struct Soaked {
    child: Child,
    /// A line for each step of the clock.
    steps: ChildStdin,
    address: SocketAddr,
    home: TempDir,
    cycles: u64,
    configurations: u32,
}

/// What a process holds.
#[derive(Clone, Copy, Debug)]
pub(super) struct Figures {
    pub(super) resident_kb: u64,
    pub(super) files: u64,
    pub(super) threads: u64,
    pub(super) series: u64,
    pub(super) scrape_bytes: u64,
}

impl Figures {
    pub(super) fn row(&self, turns: f64) -> String {
        let Self {
            resident_kb,
            files,
            threads,
            series,
            scrape_bytes,
        } = self;
        let megabytes = resident_kb / 1024;
        format!("| {turns:.1} | {megabytes} | {files} | {threads} | {series} | {scrape_bytes} |")
    }
}

/// One test of this binary in a process of its own.
pub(super) fn this_binary(test: &str) -> Command {
    let mut command = Command::new(env::current_exe().expect("a running program has a file"));
    command.args([test, "--exact", "--ignored", "--nocapture"]);
    command
}

impl Soaked {
    pub(super) fn start(bootstrap: &str) -> Self {
        let home = tempfile::tempdir().expect("a folder");
        let file = home.path().join("tidemark.json");
        fs::write(&file, config(bootstrap, 0).to_string()).expect("a file");
        let log = File::create(home.path().join("log")).expect("a file");
        let mut child = this_binary("soak::exporter::the_exporter_that_is_soaked")
            .env(CONFIG, &file)
            .stdin(Stdio::piped())
            .stdout(log.try_clone().expect("a file"))
            .stderr(log)
            .spawn()
            .expect("starts");
        let steps = child.stdin.take().expect("piped");
        let address = eventually("the exporter says where it listens", PATIENCE, || {
            let said = fs::read_to_string(home.path().join("address")).ok()?;
            said.trim().parse().ok()
        });
        let mut soaked = Self {
            child,
            steps,
            address,
            home,
            cycles: 0,
            configurations: 0,
        };
        soaked.until_cycle();
        soaked
    }

    /// Fifteen seconds later by its clock, when the cycle has ended.
    pub(super) fn step(&mut self) {
        writeln!(self.steps).expect("it reads");
        self.until_cycle();
    }

    /// The next configuration, by SIGHUP.
    pub(super) fn another_configuration(&mut self) {
        self.configurations += 1;
        let file = self.home.path().join("tidemark.json");
        let bootstrap: Value = serde_json::from_slice(&fs::read(&file).expect("a file")).expect("JSON");
        let bootstrap = bootstrap["clusters"][0]["bootstrap_servers"].as_str().expect("text");
        let next = self.home.path().join("next");
        fs::write(&next, config(bootstrap, self.configurations).to_string()).expect("a file");
        fs::rename(&next, &file).expect("renamed");
        let sent = Command::new("kill")
            .args(["-HUP", &self.child.id().to_string()])
            .status();
        assert!(sent.expect("kill starts").success());
        // A cycle begins at once with the new configuration.
        self.until_cycle();
    }

    fn until_cycle(&mut self) {
        let began = Instant::now();
        loop {
            let cycles = self.completed();
            if cycles > self.cycles {
                self.cycles = cycles;
                return;
            }
            assert!(began.elapsed() < PATIENCE, "no further cycle: {}", self.log());
            sleep(Duration::from_millis(10));
        }
    }

    fn completed(&self) -> u64 {
        let Ok(answer) = http::get(self.address, "/api/v1/clusters", &[]) else {
            return 0;
        };
        let document: Value = serde_json::from_slice(&answer.body).expect("JSON");
        let cycles = &document["clusters"][0]["cycles_total"];
        ["ok", "partial", "failed"]
            .iter()
            .filter_map(|result| cycles[result].as_u64())
            .sum()
    }

    /// What it holds now, and what it serves.
    pub(super) fn figures(&self) -> (Figures, Scrape) {
        let answer = http::get(self.address, "/metrics", &["Accept-Encoding: gzip"]).expect("an answer");
        let mut text = String::new();
        GzDecoder::new(answer.body.as_slice())
            .read_to_string(&mut text)
            .expect("gzip");
        let series = text.lines().filter(|line| line.starts_with("kafka_")).count();
        let process = format!("/proc/{}", self.child.id());
        let status = fs::read_to_string(format!("{process}/status")).expect("it runs");
        let number = |name: &str| -> u64 {
            let line = status.lines().find_map(|line| line.strip_prefix(name)).expect("a line");
            line.trim().trim_end_matches(" kB").parse().expect("a number")
        };
        let files = fs::read_dir(format!("{process}/fd")).expect("it runs").count();
        let figures = Figures {
            resident_kb: number("VmRSS:"),
            files: u64::try_from(files).expect("small"),
            threads: number("Threads:"),
            series: u64::try_from(series).expect("small"),
            scrape_bytes: u64::try_from(answer.body.len()).expect("small"),
        };
        (figures, Scrape::read(text))
    }

    fn log(&self) -> String {
        fs::read_to_string(self.home.path().join("log")).unwrap_or_default()
    }
}

impl Drop for Soaked {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("the exporter said: {}", self.log());
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Each is another one than that before: something of the cluster's own section changes, and something of all clusters'.
fn config(bootstrap: &str, number: u32) -> Value {
    json!({
        "listen": "127.0.0.1:0",
        "poll_interval": format!("{}s", INTERVAL.as_secs()),
        "dormant_after": format!("{}h", 24 + number % 2),
        "objectives": [{"groups": "group-.*", "lag": format!("{}s", 60 + number % 2)}],
        "clusters": [{
            "name": "main",
            "bootstrap_servers": bootstrap,
            "request_timeout": "3s",
            "record_time": {"read": env::var(READ).is_err()},
            "groups": {"exclude": [format!("none-such-{}", number % 2)]},
        }],
    })
}

/// Not a test: what [`Soaked`] runs in a process of its own. Ends with its standard input.
#[test]
#[ignore = "run by other tests"]
fn the_exporter_that_is_soaked() {
    let Ok(file) = env::var(CONFIG) else { return };
    let origin = Origin {
        source: Source::File(file.clone().into()),
        flags: Vec::new(),
        environment: Vec::new(),
    };
    let config = load(&origin.source, &[], []).expect("a configuration").config;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .expect("a runtime");
    let clock = Clock::stepped(BEGIN);
    let app = runtime.block_on(async {
        let app = App::build(&config, clock.clone()).await.expect("it listens");
        app.reloading(origin, |_| {}).expect("a signal")
    });
    let home = Path::new(&file).parent().expect("a folder");
    let address = app.address().to_string();
    let running = runtime.spawn(app.run(std::future::pending()));
    fs::write(home.join("next-address"), address).expect("a file");
    fs::rename(home.join("next-address"), home.join("address")).expect("renamed");
    for line in io::stdin().lock().lines() {
        line.expect("text");
        clock.step(INTERVAL);
    }
    assert!(!running.is_finished(), "it runs until it is killed");
}
