//! Child processes that end with their owner: on drop, and when the test process itself dies before it could drop anything.

use std::ffi::OsStr;
use std::io::Write;
use std::path::Path;
use std::process::Child;
use std::process::ChildStdin;
use std::process::Command;
use std::process::ExitStatus;
use std::process::Stdio;
use std::time::Duration;

use super::wait::eventually;

/// A shell that becomes the wanted program, so that its pid is the program's. Before, it leaves a watcher behind that holds the other end
/// of a pipe from the test process: when that end closes without a word, the test process is dead, and the watcher kills the
/// program and removes its folder.
const SCRIPT: &str = r#"
exec 3<&0 </dev/null
(
  read -r _ <&3 && exit
  kill -KILL $$
  for _ in 1 2 3 4 5 6 7 8 9 10; do kill -0 $$ || break; sleep 0.1; done
  rm -rf "$0"
) >/dev/null 2>&1 &
exec "$@" 3<&-
"#;

/// A running child process.
pub(crate) struct Process {
    child: Child,
    /// Closed without a word only by this process's death.
    lifeline: Option<ChildStdin>,
}

impl Process {
    /// A command that runs `program`, to be completed with its arguments and given to [`Process::spawn`]. `folder` is removed
    /// when the test process dies.
    pub(crate) fn command(program: impl AsRef<OsStr>, folder: &Path) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", SCRIPT]).arg(folder).arg(program);
        command
    }

    pub(crate) fn spawn(command: &mut Command) -> Self {
        let mut child = command.stdin(Stdio::piped()).spawn().expect("sh starts");
        let lifeline = child.stdin.take();
        Self { child, lifeline }
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Sends a signal by its name, unless the process has ended.
    pub(crate) fn signal(&mut self, name: &str) {
        if self.exited().is_none() {
            let sent = Command::new("kill")
                .arg(format!("-{name}"))
                .arg(self.pid().to_string())
                .status();
            assert!(sent.expect("kill starts").success(), "kill -{name} failed");
        }
    }

    /// How the process ended; `None` while it runs.
    pub(crate) fn exited(&mut self) -> Option<ExitStatus> {
        let status = self.child.try_wait().expect("a child can be waited for")?;
        self.dismiss_watcher();
        Some(status)
    }

    /// Waits until the process has ended by itself.
    pub(crate) fn wait(&mut self, within: Duration) -> ExitStatus {
        eventually("the process ends", within, || self.exited())
    }

    /// SIGKILL, and gone when this returns.
    pub(crate) fn kill(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        self.dismiss_watcher();
    }

    /// The pid may be another's from now on: nobody must be killed by it any more.
    fn dismiss_watcher(&mut self) {
        if let Some(mut lifeline) = self.lifeline.take() {
            let _ = lifeline.write_all(b"\n");
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
    }
}

mod tests {
    use std::fs;

    use super::super::wait::until;
    use super::*;

    /// A test process that is killed cannot drop anything; its brokers end all the same.
    #[test]
    fn a_child_ends_with_a_test_process_that_is_killed() {
        let folder = tempfile::tempdir().expect("a folder");
        let scratch = folder.path().join("scratch");
        fs::create_dir(&scratch).expect("a folder");
        // A stand-in for the test process, which starts its child as the harness does and is then killed.
        let script = format!(
            "mkfifo {f}/lifeline; exec 4<>{f}/lifeline; sh -c '{}' {f}/scratch sleep 600 <{f}/lifeline 4<&- & echo $! >{f}/pid; kill -KILL $$",
            SCRIPT,
            f = folder.path().display()
        );
        let _ = std::process::Command::new("sh")
            .args(["-c", &script])
            .status()
            .expect("sh starts");
        until("the watcher removes the folder", || !scratch.exists());
        let pid = fs::read_to_string(folder.path().join("pid")).expect("a pid");
        let state = fs::read_to_string(format!("/proc/{}/stat", pid.trim())).unwrap_or_default();
        assert!(state.is_empty() || state.contains(") Z"), "{state}");
    }
}
