//! Strangers at the listeners: very many of them, idle, slow, malformed and greedy. The limits hold, scrapes come through, polling goes on.

mod crowd;
mod rubbish;

use std::fs;
use std::net::SocketAddr;
use std::time::Duration;
use std::time::Instant;

use serde_json::json;
use tempfile::TempDir;
use tidemark::clock::Clock;
use tidemark::sim::Cluster;
use tidemark::sim::Model;

use crate::support::Tidemark;
use crate::support::http;

/// What one answer may take under whatever load, on a machine that does three other things. A scraper gives up after ten seconds.
const SOON: Duration = Duration::from_secs(10);
/// The connections that a listener takes at the same time, and those beyond that are told so.
const CONNECTIONS: usize = 512 + 64;

/// The binary with both listeners, polling a cluster in this process.
struct House {
    tidemark: Tidemark,
    admin: SocketAddr,
    _cluster: Cluster,
    _folder: TempDir,
}

/// What the process takes.
#[derive(Clone, Copy, Debug)]
struct Taken {
    files: usize,
    resident_mb: u64,
}

impl House {
    fn new() -> Self {
        let clock = Clock::system();
        let mut model = Model::new(1, 7);
        model.set_now(clock.now().wall.0);
        model.create_topic("payments", 100);
        for partition in 0..100 {
            model.append("payments", partition, 50).expect("the topic was made");
            (0..20).for_each(|group| model.commit(&format!("group-{group}"), "payments", partition, 10));
        }
        let cluster = Cluster::start(model, clock).expect("loopback has ports");
        let folder = tempfile::tempdir().expect("a folder");
        fs::write(folder.path().join("token"), "correct horse battery staple\n").expect("a file");
        let admin = json!({
            "listen": "127.0.0.1:0",
            "token_file": folder.path().join("token"),
            "allow": [{"cluster": "main", "groups": [".*"]}],
            "audit_log": folder.path().join("audit.jsonl"),
        });
        let tidemark = Tidemark::of(&cluster.bootstrap()).set("admin", admin).start();
        let admin = admin_address(&tidemark.log()).expect("it says where it listens");
        Self {
            tidemark,
            admin,
            _cluster: cluster,
            _folder: folder,
        }
    }

    fn scrape_address(&self) -> SocketAddr {
        self.tidemark.address()
    }

    /// One scrape, as Prometheus makes it, on a connection of its own: how long it took.
    fn scrape(&self) -> Duration {
        let began = Instant::now();
        let answer = http::get(self.scrape_address(), "/metrics", &["Accept-Encoding: gzip"]).expect("an answer");
        assert_eq!(answer.status, 200);
        assert!(answer.body.len() > 1_000);
        let took = began.elapsed();
        assert!(took < SOON, "{took:?}");
        took
    }

    /// The slowest of so many scrapes.
    fn slowest(&self, scrapes: usize) -> Duration {
        (0..scrapes).map(|_| self.scrape()).max().expect("some scrapes")
    }

    fn taken(&self) -> Taken {
        let process = format!("/proc/{}", self.tidemark.pid());
        let status = fs::read_to_string(format!("{process}/status")).expect("it runs");
        let resident = status
            .lines()
            .find_map(|line| line.strip_prefix("VmRSS:"))
            .expect("a figure");
        let kilobytes: u64 = resident.trim().trim_end_matches(" kB").parse().expect("a number");
        Taken {
            files: fs::read_dir(format!("{process}/fd")).expect("it runs").count(),
            resident_mb: kilobytes / 1024,
        }
    }
}

fn admin_address(log: &str) -> Option<SocketAddr> {
    let line = log
        .lines()
        .find(|line| line.contains("listening") && line.contains("admin"))?;
    let address = regex::Regex::new(r"127\.0\.0\.1:\d+").expect("an expression");
    address.find(line)?.as_str().parse().ok()
}
