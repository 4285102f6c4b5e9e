//! A terminal that can be typed at and read: tmux, with a server of its own.

use std::process::Command;
use std::process::Output;
use std::process::Stdio;
use std::thread::sleep;
use std::time::Duration;
use std::time::Instant;

use tempfile::TempDir;

use super::have;
use super::process::Process;
use super::wait::PATIENCE;
use super::wait::until;

/// A shell in a terminal. Ends when dropped, with all that runs in it.
pub(crate) struct Tmux {
    _server: Process,
    home: TempDir,
}

impl Tmux {
    /// A shell in a terminal of that many columns and rows; `None` where there is no tmux.
    pub(crate) fn start(columns: u16, rows: u16) -> Option<Self> {
        if !have(&["tmux"]) {
            return None;
        }
        let home = tempfile::Builder::new()
            .prefix("tidemark-tmux-")
            .tempdir()
            .expect("a folder");
        // In the foreground, so that it ends with the test.
        let mut server = Process::command("tmux", home.path());
        server
            .arg("-S")
            .arg(home.path().join("socket"))
            .args(["-f", "/dev/null", "-D"]);
        server.stdout(Stdio::null()).stderr(Stdio::null());
        let tmux = Self {
            _server: Process::spawn(&mut server),
            home,
        };
        until("tmux listens", || {
            tmux.run(&["set", "-s", "set-clipboard", "on"]).status.success()
        });
        let (columns, rows) = (columns.to_string(), rows.to_string());
        let session = [
            "new-session",
            "-d",
            "-x",
            &columns,
            "-y",
            &rows,
            // Words of their own are run as they are; one word would go through the user's shell, which may drop the variable.
            "env",
            "PS1=ready> ",
            "sh",
        ];
        assert!(tmux.run(&session).status.success(), "no session");
        tmux.wait_for("the shell", |screen| screen.contains("ready>"));
        Some(tmux)
    }

    fn run(&self, arguments: &[&str]) -> Output {
        let socket = self.home.path().join("socket");
        let mut command = Command::new("tmux");
        command
            .arg("-u")
            .arg("-S")
            .arg(socket)
            .args(arguments)
            .env_remove("TMUX");
        command.stdin(Stdio::null()).output().expect("tmux starts")
    }

    fn say(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        let problem = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "tmux {arguments:?}: {problem}");
        String::from_utf8(output.stdout).expect("UTF-8")
    }

    /// Types text as it is.
    pub(crate) fn type_text(&self, text: &str) {
        self.say(&["send-keys", "-l", "--", text]);
    }

    /// Presses a key by tmux's name of it.
    pub(crate) fn press(&self, key: &str) {
        self.say(&["send-keys", key]);
    }

    /// What is on the screen.
    pub(crate) fn screen(&self) -> String {
        self.say(&["capture-pane", "-p"])
    }

    /// Waits until the screen is as it should be; the screen of which it was.
    pub(crate) fn wait_for(&self, what: &str, check: impl Fn(&str) -> bool) -> String {
        let began = Instant::now();
        loop {
            let screen = self.screen();
            if check(&screen) {
                return screen;
            }
            assert!(
                began.elapsed() < PATIENCE,
                "not within {PATIENCE:?}: {what}; the screen is\n{screen}"
            );
            sleep(Duration::from_millis(50));
        }
    }

    /// Another size.
    pub(crate) fn resize(&self, columns: u16, rows: u16) {
        self.say(&["resize-window", "-x", &columns.to_string(), "-y", &rows.to_string()]);
    }

    /// One of tmux's own variables, as in `cursor_flag`.
    pub(crate) fn variable(&self, name: &str) -> String {
        let format = format!("#{{{name}}}");
        self.say(&["display-message", "-p", &format]).trim_end().to_owned()
    }

    /// What was last given to the clipboard.
    pub(crate) fn clipboard(&self) -> Option<String> {
        let output = self.run(&["show-buffer"]);
        output
            .status
            .success()
            .then(|| String::from_utf8(output.stdout).expect("UTF-8"))
    }
}
