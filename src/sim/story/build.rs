//! What the stories are built of.

use std::time::Duration;

use crate::sim::model::Member;
use crate::sim::model::Model;
use crate::sim::model::NoSuch;
use crate::sim::model::Pace;

/// How far back the logs reach.
const PAST: Duration = Duration::from_secs(24 * 3600);

pub(super) const SECOND: Duration = Duration::from_secs(1);
pub(super) const MINUTE: Duration = Duration::from_secs(60);
pub(super) const HOUR: Duration = Duration::from_secs(3600);

/// Makes a topic into which about `per_second` records have come per partition for a day, and still do.
pub(super) fn feed(model: &mut Model, topic: &str, partitions: i32, per_second: i64) -> Result<(), NoSuch> {
    model.create_topic(topic, partitions);
    for partition in 0..partitions {
        let first = below(model, 1_000_000);
        model.fill(topic, partition, (first, first), PAST)?;
        // No two partitions of the world are equally busy; a tenth up or down.
        let rate = per_second * 90 + below(model, per_second * 20 + 1);
        model.produce_since(topic, partition, (rate, 100 * SECOND), PAST)?;
    }
    Ok(())
}

/// Lets `members` named after the group join it on hosts of their own.
pub(super) fn join(model: &mut Model, group: &str, topic: &str, members: i32) {
    for number in 1..=members {
        let id = format!("{group}-{number}");
        let host = format!("10.0.{}.{}", below(model, 16), 10 + number);
        model.join(group, Member::new(&id).subscribed(&[topic]).on(&host));
    }
}

/// Lets a group read partitions at a pace from where they were `since` ago.
pub(super) fn read(
    model: &mut Model,
    group: &str,
    (topic, partitions): (&str, i32),
    pace: Pace,
    since: Duration,
) -> Result<(), NoSuch> {
    for partition in 0..partitions {
        commit_of(model, group, (topic, partition), since)?;
    }
    let all: Vec<i32> = (0..partitions).collect();
    let millis = i64::try_from(since.as_millis()).unwrap_or(i64::MAX);
    let then = model.now().saturating_sub(millis);
    model.read_since(group, topic, &all, (pace, then))
}

/// Commits on a partition what was its end `ago`.
pub(super) fn commit_of(
    model: &mut Model,
    group: &str,
    (topic, partition): (&str, i32),
    ago: Duration,
) -> Result<(), NoSuch> {
    let offset = model.offset_of(topic, partition, ago)?;
    model.commit(group, topic, partition, offset);
    Ok(())
}

/// Keeps up and commits twice a second.
pub(super) fn brisk() -> Pace {
    Pace::keeping_up(Duration::from_millis(500))
}

/// A number from 0 to below `limit`.
fn below(model: &mut Model, limit: i64) -> i64 {
    let limit = u64::try_from(limit).unwrap_or(1).max(1);
    i64::try_from(model.draw() % limit).unwrap_or(0)
}
