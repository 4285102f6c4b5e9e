//! The commands that the page shows: they can be copied as they stand, and they work.

use std::env;
use std::fs;
use std::path::Path;
use std::process::Command;

use tempfile::TempDir;

use crate::support::Browser;
use crate::support::Demo;
use crate::support::ports::Ports;

const TOKEN: &str = "0123456789abcdef0123456789abcdef";

/// A demo whose `invoice-mailer` may be reset by somebody called `on-call`.
struct Desk {
    demo: Demo,
    folder: TempDir,
    _ports: Ports,
}

impl Desk {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let ports = Ports::reserve(&[0]);
        fs::write(folder.path().join("token"), TOKEN).expect("a file");
        let token = folder.path().join("token");
        let audit = folder.path().join("audit.jsonl");
        let demo = Demo::start(&[
            ("TIDEMARK__ADMIN__LISTEN", &format!("127.0.0.1:{}", ports.at(0))),
            ("TIDEMARK__ADMIN__TOKENS__0__NAME", "on-call"),
            ("TIDEMARK__ADMIN__TOKENS__0__FILE", token.to_str().expect("UTF-8")),
            ("TIDEMARK__ADMIN__AUDIT_LOG", audit.to_str().expect("UTF-8")),
            ("TIDEMARK__ADMIN__ALLOW__0__CLUSTER", "main"),
            ("TIDEMARK__ADMIN__ALLOW__0__GROUPS__0", "invoice-mailer"),
        ]);
        Self {
            demo,
            folder,
            _ports: ports,
        }
    }

    /// Runs what somebody typed into a shell; what it printed.
    fn run(&self, typed: &str) -> String {
        let binary = Path::new(env!("CARGO_BIN_EXE_tidemark")).parent().expect("a folder");
        let path = env::join_paths(
            [binary]
                .into_iter()
                .map(Path::to_owned)
                .chain(env::split_paths(&env::var_os("PATH").unwrap_or_default())),
        );
        let done = Command::new("sh")
            .args(["-euc", typed])
            .current_dir(self.folder.path())
            .env("PATH", path.expect("a search path"))
            .output()
            .expect("sh runs");
        let said = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        assert!(
            done.status.success(),
            "{typed}\n{}\n{}",
            said(&done.stdout),
            said(&done.stderr)
        );
        said(&done.stdout)
    }
}

#[test]
fn a_reset_is_planned_by_the_command_that_is_shown_and_told_with_who_asked_for_it() {
    let Some(browser) = Browser::start() else { return };
    let desk = Desk::new();
    browser.go(&desk.demo.url("/clusters/main/groups/invoice-mailer"));
    browser.click(".cure summary");
    browser.click(".cure button[data-copy]");
    browser.until("document.getElementById('notice').innerText !== ''");
    let selected = browser.eval("getSelection().toString()");
    let command = selected.as_str().expect("a text").trim().replace("TOKEN", "token");
    assert_eq!(command, browser.text("#command-reset").replace("TOKEN", "token"));
    let table = desk.run(&command);
    assert!(table.contains("invoices"), "{table}");

    let plan = command
        .replace("--to-current", "--to-latest")
        .replace(" --output table", "");
    desk.run(&format!("{plan} > plan.json"));
    let (_, endpoint) = command.split_once("--admin ").expect("the endpoint");
    let endpoint = endpoint.replace(" --output table", "");
    desk.run(&format!(
        "tidemark reset execute plan.json --confirm invoice-mailer --admin {endpoint}"
    ));
    browser.until("document.querySelector('.events').innerText.includes('reset through tidemark by on-call')");
    let events = browser.text(".events");
    assert!(
        events.contains("3 partitions of invoices reset through tidemark by on-call"),
        "{events}"
    );
    assert!(!events.contains("back"), "a reset is no rewind: {events}");

    browser.go(&desk.demo.url("/clusters/main/groups/payments"));
    browser.click(".cure summary");
    assert!(browser.text(".cure").contains("does not name this group"));
    assert_eq!(browser.count("#command-reset"), 0);
    assert_eq!(browser.count("form, button:not([data-copy])"), 0, "nothing that writes");
    assert_eq!(browser.console(), Vec::<String>::new());
}
