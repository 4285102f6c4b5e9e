//! The stories of `tidemark demo`: what each promises is what is shown.

use std::time::Duration;

use tidemark::clock::Clock;
use tidemark::model::Status;
use tidemark::sim::story;
use tidemark::sim::story::Story;
use tidemark::sim::story::Truth;
use tidemark::snapshot::GroupTopicView;
use tidemark::snapshot::GroupView;
use tidemark::snapshot::Snapshot;
use tidemark::snapshot::TimeView;

use super::exporter::BEGIN;
use super::exporter::Exporter;

/// Ten minutes of polls: every window has passed.
const CYCLES: usize = 60;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_story_shows_what_it_promises() {
    let clock = Clock::stepped(BEGIN);
    let cluster = story::start(None, clock.clone(), 1).expect("the stories hold together");
    let mut exporter = Exporter::new(&cluster.bootstrap(), clock.clone(), &[("poll_interval", "5s")]);
    let mut first = None;
    for _ in 0..CYCLES {
        // An interval of the demo is shorter than that of the fault tests.
        exporter.cycle_after(Duration::from_secs(5)).await;
        first.get_or_insert_with(|| exporter.snapshot());
    }
    let (first, last) = (first.expect("polled"), exporter.snapshot());
    let wrong: Vec<String> = story::all()
        .iter()
        .flat_map(|story| lies(story, &first, &last))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[tokio::test]
async fn an_unknown_story_is_refused_with_the_names_there_are() {
    let clock = Clock::stepped(BEGIN);
    let error = story::start(Some("no-such"), clock, 1)
        .err()
        .expect("refused")
        .to_string();
    assert!(error.contains("no-such") && error.contains("steady"), "{error}");
}

fn lies(story: &Story, first: &Snapshot, last: &Snapshot) -> Vec<String> {
    let find = |snapshot: &Snapshot| {
        snapshot
            .groups
            .iter()
            .find(|group| &*group.name == story.group)
            .cloned()
    };
    let (Some(before), Some(now)) = (find(first), find(last)) else {
        return vec![format!("{}: its group is not shown", story.name)];
    };
    let untrue = story.truths.iter().filter(|truth| !holds(truth, &before, &now));
    untrue
        .map(|truth| format!("{}: {truth:?} of {}", story.name, shown(&now)))
        .collect()
}

fn holds(truth: &Truth, before: &GroupView, now: &GroupView) -> bool {
    let lag = |topic: &GroupTopicView| topic.lag.and_then(|lag| u64::try_from(lag).ok());
    match *truth {
        Truth::Status(status) => now.status == status,
        Truth::PartitionStatus(topic, partition, status) => {
            partition_of(now, topic, partition).is_some_and(|p| p.status == status)
        }
        Truth::State(states) => now
            .state
            .as_ref()
            .is_some_and(|state| states.contains(&&*state.to_string())),
        Truth::Type(kind) => now.kind.to_string() == kind,
        Truth::Members(count) => now.members.as_ref().is_some_and(|m| m.members.len() == count),
        Truth::IdleMembers(count) => now
            .members
            .as_ref()
            .is_some_and(|m| m.idle.map(|idle| idle as usize) == Some(count)),
        Truth::Lag(name, low, high) => topic(now, name)
            .and_then(lag)
            .is_some_and(|lag| (low..=high).contains(&lag)),
        Truth::LagSeconds(name, low, high) => topic(now, name)
            .and_then(|t| t.lag_time)
            // The bounds are of the first five minutes, which have passed: the clock has gone on since.
            .is_some_and(|time| (low..=high + 600).contains(&(time.age_ms / 1000))),
        Truth::LagGrows(name) => topic(now, name).and_then(lag) > topic(before, name).and_then(lag),
        Truth::NoLag(name) => topic(now, name).is_none_or(|t| t.lag.is_none()),
        Truth::Lost(name, records) => {
            topic(now, name).is_some_and(|t| t.partitions.iter().filter_map(|p| p.lost()).sum::<u64>() >= records)
        }
        Truth::Ahead(name, partition, records) => partition_of(now, name, partition)
            .and_then(|p| p.ahead())
            .is_some_and(|ahead| ahead >= records),
        Truth::Uncommitted(name, count) => {
            topic(now, name).is_some_and(|t| t.uncommitted_partitions.map(|n| n as usize) == Some(count))
        }
        Truth::TopicGone(name) => topic(now, name).is_some_and(|t| t.exists == Some(false)),
    }
}

fn topic<'a>(group: &'a GroupView, name: &str) -> Option<&'a GroupTopicView> {
    group.topics.iter().find(|topic| &*topic.name == name)
}

fn partition_of<'a>(group: &'a GroupView, name: &str, partition: i32) -> Option<&'a tidemark::snapshot::PartitionView> {
    topic(group, name)?
        .partitions
        .iter()
        .find(|p| p.partition.0 == partition)
}

fn shown(group: &GroupView) -> String {
    let topics: Vec<String> = group
        .topics
        .iter()
        .map(|t| {
            let not_ok: Vec<_> = t
                .partitions
                .iter()
                .filter(|p| p.status != Status::Ok)
                .map(|p| (p.partition.0, p.status))
                .collect();
            let undated = t
                .partitions
                .iter()
                .filter(|p| matches!(p.time, TimeView::Unknown(_)))
                .count();
            format!(
                "{} lag {:?} time {:?} undated {undated} {not_ok:?}",
                t.name, t.lag, t.lag_time
            )
        })
        .collect();
    format!(
        "{} {} {:?}: {}",
        group.name,
        group.status,
        group.state,
        topics.join("; ")
    )
}
