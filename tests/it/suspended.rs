//! A process that is stopped for longer than anything it serves is good for, and goes on.

use std::thread::sleep;
use std::time::Duration;

use tidemark::clock::Clock;
use tidemark::sim::Cluster;
use tidemark::sim::scale;

use crate::sim::running::Running;
use crate::support::Tidemark;

/// Ten polls, and three times as long as a reading stands.
const STOPPED: Duration = Duration::from_secs(10);

#[test]
fn a_process_that_was_stopped_tells_how_old_it_is_and_then_the_truth() {
    let size = scale::Size {
        groups: 20,
        partitions_per_group: 10,
        partitions: 100,
    };
    let clock = Clock::system();
    let cluster = Running::new(|| Cluster::start(scale::model(size, clock.now().wall.0, 7), clock.clone()));
    let tidemark = Tidemark::of(&cluster.bootstrap()).start();
    let ok = |seen: &crate::support::Scrape| seen.total("kafka_group_status", &[("status", "ok")]);
    let consumed = |seen: &crate::support::Scrape| seen.total("kafka_group_topic_consumed_records_total", &[]);
    let before = tidemark.scrape_until("all groups are well", |seen| ok(seen) == 20.0 && consumed(seen) > 0.0);
    tidemark.signal("STOP");
    // The time itself is what is tested: nothing happens meanwhile.
    sleep(STOPPED);
    tidemark.signal("CONT");
    let first = tidemark.scrape();
    assert_eq!(
        first.series("kafka_group_info", &[]).count(),
        20,
        "nothing has vanished"
    );
    let seen = tidemark.next_cycle();
    assert!(seen.value("tidemark_snapshot_age_seconds", &[]) < Some(5.0));
    assert_eq!(
        (ok(&seen), seen.series("kafka_group_lag_records", &[]).count()),
        (20.0, 20)
    );
    let per_second = 20.0 * 10.0 * 10.0;
    assert!(
        consumed(&seen) - consumed(&before) >= per_second * (STOPPED.as_secs_f64() - 5.0),
        "what was consumed meanwhile is counted"
    );
}
