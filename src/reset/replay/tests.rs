use super::*;
use crate::failure::Cause;
use crate::reset::fake::Cluster;
use crate::reset::fake::PACE;
use crate::reset::fake::Step;
use crate::reset::fake::Twist;
use crate::reset::fake::key;
use crate::reset::fake::offset;

const NOW: UnixMillis = UnixMillis(1_769_846_400_000);
const MINUTE: i64 = 60_000;

/// A row of partition `partition` whose log is from `start` to `end`, with so much to be replayed.
fn row(partition: i32, (start, end): (i64, i64), replayed: Option<u64>) -> Row {
    Row {
        topic: "t".to_owned(),
        partition,
        start: offset(start),
        end: offset(end),
        from: Some(offset(end)),
        to: Some(offset(start)),
        replayed,
        skipped: Some(0),
    }
}

/// A topic of logs whose newest record is dated now, one a minute.
fn minutely(logs: &[(i64, i64)]) -> Cluster {
    Cluster::new(|world| {
        world.topic("t", logs);
        for (partition, (start, end)) in logs.iter().enumerate() {
            world.log("t", partition).times = (*start..*end).map(|at| (at, NOW.0 - (end - 1 - at) * MINUTE)).collect();
        }
    })
}

async fn rate(cluster: &Cluster, rows: &[Row]) -> Result<Rate, String> {
    written(&mut cluster.clone(), rows, NOW, PACE).await
}

#[tokio::test]
async fn what_was_written_in_the_last_hour_is_the_rate() {
    let cluster = minutely(&[(0, 1_000), (0, 1_000), (0, 1_000)]);
    let rows = [
        row(0, (0, 1_000), Some(1_000)),
        row(1, (0, 1_000), Some(1_000)),
        row(2, (0, 1_000), Some(0)),
    ];
    let rate = rate(&cluster, &rows).await.expect("a rate");
    // 61 records lie in a closed hour of one a minute; the partition that is not replayed does not count.
    assert_eq!(
        rate,
        Rate {
            of: Of::Partitions,
            records: 122,
            seconds: 3_600,
            until: "2026-01-31T08:00:00.000Z".to_owned()
        }
    );
    let replay = of(&rows, Ok(rate)).expect("a replay");
    assert_eq!(replay.seconds, Some((2_000 * 3_600_u64).div_ceil(122)));
    assert_eq!(replay.unknown, None);
}

#[tokio::test]
async fn a_log_that_begins_within_the_hour_is_counted_from_its_first_record() {
    // Eleven records: the oldest ten minutes ago, those before it gone.
    let cluster = minutely(&[(500, 511)]);
    let rate = rate(&cluster, &[row(0, (500, 511), Some(5))]).await.expect("a rate");
    assert_eq!((rate.records, rate.seconds), (11, 600));
}

#[tokio::test]
async fn after_an_hour_without_a_record_the_last_day_counts() {
    let cluster = minutely(&[(0, 100)]);
    cluster.world().log("t", 0).times = (0..100).map(|at| (at, NOW.0 - (300 - at) * MINUTE)).collect();
    let rate = rate(&cluster, &[row(0, (0, 100), Some(5))]).await.expect("a rate");
    assert_eq!((rate.records, rate.seconds), (100, 300 * 60));
}

#[tokio::test]
async fn where_nothing_can_be_counted_the_reason_is_said() {
    let rows = [row(0, (0, 100), Some(5))];
    let silent = minutely(&[(0, 100)]);
    silent.world().log("t", 0).times = vec![(0, NOW.0 - 3 * 24 * 60 * MINUTE)];
    let told = rate(&silent, &rows).await.expect_err("no rate");
    assert!(
        told.starts_with("nothing was written to these partitions in the last day"),
        "{told}"
    );

    let young = minutely(&[(0, 100)]);
    young.world().log("t", 0).times = (0..100).map(|at| (at, NOW.0 - 5_000 + at)).collect();
    let told = rate(&young, &rows).await.expect_err("no rate");
    assert_eq!(
        told,
        "their logs reach back 5 s, which is too short to tell a rate from"
    );

    let mute = minutely(&[(0, 100)]);
    mute.twist(Step::Times, 1, Twist::Fail(Cause::TimedOut));
    let told = rate(&mute, &rows).await.expect_err("no rate");
    assert!(
        told.starts_with("what was written to t/0 lately could not be read (REQUEST_TIMED_OUT)"),
        "{told}"
    );

    let hanging = minutely(&[(0, 100)]);
    hanging.twist(Step::Times, 1, Twist::Hang);
    let told = rate(&hanging, &rows).await.expect_err("no rate");
    assert!(
        told.starts_with("Kafka did not say what was written to t/0 lately"),
        "{told}"
    );

    let replay = of(&rows, Err(told.clone())).expect("a replay");
    assert_eq!((replay.seconds, replay.rate, replay.unknown), (None, None, Some(told)));
}

#[test]
fn nothing_replayed_takes_no_time_and_is_not_asked_about() {
    let rate = Rate::new(Of::Group, 10, Duration::from_secs(60), NOW).ok_or_else(String::new);
    assert_eq!(of(&[row(0, (0, 9), Some(0)), row(1, (0, 9), None)], rate), None);
}

#[test]
fn a_rate_needs_records_and_half_a_minute() {
    assert_eq!(Rate::new(Of::Group, 0, Duration::from_secs(60), NOW), None);
    assert_eq!(Rate::new(Of::Group, 5, Duration::from_secs(29), NOW), None);
    assert!(Rate::new(Of::Group, 5, SHORTEST, NOW).is_some());
}

#[test]
fn sums_beyond_64_bits_take_the_longest_time_there_is() {
    let rows = [row(0, (0, 9), Some(u64::MAX)), row(1, (0, 9), Some(u64::MAX))];
    let rate = Rate::new(Of::Group, 1, Duration::from_secs(60), NOW).ok_or_else(String::new);
    assert_eq!(of(&rows, rate).and_then(|replay| replay.seconds), Some(u64::MAX));
}

#[test]
fn a_partition_without_an_answer_is_no_partition_without_records() {
    let rows = [row(0, (0, 9), Some(1))];
    let dated = Dated::from([(key("t", 0), Ok(None))]);
    let rows: Vec<_> = rows.iter().collect();
    let times = (UnixMillis(0), UnixMillis(60_000));
    assert_eq!(
        count(&rows, &dated, times),
        Ok(Counted {
            records: 0,
            over: Duration::from_secs(60)
        })
    );
    assert!(count(&rows, &Dated::new(), times).is_err());
}
