//! The main job on a real broker, read by those who read it in real life: Kafka's own tool, Prometheus, promtool, curl.

use std::collections::BTreeMap;
use std::process::Command;

use serde_json::json;

use crate::support::Joining;
use crate::support::Kafka;
use crate::support::Manner;
use crate::support::Prometheus;
use crate::support::Scrape;
use crate::support::Stranger;
use crate::support::Tidemark;
use crate::support::have;
use crate::support::promtool_check_metrics;
use crate::support::unique;
use crate::support::until;

/// Committed offset, log end and lag by group, topic and partition.
type Rows = BTreeMap<(String, String, i32), (i64, i64, i64)>;

/// What `kafka-consumer-groups --describe` prints of partitions with a commit.
fn told_by_kafka(kafka: &Kafka, groups: &[String]) -> Rows {
    let class = "ConsumerGroupCommand";
    let named = groups.iter().flat_map(|group| ["--group", group]);
    let said = kafka.tool(class, &["--describe"].into_iter().chain(named).collect::<Vec<_>>());
    let row = |line: &str| {
        let field: Vec<&str> = line.split_whitespace().collect();
        let key = (
            field.first()?.to_string(),
            field.get(1)?.to_string(),
            field.get(2)?.parse().ok()?,
        );
        Some((
            key,
            (
                field.get(3)?.parse().ok()?,
                field.get(4)?.parse().ok()?,
                field.get(5)?.parse().ok()?,
            ),
        ))
    };
    said.lines().filter_map(row).collect()
}

/// Groups that are behind, level, ahead, past retention, partly committed, with members of either protocol and without.
fn groups_of_every_kind(kafka: &Kafka) -> (Vec<String>, Vec<crate::support::Member>) {
    let topics = [kafka.topic(1), kafka.topic(2), kafka.topic(3)];
    let places: Vec<(&str, i32)> = topics
        .iter()
        .zip(1..)
        .flat_map(|(topic, count)| (0..count).map(move |p| (topic.as_str(), p)))
        .collect();
    for ((topic, partition), records) in places.iter().zip([10, 20, 30, 40, 50, 60]) {
        kafka.produce(topic, *partition, records);
    }
    let mut groups: Vec<String> = (0..8).map(|_| unique("still")).collect();
    for (group, number) in groups.iter().zip(0..) {
        let ends = [10, 20, 30, 40, 50, 60];
        let read = |index: usize| {
            if number == 7 {
                ends[index] + 1_000
            } else {
                (ends[index] - 7 * number).max(0)
            }
        };
        let offsets: Vec<_> = places
            .iter()
            .enumerate()
            .map(|(index, (t, p))| (*t, *p, read(index)))
            .collect();
        kafka.commit(group, &offsets[usize::from(number % 2 == 1)..]);
    }
    kafka.delete_records(&topics[2], 2, 60);
    kafka.delete_records(&topics[2], 1, 5);
    let (classic, consumer, left) = (unique("classic"), unique("consumer"), unique("left"));
    let two = Joining {
        members: 2,
        ..Joining::default()
    };
    let mut members = kafka.join(&classic, &[&topics[0], &topics[1]], two);
    members.extend(kafka.join(
        &consumer,
        &[&topics[1]],
        Joining {
            protocol: "consumer",
            ..two
        },
    ));
    let leaving = kafka.join(&left, &[&topics[1]], Joining::default());
    for group in [&classic, &consumer, &left] {
        until("what was read is committed", || !kafka.committed(group).is_empty());
    }
    drop(leaving);
    groups.extend([classic, consumer, left]);
    (groups, members)
}

/// Where the commit lies within the log, the lag is what Kafka's own tool prints; where retention has passed the commit the tool counts
/// records that no longer exist, and below 0 where the commit is ahead.
#[test]
fn every_lag_is_what_kafkas_own_tool_says() {
    let Some(kafka) = Kafka::shared() else { return };
    let tidemark = Tidemark::of(&kafka.bootstrap()).start();
    let (groups, members) = groups_of_every_kind(kafka);
    // A group that is still committing, or that a member has just left, may differ by a moment.
    let same = |(told, shown): &(Lags, Lags)| told == shown;
    let (told, shown) = (0..10)
        .map(|_| both(kafka, &tidemark, &groups))
        .find(same)
        .unwrap_or_else(|| both(kafka, &tidemark, &groups));
    assert_eq!(shown, told);
    assert!(
        groups.iter().all(|group| told.keys().any(|place| place.0 == *group)),
        "a group was not compared"
    );
    drop(members);
}

/// Lag by group, topic and partition.
type Lags = BTreeMap<(String, String, i32), i64>;

/// What Kafka's tool says, corrected where it does not look at the log start, and what tidemark says.
fn both(kafka: &Kafka, tidemark: &Tidemark, groups: &[String]) -> (Lags, Lags) {
    let mut outside = 0;
    let told = told_by_kafka(kafka, groups)
        .into_iter()
        .map(|(place, (committed, end, lag))| {
            let (start, _) = kafka.log(&place.1, place.2);
            if (start..=end).contains(&committed) {
                return (place, lag);
            }
            outside += 1;
            (place, (end - start.max(committed)).max(0))
        });
    let told: Lags = told.collect();
    assert!(outside >= 7, "only {outside} commits lie outside of their logs");
    let scrape = tidemark.next_cycle();
    (told, groups.iter().flat_map(|group| shown(&scrape, group)).collect())
}

fn shown(scrape: &Scrape, group: &str) -> Lags {
    #[expect(clippy::cast_possible_truncation, reason = "lags of tens of records")]
    let row = |((topic, partition), lag): ((String, i32), f64)| ((group.to_owned(), topic, partition), lag as i64);
    scrape.lags(group).into_iter().map(row).collect()
}

/// One group, 6 records behind on one partition.
fn a_group_behind(kafka: &Kafka) -> (String, String) {
    let (topic, group) = (kafka.topic(1), unique("group"));
    kafka.produce(&topic, 0, 10);
    kafka.commit(&group, &[(&topic, 0, 4)]);
    (topic, group)
}

#[test]
fn prometheus_scrapes_tidemark_and_promql_reads_the_lag_back() {
    let Some(kafka) = Kafka::shared() else { return };
    let (topic, group) = a_group_behind(kafka);
    let odd = format!("{group} \"quoted\\\" Grüße\n/ü");
    kafka.commit(&odd, &[(&topic, 0, 1)]);
    let tidemark = Tidemark::of(&kafka.bootstrap()).start();
    tidemark.next_cycle();
    let Some(prometheus) = Prometheus::scraping(&tidemark) else {
        return;
    };
    let sum = format!("sum(kafka_group_partition_lag_records{{group='{group}'}})");
    let by_name = format!("kafka_group_lag_records{{group={}}}", json!(odd));
    until("PromQL reads the lag", || {
        prometheus.value(&sum) == Some(6.0) && prometheus.value(&by_name) == Some(9.0)
    });
    kafka.produce(&topic, 0, 5);
    until("PromQL reads the new lag", || prometheus.value(&sum) == Some(11.0));
    kafka.commit(&group, &[(&topic, 0, 15)]);
    until("PromQL reads that there is none", || {
        prometheus.value(&sum) == Some(0.0)
    });
    let found = prometheus
        .query(&format!("kafka_group_info{{group='{group}'}}"))
        .expect("an answer");
    assert_eq!(
        found
            .iter()
            .map(|(labels, _)| labels["type"].as_str())
            .collect::<Vec<_>>(),
        ["simple"]
    );
}

#[test]
fn promtool_has_nothing_to_say_about_what_is_served() {
    let Some(kafka) = Kafka::shared() else { return };
    let (topic, group) = a_group_behind(kafka);
    let members = kafka.join(&unique("live"), &[&topic], Joining::default());
    let tidemark = Tidemark::of(&kafka.bootstrap())
        .cluster("owner_info", json!([".*"]))
        .start();
    let scrape = tidemark.next_cycle();
    assert_eq!(scrape.lag(&group), Some(6.0));
    let Some(said) = promtool_check_metrics(&scrape.text) else {
        return;
    };
    // A name that is promised to dashboards, and a count of partitions rather than of a histogram's observations.
    let kept = "kafka_topic_partition_count non-histogram and non-summary metrics should not have \"_count\" suffix";
    assert_eq!(
        said.lines().filter(|line| *line != kept).collect::<Vec<_>>(),
        Vec::<&str>::new()
    );
    drop(members);
}

#[test]
fn curl_reads_the_packed_form() {
    let Some(kafka) = Kafka::shared() else { return };
    if !have(&["curl"]) {
        return;
    }
    let (_, group) = a_group_behind(kafka);
    let tidemark = Tidemark::of(&kafka.bootstrap()).start();
    tidemark.next_cycle();
    let url = format!("http://{}/metrics", tidemark.address());
    let run = Command::new("curl")
        .args(["-sS", "--compressed", "-D", "/dev/stderr", &url])
        .output()
        .expect("curl starts");
    let (body, head) = (
        String::from_utf8(run.stdout).expect("UTF-8"),
        String::from_utf8_lossy(&run.stderr),
    );
    assert!(
        run.status.success() && head.to_lowercase().contains("content-encoding: gzip"),
        "{head}"
    );
    assert_eq!(Scrape::read(body).lag(&group), Some(6.0));
}

#[test]
fn the_api_says_what_the_metrics_say() {
    let Some(kafka) = Kafka::shared() else { return };
    let (topic, group) = a_group_behind(kafka);
    let tidemark = Tidemark::of(&kafka.bootstrap()).start();
    tidemark.next_cycle();
    let document = tidemark.api(&format!("/clusters/main/groups/{group}"));
    assert_eq!(document["lag_records"], json!(6), "{document}");
    let listed = tidemark.api("/clusters/main/groups");
    assert!(listed.to_string().contains(&group) && document.to_string().contains(&topic));
    assert!(tidemark.api("/clusters").to_string().contains("main"));
    for stranger in [
        "/api/v1/clusters/other/groups",
        "/api/v1/clusters/main/groups/no-such-group",
        "/api/v2",
    ] {
        assert_eq!(
            tidemark.get(stranger, &[]).expect("an answer").status,
            404,
            "{stranger}"
        );
    }
}

#[test]
fn a_cluster_that_is_down_is_invisible_in_another_ones_figures() {
    let Some(kafka) = Kafka::shared() else { return };
    let (topic, group) = a_group_behind(kafka);
    let deaf = Stranger::new(Manner::Deaf);
    let broken = json!({"name": "broken", "bootstrap_servers": deaf.address(), "request_timeout": "1s"});
    let tidemark = Tidemark::of(&kafka.bootstrap()).another(broken).start();
    tidemark.scrape_until("the broken one is known to be down", |scrape| {
        scrape.value("tidemark_up", &[("kafka_cluster", "broken")]) == Some(0.0)
            && scrape.total(
                "tidemark_cycles_total",
                &[("kafka_cluster", "broken"), ("result", "failed")],
            ) >= 2.0
    });
    kafka.produce(&topic, 0, 1);
    tidemark.scrape_until("the other one goes on", |scrape| scrape.lag(&group) == Some(7.0));
    let scrape = tidemark.scrape();
    assert_eq!(scrape.value("tidemark_up", &[("kafka_cluster", "main")]), Some(1.0));
    assert_eq!(
        scrape
            .series("kafka_group_info", &[("kafka_cluster", "broken")])
            .count(),
        0
    );
}
