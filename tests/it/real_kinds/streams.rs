//! Streams groups (KIP-1071): Kafka's own example of an application, which counts words.

use std::fs;

use serde_json::Value;

use super::table::number;
use super::table::rows;
use crate::support::Kafka;
use crate::support::Tidemark;
use crate::support::unique;
use crate::support::until;

const CLASS: &str = "org.apache.kafka.tools.streams.StreamsGroupCommand";
const APPLICATION: &str = "org.apache.kafka.streams.examples.wordcount.WordCountDemo";
const INPUT: &str = "streams-plaintext-input";
const OUTPUT: &str = "streams-wordcount-output";

fn epochs(document: &Value) -> Option<(i64, i64, i64)> {
    Some((
        document["group_epoch"].as_i64()?,
        document["assignment_epoch"].as_i64()?,
        document["members"].as_i64()?,
    ))
}

fn tasks(document: &Value) -> usize {
    let members = document["member_list"].as_array().expect("members");
    let active = members
        .iter()
        .filter_map(|it| it["member_tasks"]["active_tasks"].as_object());
    active
        .flat_map(|parts| parts.values().filter_map(Value::as_array))
        .map(Vec::len)
        .sum()
}

#[test]
fn a_streams_application_has_the_epochs_members_and_lag_that_kafkas_own_tool_says() {
    let Some(kafka) = Kafka::shared().filter(|kafka| kafka.is_at_least(4, 2)) else {
        return;
    };
    let Some(jars) = kafka.streams_jars() else { return };
    kafka.topic_with(INPUT, 2, &[]);
    kafka.topic_with(OUTPUT, 1, &[]);
    let group = unique("words");
    let home = tempfile::tempdir().expect("a folder");
    let settings = home.path().join("settings");
    let text = format!(
        "application.id={group}\nbootstrap.servers={}\ngroup.protocol=streams\nstate.dir={}\ncommit.interval.ms=200\n",
        kafka.bootstrap(),
        home.path().join("state").display()
    );
    fs::write(&settings, text).expect("a file");
    let application = kafka.java_in_the_background(&jars, APPLICATION, &[&settings.display().to_string()]);
    let tidemark = Tidemark::of(&kafka.bootstrap()).start();
    let path = format!("/clusters/main/groups/{group}");
    let seen = || {
        tidemark
            .get(&format!("/api/v1{path}"), &[])
            .is_ok_and(|answer| answer.status == 200)
    };
    until("the group is seen", seen);
    until("the application works", || {
        let document = tidemark.api(&path);
        document["state"] == "Stable" && document["members_behind"] == 0 && document["tasks"]["active"] == 4
    });
    kafka.produce(INPUT, 0, 9);
    until("what came is committed", || {
        kafka.committed(&group).get(&(INPUT.to_owned(), 0)) == Some(&9)
    });
    until("there is no lag", || tidemark.api(&path)["lag_records"] == 0);
    let document = tidemark.api(&path);
    assert_eq!(document["type"], "streams");
    assert_eq!(tasks(&document), 4);
    let state = rows(&kafka.tool(CLASS, &["--describe", "--group", &group, "--state", "--verbose"]));
    let row = &state[0];
    assert_eq!(document["state"], row["STATE"]);
    let told = (
        number(row, "GROUP-EPOCH"),
        number(row, "TARGET-ASSIGNMENT-EPOCH"),
        number(row, "#MEMBERS"),
    );
    assert_eq!(epochs(&document), Some(told));
    let said = kafka.tool(CLASS, &["--describe", "--group", &group, "--members", "--verbose"]);
    let member = &rows(&said)[0];
    assert_eq!(document["topology_epoch"], number(member, "TOPOLOGY-EPOCH"), "{said}");
    assert_eq!(document["member_epoch_min"], number(member, "MEMBER-EPOCH"), "{said}");
    drop(application);
}
