//! A running `tidemark demo`.

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

/// The demo, on a port that it may have again. Killed when dropped.
pub(crate) struct Demo {
    address: SocketAddr,
    process: Process,
    environment: Vec<(String, String)>,
    home: TempDir,
    _port: Ports,
}

impl Demo {
    /// Starts it with these variables of the environment; returns when it has told each story's status.
    pub(crate) fn start(environment: &[(&str, &str)]) -> Self {
        let home = tempfile::Builder::new()
            .prefix("tidemark-demo-")
            .tempdir()
            .expect("a folder");
        let port = Ports::reserve(&[0]);
        let address = SocketAddr::from(([127, 0, 0, 1], port.at(0)));
        let owned = |(key, value): &(&str, &str)| ((*key).to_owned(), (*value).to_owned());
        let environment: Vec<_> = environment.iter().map(owned).collect();
        let demo = Self {
            process: launch(address, &environment, &home),
            address,
            environment,
            home,
            _port: port,
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

    /// Ends it, as a machine that fails does.
    pub(crate) fn kill(&mut self) {
        self.process.kill();
    }

    /// Starts it anew where it was, after [`Self::kill`]; returns when it listens.
    pub(crate) fn revive(&mut self) {
        self.process = launch(self.address, &self.environment, &self.home);
    }
}

/// The process; it listens.
fn launch(address: SocketAddr, environment: &[(String, String)], home: &TempDir) -> Process {
    let said = home.path().join("said");
    let file = File::create(&said).expect("a file");
    let mut command = Process::command(BINARY, home.path());
    command.args(["demo", "--listen", &address.to_string()]);
    command.envs(environment.iter().map(|(key, value)| (key, value)));
    command.stdout(file.try_clone().expect("a file")).stderr(file);
    let mut process = Process::spawn(&mut command);
    eventually("the demo listens", PATIENCE, || {
        let said = fs::read_to_string(&said).unwrap_or_default();
        assert!(process.exited().is_none(), "the demo ended: {said}");
        said.contains(&format!("http://{address}/")).then_some(())
    });
    process
}
