//! What histories and verdicts cost by themselves: 100,000 partitions that all grow, each with ten groups that all move, and the verdicts
//! on the million pairs. CPU of the thread alone.

use std::time::Duration;

use tidemark::model::Moment;
use tidemark::model::Offset;
use tidemark::model::Partition;
use tidemark::model::TimeSource;
use tidemark::model::TopicName;
use tidemark::model::UnixMillis;
use tidemark::time;
use tidemark::time::Timelines;
use tidemark::time::TopicTimes;
use tidemark::verdict;
use tidemark::verdict::Owner;
use tidemark::verdict::PairState;
use tidemark::verdict::Readable;
use tidemark::verdict::Reading;
use tidemark::verdict::Situation;

use crate::cpu;

const TOPICS: u32 = 1_000;
const PARTITIONS: u32 = 100;
const READERS: u32 = 10;
/// Enough that every history is at its fullest.
const POLLS: u32 = 40;
/// Of those at the end.
const MEASURED: u32 = 10;
const POLL: Duration = Duration::from_secs(15);

/// What a cycle's part costs.
pub(crate) struct Parts {
    /// Histories, and finding the times of all pairs in them: seconds of CPU a cycle.
    pub(crate) times: f64,
    /// Bytes of the histories.
    pub(crate) history: usize,
    /// Bytes of what is known of the offsets that the groups sit on.
    pub(crate) wants: usize,
    /// Verdicts on all pairs: seconds of CPU a cycle.
    pub(crate) verdicts: f64,
}

/// Prints a row for each part.
pub(crate) fn run() {
    let parts = measure();
    println!("| part | memory | CPU a cycle |");
    println!("|---|---|---|");
    println!(
        "| histories of {} partitions | {:.1} MB, {} bytes each | {:.3} s, with the offsets of the pairs |",
        TOPICS * PARTITIONS,
        megabytes(parts.history),
        parts.history / count(TOPICS * PARTITIONS),
        parts.times,
    );
    println!(
        "| offsets that {} pairs sit on | {:.1} MB, {} bytes each | |",
        TOPICS * PARTITIONS * READERS,
        megabytes(parts.wants),
        parts.wants / count(TOPICS * PARTITIONS * READERS),
    );
    println!(
        "| verdicts on {} pairs | {} bytes each | {:.3} s |",
        TOPICS * PARTITIONS * READERS,
        size_of::<PairState>(),
        parts.verdicts,
    );
}

fn measure() -> Parts {
    let mut all = Timelines::new(time::Settings {
        poll_interval: POLL,
        read: true,
        per_cycle: 5_000,
    });
    let names: Vec<TopicName> = (0..TOPICS)
        .map(|n| TopicName::from(format!("topic-{n:05}").as_str()))
        .collect();
    let mut pairs = vec![PairState::new(); count(TOPICS * PARTITIONS * READERS)];
    let (mut times, mut verdicts) = (0.0, 0.0);
    for poll in 1..=POLLS {
        let begun = cpu::of_this_thread();
        for name in &names {
            observe(all.topic(name, None, TimeSource::Record), poll);
        }
        let plan = all.plan(moment(poll));
        for (name, partition) in &plan.newest {
            let newest = (
                at(u32::try_from(end(poll, *partition).get()).expect("small") - 1),
                moment(poll).wall,
            );
            all.learn_newest(name, *partition, &Ok(Some(newest)), moment(poll));
        }
        let known: Vec<Option<Duration>> = names
            .iter()
            .flat_map(|name| ages(all.get(name).expect("told"), poll))
            .collect();
        let timed = cpu::of_this_thread();
        judge(&mut pairs, &known, poll);
        if poll > POLLS - MEASURED {
            times += (timed - begun) / f64::from(MEASURED);
            verdicts += (cpu::of_this_thread() - timed) / f64::from(MEASURED);
        }
    }
    let with_wants = all.bytes();
    // Without a reader the offsets are forgotten, the histories stay.
    for poll in POLLS + 1..POLLS + 30 {
        for name in &names {
            let topic = all.topic(name, None, TimeSource::Record);
            for partition in partitions() {
                topic.observe_end(partition, end(poll, partition), moment(poll));
            }
            topic.settle();
        }
    }
    let history = all.bytes();
    Parts {
        times,
        history,
        wants: with_wants.saturating_sub(history),
        verdicts,
    }
}

fn observe(topic: &mut TopicTimes, poll: u32) {
    let now = moment(poll);
    for partition in partitions() {
        topic.observe_end(partition, end(poll, partition), now);
    }
    for reader in 0..READERS {
        for partition in partitions() {
            topic.want(partition, committed(poll, partition, reader), end(poll, partition), now);
        }
    }
    topic.settle();
}

fn ages(topic: &TopicTimes, poll: u32) -> impl Iterator<Item = Option<Duration>> {
    let now = moment(poll);
    (0..READERS).flat_map(move |reader| {
        partitions().map(move |partition| {
            let at = committed(poll, partition, reader);
            let age = topic.age(partition, at, end(poll, partition), now).lag_time().ok()?;
            Some(Duration::from_millis(age.age_ms))
        })
    })
}

fn judge(pairs: &mut [PairState], ages: &[Option<Duration>], poll: u32) {
    let settings = verdict::Settings {
        poll_interval: POLL,
        status_cycles: 5,
        window_max: Duration::from_secs(1_800),
        dormant_after: Duration::from_secs(86_400),
        max_staleness: Duration::from_secs(45),
    };
    let now = moment(poll).mono;
    let situation = Situation {
        now,
        rebalanced: None,
        members: Some(true),
        active: Some(now),
        objective: false,
    };
    let places = (0..TOPICS).flat_map(|_| (0..READERS).flat_map(|reader| partitions().map(move |p| (p, reader))));
    let mut absent = 0;
    for ((pair, age), (partition, reader)) in pairs.iter_mut().zip(ages).zip(places) {
        let reading = Reading {
            committed: Some(committed(poll, partition, reader)),
            start: Offset::ZERO,
            end: end(poll, partition),
            readable: Readable::Presumably,
            owner: Owner::Member,
            age: *age,
        };
        absent += u32::from(pair.update(&reading, &situation, &settings).stalled.is_none());
    }
    assert_eq!(absent, 0, "every pair has a commit");
}

fn partitions() -> impl Iterator<Item = Partition> {
    (0..PARTITIONS).map(|number| Partition(number.cast_signed()))
}

/// Uneven, so that nothing can be left out for free.
fn end(poll: u32, Partition(partition): Partition) -> Offset {
    at(2_000 + poll * poll * 7 + poll / 3 * 900 + partition.cast_unsigned())
}

/// Each reader somewhere else; every third stands still in every other poll.
fn committed(poll: u32, partition: Partition, reader: u32) -> Offset {
    let seen = if reader.is_multiple_of(3) { poll / 2 * 2 } else { poll };
    at(u32::try_from(end(seen.saturating_sub(reader % 4), partition).get()).expect("small") - 1 - reader)
}

fn at(raw: u32) -> Offset {
    Offset::new(raw.into()).expect("not negative")
}

fn moment(poll: u32) -> Moment {
    Moment {
        mono: POLL * poll,
        wall: UnixMillis(1_700_000_000_000 + i64::from(poll) * 15_000),
    }
}

fn count(number: u32) -> usize {
    usize::try_from(number).expect("64 bits")
}

#[expect(clippy::cast_precision_loss, reason = "a size for a person")]
fn megabytes(bytes: usize) -> f64 {
    bytes as f64 / 1e6
}
