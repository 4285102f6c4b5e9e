//! A process that is killed between the intent and the outcome leaves a log that says so, the way back, and a plan that can be sent again;
//! one that is asked to end finishes first.

use std::fs;
use std::process::Command;
use std::process::Stdio;
use std::time::Duration;

use serde_json::Value;
use tidemark::sim::ApiKey;
use tidemark::sim::Fault;
use tidemark::sim::Member;
use tidemark::sim::When;

use super::world::Desk;
use super::world::as_before;
use super::world::cluster;
use super::world::committed;
use crate::support::until;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn killed_in_the_middle_of_a_write_everything_needed_is_on_disk() {
    let cluster = cluster();
    let desk = Desk::new(&cluster);
    plan(&desk);
    // The broker writes, and never says so.
    cluster.fault(When::api(ApiKey::OffsetCommit), Fault::Silence);
    let mut running = execute(&desk).spawn().expect("it runs");
    until("the broker has written", || committed(&cluster) == [Some(50); 3]);
    running.kill().expect("killed");
    running.wait().expect("it has ended");

    let lines = desk.audited();
    let intent = lines.last().expect("a line");
    assert_eq!(intent["event"], "intent");
    let rows = intent["before"].as_array().expect("rows");
    let before: Vec<_> = rows.iter().map(|row| row["offset"].as_i64()).collect();
    assert_eq!(before, as_before());
    let undo = fs::read(desk.path("plan.undo.json")).expect("a file");
    let undo: Value = serde_json::from_slice(&undo).expect("JSON");
    assert_eq!(undo, intent["undo"]);

    cluster.mend_all();
    let again = execute(&desk).stderr(Stdio::piped()).output().expect("it runs");
    assert!(again.status.success(), "{}", String::from_utf8_lossy(&again.stderr));
    assert_eq!(desk.audited().last().expect("a line")["result"], "executed");
    assert_eq!(
        cluster.count(ApiKey::OffsetCommit),
        1,
        "what was written is not written twice"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn interrupted_in_the_middle_of_a_write_it_is_finished_first() {
    let cluster = cluster();
    let desk = Desk::new(&cluster);
    plan(&desk);
    cluster.fault(When::api(ApiKey::OffsetCommit), Fault::Delay(Duration::from_secs(2)));
    let mut running = execute(&desk).spawn().expect("it runs");
    until("the write is on its way", || cluster.count(ApiKey::OffsetCommit) == 1);
    for signal in ["-INT", "-TERM"] {
        tell(signal, running.id());
    }
    assert_eq!(running.wait().expect("it ends").code(), Some(0));
    assert_eq!(desk.audited().last().expect("a line")["result"], "executed");
    assert_eq!(committed(&cluster), [Some(50); 3]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn interrupted_while_it_waits_it_ends_and_has_changed_nothing() {
    let cluster = cluster();
    let desk = Desk::new(&cluster);
    plan(&desk);
    cluster.edit(|model| model.join("orders", Member::new("app").subscribed(&["payments"])));
    let log = fs::File::create(desk.path("said")).expect("a file");
    let mut waiting = execute(&desk);
    let mut waiting = waiting.args(["--wait", "10m"]).stderr(log).spawn().expect("it runs");
    let said = || fs::read_to_string(desk.path("said")).unwrap_or_default();
    until("it says that it waits", || said().contains("waiting: "));
    tell("-INT", waiting.id());
    assert_eq!(waiting.wait().expect("it ends").code(), Some(2));
    assert_eq!(committed(&cluster), as_before());
    assert!(!desk.path("plan.undo.json").exists());
}

/// `plan.json`: everything to 50.
fn plan(desk: &Desk) {
    let line = "reset plan --group orders --topic payments --to-offset 50";
    let planned = desk
        .command("tidemark")
        .args(line.split(' '))
        .output()
        .expect("it runs");
    assert!(planned.status.success(), "{}", String::from_utf8_lossy(&planned.stderr));
    fs::write(desk.path("plan.json"), planned.stdout).expect("a file");
}

fn execute(desk: &Desk) -> Command {
    let mut command = desk.command("tidemark");
    command.args(["reset", "execute", "plan.json", "--confirm", "orders"]);
    command.stdout(Stdio::null()).stderr(Stdio::null());
    command
}

fn tell(signal: &str, pid: u32) {
    let sent = Command::new("kill").args([signal, &pid.to_string()]).status();
    assert!(sent.expect("kill runs").success());
}
