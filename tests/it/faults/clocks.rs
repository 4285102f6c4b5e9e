//! Clocks that are set, and a machine that was asleep: lag, statuses and counters do not notice.

use std::time::Duration;

use tidemark::model::UnixMillis;
use tidemark::sim::Member;
use tidemark::sim::Pace;

use super::exporter::World;
use crate::support::Scrape;

const HOUR: i64 = 3_600_000;
/// More than the longest window of half an hour: what is said of a group is final.
const WATCHED: usize = 130;

/// A group that keeps up with what is written, one whose member stands still, and one that nobody runs.
fn three() -> World {
    World::new(1, |m| {
        m.create_topic("t", 1);
        m.produce_since("t", 0, (1, Duration::from_secs(1)), Duration::from_secs(600))
            .expect("there");
        for group in ["keeps-up", "stands-still"] {
            m.join(group, Member::new("client").subscribed(&["t"]));
        }
        m.read("keeps-up", "t", &[0], Pace::keeping_up(Duration::from_secs(1)))
            .expect("there");
        m.commit("stands-still", "t", 0, 500);
        m.commit("nobody", "t", 0, 500);
    })
}

fn status(seen: &Scrape, group: &str) -> Vec<String> {
    let of = [("group", group)];
    let all = seen.series("kafka_group_status", &of);
    let held = all.filter(|(_, value)| *value == 1.0);
    held.map(|(labels, _)| labels["status"].clone()).collect()
}

fn statuses(seen: &Scrape) -> [Vec<String>; 3] {
    ["keeps-up", "stands-still", "nobody"].map(|group| status(seen, group))
}

fn as_they_are() -> [Vec<String>; 3] {
    ["ok", "stalled", "stopped"].map(|word| vec![word.to_owned()])
}

fn consumed(seen: &Scrape) -> f64 {
    seen.total("kafka_group_topic_consumed_records_total", &[("group", "keeps-up")])
}

#[tokio::test]
async fn a_wall_clock_that_is_set_by_hours_changes_no_status_no_lag_and_no_counter() {
    let world = three();
    let mut exporter = world.exporter();
    let mut before = exporter.cycles(WATCHED).await;
    assert_eq!(statuses(&before), as_they_are());
    // Forth and back by an hour, as where summer time is put into the clock itself, and by hours. (By more than `dormant_after` it would make
    // lag that long: ages count from the records' own times.)
    for jump in [HOUR, -HOUR, 6 * HOUR, -12 * HOUR, 6 * HOUR] {
        let wall = world.clock.now().wall.0;
        world.clock.jump(UnixMillis(wall + jump));
        for _ in 0..4 {
            let seen = exporter.cycle().await;
            assert_eq!(statuses(&seen), as_they_are(), "{jump}");
            assert_eq!(
                seen.lag("stands-still"),
                before.lag("stands-still").map(|lag| lag + 15.0)
            );
            assert!(seen.lag("keeps-up") < Some(15.0));
            assert!(consumed(&seen) > consumed(&before), "{jump}");
            assert_eq!(seen.value("tidemark_snapshot_age_seconds", &[]), Some(0.0));
            let stalled = |seen: &Scrape| seen.value("kafka_group_stalled_seconds", &[("group", "stands-still")]);
            assert_eq!(stalled(&seen), stalled(&before).map(|seconds| seconds + 15.0), "{jump}");
            let age = |seen: &Scrape| seen.value("kafka_group_lag_seconds", &[("group", "keeps-up")]);
            assert!(age(&seen).is_none_or(|age| age < 60.0), "{jump}: {:?}", age(&seen));
            before = seen;
        }
    }
}

#[tokio::test]
async fn a_machine_that_was_asleep_for_hours_wakes_to_the_truth() {
    let world = three();
    let mut exporter = world.exporter();
    let before = exporter.cycles(WATCHED).await;
    for asleep in [60, 3_600, 10 * 3_600] {
        exporter.cycle_after(Duration::from_secs(asleep)).await;
        for _ in 0..6 {
            let seen = exporter.cycle().await;
            assert_eq!(statuses(&seen), as_they_are(), "{asleep}");
            assert!(seen.lag("keeps-up") < Some(15.0));
        }
    }
    let seen = exporter.cycle().await;
    let passed = 60.0 + 3_600.0 + 36_000.0;
    assert!(
        consumed(&seen) - consumed(&before) >= passed,
        "what was consumed meanwhile is counted"
    );
}
