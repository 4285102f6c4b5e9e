//! `check-config` and `print-config` as a shell sees them: exit status, stdout and stderr.

use std::fs;
use std::process::Output;

use crate::support::cli;

const SECRET: &str = "hunter2-secret";

/// A configuration file, kept until the test is done.
struct ConfigFile(tempfile::TempDir);

impl ConfigFile {
    fn of(text: &str) -> Self {
        let directory = tempfile::tempdir().expect("a directory");
        fs::write(directory.path().join("tidemark.yaml"), text).expect("a file");
        Self(directory)
    }

    fn run(&self, command: &str) -> (Option<i32>, String, String) {
        let path = self.0.path().join("tidemark.yaml");
        let Output { status, stdout, stderr } = cli(&[command, "-c", path.to_str().expect("UTF-8")]);
        let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
        (status.code(), text(stdout), text(stderr))
    }
}

#[test]
fn a_good_file_is_ok_on_stdout_and_nothing_on_stderr() {
    let file = ConfigFile::of("clusters: [{name: main, bootstrap_servers: 'kafka:9092'}]");
    let expected = (Some(0), "ok: 1 cluster (main), no resets\n".to_owned(), String::new());
    assert_eq!(file.run("check-config"), expected);
}

#[test]
fn a_wrong_file_is_64_with_every_problem_on_stderr_and_nothing_on_stdout() {
    let file = ConfigFile::of("{poll_interval: 15, listenn: x, clusters: []}");
    let expected = "  poll_interval: must be a duration with its unit, as in 15s\n  clusters: must not be empty\n  \
                    listenn: unknown key; did you mean `listen`?\n";
    for command in ["check-config", "print-config", "serve"] {
        let (status, stdout, stderr) = file.run(command);
        let (head, problems) = stderr.split_once('\n').expect("several lines");
        assert_eq!(
            (status, stdout.as_str(), problems),
            (Some(64), "", expected),
            "{command}"
        );
        assert!(
            head.starts_with("tidemark: ") && head.ends_with("tidemark.yaml: 3 problems"),
            "{head}"
        );
    }
}

#[test]
fn what_is_printed_is_a_file_that_prints_the_same() {
    let file =
        ConfigFile::of("{poll_interval: 90s, clusters: [{name: \"a: b\", bootstrap_servers: 'kafka:9092', tls: {}}]}");
    let (status, first, _) = file.run("print-config");
    assert_eq!(status, Some(0));
    assert!(
        first.contains("poll_interval: 1m 30s") && first.contains("name: \"a: b\""),
        "{first}"
    );
    assert_eq!(ConfigFile::of(&first).run("print-config").1, first);
}

#[test]
fn a_password_shows_nowhere() {
    let sasl = |extra: &str| {
        format!(
            "clusters: [{{name: main, bootstrap_servers: 'kafka:9092', sasl: {{mechanism: PLAIN, username: u, password: {SECRET}{extra}}}}}]"
        )
    };
    for (text, status) in [(sasl(""), 0), (sasl(", pasword: x"), 64), (sasl(", mechanism"), 64)] {
        let file = ConfigFile::of(&text);
        for command in ["check-config", "print-config"] {
            let (code, stdout, stderr) = file.run(command);
            assert_eq!(code, Some(status), "{stderr}");
            assert!(!stdout.contains(SECRET) && !stderr.contains(SECRET), "{stdout}{stderr}");
        }
    }
}
