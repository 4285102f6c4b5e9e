//! A running `tidemark demo`.

use std::fs;
use std::fs::File;
use std::net::SocketAddr;

use serde_json::Value;
use tempfile::TempDir;

use super::http;
use super::process::Process;
use super::wait::PATIENCE;
use super::wait::eventually;

/// The demo, on a port that the system chose. Killed when dropped.
pub(crate) struct Demo {
    address: SocketAddr,
    _process: Process,
    _home: TempDir,
}

impl Demo {
    /// Starts it with these variables of the environment; returns when it has told each story's status.
    pub(crate) fn start(environment: &[(&str, &str)]) -> Self {
        let home = tempfile::Builder::new()
            .prefix("tidemark-demo-")
            .tempdir()
            .expect("a folder");
        let said = home.path().join("said");
        let file = File::create(&said).expect("a file");
        let mut command = Process::command(env!("CARGO_BIN_EXE_tidemark"), home.path());
        command
            .args(["demo", "--listen", "127.0.0.1:0"])
            .envs(environment.iter().copied());
        command.stdout(file.try_clone().expect("a file")).stderr(file);
        let process = Process::spawn(&mut command);
        let address = eventually("the demo says where it listens", PATIENCE, || {
            let said = fs::read_to_string(&said).ok()?;
            let (_, rest) = said.split_once("page     http://")?;
            rest.split_once('/')?.0.parse().ok()
        });
        let demo = Self {
            address,
            _process: process,
            _home: home,
        };
        for (group, status) in [
            ("payments", "stalled"),
            ("invoice-mailer", "stopped"),
            ("audit-archiver", "lost"),
            ("fraud-check", "uncommitted"),
            ("stock-sync", "ahead"),
            ("clickstream-enricher", "behind"),
            ("old-dashboard", "dormant"),
        ] {
            eventually(&format!("{group} is {status}"), PATIENCE, || {
                (demo.group(group)["status"] == status).then_some(())
            });
        }
        demo
    }

    /// A page's whole address.
    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// A group's document; null while there is none.
    pub(crate) fn group(&self, name: &str) -> Value {
        let answer = http::get(self.address, &format!("/api/v1/clusters/main/groups/{name}"), &[]);
        answer
            .ok()
            .and_then(|answer| serde_json::from_slice(&answer.body).ok())
            .unwrap_or(Value::Null)
    }
}
