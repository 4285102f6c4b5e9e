//! Groups of the newer protocols: share groups, epochs, assignments on their way, tasks.

use super::*;
use crate::observation::Epochs;
use crate::observation::MemberProtocol;
use crate::observation::Share;
use crate::observation::Tasks;
use crate::observation::TopicShares;

fn of_type(name: &str, group_type: &str, description: Description) -> GroupReading {
    GroupReading {
        listed: ListedGroup {
            group_type: Some(Text::from(group_type)),
            ..listed(name)
        },
        description: Ok(description),
        ..group(name, &[])
    }
}

fn share(start: i64, lag: Option<u64>) -> Heard<Share> {
    Ok(Share {
        start: Offset::new(start),
        lag,
    })
}

/// A share group of two members that have all of a topic.
fn sharing(shares: Vec<Heard<Share>>) -> GroupReading {
    let all: Vec<i32> = (0..).take(shares.len()).collect();
    let two = vec![
        member("a", &[("t", &all)]),
        member("b", &[("t", &all[..all.len().min(1)])]),
    ];
    let topic = TopicShares {
        topic: TopicName::from("t"),
        partitions: (0..).map(Partition).zip(shares).collect(),
    };
    GroupReading {
        commits: None,
        shares: Some(Ok(vec![topic])),
        ..of_type("s", "Share", described(two))
    }
}

#[test]
fn a_share_group_has_the_brokers_lag_or_that_of_its_start_offset_and_none_of_commits() {
    let mut world = world();
    let shares = vec![share(3, Some(5)), share(4, None), share(-1, None)];
    let seen = world.cycle(vec![sharing(shares)], vec![("t", topic(&[(0, 10), (0, 10), (0, 10)]))]);
    let view = &seen.groups[0];
    assert_eq!(
        (view.kind.clone(), view.lag, view.topics.len()),
        (GroupType::Share, None, 0)
    );
    let share = view.share.as_deref().expect("a share group");
    let lags: Vec<_> = share.topics[0]
        .partitions
        .iter()
        .zip(&share.figures[0])
        .map(|(view, figures)| (figures.lag(view), figures.members))
        .collect();
    assert_eq!(lags, [(Some(5), Some(2)), (Some(6), Some(1)), (None, Some(1))]);
    assert_eq!((share.lag, share.topics[0].lag), (Some(11), Some(11)));
    assert_eq!(share.topics[0].uncommitted_partitions, Some(1), "not begun");
}

#[test]
fn a_share_group_whose_start_stands_still_is_stalled_and_one_that_moves_is_not() {
    let mut world = world();
    for cycle in 0..130 {
        let moves = sharing(vec![share(3, Some(5)), share(cycle, None), share(3, Some(0))]);
        let end = (0, 10 + cycle);
        let seen = world.cycle(vec![moves], vec![("t", topic(&[end, end, end]))]);
        if cycle == 129 {
            let share = seen.groups[0].share.as_deref().expect("a share group");
            let statuses: Vec<_> = share.topics[0].partitions.iter().map(|view| view.status).collect();
            assert_eq!(
                statuses,
                [Status::Stalled, Status::Ok, Status::Ok],
                "the last has nothing left"
            );
            assert_eq!(seen.groups[0].status, Status::Stalled);
        }
    }
}

#[test]
fn a_share_group_that_cannot_be_read_stands_and_then_is_only_named() {
    let mut world = world();
    let logs = || vec![("t", topic(&[(0, 10)]))];
    let before = world.cycle(vec![sharing(vec![share(3, Some(5))])], logs());
    assert_eq!(before.groups[0].share.as_ref().and_then(|share| share.lag), Some(5));
    let failed = || GroupReading {
        shares: Some(Err(Cause::TimedOut)),
        ..sharing(Vec::new())
    };
    let stands = world.cycle(vec![failed()], logs());
    assert_eq!(stands.groups[0].share.as_ref().and_then(|share| share.lag), Some(5));
    assert_eq!(stands.cycle.as_ref().map(|cycle| cycle.groups_unreadable), Some(1));
    for _ in 0..3 {
        world.cycle(vec![failed()], logs());
    }
    let named = world.cycle(vec![failed()], logs());
    let view = &named.groups[0];
    assert_eq!(view.status, Status::Unreadable);
    assert_eq!(view.share.as_ref().and_then(|share| share.lag), None);
}

fn reconciling(members: Vec<Member>) -> Description {
    Description {
        epochs: Some(Epochs {
            group: 7,
            assignment: 7,
            topology: None,
        }),
        ..described(members)
    }
}

fn on_the_way(client: &str, has: &[(&str, &[i32])], wanted: &[(&str, &[i32])], epoch: i32) -> Member {
    Member {
        target: Some(member(client, wanted).assignment),
        epoch: Some(epoch),
        protocol: Some(MemberProtocol::Consumer),
        ..member(client, has)
    }
}

#[test]
fn partitions_are_pending_until_their_owner_is_the_targets() {
    let mut world = world();
    // 1 waits to be given up, 2 is given up and not taken yet, 3 goes to nobody.
    let members = vec![
        on_the_way("a", &[("t", &[0, 1, 3])], &[("t", &[0])], 6),
        Member {
            protocol: Some(MemberProtocol::Classic),
            ..on_the_way("b", &[], &[("t", &[1, 2])], 7)
        },
    ];
    let seen = world.cycle(
        vec![of_type("g", "Consumer", reconciling(members))],
        vec![("t", topic(&[(0, 10)]))],
    );
    let view = seen.groups[0].members.as_ref().expect("members");
    assert_eq!((view.pending, view.behind), (Some(3), Some(1)));
    assert_eq!((view.epoch_min, view.classic), (Some(6), Some(1)));
    let still = vec![on_the_way("a", &[("t", &[0])], &[("t", &[0])], 7)];
    let seen = world.cycle(
        vec![of_type("g", "Consumer", reconciling(still))],
        vec![("t", topic(&[(0, 10)]))],
    );
    let view = seen.groups[0].members.as_ref().expect("members");
    assert_eq!((view.pending, view.behind, view.classic), (Some(0), Some(0), Some(0)));
}

#[test]
fn a_classic_group_has_no_epochs_and_nothing_pending() {
    let mut world = world();
    let members = vec![member("a", &[("t", &[0])])];
    let seen = world.cycle(
        vec![of_type("g", "Classic", described(members))],
        vec![("t", topic(&[(0, 10)]))],
    );
    let view = seen.groups[0].members.as_ref().expect("members");
    assert_eq!((view.pending, view.behind, view.epoch_min), (None, None, None));
    assert_eq!((view.classic, view.tasks), (None, None));
}

#[test]
fn tasks_are_counted_by_role() {
    let mut world = world();
    let part = |id: &str, partitions: &[i32]| (Text::from(id), partitions.iter().copied().map(Partition).collect());
    let tasks = Tasks {
        active: vec![part("0", &[0, 1]), part("1", &[0])],
        standby: vec![part("1", &[1])],
        warmup: Vec::new(),
    };
    let one = Member {
        tasks: Some(Box::new(tasks)),
        ..on_the_way("a", &[("t", &[0, 1])], &[("t", &[0, 1])], 7)
    };
    let seen = world.cycle(
        vec![of_type("g", "Streams", reconciling(vec![one]))],
        vec![("t", topic(&[(0, 1), (0, 1)]))],
    );
    let counts = seen.groups[0].members.as_ref().and_then(|members| members.tasks);
    let expected = TaskCounts {
        active: 3,
        standby: 1,
        warmup: 0,
    };
    assert_eq!(counts, Some(expected));
}
