//! What a cycle heard in, the snapshot out: every rule of absence and standing, by sequences of cycles.

use std::sync::Arc;
use std::time::Duration;

use super::*;
use crate::failure::Api;
use crate::failure::Cause;
use crate::failure::ErrorCode;
use crate::failure::Failure;
use crate::failure::Heard;
use crate::failure::Reason;
use crate::model::BrokerId;
use crate::model::GroupId;
use crate::model::GroupState;
use crate::model::GroupType;
use crate::model::Moment;
use crate::model::Offset;
use crate::model::Partition;
use crate::model::Status;
use crate::model::Text;
use crate::model::TopicId;
use crate::model::TopicName;
use crate::model::UnixMillis;
use crate::observation::Assignment;
use crate::observation::Broker;
use crate::observation::Calls;
use crate::observation::Description;
use crate::observation::GroupReading;
use crate::observation::ListedGroup;
use crate::observation::Member;
use crate::observation::Observation;
use crate::observation::PartitionLog;
use crate::observation::PartitionMeta;
use crate::observation::Stages;
use crate::observation::TopicCommits;
use crate::observation::TopicMeta;
use crate::observation::TopicReading;

mod newer;
mod told;
mod transactions;

const STALE: Duration = Duration::from_secs(45);
const DENIED: Cause = Cause::Code(ErrorCode::TOPIC_AUTHORIZATION_FAILED);
const UNKNOWN: Cause = Cause::Code(ErrorCode::UNKNOWN_TOPIC_OR_PARTITION);

/// A cluster as the tests write it down: one cycle every 15 s.
struct World {
    history: History,
    settings: Settings,
    at: Duration,
}

fn world() -> World {
    World {
        history: History::new(crate::time::Settings {
            poll_interval: Duration::from_secs(15),
            read: false,
            per_cycle: 0,
        }),
        settings: Settings {
            cluster: "main".into(),
            verdict: crate::verdict::Settings {
                poll_interval: Duration::from_secs(15),
                status_cycles: 5,
                window_max: Duration::from_secs(1800),
                dormant_after: Duration::from_secs(86_400),
                max_staleness: STALE,
            },
            read_committed: Box::new(|_| false),
            drop_left_topics: false,
            objective: Box::new(|_| None),
        },
        at: Duration::ZERO,
    }
}

impl World {
    fn cycle(&mut self, groups: Vec<GroupReading>, topics: Vec<(&str, TopicReading)>) -> Snapshot {
        self.cycle_with(groups, topics, |_| {})
    }

    fn cycle_with(
        &mut self,
        groups: Vec<GroupReading>,
        topics: Vec<(&str, TopicReading)>,
        change: impl FnOnce(&mut Observation),
    ) -> Snapshot {
        self.at += Duration::from_secs(15);
        let now = Moment {
            mono: self.at,
            wall: UnixMillis(i64::try_from(self.at.as_millis()).expect("small")),
        };
        let mut heard = Observation {
            started: now,
            finished: now,
            brokers: Ok(vec![Broker {
                id: BrokerId(0),
                host: "b".into(),
                port: 9092,
            }]),
            unlisted: Vec::new(),
            groups,
            excluded: 0,
            gone: Vec::new(),
            topics: topics
                .into_iter()
                .map(|(name, reading)| (TopicName::from(name), reading))
                .collect(),
            configs: Vec::new(),
            calls: Calls::default(),
            stages: Stages::default(),
        };
        change(&mut heard);
        evaluate(&mut self.history, heard, &self.settings)
    }
}

fn offset(raw: i64) -> Offset {
    Offset::new(raw).expect("not negative")
}

fn listed(group: &str) -> ListedGroup {
    ListedGroup {
        id: GroupId::from(group),
        coordinators: vec![BrokerId(0)],
        protocol_type: "consumer".into(),
        group_type: Some("Classic".into()),
        state: Some(GroupState::Empty),
    }
}

fn described(members: Vec<Member>) -> Description {
    Description {
        state: if members.is_empty() {
            GroupState::Empty
        } else {
            GroupState::Stable
        },
        protocol_type: "consumer".into(),
        protocol: "range".into(),
        members,
        epochs: None,
    }
}

fn member(client: &str, topics: &[(&str, &[i32])]) -> Member {
    let assigned = topics
        .iter()
        .map(|(t, ps)| (TopicName::from(*t), ps.iter().map(|p| Partition(*p)).collect()))
        .collect();
    Member {
        id: Text::from(client),
        instance_id: None,
        client_id: Text::from(client),
        host: "10.0.0.1".into(),
        assignment: Assignment::Partitions(assigned),
        target: None,
        epoch: None,
        protocol: None,
        tasks: None,
    }
}

/// A group without members and its commits: `(topic, [(partition, offset)])`.
fn group(name: &str, commits: &[(&str, &[(i32, i64)])]) -> GroupReading {
    let commits = commits
        .iter()
        .map(|(topic, offsets)| TopicCommits {
            topic: TopicName::from(*topic),
            partitions: offsets.iter().map(|(p, c)| (Partition(*p), Ok(offset(*c)))).collect(),
        })
        .collect();
    GroupReading {
        listed: listed(name),
        description: Ok(described(Vec::new())),
        commits: Some(Ok(commits)),
        shares: None,
    }
}

/// A topic of partitions with a start and an end.
fn topic(limits: &[(i64, i64)]) -> TopicReading {
    let limits: Vec<_> = limits.iter().map(|(s, e)| (Ok(*s), Ok(*e))).collect();
    topic_heard(&limits)
}

fn topic_heard(limits: &[(Heard<i64>, Heard<i64>)]) -> TopicReading {
    let number = |index: usize| Partition(i32::try_from(index).expect("small"));
    let meta = |index| PartitionMeta {
        partition: number(index),
        leader: Some(BrokerId(0)),
        leader_epoch: Some(0),
        replicas: 1,
        in_sync: 1,
    };
    let log = |(index, (start, end)): (usize, &(Heard<i64>, Heard<i64>))| PartitionLog {
        partition: number(index),
        start: start.map(offset),
        end: end.map(offset),
        stable: None,
    };
    TopicReading {
        meta: Ok(TopicMeta {
            id: Some(TopicId([1; 16])),
            internal: false,
            partitions: (0..limits.len()).map(meta).collect(),
        }),
        logs: limits.iter().enumerate().map(log).collect(),
    }
}

fn gone_topic() -> TopicReading {
    TopicReading {
        meta: Err(UNKNOWN),
        logs: Vec::new(),
    }
}

fn lags(topic: &GroupTopicView) -> Vec<(i32, Option<u64>)> {
    topic.partitions.iter().map(|p| (p.partition.0, p.lag())).collect()
}

#[test]
fn sums_add_up_and_a_commit_ahead_takes_nothing_off() {
    let seen = world().cycle(
        vec![group("g", &[("t", &[(0, 105), (1, 50)])])],
        vec![("t", topic(&[(0, 100), (0, 100)]))],
    );
    let group = &seen.groups[0];
    assert_eq!(lags(&group.topics[0]), [(0, Some(0)), (1, Some(50))]);
    assert_eq!(
        (group.topics[0].lag, group.lag, group.readable_lag),
        (Some(50), Some(50), Some(50))
    );
    assert_eq!(group.topics[0].partitions[0].ahead(), Some(5));
    assert_eq!(group.status, Status::Ahead);
}

#[test]
fn sums_are_exact_beyond_64_bits() {
    let half = i64::MAX;
    let seen = world().cycle(
        vec![group("g", &[("t", &[(0, 0), (1, 0), (2, 0)])])],
        vec![("t", topic(&[(0, half), (0, half), (0, half)]))],
    );
    assert_eq!(seen.groups[0].lag, Some(3 * u128::from(half.unsigned_abs())));
}

#[test]
fn partitions_without_a_commit_are_counted_and_have_no_lag() {
    let seen = world().cycle(
        vec![group("g", &[("t", &[(2, 4388)])])],
        vec![("t", topic(&[(0, 3083), (0, 0), (0, 4388)]))],
    );
    let topic = &seen.groups[0].topics[0];
    assert_eq!(lags(topic), [(2, Some(0))]);
    assert_eq!(
        (topic.uncommitted_partitions, topic.uncommitted_records),
        (Some(2), Some(3083))
    );
    assert_eq!(topic.lag, Some(0));
}

#[test]
fn a_group_that_never_committed_has_no_sum() {
    let mut reading = group("g", &[]);
    reading.description = Ok(described(vec![member("c", &[("t", &[0, 1])])]));
    let seen = world().cycle(vec![reading], vec![("t", topic(&[(0, 7), (0, 3)]))]);
    let group = &seen.groups[0];
    assert_eq!((group.lag, group.readable_lag, group.topics[0].lag), (None, None, None));
    assert_eq!(
        (
            group.topics[0].uncommitted_partitions,
            group.topics[0].uncommitted_records
        ),
        (Some(2), Some(10))
    );
    assert_eq!(group.topics[0].assigned_partitions, Some(2));
}

#[test]
fn a_deleted_topic_is_an_answer_and_the_rest_still_adds_up() {
    let seen = world().cycle(
        vec![group("g", &[("a", &[(0, 5)]), ("b", &[(0, 10)])])],
        vec![("a", gone_topic()), ("b", topic(&[(0, 20)]))],
    );
    let group = &seen.groups[0];
    let (a, b) = (&group.topics[0], &group.topics[1]);
    assert_eq!(
        (a.exists, a.lag, &a.unreadable[..]),
        (Some(false), None, &[(Reason::UnknownTopic, 1)][..])
    );
    assert_eq!(a.partitions[0].committed, Some(offset(5)));
    assert_eq!((b.lag, group.lag, group.status), (Some(10), Some(10), Status::Ok));
    assert_eq!(seen.topics.len(), 1);
}

#[test]
fn a_partition_beyond_the_topic_counts_for_no_sum() {
    let seen = world().cycle(
        vec![group("g", &[("t", &[(0, 5), (7, 5)])])],
        vec![("t", topic(&[(0, 9)]))],
    );
    let topic = &seen.groups[0].topics[0];
    assert_eq!(lags(topic), [(0, Some(4)), (7, None)]);
    assert_eq!(
        (topic.lag, &topic.unreadable[..]),
        (Some(4), &[(Reason::UnknownTopic, 1)][..])
    );
}

#[test]
fn a_partition_without_a_leader_takes_its_sums_with_it() {
    let torn = || topic_heard(&[(Ok(0), Ok(10)), (Err(Cause::NoLeader), Err(Cause::NoLeader))]);
    let mut world = world();
    let mut cycle = || {
        world.cycle(
            vec![group("g", &[("t", &[(0, 3), (1, 3)]), ("u", &[(0, 7)])])],
            vec![("t", torn()), ("u", topic(&[(0, 10)]))],
        )
    };
    let seen = cycle();
    let group = &seen.groups[0];
    assert_eq!(lags(&group.topics[0]), [(0, Some(7)), (1, None)]);
    assert_eq!(
        (group.topics[0].lag, group.topics[1].lag, group.lag),
        (None, Some(3), None)
    );
    assert_eq!(group.readable_lag, Some(10));
    assert_eq!(group.topics[0].unreadable, [(Reason::NoLeader, 1)]);
    assert_eq!(group.status, Status::Ok, "not yet longer than max_staleness");
    let later = (0..4).map(|_| cycle()).last().expect("four");
    assert_eq!(later.groups[0].status, Status::Unreadable);
}

#[test]
fn a_failed_read_of_a_log_changes_nothing_until_it_is_too_old() {
    let mut world = world();
    let reading = || group("g", &[("t", &[(0, 3)])]);
    let before = world.cycle(vec![reading()], vec![("t", topic(&[(0, 10)]))]);
    for _ in 0..3 {
        let broken = topic_heard(&[(Ok(0), Err(Cause::TimedOut))]);
        let seen = world.cycle(vec![group("g", &[("t", &[(0, 5)])])], vec![("t", broken)]);
        assert_eq!(
            seen.groups[0].lag, before.groups[0].lag,
            "as of the last good reading, the commit too"
        );
        assert!(!seen.groups[0].topics[0].partitions[0].fresh);
        assert_eq!(seen.topics[0].partitions, before.topics[0].partitions);
    }
    let broken = topic_heard(&[(Ok(0), Err(Cause::TimedOut))]);
    let seen = world.cycle(vec![reading()], vec![("t", broken)]);
    assert_eq!((seen.groups[0].lag, seen.groups[0].status), (None, Status::Unreadable));
    assert_eq!(seen.groups[0].topics[0].unreadable, [(Reason::Timeout, 1)]);
    assert!(seen.topics[0].partitions.is_empty());
}

#[test]
fn a_group_that_cannot_be_read_stands_and_then_is_only_named() {
    let mut world = world();
    let before = world.cycle(
        vec![group("g", &[("t", &[(0, 3), (1, 3)])])],
        vec![("t", topic(&[(0, 10), (0, 10)]))],
    );
    let failed = || GroupReading {
        listed: listed("g"),
        description: Err(Cause::Disconnected),
        commits: Some(Err(Cause::Disconnected)),
        shares: None,
    };
    for _ in 0..3 {
        let seen = world.cycle(vec![failed()], vec![("t", topic(&[(0, 90), (0, 90)]))]);
        let group = &seen.groups[0];
        assert_eq!(
            (group.lag, &group.members),
            (before.groups[0].lag, &before.groups[0].members)
        );
        assert_eq!(group.failure, Some(Cause::Disconnected));
    }
    let seen = world.cycle(vec![failed()], vec![("t", topic(&[(0, 90), (0, 90)]))]);
    let group = &seen.groups[0];
    assert_eq!(
        (group.lag, group.readable_lag, &group.members, &group.state),
        (None, None, &None, &None)
    );
    assert_eq!((group.status, &group.kind), (Status::Unreadable, &GroupType::Classic));
    assert_eq!(group.topics[0].unreadable, [(Reason::BrokerUnavailable, 2)]);
    let seen = world.cycle(vec![group_again()], vec![("t", topic(&[(0, 95), (0, 90)]))]);
    assert_eq!(seen.groups[0].lag, Some(92 + 87));
    assert_eq!(seen.groups[0].topics[0].consumed, 0);
}

fn group_again() -> GroupReading {
    group("g", &[("t", &[(0, 3), (1, 3)])])
}

#[test]
fn a_group_whose_commits_were_never_read_is_unreadable_not_well() {
    let mut reading = group("g", &[]);
    reading.commits = Some(Err(Cause::Code(ErrorCode::COORDINATOR_LOAD_IN_PROGRESS)));
    let seen = world().cycle(vec![reading], vec![]);
    assert_eq!((seen.groups[0].status, seen.groups[0].lag), (Status::Unreadable, None));
    assert_eq!(
        seen.cycle.as_ref().map(|c| (c.groups_read, c.groups_unreadable)),
        Some((0, 1))
    );
}

#[test]
fn a_cluster_that_cannot_be_reached_keeps_what_was_read() {
    let mut world = world();
    let before = world.cycle(vec![group("g", &[("t", &[(0, 3)])])], vec![("t", topic(&[(0, 10)]))]);
    let down = |heard: &mut Observation| {
        heard.brokers = Err(Failure::new(Api::Metadata, Cause::TimedOut));
        heard.calls.failed(Api::Metadata, Cause::TimedOut, 1);
    };
    let failed = GroupReading {
        listed: listed("g"),
        description: Err(Cause::TimedOut),
        commits: Some(Err(Cause::TimedOut)),
        shares: None,
    };
    let unknown = TopicReading {
        meta: Err(Cause::TimedOut),
        logs: Vec::new(),
    };
    let seen = world.cycle_with(vec![failed], vec![("t", unknown)], down);
    assert_eq!(seen.groups[0].lag, Some(7));
    assert_eq!(
        (seen.read_at, seen.cycle.as_ref().map(|c| c.up)),
        (before.read_at, Some(false))
    );
    assert_eq!((seen.totals.cycles_ok, seen.totals.cycles_failed), (1, 1));
    assert_eq!(seen.totals.errors[&(Api::Metadata, "REQUEST_TIMED_OUT".to_owned())], 1);
}

#[test]
fn one_denied_partition_leaves_the_others_alone() {
    let mut reading = group("g", &[("t", &[(0, 3), (1, 3)])]);
    if let Some(Ok(commits)) = &mut reading.commits {
        commits[0].partitions[1].1 = Err(DENIED);
    }
    let seen = world().cycle(vec![reading], vec![("t", topic(&[(0, 10), (0, 10)]))]);
    let topic = &seen.groups[0].topics[0];
    assert_eq!(lags(topic), [(0, Some(7)), (1, None)]);
    assert_eq!(
        (topic.lag, &topic.unreadable[..]),
        (None, &[(Reason::Authorization, 1)][..])
    );
}

#[test]
fn counters_count_what_happened_while_somebody_watched() {
    let mut world = world();
    let mut steps = Vec::new();
    for (committed, start, end) in [(10, 0, 100), (30, 0, 120), (20, 0, 120), (20, 50, 150), (150, 50, 150)] {
        let seen = world.cycle(
            vec![group("g", &[("t", &[(0, committed)])])],
            vec![("t", topic(&[(start, end)]))],
        );
        let topic = &seen.groups[0].topics[0];
        steps.push((topic.consumed, topic.lost, topic.rewinds, seen.topics[0].produced));
    }
    assert_eq!(
        steps,
        [
            (0, 0, 0, 0),
            (20, 0, 0, 20),
            (20, 0, 1, 20),
            (20, 30, 1, 50),
            (150, 30, 1, 50)
        ]
    );
}

#[test]
fn a_topic_made_anew_is_no_rewind() {
    let mut world = world();
    world.cycle(vec![group("g", &[("t", &[(0, 90)])])], vec![("t", topic(&[(0, 100)]))]);
    let mut anew = topic(&[(0, 5)]);
    if let Ok(meta) = &mut anew.meta {
        meta.id = Some(TopicId([2; 16]));
    }
    let seen = world.cycle(vec![group("g", &[("t", &[(0, 1)])])], vec![("t", anew)]);
    let topic = &seen.groups[0].topics[0];
    assert_eq!(
        (topic.rewinds, topic.consumed, topic.lag, seen.topics[0].produced),
        (0, 0, Some(4), 0)
    );
}

#[test]
fn loads_and_owners_follow_from_the_assignment() {
    let mut reading = group("g", &[("t", &[(0, 0), (1, 0), (2, 0)])]);
    reading.description = Ok(described(vec![
        member("b", &[("t", &[2])]),
        member("idle", &[]),
        member("a", &[("t", &[0, 1])]),
    ]));
    let seen = world().cycle(vec![reading], vec![("t", topic(&[(0, 1), (0, 1), (0, 1)]))]);
    let group = &seen.groups[0];
    let members = group.members.as_ref().expect("described");
    assert_eq!(
        (members.idle, members.partitions_max, members.partitions_min),
        (Some(1), Some(2), Some(0))
    );
    let owner = |p: usize| {
        let index = group.topics[0].partitions[p].owner.expect("owned");
        &*members.members[usize::try_from(index).expect("small")].client_id
    };
    assert_eq!([owner(0), owner(1), owner(2)], ["a", "a", "b"]);
}

#[test]
fn topics_left_behind_are_dropped_only_where_that_is_wanted() {
    for (drop, topics) in [(false, 2), (true, 1)] {
        let mut world = world();
        world.settings.drop_left_topics = drop;
        let mut reading = group("g", &[("left", &[(0, 0)]), ("t", &[(0, 0)])]);
        reading.description = Ok(described(vec![member("c", &[("t", &[0])])]));
        let seen = world.cycle(vec![reading], vec![("t", topic(&[(0, 1)])), ("left", topic(&[(0, 1)]))]);
        assert_eq!(seen.groups[0].topics.len(), topics);
    }
}

#[test]
fn a_name_that_would_read_like_anothers_is_left_out_and_counted() {
    let mut foreign = group("x", &[]);
    foreign.listed.id = GroupId::from(&b"a\xff"[..]);
    let seen = world().cycle(vec![foreign, group("a\\xff", &[])], vec![]);
    assert_eq!(seen.groups.len(), 1);
    assert_eq!(seen.groups[0].id.utf8(), Some("a\\xff"));
    assert_eq!(seen.totals.name_clashes, 1);
}

#[test]
fn a_group_that_is_gone_is_gone_and_one_that_was_not_mentioned_too() {
    let mut world = world();
    world.cycle(vec![group("g", &[("t", &[(0, 3)])])], vec![("t", topic(&[(0, 10)]))]);
    let seen = world.cycle_with(vec![], vec![], |heard| heard.gone.push(GroupId::from("g")));
    assert!(seen.groups.is_empty() && seen.topics.is_empty());
    assert_eq!(world.history.known_groups().count(), 0);
}

#[test]
fn read_committed_counts_up_to_the_stable_offset() {
    let mut world = world();
    world.settings.read_committed = Box::new(|group| *group == GroupId::from("g"));
    let mut open = topic(&[(0, 15)]);
    open.logs[0].stable = Some(Ok(offset(10)));
    let seen = world.cycle(vec![group("g", &[("t", &[(0, 8)])])], vec![("t", open)]);
    assert_eq!(seen.groups[0].lag, Some(2));
    let log = seen.topics[0].partitions[0];
    assert_eq!((log.end, log.stable), (Some(offset(15)), Some(offset(10))));
}

#[test]
fn the_type_of_a_group_is_what_its_broker_and_its_members_say() {
    let of = |group_type: Option<&str>, protocol_type: &str, had_members| {
        let mut group = listed("g");
        group.group_type = group_type.map(Text::from);
        group.protocol_type = Text::from(protocol_type);
        kind(&group, None, had_members).to_string()
    };
    assert_eq!(of(Some("Classic"), "consumer", false), "classic");
    assert_eq!(of(None, "consumer", false), "classic");
    assert_eq!(of(Some("classic"), "", false), "simple");
    assert_eq!(of(Some("Classic"), "", true), "classic");
    assert_eq!(of(Some("consumer"), "consumer", false), "consumer");
    assert_eq!(of(Some("Share"), "share", false), "share");
    assert_eq!(of(Some("STREAMS"), "streams", false), "streams");
    assert_eq!(of(Some("Classic"), "connect", false), "connect");
    assert_eq!(of(Some("Classic"), "sr", false), "sr");
    assert_eq!(of(Some("Novel"), "consumer", false), "Novel");
}

#[test]
fn before_the_first_cycle_there_is_nothing() {
    let seen = nothing_yet(Arc::from("main"));
    assert!(seen.cycle.is_none() && seen.read_at.is_none() && seen.groups.is_empty());
}

#[test]
fn a_leader_that_does_not_know_an_existing_partition_makes_no_commit_uncommitted() {
    let mut world = world();
    world.cycle(vec![group("g", &[("t", &[(0, 3)])])], vec![("t", topic(&[(0, 10)]))]);
    let denied = topic_heard(&[(Err(UNKNOWN), Err(UNKNOWN))]);
    let seen = world.cycle(vec![group("g", &[("t", &[(0, 3)])])], vec![("t", denied)]);
    let topic = &seen.groups[0].topics[0];
    assert_eq!((topic.lag, topic.uncommitted_partitions), (Some(7), Some(0)));
}
