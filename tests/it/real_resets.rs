//! Resets by the command line on real Kafka: the right group and no other, whatever it is called and wherever it is coordinated; closed where
//! a broker is gone; large groups; groups of other types.

mod brokers;

use std::collections::BTreeMap;
use std::path::Path;
use std::path::PathBuf;
use std::process::Output;
use std::time::Instant;

use serde_json::Value;
use tempfile::TempDir;

use crate::real_wire::streams::StreamsMember;
use crate::support::Kafka;
use crate::support::cli;
use crate::support::unique;
use crate::support::until;

/// A folder for plans, and a cluster to reset on.
struct Desk<'a> {
    kafka: &'a Kafka,
    folder: TempDir,
}

type Commits = BTreeMap<(String, i32), i64>;

impl<'a> Desk<'a> {
    fn new(kafka: &'a Kafka) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let config = serde_json::json!({
            "clusters": [{"name": "main", "bootstrap_servers": kafka.bootstrap(), "request_timeout": "4s"}],
        });
        std::fs::write(folder.path().join("tidemark.yaml"), config.to_string()).expect("a file");
        Self { kafka, folder }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn run(&self, line: &[&str]) -> Output {
        let config = self.path("tidemark.yaml");
        cli(&[&["-c", text(&config), "reset"], line].concat())
    }

    /// Plans into a file.
    fn plan(&self, group: &str, what: &[&str]) -> PathBuf {
        let run = self.run(&[&["plan", "--group", group], what].concat());
        assert!(run.status.success(), "{}", said(&run));
        let file = self.path(&format!("{}.json", unique("plan")));
        std::fs::write(&file, run.stdout).expect("a file");
        file
    }

    fn execute(&self, plan: &Path, group: &str) -> Output {
        self.run(&["execute", text(plan), "--confirm", group])
    }

    fn reset(&self, group: &str, what: &[&str]) -> PathBuf {
        let plan = self.plan(group, what);
        let run = self.execute(&plan, group);
        assert!(run.status.success(), "{}", said(&run));
        plan
    }

    /// The way back of a plan that was executed.
    fn undo(&self, plan: &Path, group: &str) {
        let undo = plan.with_extension("undo.json");
        self.reset(group, &["--from-file", text(&undo)]);
    }

    fn committed(&self, group: &str) -> Commits {
        self.kafka.committed(group)
    }
}

fn text(path: &Path) -> &str {
    path.to_str().expect("text")
}

fn said(run: &Output) -> String {
    String::from_utf8_lossy(&run.stderr).into_owned()
}

/// Status 2, with that word.
fn refused(run: &Output, word: &str) -> String {
    let told = said(run);
    assert_eq!(run.status.code(), Some(2), "{told}");
    assert!(told.contains(&format!("refused: {word}: ")), "{told}");
    told
}

#[test]
fn a_group_is_its_name_to_the_last_blank_and_no_other_group_moves() {
    let Some(kafka) = Kafka::shared() else { return };
    let desk = Desk::new(kafka);
    let (topic, word) = (kafka.topic(1), unique("group"));
    kafka.produce(&topic, 0, 40);
    let names = [
        word.clone(),
        format!(" {word}"),
        format!("  {word}"),
        format!("\t{word}"),
        format!("{word} "),
        format!("{word}\n"),
        word.to_uppercase(),
        format!("-{word}"),
        format!("{word}\u{e9}"),
        // The same to the eye: a letter and an accent.
        format!("{word}e\u{301}"),
        format!("$({word})"),
        format!("{word}\u{1b}[2J"),
    ];
    for (offset, name) in (10..).zip(&names) {
        kafka.commit(name, &[(&topic, 0, offset)]);
    }
    let all = || {
        names
            .iter()
            .map(|name| desk.committed(name)[&(topic.clone(), 0)])
            .collect::<Vec<_>>()
    };
    for (index, name) in names.iter().enumerate() {
        let mut expected = all();
        let group = format!("--group={name}");
        let run = desk.run(&["plan", &group, "--committed", "--to-offset", "5"]);
        assert!(run.status.success(), "{name:?}: {}", said(&run));
        let planned: Value = serde_json::from_slice(&run.stdout).expect("JSON");
        assert_eq!(
            (&planned["plan"]["group"], &planned["plan"]["partitions"][0]["from"]),
            (&Value::from(name.as_str()), &expected[index].into())
        );
        let file = desk.path(&format!("{index}.json"));
        std::fs::write(&file, run.stdout).expect("a file");
        // The name of another one confirms nothing.
        let other = &names[(index + 1) % names.len()];
        refused(
            &desk.run(&["execute", text(&file), &format!("--confirm={other}")]),
            "wrong_confirmation",
        );
        assert_eq!(all(), expected);
        let run = desk.run(&["execute", text(&file), &format!("--confirm={name}")]);
        assert!(run.status.success(), "{name:?}: {}", said(&run));
        expected[index] = 5;
        assert_eq!(all(), expected, "{name:?}");
    }
}

#[test]
fn a_group_of_a_thousand_partitions_goes_there_and_back() {
    let Some(kafka) = Kafka::shared() else { return };
    let desk = Desk::new(kafka);
    let group = unique("large");
    let topics: Vec<_> = (0..4).map(|_| kafka.topic(250)).collect();
    let places: Vec<_> = topics
        .iter()
        .flat_map(|topic| (0..250).map(move |partition| (topic.as_str(), partition)))
        .collect();
    kafka.produce_to(&places, 3, None);
    let offset = |partition: i32| i64::from(partition % 4);
    let commits: Vec<_> = places
        .iter()
        .map(|(topic, partition)| (*topic, *partition, offset(*partition)))
        .collect();
    kafka.commit(&group, &commits);
    let before = desk.committed(&group);
    assert_eq!(before.len(), 1_000);

    let began = Instant::now();
    let plan = desk.plan(&group, &["--committed", "--to-offset", "2"]);
    let planned = began.elapsed();
    let run = desk.run(&["-v", "execute", text(&plan), "--confirm", &group]);
    let executed = began.elapsed() - planned;
    let told = said(&run);
    assert!(run.status.success(), "{told}");
    for line in [
        "reading where the logs of 752 partitions begin and end",
        "writing to 752 partitions",
        "reading the commits back",
    ] {
        assert!(told.contains(&format!("tidemark: {line}\n")), "{line}: {told}");
    }
    println!("1,000 partitions: planned in {planned:?}, executed in {executed:?}");
    assert!(desk.committed(&group).values().all(|offset| *offset == 2));
    desk.undo(&plan, &group);
    assert_eq!(desk.committed(&group), before);
}

#[test]
fn a_streams_group_is_left_to_its_own_tool_with_members_and_without() {
    let Some(kafka) = Kafka::shared().filter(|kafka| !kafka.version().starts_with("3.")) else {
        return;
    };
    let desk = Desk::new(kafka);
    let (topic, group) = (kafka.topic(1), unique("streams"));
    kafka.produce(&topic, 0, 10);
    let mut member = StreamsMember::join(kafka, &group, &topic);
    let told = refused(
        &desk.run(&[
            "plan",
            "--group",
            &group,
            "--topic",
            &topic,
            "--to-earliest",
            "--allow-new-partitions",
        ]),
        "wrong_group_type",
    );
    assert!(told.contains("kafka-streams"), "{told}");
    // As a member it commits; when it has left, the group is empty, and its commits look like any consumer's.
    until("the member commits", || member.heartbeat() && member.commit(&topic, 4));
    assert_eq!(desk.committed(&group), [((topic.clone(), 0), 4)].into());
    member.leave();
    until("nobody is left", || {
        kafka
            .tool(
                "org.apache.kafka.tools.streams.StreamsGroupCommand",
                &["--describe", "--state", "--group", &group],
            )
            .contains("Empty")
    });
    refused(
        &desk.run(&["plan", "--group", &group, "--committed", "--to-earliest"]),
        "wrong_group_type",
    );
    assert_eq!(desk.committed(&group), [((topic, 0), 4)].into());
}
