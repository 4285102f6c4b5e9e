//! Every truth that can be told from the model alone, at every moment of the first five minutes; statuses are told by the exporter.

use std::collections::BTreeSet;

use super::*;
use crate::model::UnixMillis;
use crate::sim::model::Group;
use crate::sim::model::group_id;
use crate::sim::model::topic_name;

const START: i64 = 1_700_000_000_000;
const MOMENTS: [i64; 8] = [0, 1, 5, 17, 25, 60, 150, 300];

/// What the model says of a group and a topic.
#[derive(Debug, Default)]
struct Reading {
    committed: usize,
    lag: u64,
    oldest: u64,
    lost: u64,
    ahead: u64,
}

fn read(model: &Model, story: &Story, topic: &str, only: Option<i32>) -> Reading {
    let (id, topic) = (group_id(story.group), topic_name(topic));
    let now = model.now();
    let mut reading = Reading::default();
    let group = model.group(&id).unwrap();
    for slot in group.commits.topic(&topic) {
        let Some(state) = model.partition(&topic, slot.partition) else {
            continue;
        };
        if only.is_some_and(|partition| partition != slot.partition) {
            continue;
        }
        let (commit, _) = model.committed(&id, &topic, slot);
        let (start, end) = (state.log.start(now), state.log.end(now));
        let next = commit.max(start);
        let distance = |from: i64, to: i64| u64::try_from(to - from).unwrap_or(0);
        reading.committed += 1;
        reading.lag += distance(next, end);
        reading.lost += distance(commit, start);
        reading.ahead += distance(end, commit);
        if next < end {
            let age = now - state.log.time(next, now).unwrap();
            reading.oldest = reading.oldest.max(u64::try_from(age).unwrap() / 1_000);
        }
    }
    reading
}

fn check(model: &Model, story: &Story, truth: Truth) {
    let group = model.group(&group_id(story.group)).unwrap();
    let of = |topic: &str| read(model, story, topic, None);
    let holds = match truth {
        Truth::Status(_) | Truth::PartitionStatus(..) | Truth::LagGrows(_) => true,
        Truth::State(states) => states.contains(&group.state(model.now()).to_string().as_str()),
        Truth::Type(kind) => group.kind.to_string() == kind,
        Truth::Members(count) => group.members.len() == count,
        Truth::IdleMembers(count) => idle(group) == count,
        Truth::Lag(topic, low, high) | Truth::ShareLag(topic, low, high) => (low..=high).contains(&of(topic).lag),
        Truth::LagSeconds(topic, low, high) => (low..=high).contains(&of(topic).oldest),
        Truth::NoLag(topic) => group.kind == crate::model::GroupType::Share || of(topic).committed == 0,
        Truth::Lost(topic, least) => of(topic).lost >= least,
        Truth::Ahead(topic, partition, by) => read(model, story, topic, Some(partition)).ahead == by,
        Truth::Uncommitted(topic, count) => {
            model.topic(&topic_name(topic)).unwrap().partitions.len() - of(topic).committed == count
        }
        Truth::OpenTransaction(topic, partition, least) => {
            let log = &model.partition(&topic_name(topic), partition).unwrap().log;
            u64::try_from(log.end(model.now()) - log.stable(model.now())).unwrap() >= least
        }
        Truth::TopicGone(topic) => {
            model.topic(&topic_name(topic)).is_none() && !group.commits.topic(&topic_name(topic)).is_empty()
        }
    };
    let readings: Vec<_> = topics(story).into_iter().map(|topic| (topic, of(topic))).collect();
    assert!(
        holds,
        "{} at {}: {truth:?}; {readings:?}",
        story.name,
        model.now() - START
    );
}

fn idle(group: &Group) -> usize {
    group.members.iter().filter(|member| member.assigned.is_empty()).count()
}

fn topics(story: &Story) -> BTreeSet<&'static str> {
    let named = story.truths.iter().filter_map(|truth| match truth {
        Truth::Lag(topic, ..) | Truth::LagSeconds(topic, ..) | Truth::LagGrows(topic) | Truth::Lost(topic, _) => {
            Some(*topic)
        }
        _ => None,
    });
    named.collect()
}

#[test]
fn every_story_is_true_for_every_seed_from_the_first_moment_on() {
    for seed in 0..20 {
        let clock = Clock::stepped(UnixMillis(START));
        let mut model = model(None, &clock, seed).unwrap();
        for moment in MOMENTS {
            model.set_now(START + moment * 1_000);
            for story in all() {
                story.truths.iter().for_each(|truth| check(&model, story, *truth));
            }
        }
    }
}

#[test]
fn a_lag_that_grows_grows_from_poll_to_poll() {
    let clock = Clock::stepped(UnixMillis(START));
    let mut model = model(None, &clock, 3).unwrap();
    for story in all() {
        for truth in story.truths {
            let Truth::LagGrows(topic) = truth else { continue };
            let lags: Vec<u64> = (1..20)
                .map(|poll| {
                    model.set_now(START + poll * 2_000);
                    read(&model, story, topic, None).lag
                })
                .collect();
            assert!(lags.is_sorted_by(|one, other| one < other), "{}: {lags:?}", story.name);
        }
    }
}

#[test]
fn an_unknown_scenario_is_answered_with_all_names() {
    let clock = Clock::stepped(UnixMillis(START));
    let error = model(Some("stedy"), &clock, 1).unwrap_err().to_string();
    assert!(
        error.starts_with("no scenario \"stedy\"; there are steady, falling-behind, "),
        "{error}"
    );
    for name in names() {
        assert!(error.contains(name));
        assert_eq!(model(Some(name), &clock, 1).unwrap().groups().count(), 1, "{name}");
    }
}

#[test]
fn the_same_seed_tells_the_same_story() {
    let told = |seed| {
        format!(
            "{:?}",
            model(None, &Clock::stepped(UnixMillis(START)), seed)
                .unwrap()
                .groups()
                .collect::<Vec<_>>()
        )
    };
    assert_eq!(told(7), told(7));
    assert_ne!(told(7), told(8));
}
