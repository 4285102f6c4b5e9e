//! The permissions that docs/security.md asks for, on a Kafka that denies everything else: with them all works, with one less exactly that
//! is missing which the document says.

use std::path::PathBuf;

use serde_json::Value;
use serde_json::json;
use tempfile::TempDir;

use crate::support::Kafka;
use crate::support::PASSWORD;
use crate::support::Scrape;
use crate::support::Tidemark;
use crate::support::USER;
use crate::support::cli;
use crate::support::unique;
use crate::support::written;

const ACLS: &str = "AclCommand";

/// A Kafka that lets nobody do anything, save whoever comes by the plain listener.
fn strict() -> Option<Kafka> {
    let authorizer = "org.apache.kafka.metadata.authorizer.StandardAuthorizer";
    Kafka::with()
        .secure()
        .setting("authorizer.class.name", authorizer)
        .setting("super.users", "User:ANONYMOUS")
        .start()
}

/// Allows the user the operations; as the lines of the document's commands have it.
fn allow(kafka: &Kafka, what: &[&str], operations: &[&str]) {
    change(kafka, "--add", what, operations);
}

fn forbid(kafka: &Kafka, what: &[&str], operations: &[&str]) {
    change(kafka, "--remove", what, operations);
}

fn change(kafka: &Kafka, how: &str, what: &[&str], operations: &[&str]) {
    let user = format!("User:{USER}");
    let mut line = vec![how, "--force", "--allow-principal", &user];
    line.extend(operations.iter().flat_map(|operation| ["--operation", operation]));
    line.extend(what);
    kafka.tool(ACLS, &line);
}

fn login() -> Value {
    json!({"mechanism": "SCRAM-SHA-512", "username": USER, "password": PASSWORD})
}

fn tidemark(kafka: &Kafka) -> Tidemark {
    Tidemark::of(&kafka.sasl_ssl())
        .cluster("tls", json!({"ca_file": kafka.secure().authority}))
        .cluster("sasl", login())
        .start()
}

fn errors(scrape: &Scrape, api: &str, code: &str) -> f64 {
    scrape.total("tidemark_kafka_errors_total", &[("api", api), ("code", code)])
}

#[test]
fn real_the_documented_permissions_are_enough_and_each_is_needed() {
    let Some(kafka) = strict() else { return };
    let (topic, group) = (
        kafka.topic_with(&unique("topic"), 1, &[("retention.ms", "3600000")]),
        unique("group"),
    );
    kafka.produce_to(&[(&topic, 0)], 3, None);
    kafka.commit(&group, &[(&topic, 0, 1)]);
    let everything = ["--group", "*", "--topic", "*"];
    allow(&kafka, &everything, &["Describe"]);
    let tidemark = tidemark(&kafka);

    // Describe on groups and topics: lag in records, and nothing else is asked in vain but what the two others are for.
    let scrape = tidemark.scrape_until("the lag is there", |scrape| scrape.lag(&group).is_some());
    assert_eq!(scrape.lag(&group), Some(2.0));
    assert_eq!(scrape.value("tidemark_up", &[]), Some(1.0));
    let denied = "TOPIC_AUTHORIZATION_FAILED";
    let all = scrape.total("tidemark_kafka_errors_total", &[]);
    assert_eq!(
        all,
        errors(&scrape, "Fetch", denied) + errors(&scrape, "DescribeConfigs", denied)
    );
    assert_eq!(scrape.count("kafka_topic_retention_seconds"), 0);
    drop(tidemark);

    // DescribeConfigs: how long topics keep records. Read: the times of records.
    allow(&kafka, &["--topic", "*"], &["DescribeConfigs", "Read"]);
    let tidemark = self::tidemark(&kafka);
    let scrape = tidemark.scrape_until("retention is there", |scrape| {
        scrape.count("kafka_topic_retention_seconds") > 0 && scrape.lag(&group).is_some()
    });
    let seconds = [("group", group.as_str())];
    assert!(scrape.value("kafka_group_lag_seconds", &seconds).is_some());
    assert_eq!(scrape.total("tidemark_kafka_errors_total", &[]), 0.0);
    assert_eq!(scrape.total("tidemark_cycles_total", &[("result", "partial")]), 0.0);
    drop(tidemark);

    // Read implies Describe; without either the topic cannot be seen, and the lag is absent rather than wrong.
    forbid(&kafka, &["--topic", "*"], &["Describe", "DescribeConfigs", "Read"]);
    let tidemark = self::tidemark(&kafka);
    let scrape = tidemark.next_cycle();
    assert_eq!(scrape.lag(&group), None);
    drop(tidemark);
    // Without Describe on groups nothing is listed at all, which Kafka does not tell.
    allow(&kafka, &["--topic", "*"], &["Describe"]);
    forbid(&kafka, &["--group", "*"], &["Describe"]);
    let tidemark = self::tidemark(&kafka);
    let scrape = tidemark.next_cycle();
    assert_eq!(scrape.value("tidemark_groups", &[("result", "read")]), Some(0.0));
}

/// `tidemark reset …` with the user's credentials.
struct Desk {
    folder: TempDir,
    config: PathBuf,
}

impl Desk {
    fn of(kafka: &Kafka) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let cluster = json!({
            "name": "main",
            "bootstrap_servers": kafka.sasl_ssl(),
            "tls": {"ca_file": kafka.secure().authority},
            "sasl": login(),
        });
        let config = written(
            folder.path(),
            "tidemark.json",
            &json!({"clusters": [cluster]}).to_string(),
        );
        Self { folder, config }
    }

    /// Plans and executes; the exit status and what was said.
    fn reset(&self, group: &str, to: &str) -> (Option<i32>, String) {
        let config = self.config.display().to_string();
        let plan = cli(&["-c", &config, "reset", "plan", "--group", group, "--committed", to]);
        if plan.status.code() != Some(0) {
            return (plan.status.code(), String::from_utf8_lossy(&plan.stderr).into_owned());
        }
        let name = format!("{}.json", unique("plan"));
        let file = written(self.folder.path(), &name, &String::from_utf8_lossy(&plan.stdout));
        let file = file.display().to_string();
        let run = cli(&["-c", &config, "reset", "execute", &file, "--confirm", group]);
        let said = [run.stdout, run.stderr].concat();
        (run.status.code(), String::from_utf8_lossy(&said).into_owned())
    }
}

#[test]
fn real_a_reset_wants_the_documented_permissions_and_no_more() {
    let Some(kafka) = strict() else { return };
    let (topic, group) = (kafka.topic(1), unique("group"));
    kafka.produce_to(&[(&topic, 0)], 3, None);
    kafka.commit(&group, &[(&topic, 0, 2)]);
    let desk = Desk::of(&kafka);
    allow(&kafka, &["--group", &group, "--topic", &topic], &["Describe"]);
    let (status, said) = desk.reset(&group, "--to-earliest");
    assert_eq!(status, Some(1), "{said}");
    assert!(said.contains("AUTHORIZATION_FAILED"), "{said}");
    assert_eq!(kafka.committed(&group).values().copied().collect::<Vec<_>>(), [2]);

    allow(&kafka, &["--group", &group, "--topic", &topic], &["Read"]);
    let (status, said) = desk.reset(&group, "--to-earliest");
    assert_eq!(status, Some(0), "{said}");
    assert_eq!(kafka.committed(&group).values().copied().collect::<Vec<_>>(), [0]);

    let (status, said) = desk.reset(&group, "--forget");
    assert_eq!(status, Some(1), "{said}");
    allow(&kafka, &["--group", &group], &["Delete"]);
    let (status, said) = desk.reset(&group, "--forget");
    assert_eq!(status, Some(0), "{said}");
    assert!(kafka.committed(&group).is_empty());
}
