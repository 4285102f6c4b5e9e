//! What a group's view tells beyond the present figures: why, what happened, and how the lag went.

use super::*;

fn happenings(group: &GroupView) -> Vec<Happening> {
    group.events.iter().map(|event| event.what.clone()).collect()
}

fn with(name: &str, commits: &[(&str, &[(i32, i64)])], members: Vec<Member>) -> GroupReading {
    let mut reading = group(name, commits);
    reading.description = Ok(described(members));
    reading
}

fn who(client: &str) -> Who {
    Who {
        client_id: client.into(),
        host: "10.0.0.1".into(),
    }
}

fn explained(group: &GroupView) -> Vec<(i32, Status)> {
    let rows = group.explained.iter();
    rows.map(|row| (row.view.partition.0, row.view.status)).collect()
}

#[test]
fn the_worst_are_explained_first_and_the_greatest_lag_in_any_case() {
    // Twenty partitions ahead of their logs, one of thirty lost, and one that lags by far the most and is well.
    let mut commits: Vec<(i32, i64)> = (0..20).map(|partition| (partition, 200)).collect();
    commits.extend([(20, 5), (21, 50)]);
    let mut limits = vec![(0, 100); 20];
    limits.extend([(10, 100), (0, 9_000)]);
    let seen = world().cycle(vec![group("g", &[("t", &commits)])], vec![("t", topic(&limits))]);
    let shown = explained(&seen.groups[0]);
    assert_eq!(shown.len(), 16);
    assert_eq!(shown[0], (20, Status::Lost));
    assert!(
        shown[1..15].iter().all(|(_, status)| *status == Status::Ahead),
        "{shown:?}"
    );
    assert_eq!(shown[15], (21, Status::Ok));
}

#[test]
fn a_group_that_is_well_is_explained_by_its_greatest_lag_alone() {
    let seen = world().cycle(
        vec![group("g", &[("t", &[(0, 90), (1, 40), (2, 100)])])],
        vec![("t", topic(&[(0, 100), (0, 100), (0, 100)]))],
    );
    assert_eq!(explained(&seen.groups[0]), [(1, Status::Ok)]);
}

#[test]
fn an_explanation_has_the_numbers_of_the_verdict_and_the_owner() {
    let mut world = world();
    let mut last = None;
    for cycle in 0..60i64 {
        let reading = with(
            "g",
            &[("t", &[(0, 10 + cycle.min(2)), (1, 100 + cycle)])],
            vec![member("c", &[("t", &[0, 1])])],
        );
        last = Some(world.cycle(vec![reading], vec![("t", topic(&[(0, 100), (0, 100 + cycle)]))]));
    }
    let seen = last.expect("sixty");
    let [row, ..] = &*seen.groups[0].explained else {
        panic!("explained")
    };
    assert_eq!((row.view.partition, row.view.status), (Partition(0), Status::Stalled));
    assert_eq!((row.view.lag(), &*row.topic), (Some(88), "t"));
    let owner = row.owner.as_ref().expect("owned");
    assert_eq!((&*owner.client_id, &*owner.host), ("c", "10.0.0.1"));
    assert_eq!(row.why.standing, Duration::from_secs(57 * 15), "since the third cycle");
    assert!(
        row.why.begin_seen && row.why.watched == Duration::from_secs(59 * 15),
        "{:?}",
        row.why
    );
    assert!(row.why.standing >= row.why.window);
}

#[test]
fn a_commit_that_stood_still_before_anybody_looked_is_not_said_to_have_begun_then() {
    let mut world = world();
    let reading = || group("g", &[("t", &[(0, 10)])]);
    world.cycle(vec![reading()], vec![("t", topic(&[(0, 100)]))]);
    let seen = world.cycle(vec![reading()], vec![("t", topic(&[(0, 100)]))]);
    let why = &seen.groups[0].explained[0].why;
    assert_eq!((why.begin_seen, why.watched), (false, Duration::from_secs(15)));
}

#[test]
fn nothing_has_happened_to_a_group_that_is_seen_for_the_first_time() {
    let reading = with("g", &[("t", &[(0, 200)])], vec![member("c", &[("t", &[0])])]);
    let seen = world().cycle(vec![reading], vec![("t", topic(&[(50, 100)]))]);
    assert_eq!(happenings(&seen.groups[0]), []);
}

#[test]
fn members_that_come_and_go_are_told_by_their_clients() {
    let mut world = world();
    let commits: &[(&str, &[(i32, i64)])] = &[("t", &[(0, 100)])];
    let mut cycle =
        |members: Vec<Member>| world.cycle(vec![with("g", commits, members)], vec![("t", topic(&[(0, 100)]))]);
    let crew = |names: &[&str]| names.iter().map(|name| member(name, &[])).collect::<Vec<_>>();
    cycle(crew(&["b"]));
    let seen = cycle(crew(&["d", "c", "b"]));
    assert_eq!(
        happenings(&seen.groups[0]),
        [
            Happening::Joined {
                who: who("c"),
                others: 1
            },
            Happening::Rebalanced { times: 1 }
        ]
    );
    let seen = cycle(crew(&["b", "d"]));
    let left = Happening::Left {
        who: who("c"),
        others: 0,
    };
    let last = seen.groups[0].events.last().expect("there");
    assert_eq!(last.what, left);
    assert_eq!(
        seen.groups[0].events[1].what,
        Happening::Rebalanced { times: 2 },
        "one thing that goes on"
    );
    let same = cycle(crew(&["d", "b"]));
    assert!(
        Arc::ptr_eq(&same.groups[0].events, &seen.groups[0].events),
        "the same members in another order"
    );
}

#[test]
fn a_static_member_that_was_restarted_neither_left_nor_joined() {
    let mut world = world();
    let mut cycle = |id: &str| {
        let mut it = member(id, &[]);
        it.instance_id = Some("pod-1".into());
        world.cycle(vec![with("g", &[], vec![it])], vec![])
    };
    cycle("a-1");
    let seen = cycle("a-2");
    let members = |what: &Happening| matches!(what, Happening::Joined { .. } | Happening::Left { .. });
    assert!(
        !happenings(&seen.groups[0]).iter().any(members),
        "{:?}",
        seen.groups[0].events
    );
}

#[test]
fn members_that_could_not_be_read_for_a_while_are_compared_with_those_before() {
    let mut world = world();
    let mut cycle = |description| {
        let mut reading = group("g", &[]);
        reading.description = description;
        world.cycle(vec![reading], vec![])
    };
    cycle(Ok(described(vec![member("a", &[])])));
    for _ in 0..5 {
        cycle(Err(Cause::TimedOut));
    }
    let seen = cycle(Ok(described(vec![member("b", &[])])));
    let told = happenings(&seen.groups[0]);
    assert!(
        told.contains(&Happening::Left {
            who: who("a"),
            others: 0
        }),
        "{told:?}"
    );
    assert!(
        told.contains(&Happening::Joined {
            who: who("b"),
            others: 0
        }),
        "{told:?}"
    );
}

#[test]
fn losses_rewinds_and_resets_are_told_by_topic() {
    let mut world = world();
    let cycle = |world: &mut World, committed: [i64; 2], start: i64| {
        let commits = [(0, committed[0]), (1, committed[1])];
        world.cycle(
            vec![group("g", &[("t", &commits)])],
            vec![("t", topic(&[(start, 500), (start, 500)]))],
        )
    };
    cycle(&mut world, [100, 200], 0);
    cycle(&mut world, [60, 150], 0);
    cycle(&mut world, [60, 150], 90);
    let by: Arc<str> = "on-call".into();
    for partition in [Partition(0), Partition(1)] {
        let place = (&TopicName::from("t"), partition);
        world.history.reset_to(&GroupId::from("g"), place, offset(95), &by);
    }
    let seen = cycle(&mut world, [95, 95], 90);
    let topic: Arc<str> = "t".into();
    let told: Vec<Happening> = happenings(&seen.groups[0])
        .into_iter()
        .filter(|what| !matches!(what, Happening::Status { .. }))
        .collect();
    assert_eq!(
        told,
        [
            Happening::Rewound {
                topic: topic.clone(),
                partitions: 2,
                records: 90
            },
            Happening::Lost {
                topic: topic.clone(),
                records: 30
            },
            Happening::Reset {
                topic,
                partitions: 2,
                by
            },
        ],
        "a reset of our own is no rewind"
    );
}

#[test]
fn a_change_of_status_says_where_and_since_when() {
    let mut world = world();
    let mut seen = None;
    for cycle in 0..60i64 {
        let committed = 10 + cycle.min(1);
        seen = Some(world.cycle(
            vec![group("g", &[("t", &[(0, committed)])])],
            vec![("t", topic(&[(0, 100)]))],
        ));
    }
    let seen = seen.expect("sixty");
    let [event] = &*seen.groups[0].events else {
        panic!("{:?}", seen.groups[0].events)
    };
    assert_eq!(
        event.what,
        Happening::Status {
            from: Status::Ok,
            to: Status::Stopped,
            place: Some(("t".into(), Partition(0))),
            since: Some(UnixMillis(30_000)),
        }
    );
    assert!(event.at > UnixMillis(30_000) && event.at == event.until);
    let well = world.cycle(vec![group("g", &[("t", &[(0, 100)])])], vec![("t", topic(&[(0, 100)]))]);
    assert_eq!(
        happenings(&well.groups[0])[1],
        Happening::Status {
            from: Status::Stopped,
            to: Status::Ok,
            place: None,
            since: None
        }
    );
}

#[test]
fn the_course_of_the_lag_is_kept_and_a_sum_that_cannot_be_told_is_a_gap() {
    let mut world = world();
    for committed in [40, 50, 60] {
        world.cycle(
            vec![group("g", &[("t", &[(0, committed)])])],
            vec![("t", topic(&[(0, 100)]))],
        );
    }
    let broken = topic_heard(&[(Err(DENIED), Err(DENIED))]);
    let mut seen = None;
    for _ in 0..5 {
        seen = Some(world.cycle(vec![group("g", &[("t", &[(0, 70)])])], vec![("t", broken.clone())]));
    }
    let seen = seen.expect("five");
    let lags: Vec<_> = seen.groups[0].trend.lags().collect();
    let stands = Some(40.0);
    assert_eq!(
        lags,
        [Some(60.0), Some(50.0), stands, stands, stands, stands, None, None]
    );
    assert_eq!(seen.groups[0].trend.until(), seen.cycle.map(|cycle| cycle.finished));
}
