//! `tidemark demo` in a process of its own.

use std::fs;
use std::fs::File;
use std::net::SocketAddr;

use serde_json::Value;
use tempfile::TempDir;

use super::http;
use super::ports::Ports;
use super::process::Process;
use super::tidemark::BINARY;
use super::wait::PATIENCE;
use super::wait::eventually;

/// A running demo, of which the statuses are told some twenty seconds after the start. Ends when dropped.
pub(crate) struct Demo {
    process: Process,
    address: SocketAddr,
    port: Ports,
    home: TempDir,
}

impl Demo {
    /// Starts it with these variables of the environment, on a port that it may have again.
    pub(crate) fn start(environment: &[(&str, &str)]) -> Self {
        let home = tempfile::Builder::new()
            .prefix("tidemark-demo-")
            .tempdir()
            .expect("a folder");
        let port = Ports::reserve(&[0]);
        let (process, address) = launch(&home, port.at(0), environment);
        Self {
            process,
            address,
            port,
            home,
        }
    }

    /// Waits until it has told each story's status.
    pub(crate) fn told(self) -> Self {
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
                (self.group(group)["status"] == status).then_some(())
            });
        }
        self
    }

    /// A page's whole address.
    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// A group's document; null while there is none.
    fn group(&self, name: &str) -> Value {
        let answer = http::get(self.address, &format!("/api/v1/clusters/main/groups/{name}"), &[]);
        answer
            .ok()
            .and_then(|answer| serde_json::from_slice(&answer.body).ok())
            .unwrap_or(Value::Null)
    }

    /// Ends it, as a machine that fails does.
    pub(crate) fn kill(&mut self) {
        self.process.kill();
    }

    /// Starts it anew where it was, after [`Self::kill`].
    pub(crate) fn revive(&mut self) {
        (self.process, self.address) = launch(&self.home, self.port.at(0), &[]);
    }
}

/// The process, and where it says that it listens.
fn launch(home: &TempDir, port: u16, environment: &[(&str, &str)]) -> (Process, SocketAddr) {
    let said = home.path().join("said");
    let out = File::create(&said).expect("a file");
    let mut command = Process::command(BINARY, home.path());
    command
        .args(["demo", "--listen", &format!("127.0.0.1:{port}")])
        .envs(environment.iter().copied());
    command.stdout(out.try_clone().expect("a file")).stderr(out);
    let mut process = Process::spawn(&mut command);
    let address = eventually("the demo says where it is", PATIENCE, || {
        let said = fs::read_to_string(&said).unwrap_or_default();
        assert!(process.exited().is_none(), "the demo ended: {said}");
        let (_, rest) = said.split_once("page     http://")?;
        rest.split_once('/')?.0.parse().ok()
    });
    (process, address)
}
