//! Every sentence there is, word for word.

use std::sync::Arc;
use std::time::Duration;

use super::*;
use crate::failure::Cause;
use crate::failure::ErrorCode;
use crate::metrics::fixture;
use crate::model::GroupId;
use crate::model::GroupState;
use crate::model::GroupType;
use crate::model::LagTime;
use crate::model::Offset;
use crate::model::Partition;
use crate::model::Status;
use crate::model::TimeMethod;
use crate::model::UnixMillis;
use crate::snapshot::Event;
use crate::snapshot::Explained;
use crate::snapshot::Explanation;
use crate::snapshot::GroupTopicView;
use crate::snapshot::Happening;
use crate::snapshot::OwnerView;
use crate::snapshot::PartitionView;
use crate::snapshot::TimeView;
use crate::snapshot::Who;

mod sentences;
mod speech;

const MINUTE: u64 = 60;
const HOUR: u64 = 3600;
const DAY: u64 = 86_400;

fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

/// A partition with a commit, a start, an end and the age of its oldest unread record.
fn partition(index: i32, status: Status, offsets: (i64, i64, i64), age: Option<u64>) -> PartitionView {
    let (committed, start, end) = offsets;
    let mut view = fixture::partition(index, committed, start, end);
    view.status = status;
    view.time = age.map_or(TimeView::Absent, |age| {
        TimeView::Known(LagTime {
            age_ms: age * 1000,
            error_ms: 0,
            method: TimeMethod::Record,
        })
    });
    view
}

fn owned(mut view: PartitionView, owner: u32) -> PartitionView {
    view.owner = Some(owner);
    view
}

fn well(from: i32, to: i32) -> impl Iterator<Item = PartitionView> {
    (from..to).map(|index| owned(partition(index, Status::Ok, (100, 0, 100), Some(0)), 0))
}

fn topic(name: &str, partitions: Vec<PartitionView>) -> GroupTopicView {
    let mut topic = fixture::topic(name, partitions);
    let times = topic.partitions.iter().filter_map(|view| match view.time {
        TimeView::Known(time) => Some(time),
        _ => None,
    });
    topic.lag_time = times.max_by_key(|time| time.age_ms);
    topic
}

/// A deleted topic with commits left on so many partitions.
fn deleted(name: &str, partitions: i32) -> GroupTopicView {
    let left = (0..partitions).map(|index| {
        let mut view = fixture::partition(index, 7, -1, -1);
        view.unreadable = Some(Cause::Code(ErrorCode::UNKNOWN_TOPIC_OR_PARTITION));
        view
    });
    let mut topic = fixture::topic(name, left.collect());
    (topic.exists, topic.lag) = (Some(false), None);
    topic
}

/// Numbers of a partition that was watched for an hour and stands still for so long.
fn standing(for_seconds: u64) -> Explanation {
    Explanation {
        standing: seconds(for_seconds),
        begin_seen: true,
        watched: seconds(HOUR),
        window: seconds(75),
        ..Explanation::default()
    }
}

/// A group of two members with that status, each partition of which is explained by `why`.
fn group(status: Status, topics: Vec<GroupTopicView>, why: &Explanation) -> GroupView {
    let mut group = fixture::group("billing", topics);
    group.status = status;
    group.state = Some(GroupState::Stable);
    group.empty_for = None;
    group.lag_time = group
        .topics
        .iter()
        .filter_map(|it| it.lag_time)
        .max_by_key(|it| it.age_ms);
    let members = group.members.as_mut().expect("there");
    members.members = vec![fixture::member(1), fixture::member(2)];
    let members = members.members.clone();
    let rows = group
        .topics
        .iter()
        .flat_map(|topic| topic.partitions.iter().map(|view| (topic.name.clone(), *view)));
    let mut rows: Vec<_> = rows.collect();
    rows.sort_by_key(|(_, view)| (view.status, std::cmp::Reverse(view.lag())));
    let explain = |(topic, view): (Arc<str>, PartitionView)| Explained {
        topic,
        view,
        owner: view
            .owner
            .and_then(|at| members.get(usize::try_from(at).ok()?))
            .map(|it| OwnerView {
                client_id: it.client_id.clone(),
                host: it.host.clone(),
            }),
        why: why.clone(),
    };
    group.explained = rows.into_iter().map(explain).take(16).collect();
    group
}

fn empty(mut group: GroupView) -> GroupView {
    group.members = Some(crate::snapshot::MembersView::default());
    group.state = Some(GroupState::Empty);
    group
}

fn words(group: GroupView) -> Words {
    let snapshot = fixture::snapshot("main", vec![group]);
    let objectives = fixture::objectives();
    let source = Source {
        snapshot: &snapshot,
        objectives: &objectives,
    };
    source.words(&snapshot.groups[0])
}

fn says(group: GroupView, verdict: &str) {
    assert_eq!(words(group).verdict, verdict);
}

#[test]
fn every_status_says_what_would_have_to_change() {
    let one = |status, offsets| vec![topic("orders", vec![partition(4, status, offsets, Some(900))])];
    let offset = |raw| Offset::new(raw);
    let rewound = Explanation {
        rewound_from: offset(80),
        ..standing(0)
    };
    let slow = Explanation {
        usual_wait: Some(seconds(120)),
        ..standing(0)
    };
    for (group, expected) in [
        (
            group(Status::Stalled, one(Status::Stalled, (1_234, 0, 9_000)), &standing(720)),
            "Ok once the group commits past 1,234 on partition 4 of orders, or nothing is left to read there",
        ),
        (
            empty(group(
                Status::Stopped,
                one(Status::Stopped, (1_234, 0, 9_000)),
                &standing(720),
            )),
            "It needs a consumer first; ok once the group commits past 1,234 on partition 4 of orders, or nothing is left to read there",
        ),
        (
            group(Status::Lost, one(Status::Lost, (10, 90, 100)), &standing(0)),
            "Ok once the group has committed 90 or more there, where the log starts",
        ),
        (
            group(
                Status::Uncommitted,
                one(Status::Uncommitted, (-1, 0, 100)),
                &standing(0),
            ),
            "Ok once something is committed on partition 4 of orders",
        ),
        (
            group(Status::Ahead, one(Status::Ahead, (50_000, 0, 1_000)), &standing(0)),
            "Ok once the log has grown to 50,000, or the commit is reset to 1,000 or less; a consumer that starts before that goes by its \
             auto.offset.reset",
        ),
        (
            group(Status::Rewound, one(Status::Rewound, (20, 0, 100)), &rewound),
            "Ok once the commit is past 80 again, or nothing is left to read there",
        ),
        (
            group(Status::Behind, one(Status::Behind, (20, 0, 100)), &standing(0)),
            "Ok once the lag no longer grows, or its oldest record is younger than 60 s",
        ),
        (
            group(Status::Behind, one(Status::Behind, (20, 0, 100)), &slow),
            "Ok once the lag no longer grows, or its oldest record is younger than 4 min",
        ),
        (
            empty(group(Status::Dormant, one(Status::Dormant, (20, 0, 100)), &standing(0))),
            "Stopped instead of dormant once a member joins or a commit moves, ok once everything is read, and gone once it is deleted",
        ),
    ] {
        assert_eq!(words(group).to_be_ok.as_deref(), Some(expected));
    }
    assert_eq!(
        words(group(Status::Ok, one(Status::Ok, (20, 0, 100)), &standing(0))).to_be_ok,
        None
    );
}

#[test]
fn of_several_partitions_no_single_offset_is_named() {
    let several = |status| {
        let rows = [(4, 10), (5, 20)].map(|(index, committed)| partition(index, status, (committed, 15, 12), Some(9)));
        group(status, vec![topic("orders", rows.into())], &standing(720))
    };
    for (status, expected) in [
        (
            Status::Stalled,
            "Ok once commits move on all 2 partitions of orders, or nothing is left to read there",
        ),
        (Status::Lost, "Ok once every commit is at or past the start of its log"),
        (
            Status::Ahead,
            "Ok once the logs have grown to their commits, or these are reset",
        ),
        (
            Status::Rewound,
            "Ok once the commits are past their old places, or nothing is left to read there",
        ),
    ] {
        assert_eq!(words(several(status)).to_be_ok.as_deref(), Some(expected));
    }
}

#[test]
fn what_cannot_be_read_says_what_it_takes() {
    for (cause, expected) in [
        (
            Cause::Code(ErrorCode::GROUP_AUTHORIZATION_FAILED),
            "Told again once tidemark's user may DESCRIBE the group and its topics",
        ),
        (Cause::NoLeader, "Told again once the partitions have a leader"),
        (Cause::TimedOut, "Told again once commits and logs can be read"),
    ] {
        let mut group = group(Status::Unreadable, Vec::new(), &standing(0));
        group.failure = Some(cause);
        assert_eq!(words(group).to_be_ok.as_deref(), Some(expected));
    }
}

fn commands(group: GroupView) -> Vec<String> {
    words(group).cures.into_iter().map(|cure| cure.command).collect()
}

#[test]
fn an_abandoned_group_is_deleted_by_kafkas_own_tool() {
    let abandoned = |id: GroupId| {
        let topics = vec![
            topic(
                "orders",
                vec![partition(0, Status::Dormant, (20, 0, 100), Some(3 * DAY))],
            ),
            deleted("old", 1),
        ];
        let mut group = empty(group(Status::Dormant, topics, &standing(3 * DAY)));
        group.name = id.to_string().into();
        group.id = id;
        group
    };
    for (id, expected) in [
        (
            &b"spark-1f"[..],
            "kafka-consumer-groups --bootstrap-server HOST:PORT --delete --group spark-1f",
        ),
        (
            b"it's; rm -rf /",
            "kafka-consumer-groups --bootstrap-server HOST:PORT --delete --group 'it'\\''s; rm -rf /'",
        ),
        (
            b"--all-groups",
            "kafka-consumer-groups --bootstrap-server HOST:PORT --delete --group=--all-groups",
        ),
        (
            b"a\xff\n",
            "kafka-consumer-groups --bootstrap-server HOST:PORT --delete --group $'a\\377\\012'",
        ),
    ] {
        assert_eq!(
            commands(abandoned(GroupId::from(id))),
            [expected],
            "and what is left goes with it"
        );
    }
}

#[test]
fn commits_on_a_deleted_topic_go_by_deleting_a_topic_of_that_name() {
    let lively = group(
        Status::Ok,
        vec![topic("parcels-v2", well(0, 2).collect()), deleted("parcels-v1", 3)],
        &standing(0),
    );
    let told = words(lively);
    assert_eq!(
        (
            told.cures[0].what.as_str(),
            told.cures[0].command.as_str(),
            told.cures.len()
        ),
        (
            "Makes parcels-v1 anew and deletes it, upon which Kafka drops the commits that are left on it, of every group",
            "kafka-topics --bootstrap-server HOST:PORT --create --topic parcels-v1 --partitions 3 && \
             kafka-topics --bootstrap-server HOST:PORT --delete --topic parcels-v1",
            1
        )
    );
    let nothing_else = empty(group(Status::Ok, vec![deleted("parcels-v1", 3)], &standing(0)));
    assert_eq!(
        commands(nothing_else),
        ["kafka-consumer-groups --bootstrap-server HOST:PORT --delete --group billing"]
    );
}

#[test]
fn what_may_still_be_needed_has_no_cure() {
    let mut watched = empty(group(
        Status::Dormant,
        vec![topic(
            "orders",
            vec![partition(0, Status::Dormant, (20, 0, 100), Some(3 * DAY))],
        )],
        &standing(3 * DAY),
    ));
    watched.objective = Some(0);
    assert_eq!(commands(watched), [""; 0], "an objective says that it is");
    let stopped = empty(group(
        Status::Stopped,
        vec![topic(
            "orders",
            vec![partition(0, Status::Stopped, (20, 0, 100), Some(900))],
        )],
        &standing(900),
    ));
    assert_eq!(commands(stopped), [""; 0]);
}

#[test]
fn events_in_words() {
    let who = || Who {
        client_id: "consumer 3".into(),
        host: "10.0.0.3".into(),
    };
    let orders: Arc<str> = "orders".into();
    let now = fixture::NOW.wall;
    let status = |from, to, since: Option<i64>| Happening::Status {
        from,
        to,
        place: (to != Status::Ok).then(|| ("orders".into(), Partition(4))),
        since: since.map(|ago| UnixMillis(now.0 - ago * 1000)),
    };
    for (what, expected) in [
        (
            status(Status::Ok, Status::Stalled, Some(720)),
            "commits stopped: ok became stalled, partition 4 of orders, no commit since 02:52 UTC",
        ),
        (
            status(Status::Ok, Status::Stopped, Some(2 * 86_400)),
            "commits stopped: ok became stopped, partition 4 of orders, no commit since 2025-12-31 03:04 UTC",
        ),
        (
            status(Status::Ok, Status::Lost, None),
            "ok became lost, partition 4 of orders",
        ),
        (status(Status::Stalled, Status::Ok, None), "stalled became ok"),
        (
            Happening::Joined { who: who(), others: 0 },
            "client \"consumer 3\" on host 10.0.0.3 joined",
        ),
        (
            Happening::Left { who: who(), others: 1 },
            "client \"consumer 3\" on host 10.0.0.3 and 1 other left",
        ),
        (
            Happening::Left { who: who(), others: 9 },
            "client \"consumer 3\" on host 10.0.0.3 and 9 others left",
        ),
        (Happening::Rebalanced { times: 1 }, "rebalanced"),
        (Happening::Rebalanced { times: 7 }, "rebalanced 7 times"),
        (
            Happening::Rewound {
                topic: orders.clone(),
                partitions: 1,
                records: 1,
            },
            "1 commit went back on orders by 1 record",
        ),
        (
            Happening::Rewound {
                topic: orders.clone(),
                partitions: 3,
                records: 12_000,
            },
            "3 commits went back on orders by 12,000 records",
        ),
        (
            Happening::Rewound {
                topic: orders.clone(),
                partitions: 2,
                records: 0,
            },
            "2 commits went back on orders",
        ),
        (
            Happening::Lost {
                topic: orders.clone(),
                records: 8_410,
            },
            "retention took 8,410 records of orders before they were read",
        ),
        (
            Happening::Reset {
                topic: orders.clone(),
                partitions: 12,
                by: "on-call".into(),
            },
            "12 partitions of orders reset through tidemark by on-call",
        ),
        (
            Happening::Reset {
                topic: orders,
                partitions: 1,
                by: "ok, and nobody".into(),
            },
            "1 partition of orders reset through tidemark by \"ok, and nobody\"",
        ),
    ] {
        let at = Event {
            at: now,
            until: now,
            what,
        };
        assert_eq!(event(&at), expected);
    }
}
