//! Kafka's own command-line tools on the simulated cluster.

use std::process::Command;
use std::time::Duration;

use tidemark::clock::Clock;
use tidemark::model::GroupType;
use tidemark::sim::Cluster;
use tidemark::sim::Member;
use tidemark::sim::Model;

use super::running::Running;
use crate::support::jars;

const GROUPS: &str = "org.apache.kafka.tools.consumer.group.ConsumerGroupCommand";

/// What a tool prints, its columns separated by single spaces, lines sorted.
fn tool(jars: &std::path::Path, class: &str, arguments: &[&str]) -> Vec<String> {
    let run = Command::new("java")
        .args(["-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"])
        .args(["-Dorg.slf4j.simpleLogger.defaultLogLevel=warn", "-cp"])
        .arg(format!("{}/*", jars.display()))
        .arg(class)
        .args(arguments)
        .output()
        .expect("java starts");
    let said = String::from_utf8_lossy(&run.stdout).into_owned();
    assert!(run.status.success(), "{said}{}", String::from_utf8_lossy(&run.stderr));
    let lines = said
        .lines()
        .map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "));
    let mut lines: Vec<String> = lines.filter(|line| !line.is_empty()).collect();
    lines.sort();
    lines
}

fn cluster() -> Running {
    let clock = Clock::system();
    let mut model = Model::new(3, 1);
    model.set_now(clock.now().wall.0);
    model.create_topic("t", 2);
    for partition in 0..2 {
        model
            .fill("t", partition, (100, 200), Duration::from_secs(3600))
            .expect("the topic was made");
    }
    model.join("classic", Member::new("a").subscribed(&["t"]).on("10.0.0.1"));
    model.create_group("next", GroupType::Consumer);
    model.join("next", Member::new("b").assigned("t", &[1]));
    for group in ["classic", "next", "simple"] {
        model.commit(group, "t", 0, 150);
    }
    Running::new(|| Cluster::start(model, clock))
}

#[test]
fn kafkas_own_tool_lists_describes_and_resets_groups() {
    let Some(jars) = jars::folder() else { return };
    let cluster = cluster();
    let bootstrap = cluster.bootstrap();
    let groups = |arguments: &[&str]| {
        let to = ["--bootstrap-server", bootstrap.as_str()];
        tool(&jars, GROUPS, &[&to[..], arguments].concat())
    };
    assert_eq!(groups(&["--list"]), ["classic", "next", "simple"]);
    let described = groups(&["--describe", "--all-groups"]);
    for row in [
        "classic t 0 150 200 50 a /10.0.0.1 a",
        "classic t 1 - 200 - a /10.0.0.1 a",
        "next t 0 150 200 50 - - -",
        "next t 1 - 200 - b /127.0.0.1 b",
        "simple t 0 150 200 50 - - -",
    ] {
        assert!(described.contains(&row.to_owned()), "{row}: {described:#?}");
    }
    let reset = groups(&[
        "--reset-offsets",
        "--group",
        "simple",
        "--topic",
        "t",
        "--to-earliest",
        "--execute",
    ]);
    assert!(reset.contains(&"simple t 1 100".to_owned()), "{reset:#?}");
    let again = groups(&["--describe", "--group", "simple"]);
    assert!(again.contains(&"simple t 0 100 200 100 - - -".to_owned()), "{again:#?}");
}
