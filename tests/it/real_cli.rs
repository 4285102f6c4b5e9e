//! Commands that ask a real Kafka once and end.

use serde_json::Value;

use crate::support::Kafka;
use crate::support::Tidemark;
use crate::support::cli;
use crate::support::unique;

#[test]
fn lag_prints_what_serve_serves() {
    let Some(kafka) = Kafka::shared() else { return };
    let (topic, group) = (kafka.topic(1), unique("group"));
    kafka.produce(&topic, 0, 10);
    kafka.commit(&group, &[(&topic, 0, 4)]);
    let tidemark = Tidemark::of(&kafka.bootstrap()).start();
    tidemark.next_cycle();
    let config = tidemark.config().display().to_string();
    let asked = ["lag", "-c", &config, "--group", &group];
    let run = cli(&[&asked[..], &["--output", "json"]].concat());
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    let printed: Value = serde_json::from_slice(&run.stdout).expect("JSON");
    let served = tidemark.api(&format!("/clusters/main/groups/{group}"));
    assert_eq!(served["lag_records"], 6);
    assert!(
        printed.to_string().contains(&group) && printed.to_string().contains("\"lag_records\":6"),
        "{printed}"
    );

    let run = cli(&["lag", "--brokers", &kafka.bootstrap(), "--group", &group]);
    let table = String::from_utf8_lossy(&run.stdout);
    let row = table
        .lines()
        .find(|line| line.contains(&group))
        .unwrap_or_else(|| panic!("no row: {table}"));
    assert!(
        run.status.success() && row.split_whitespace().any(|field| field == "6"),
        "{table}"
    );
}
