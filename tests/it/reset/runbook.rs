//! Every command of `docs/resets.md`, run as it stands there, in order.

use std::fs;
use std::process::Child;
use std::process::Stdio;
use std::time::Duration;

use super::world::Desk;
use super::world::as_before;
use super::world::cluster;
use super::world::committed;
use crate::support::Secure;
use crate::support::have;
use crate::support::wait::eventually;

const RUNBOOK: &str = include_str!("../../../docs/resets.md");

/// The blocks of commands.
fn blocks() -> Vec<&'static str> {
    let parts = RUNBOOK.split("```sh\n").skip(1);
    parts
        .map(|part| part.split("```").next().expect("a block ends"))
        .collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_command_of_the_runbook_works() {
    if !have(&["curl", "jq"]) {
        return;
    }
    let cluster = cluster();
    let desk = Desk::new(&cluster);
    let (mut plain, admin) = serve(&desk, "tidemark.yaml");
    let (mut secure, https) = serve(&desk, with_tls(&desk));
    let mut ran = 0;
    for block in blocks() {
        // What the runbook calls by the names of a real installation.
        let script = block
            .replace("127.0.0.1:9641", &admin)
            .replace("tidemark.example:9641", &https.replace("127.0.0.1", "localhost"))
            .replace(
                "/etc/tidemark/admin.token",
                desk.path("admin.token").to_str().expect("text"),
            )
            .replace(
                "/var/lib/tidemark/audit.jsonl",
                desk.path("audit.jsonl").to_str().expect("text"),
            );
        let before = committed(&cluster);
        let done = desk.command("sh").args(["-euc", &script]).output().expect("sh runs");
        assert!(
            done.status.success(),
            "{block}\n{}\n{}",
            String::from_utf8_lossy(&done.stdout),
            String::from_utf8_lossy(&done.stderr)
        );
        if !block.contains("execute") {
            assert_eq!(committed(&cluster), before, "only an execute changes anything: {block}");
        }
        if block.contains("plan.undo.json") {
            assert_eq!(committed(&cluster), as_before(), "the undo brings everything back");
        }
        ran += block.lines().count();
    }
    assert!(ran >= 20, "{ran} commands were found");
    for serve in [&mut plain, &mut secure] {
        serve.kill().expect("killed");
        serve.wait().expect("it has ended");
    }
    let shown = desk
        .audited()
        .iter()
        .filter(|line| line["certificate"].is_string())
        .count();
    assert_eq!(shown, 1, "the one command with a client certificate");
}

/// A running tidemark, and the address of its admin listener.
fn serve(desk: &Desk, config: &str) -> (Child, String) {
    let log = desk.path(format!("{config}.log"));
    let file = fs::File::create(&log).expect("a file");
    let mut command = desk.command("tidemark");
    command.args(["serve", "-c", config]).stdout(Stdio::null()).stderr(file);
    let running = command.spawn().expect("it runs");
    let admin = eventually("the admin listener", Duration::from_secs(60), || {
        let said = fs::read_to_string(&log).unwrap_or_default();
        let line = said
            .lines()
            .find(|line| line.contains("listening") && line.contains("admin"))?
            .to_owned();
        let address = regex::Regex::new(r"127\.0\.0\.1:\d+").expect("an expression");
        address.find(&line).map(|found| found.as_str().to_owned())
    });
    (running, admin)
}

/// The same configuration with an admin listener that wants client certificates, and the files that the runbook names.
fn with_tls(desk: &Desk) -> &'static str {
    let papers = Secure::write(desk.folder.path());
    for (file, name) in [
        (&papers.authority, "ca.pem"),
        (&papers.client_certificate, "ann.pem"),
        (&papers.client_key, "ann.key"),
    ] {
        fs::copy(file, desk.path(name)).expect("a file");
    }
    let text = fs::read_to_string(desk.path("tidemark.yaml")).expect("a file");
    let mut config: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let server = desk.path("server.pem");
    config["admin"]["tls"] =
        serde_json::json!({"cert_file": server, "key_file": server, "client_ca_file": papers.authority});
    fs::write(desk.path("secure.yaml"), config.to_string()).expect("a file");
    "secure.yaml"
}
