//! What histories and verdicts cost. Figures, not limits: `cargo test --test it trace_costs -- --ignored --nocapture`, optimised by
//! `--config 'profile.dev.package.tidemark.opt-level=3'`.

use std::time::Duration;
use std::time::Instant;

use tidemark::model::Moment;
use tidemark::model::Offset;
use tidemark::model::Partition;
use tidemark::model::TimeSource;
use tidemark::model::TopicName;
use tidemark::model::UnixMillis;
use tidemark::time;
use tidemark::time::Timelines;
use tidemark::verdict;
use tidemark::verdict::Owner;
use tidemark::verdict::PairState;
use tidemark::verdict::Readable;
use tidemark::verdict::Reading;
use tidemark::verdict::Situation;

const TOPICS: i32 = 100;
const PARTITIONS: i32 = 1_000;
const POLLS: u32 = 100;

fn at(raw: u32) -> Offset {
    Offset::new(raw.into()).expect("not negative")
}

fn moment(poll: u32) -> Moment {
    let mono = Duration::from_secs(u64::from(poll) * 15);
    Moment {
        mono,
        wall: UnixMillis(1_700_000_000_000 + i64::from(poll) * 15_000),
    }
}

#[test]
#[ignore = "figures for the documentation"]
fn a_hundred_thousand_partitions_that_all_grow_and_lag() {
    let mut all = Timelines::new(time::Settings {
        poll_interval: Duration::from_secs(15),
        read: true,
        per_cycle: 5_000,
    });
    let names: Vec<TopicName> = (0..TOPICS)
        .map(|n| TopicName::from(format!("topic-{n}").as_str()))
        .collect();
    let (mut observing, mut planning, mut answering) = (Duration::ZERO, Duration::ZERO, Duration::ZERO);
    for poll in 1..=POLLS {
        let now = moment(poll);
        let begun = Instant::now();
        // Uneven, so that nothing can be left out for free.
        let end = at(1_000 + poll * poll * 7 + poll / 3 * 900);
        let committed = at(1_000 + (poll - 1) * (poll - 1) * 7);
        for name in &names {
            let topic = all.topic(name, None, TimeSource::Record);
            for partition in 0..PARTITIONS {
                topic.observe_end(Partition(partition), end, now);
                topic.want(Partition(partition), committed, end, now);
            }
        }
        observing += begun.elapsed();
        let begun = Instant::now();
        let plan = all.plan(now);
        planning += begun.elapsed();
        let begun = Instant::now();
        let mut known = 0;
        for name in &names {
            let topic = all.get(name).expect("told");
            known += (0..PARTITIONS)
                .filter(|p| matches!(topic.age(Partition(*p), committed, end, now), time::Answer::Known(_)))
                .count();
        }
        answering += begun.elapsed();
        assert!(plan.reads.len() <= 5_000 && known <= 100_000);
    }
    println!(
        "100,000 partitions: {} bytes each; a cycle: {:?} to observe, {:?} to plan, {:?} to answer",
        all.bytes() / 100_000,
        observing / POLLS,
        planning / POLLS,
        answering / POLLS
    );
}

#[test]
#[ignore = "figures for the documentation"]
fn a_million_verdicts() {
    let settings = verdict::Settings {
        poll_interval: Duration::from_secs(15),
        status_cycles: 5,
        window_max: Duration::from_secs(1800),
        dormant_after: Duration::from_secs(86_400),
        max_staleness: Duration::from_secs(45),
    };
    let mut pairs = vec![PairState::new(); 10_000];
    let mut alarms = 0;
    let begun = Instant::now();
    for poll in 1..=POLLS {
        let situation = Situation {
            now: moment(poll).mono,
            rebalanced: None,
            members: Some(true),
            active: Some(moment(poll).mono),
            objective: false,
        };
        for (number, pair) in (0..).zip(&mut pairs) {
            let end = 1_000 + poll * 100 + number % 7;
            let reading = Reading {
                committed: Some(at(end - 50 - if number % 2 == 0 { poll % 4 * 100 } else { 0 })),
                start: at(0),
                end: at(end),
                readable: Readable::Presumably,
                owner: Owner::Member,
                age: Some(Duration::from_secs(90)),
            };
            alarms += u32::from(pair.update(&reading, &situation, &settings).stalled.is_none());
        }
    }
    println!(
        "{} bytes a pair; a million updates: {:?}",
        size_of::<PairState>(),
        begun.elapsed()
    );
    assert_eq!(alarms, 0);
}
