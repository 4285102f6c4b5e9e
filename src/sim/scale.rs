//! Large clusters for benches.

use std::time::Duration;

use super::model::Member;
use super::model::Model;
use super::model::NoSuch;
use super::model::Pace;

/// Partitions of one topic.
const PER_TOPIC: i32 = 100;
/// Brokers of the cluster.
const BROKERS: u16 = 3;
/// How far back the logs reach.
const PAST: Duration = Duration::from_secs(3600);

/// How large.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// Groups, each with one member.
    pub groups: i32,
    /// Partitions each group reads and commits; of as many whole topics as that takes.
    pub partitions_per_group: i32,
    /// Partitions of the cluster, in topics of a hundred.
    pub partitions: i32,
}

/// A cluster of this size: ten records a second into every partition, groups that commit every five seconds, every tenth of them always a
/// thousand records behind.
///
/// # Panics
///
/// Never: it edits only what it made.
pub fn model(size: Size, now: i64, seed: u64) -> Model {
    let mut model = Model::new(BROKERS, seed);
    model.set_now(now);
    build(&mut model, size).expect("only what was made is edited");
    model
}

fn build(model: &mut Model, size: Size) -> Result<(), NoSuch> {
    let topics = (size.partitions / PER_TOPIC).max(1);
    for topic in 0..topics {
        let name = topic_of(topic);
        model.create_topic(&name, PER_TOPIC.min(size.partitions));
        for partition in 0..PER_TOPIC.min(size.partitions) {
            model.produce_since(&name, partition, (10, Duration::from_secs(1)), PAST)?;
        }
    }
    for group in 0..size.groups {
        read(model, group, topics, size)?;
    }
    Ok(())
}

fn read(model: &mut Model, group: i32, topics: i32, size: Size) -> Result<(), NoSuch> {
    let id = format!("group-{group:06}");
    let mut member = Member::new(&format!("{id}-1"));
    let mut left = size.partitions_per_group;
    let mut shares = Vec::new();
    // Neighbours read neighbouring topics, so that each topic has as many readers as any other.
    for step in 0..topics {
        if left == 0 {
            break;
        }
        let partitions: Vec<i32> = (0..left.min(PER_TOPIC)).collect();
        left -= left.min(PER_TOPIC);
        let topic = topic_of((group + step) % topics);
        member = member.assigned(&topic, &partitions);
        shares.push((topic, partitions));
    }
    model.join(&id, member);
    let behind = if group % 10 == 0 { 1_000 } else { 0 };
    let pace = Pace::keeping_up(Duration::from_secs(5)).behind(behind);
    let since = model.now() - 600_000;
    for (topic, partitions) in shares {
        model.read_since(&id, &topic, &partitions, (pace, since))?;
    }
    Ok(())
}

fn topic_of(number: i32) -> String {
    format!("topic-{number:05}")
}
