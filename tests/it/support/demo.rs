//! `tidemark demo` in a process of its own.

use std::fs;
use std::fs::File;

use tempfile::TempDir;

use super::ports::Ports;
use super::process::Process;
use super::tidemark::BINARY;
use super::wait::PATIENCE;
use super::wait::eventually;

/// A running demo, of which the statuses are told some twenty seconds after the start. Ends when dropped.
pub(crate) struct Demo {
    process: Process,
    url: String,
    port: Ports,
    home: TempDir,
}

impl Demo {
    /// Starts it on a port that it may have again.
    pub(crate) fn start() -> Self {
        let home = tempfile::Builder::new()
            .prefix("tidemark-demo-")
            .tempdir()
            .expect("a folder");
        let port = Ports::reserve(&[0]);
        let (process, url) = launch(&home, port.at(0));
        Self {
            process,
            url,
            port,
            home,
        }
    }

    /// Where it listens.
    pub(crate) fn url(&self) -> &str {
        &self.url
    }

    /// Ends it, as a machine that fails does.
    pub(crate) fn kill(&mut self) {
        self.process.kill();
    }

    /// Starts it anew where it was, after [`Self::kill`].
    pub(crate) fn revive(&mut self) {
        (self.process, self.url) = launch(&self.home, self.port.at(0));
    }
}

/// The process, and where it says that it listens.
fn launch(home: &TempDir, port: u16) -> (Process, String) {
    let said = home.path().join("said");
    let out = File::create(&said).expect("a file");
    let mut command = Process::command(BINARY, home.path());
    command.args(["demo", "--listen", &format!("127.0.0.1:{port}")]);
    command.stdout(out.try_clone().expect("a file")).stderr(out);
    let mut process = Process::spawn(&mut command);
    let url = eventually("the demo says where it is", PATIENCE, || {
        let said = fs::read_to_string(&said).unwrap_or_default();
        assert!(process.exited().is_none(), "the demo ended: {said}");
        let line = said.lines().find_map(|line| line.trim().strip_prefix("page"))?;
        Some(line.trim().trim_end_matches('/').to_owned())
    });
    (process, url)
}
