//! `tidemark explain` and `tidemark check` on the stories of the simulated cluster.

use tidemark::clock::Clock;
use tidemark::sim::story;

use crate::support::cli;

async fn run(scenario: &str, arguments: &[&str]) -> (i32, String) {
    let cluster = story::start(Some(scenario), Clock::system(), 1).expect("a story");
    let bootstrap = cluster.bootstrap();
    let arguments: Vec<String> = arguments
        .iter()
        .map(|a| (*a).to_owned())
        .chain(["--brokers".to_owned(), bootstrap])
        .collect();
    tokio::task::spawn_blocking(move || {
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let done = cli(&arguments);
        let told = [done.stdout, done.stderr].concat();
        (
            done.status.code().expect("it ended by itself"),
            String::from_utf8_lossy(&told).into_owned(),
        )
    })
    .await
    .expect("ran")
}

fn group_of(scenario: &str) -> &'static str {
    story::all()
        .iter()
        .find(|story| story.name == scenario)
        .expect("a story")
        .group
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn explain_names_the_rule_and_its_numbers() {
    let group = group_of("lost-records");
    let (status, told) = run("lost-records", &["explain", group, "--watch", "2s"]).await;
    assert_eq!(status, 0, "{told}");
    assert!(told.contains(" of main: lost\n\nLost "), "{told}");
    assert!(
        told.contains("rule  the committed offset is below the start of the log") && told.contains("\nOk once "),
        "{told}"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_gate_is_open_for_who_keeps_up_and_shut_for_the_unknown_and_the_late() {
    let steady = group_of("steady");
    let (status, told) = run(
        "steady",
        &["check", "--group", steady, "--max-lag", "5m", "--wait", "20s"],
    )
    .await;
    assert_eq!(status, 0, "{told}");
    let (status, told) = run("steady", &["check", "--group", "no-such", "--max-lag", "5m"]).await;
    assert!(
        status == 1 && told.contains("there is no group \"no-such\""),
        "{status} {told}"
    );
    let stuck = group_of("stopped");
    let (status, told) = run("stopped", &["check", "--group", stuck, "--max-lag", "1s"]).await;
    assert!(status == 1 && told.starts_with("not ok"), "{status} {told}");
}
