//! A disk that is full, at any byte of a line: without a record nothing is reset, and no half line is left.

use std::fs;
use std::fs::OpenOptions;
use std::io::Write as _;
use std::process::Output;

use serde_json::Value;

use super::world::Desk;
use super::world::as_before;
use super::world::cluster;
use super::world::committed;
use crate::support::have;

/// Where the file size ends, in the kibibytes of `ulimit -f`.
const LIMIT: u64 = 256;

/// Runs the command where no file may grow beyond the limit: writing on is an error then, after what still fitted was written.
fn confined(desk: &Desk, line: &str) -> Output {
    let script = format!("trap '' XFSZ; ulimit -f {LIMIT}; exec tidemark {line}");
    desk.command("bash").args(["-c", &script]).output().expect("bash runs")
}

/// Fills the audit log up to so many bytes before the limit.
fn fill(desk: &Desk, left: u64) {
    let path = desk.path("audit.jsonl");
    let size = fs::metadata(&path).expect("a log").len();
    let line = |length: u64| {
        format!(
            "{{\"x\":\"{}\"}}\n",
            "x".repeat(usize::try_from(length - 9).expect("room"))
        )
    };
    let mut log = OpenOptions::new().append(true).open(&path).expect("a log");
    log.write_all(line(LIMIT * 1024 - left - size).as_bytes())
        .expect("written");
    assert_eq!(fs::metadata(&path).expect("a log").len(), LIMIT * 1024 - left);
}

fn events(desk: &Desk) -> Vec<String> {
    let event = |line: &Value| line["event"].as_str().map(str::to_owned);
    desk.audited().iter().filter_map(event).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn where_the_intent_does_not_fit_nothing_is_reset_and_no_half_line_stays() {
    if !have(&["bash"]) {
        return;
    }
    for left in [0, 1, 300] {
        let cluster = cluster();
        let desk = Desk::new(&cluster);
        let run = confined(
            &desk,
            "reset plan --group orders --topic payments --to-offset 50 >plan.json",
        );
        assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
        fill(&desk, left);
        let before = fs::read(desk.path("audit.jsonl")).expect("a log");
        let run = confined(&desk, "reset execute plan.json --confirm orders");
        let said = String::from_utf8_lossy(&run.stderr);
        assert_eq!(run.status.code(), Some(2), "{left}: {said}");
        assert!(
            said.contains("audit_unavailable") && said.contains("File too large"),
            "{said}"
        );
        assert_eq!(committed(&cluster), as_before());
        assert!(
            fs::read(desk.path("audit.jsonl")).expect("a log") == before,
            "no half line"
        );
        assert!(!desk.path("plan.undo.json").exists(), "nothing to undo");
        // A plan is recorded too, or not made.
        let run = confined(&desk, "reset plan --group orders --topic payments --to-offset 60");
        assert_eq!((run.status.code(), run.stdout.len()), (Some(2), 0));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn where_the_outcome_does_not_fit_that_is_said_and_the_same_plan_records_it_later() {
    if !have(&["bash"]) {
        return;
    }
    let cluster = cluster();
    let desk = Desk::new(&cluster);
    let run = confined(
        &desk,
        "reset plan --group orders --topic payments --to-offset 50 >plan.json",
    );
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    // As long as the intent will be, and a hundred bytes more: an outcome is longer than that.
    let rehearsal = rehearsed(&desk);
    fill(&desk, rehearsal + 100);
    let run = confined(&desk, "reset execute plan.json --confirm orders");
    let said = String::from_utf8_lossy(&run.stderr);
    assert!(run.status.success(), "{said}");
    assert!(
        said.contains("the outcome was not recorded: the audit log cannot be written"),
        "{said}"
    );
    assert_eq!(committed(&cluster), [Some(50); 3]);
    assert_eq!(events(&desk), ["plan", "intent"], "every line is whole");
    // Room is made, as rotation does it, and the same plan tells how it stands.
    fs::rename(desk.path("audit.jsonl"), desk.path("audit.jsonl.1")).expect("renamed");
    let run = confined(&desk, "reset execute plan.json --confirm orders");
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    assert_eq!(events(&desk), ["intent", "outcome"]);
    assert_eq!(desk.audited()[1]["result"], "executed");
}

/// The bytes of the intent's line of the plan, from another desk with a cluster of the same kind.
fn rehearsed(desk: &Desk) -> u64 {
    let (cluster, other) = (cluster(), fs::read(desk.path("plan.json")).expect("a plan"));
    let rehearsal = Desk::new(&cluster);
    let run = confined(
        &rehearsal,
        "reset plan --group orders --topic payments --to-offset 50 >plan.json",
    );
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    let run = confined(&rehearsal, "reset execute plan.json --confirm orders");
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    assert_eq!(
        fs::read(rehearsal.path("plan.json")).expect("a plan").len(),
        other.len()
    );
    let log = fs::read_to_string(rehearsal.path("audit.jsonl")).expect("a log");
    log.lines().nth(1).expect("an intent").len() as u64 + 1
}
