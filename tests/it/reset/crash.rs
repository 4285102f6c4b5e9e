//! A process that is killed between the intent and the outcome leaves a log that says so, the way back, and a plan that can be sent again.

use std::fs;
use std::process::Stdio;

use serde_json::Value;
use tidemark::sim::ApiKey;
use tidemark::sim::Fault;
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
    let plan = [
        "reset",
        "plan",
        "--group",
        "orders",
        "--topic",
        "payments",
        "--to-offset",
        "50",
    ];
    let planned = desk.command("tidemark").args(plan).output().expect("it runs");
    assert!(planned.status.success(), "{}", String::from_utf8_lossy(&planned.stderr));
    fs::write(desk.path("plan.json"), planned.stdout).expect("a file");
    // The broker writes, and never says so.
    cluster.fault(When::api(ApiKey::OffsetCommit), Fault::Silence);
    let execute = ["reset", "execute", "plan.json", "--confirm", "orders"];
    let mut running = desk
        .command("tidemark")
        .args(execute)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("it runs");
    until("the broker has written", || committed(&cluster) == [Some(50); 3]);
    running.kill().expect("killed");
    running.wait().expect("it has ended");

    let lines = desk.audited();
    let intent = lines.last().expect("a line");
    assert_eq!(intent["event"], "intent");
    let before: Vec<_> = intent["before"]
        .as_array()
        .expect("rows")
        .iter()
        .map(|row| row["offset"].as_i64())
        .collect();
    assert_eq!(before, as_before());
    let undo: Value = serde_json::from_slice(&fs::read(desk.path("plan.undo.json")).expect("a file")).expect("JSON");
    assert_eq!(undo, intent["undo"]);

    cluster.mend_all();
    let again = desk.command("tidemark").args(execute).output().expect("it runs");
    assert!(again.status.success(), "{}", String::from_utf8_lossy(&again.stderr));
    assert_eq!(desk.audited().last().expect("a line")["result"], "executed");
    assert_eq!(
        cluster.count(ApiKey::OffsetCommit),
        1,
        "what was written is not written twice"
    );
}
