//! Lag in seconds on a real broker: records hours old, nobody who writes any more, the exporter started anew.

use std::time::SystemTime;
use std::time::UNIX_EPOCH;

use serde_json::Value;

use crate::support::Kafka;
use crate::support::Tidemark;
use crate::support::unique;

const HOUR: i64 = 3_600_000;
const MINUTE: i64 = 60_000;
/// One poll of the exporter in these tests, in seconds.
const POLL: f64 = 1.0;

fn now() -> i64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).expect("after 1970");
    i64::try_from(now.as_millis()).expect("before the end of time")
}

/// Seconds since then.
#[expect(clippy::cast_precision_loss, reason = "hours in milliseconds")]
fn since(then: i64) -> f64 {
    (now() - then) as f64 / 1000.0
}

/// A topic with a record every ten minutes, the first of them three hours old, the last two; and when each was made.
fn old_records(kafka: &Kafka) -> (String, Vec<i64>) {
    let topic = kafka.topic(1);
    let first = now() - 3 * HOUR;
    let made: Vec<i64> = (0..7).map(|index| first + index * 10 * MINUTE).collect();
    for &at in &made {
        kafka.produce_at(&topic, 0, 1, Some(at));
    }
    (topic, made)
}

/// The age that is served against when the first unread record was made.
fn assert_age(tidemark: &Tidemark, group: &str, made: i64) {
    let told = |scrape: &crate::support::Scrape| scrape.value("kafka_group_lag_seconds", &[("group", group)]);
    let scrape = tidemark.scrape_until("the age is told", |it| told(it).is_some());
    let (shown, truth) = (told(&scrape).expect("just seen"), since(made));
    let bound = POLL.max(truth * 0.02);
    assert!(
        (shown - truth).abs() <= bound,
        "{shown} s are shown, {truth} s are true"
    );
}

#[test]
fn records_two_hours_old_have_their_age_though_nobody_writes_and_after_a_restart() {
    let Some(kafka) = Kafka::shared() else { return };
    let (topic, made) = old_records(kafka);
    let (begun, last) = (unique("begun"), unique("last"));
    kafka.commit(&begun, &[(&topic, 0, 2)]);
    kafka.commit(&last, &[(&topic, 0, 6)]);
    for _start in 0..2 {
        let tidemark = Tidemark::of(&kafka.bootstrap()).start();
        assert_age(&tidemark, &begun, made[2]);
        assert_age(&tidemark, &last, made[6]);
    }
}

#[test]
fn the_age_grows_with_the_clock_while_nobody_writes_or_reads() {
    let Some(kafka) = Kafka::shared() else { return };
    let (topic, made) = old_records(kafka);
    let group = unique("idle");
    kafka.commit(&group, &[(&topic, 0, 3)]);
    let tidemark = Tidemark::of(&kafka.bootstrap()).start();
    let age = |it: &crate::support::Scrape| it.value("kafka_group_lag_seconds", &[("group", group.as_str())]);
    let first = age(&tidemark.scrape_until("the age is told", |it| age(it).is_some())).expect("just seen");
    let later = tidemark.scrape_until("three seconds have passed", |it| {
        age(it).is_some_and(|age| age >= first + 3.0)
    });
    let (shown, truth) = (age(&later).expect("just seen"), since(made[3]));
    assert!(
        (shown - truth).abs() <= POLL.max(truth * 0.02),
        "{shown} s are shown, {truth} s are true"
    );
}

#[test]
fn the_age_is_that_of_the_first_record_that_retention_left_and_0_where_all_is_read() {
    let Some(kafka) = Kafka::shared() else { return };
    let (topic, made) = old_records(kafka);
    let (overtaken, level) = (unique("overtaken"), unique("level"));
    kafka.commit(&overtaken, &[(&topic, 0, 1)]);
    kafka.commit(&level, &[(&topic, 0, 7)]);
    kafka.delete_records(&topic, 0, 5);
    let tidemark = Tidemark::of(&kafka.bootstrap()).start();
    assert_age(&tidemark, &overtaken, made[5]);
    let scrape = tidemark.next_cycle();
    assert_eq!(
        scrape.value("kafka_group_lag_seconds", &[("group", level.as_str())]),
        Some(0.0)
    );
    let lost = scrape.value("kafka_group_partition_lost_records", &[("group", overtaken.as_str())]);
    assert_eq!(lost, Some(4.0));
}

/// What the JSON says of the method is how the age was got, and its bound holds.
#[test]
fn the_method_and_the_bound_of_the_error_are_told_and_hold() {
    let Some(kafka) = Kafka::shared() else { return };
    let (topic, made) = old_records(kafka);
    let group = unique("method");
    kafka.commit(&group, &[(&topic, 0, 4)]);
    let tidemark = Tidemark::of(&kafka.bootstrap()).start();
    let age = |it: &crate::support::Scrape| it.value("kafka_group_lag_seconds", &[("group", group.as_str())]);
    tidemark.scrape_until("the age is told", |it| age(it).is_some());
    let document: Value = tidemark.api(&format!("/clusters/main/groups/{group}"));
    let partition = &document["topics"][0]["partitions"][0];
    let number = |field: &str| {
        partition[field]
            .as_f64()
            .unwrap_or_else(|| panic!("no {field} in {partition}"))
    };
    assert!(partition["lag_seconds_method"].is_string(), "{partition}");
    let off = (number("lag_seconds") - since(made[4])).abs();
    assert!(
        off <= number("lag_seconds_error") + POLL + 1.0,
        "{off} s off: {partition}"
    );
}
