//! The verdict, status by status. The snapshot is of 03:04 UTC; topics keep records for seven days.

use super::*;

#[test]
fn stuck_with_one_partition_of_many() {
    let stuck = owned(partition(4, Status::Stalled, (40, 0, 8_450), Some(14 * MINUTE)), 0);
    let rows = well(0, 4).chain([stuck]).chain(well(5, 48)).collect();
    says(
        group(Status::Stalled, vec![topic("orders", rows)], &standing(12 * MINUTE)),
        "Stuck since 02:52 UTC: client client-1 on host 10.0.0.1 holds partition 4 of orders and has not moved for 12 min; \
         8,410 records, oldest 14 min old; the other 47 of 48 partitions are fine; 6 d 23 h until retention takes unread records",
    );
}

#[test]
fn stuck_with_several_partitions_of_one_member() {
    let stuck = |index| owned(partition(index, Status::Stalled, (90, 0, 100), Some(14 * MINUTE)), 1);
    let rows = [stuck(2), stuck(5), stuck(6)].into_iter().chain(well(7, 8)).collect();
    says(
        group(Status::Stalled, vec![topic("orders", rows)], &standing(12 * MINUTE)),
        "Stuck since 02:52 UTC: client client-2 on host 10.0.0.2 holds partitions 2, 5 and 6 of orders and has not moved, the longest for \
         12 min; 30 records, oldest 14 min old; the other partition is fine; 6 d 23 h until retention takes unread records",
    );
}

#[test]
fn stuck_with_several_members_and_topics() {
    let stuck = |index, owner| owned(partition(index, Status::Stalled, (90, 0, 100), None), owner);
    let topics = vec![
        topic("a", vec![stuck(0, 0), stuck(1, 1)]),
        topic("b", vec![stuck(0, 0)]),
    ];
    says(
        group(Status::Stalled, topics, &standing(2 * DAY)),
        "Stuck since 2025-12-31 03:04 UTC: 2 members hold all 3 partitions of 2 topics and have not moved, the longest for 2 d; \
         30 records of unknown age",
    );
}

#[test]
fn what_stood_still_before_anybody_looked_may_have_for_longer() {
    let stuck = owned(partition(4, Status::Stalled, (99, 0, 100), Some(14 * MINUTE)), 0);
    let why = Explanation {
        begin_seen: false,
        ..standing(12 * MINUTE)
    };
    says(
        group(Status::Stalled, vec![topic("orders", vec![stuck])], &why),
        "Stuck since 02:52 UTC or longer: client client-1 on host 10.0.0.1 holds partition 4 of orders and has not moved for at least 12 min; \
         1 record, oldest 14 min old; 6 d 23 h until retention takes unread records",
    );
}

#[test]
fn stuck_while_nobody_knows_the_owner() {
    let stuck = partition(4, Status::Stalled, (90, 0, 100), Some(8 * DAY));
    let mut group = group(
        Status::Stalled,
        vec![topic("orders", vec![stuck])],
        &standing(12 * MINUTE),
    );
    group.state = Some(GroupState::PreparingRebalance);
    says(
        group,
        "Stuck since 02:52 UTC: partition 4 of orders has not moved for 12 min; 10 records, oldest 8 d old; \
         retention may take unread records at any time; it is rebalancing now",
    );
}

#[test]
fn stopped_without_members_and_without_an_owner() {
    let stopped = |index| partition(index, Status::Stopped, (85, 0, 100), Some(25 * MINUTE));
    let three = || vec![topic("invoices", vec![stopped(0), stopped(1), stopped(2)])];
    says(
        empty(group(Status::Stopped, three(), &standing(25 * MINUTE))),
        "Stopped since 02:39 UTC: the group has no members, and nothing was committed on all 3 partitions of invoices for 25 min; \
         45 records, oldest 25 min old; 6 d 23 h until retention takes unread records",
    );
    let rows = well(1, 3).chain([stopped(0)]).collect();
    says(
        group(Status::Stopped, vec![topic("invoices", rows)], &standing(25 * MINUTE)),
        "Stopped since 02:39 UTC: nobody holds partition 0 of invoices, and nothing was committed there for 25 min; \
         15 records, oldest 25 min old; the other 2 of 3 partitions are fine; 6 d 23 h until retention takes unread records",
    );
}

#[test]
fn lost_records() {
    let lost = |index, committed| partition(index, Status::Lost, (committed, 90, 100), Some(600));
    says(
        group(Status::Lost, vec![topic("audit", vec![lost(1, 10)])], &standing(0)),
        "Lost 80 records: retention took them from partition 1 of audit before they were read; it committed 10, and the log starts at 90; \
         10 records, oldest 10 min old",
    );
    says(
        group(Status::Lost, vec![topic("audit", vec![lost(1, 89)])], &standing(0)),
        "Lost 1 record: retention took it from partition 1 of audit before it was read; it committed 89, and the log starts at 90; \
         10 records, oldest 10 min old",
    );
    let mut rows = vec![
        lost(0, 10),
        lost(1, 20),
        partition(2, Status::Behind, (5, 0, 9), Some(90)),
    ];
    rows.extend(well(3, 6));
    says(
        group(Status::Lost, vec![topic("audit", rows)], &standing(0)),
        "Lost 150 records: retention took them from partitions 0 and 1 of audit before they were read; 20 records, oldest 10 min old; \
         of the other 4 partitions: 3 fine and 1 behind",
    );
    let empty_log = partition(0, Status::Lost, (10, 100, 100), Some(0));
    says(
        group(Status::Lost, vec![topic("audit", vec![empty_log])], &standing(0)),
        "Lost 90 records: retention took them from partition 0 of audit before they were read; it committed 10, and the log starts at 100; \
         nothing is left to read there",
    );
}

#[test]
fn a_group_that_cannot_be_read() {
    let mut row = partition(0, Status::Unreadable, (-1, -1, -1), None);
    row.unreadable = Some(Cause::Disconnected);
    let mut failed = group(Status::Unreadable, vec![topic("t", vec![row])], &standing(0));
    failed.failure = Some(Cause::Disconnected);
    failed.read_at.wall = UnixMillis(fixture::NOW.wall.0 - 600_000);
    says(
        failed.clone(),
        "Not readable since 02:54 UTC: the group's members or commits, because the broker cannot be reached (NETWORK_EXCEPTION)",
    );
    failed.topics.clear();
    failed.failure = Some(Cause::Code(ErrorCode::GROUP_AUTHORIZATION_FAILED));
    says(
        failed,
        "Not readable: the group's members or commits, because tidemark is not allowed to (GROUP_AUTHORIZATION_FAILED)",
    );
}

#[test]
fn partitions_that_cannot_be_read() {
    let mut row = partition(1, Status::Unreadable, (-1, -1, -1), None);
    row.unreadable = Some(Cause::NoLeader);
    let rows = well(0, 1).chain([row]).collect();
    says(
        group(Status::Unreadable, vec![topic("t", rows)], &standing(0)),
        "Not readable: partition 1 of t, because it has no leader (LEADER_NOT_AVAILABLE); the other partition is fine",
    );
}

#[test]
fn never_committed() {
    let row = |index, owner| owned(partition(index, Status::Uncommitted, (-1, 20, 100), None), owner);
    let why = Explanation {
        uncommitted: Some((seconds(20 * MINUTE), Some(seconds(15 * MINUTE)))),
        ..standing(0)
    };
    says(
        group(Status::Uncommitted, vec![topic("t", vec![row(3, 0)])], &why),
        "Never committed: client client-1 on host 10.0.0.1 has held partition 3 of t for 20 min and committed nothing, while records came; \
         80 records are there now",
    );
    says(
        group(Status::Uncommitted, vec![topic("t", vec![row(3, 0), row(4, 1)])], &why),
        "Never committed: 2 members have held all 2 partitions of t for 20 min and committed nothing, while records came; \
         160 records are there now",
    );
}

#[test]
fn ahead_of_the_log() {
    let row = |index| partition(index, Status::Ahead, (50_000, 0, 1_000), Some(0));
    says(
        empty(group(Status::Ahead, vec![topic("stock", vec![row(0)])], &standing(0))),
        "Ahead of the log: the commit on partition 0 of stock is 50,000, and the log ends at 1,000, 49,000 records before it; \
         the log was cut short or the topic made anew",
    );
    says(
        empty(group(
            Status::Ahead,
            vec![topic("stock", vec![row(0), row(1)])],
            &standing(0),
        )),
        "Ahead of the log: the commits on all 2 partitions of stock are beyond the end of the log, by up to 49,000 records; \
         the log was cut short or the topic made anew",
    );
}

#[test]
fn went_back() {
    let row = |index| partition(index, Status::Rewound, (20, 0, 150), Some(HOUR));
    let why = Explanation {
        rewound_from: Offset::new(120),
        ..standing(0)
    };
    says(
        group(Status::Rewound, vec![topic("t", vec![row(0)])], &why),
        "Went back: the commit on partition 0 of t is at 20 and was at 120, so that 100 records are read again; \
         130 records, oldest 60 min old; 6 d 23 h until retention takes unread records",
    );
    says(
        group(Status::Rewound, vec![topic("t", vec![row(0), row(1)])], &why),
        "Went back: the commits on all 2 partitions of t went down and are not back where they were; \
         260 records, oldest 60 min old; 6 d 23 h until retention takes unread records",
    );
}

#[test]
fn falling_behind() {
    let rows = vec![owned(
        partition(0, Status::Behind, (1_000, 0, 21_000), Some(10 * MINUTE)),
        0,
    )];
    let why = Explanation {
        lowest_lags: Some((15_000.0, 19_500.0)),
        ..standing(0)
    };
    let mut slow = group(Status::Behind, vec![topic("clicks", rows)], &why);
    says(
        slow.clone(),
        "Falling behind: commits move, but the lag of partition 0 of clicks only grows, the least from 15,000 to 19,500 within 75 s; \
         20,000 records, oldest 10 min old; 6 d 23 h until retention takes unread records",
    );
    slow.trend = fixture::trend(&[Some(8_000), Some(8_900), Some(9_800), Some(10_700)], 1_200);
    says(
        slow,
        "Falling behind: commits move, but the lag of partition 0 of clicks only grows, the least from 15,000 to 19,500 within 75 s; \
         20,000 records, oldest 10 min old; the group reads 20 a second while 35 a second come, and never catches up at this pace; \
         6 d 23 h until retention takes unread records",
    );
}

#[test]
fn dormant() {
    let rows = (0..2)
        .map(|index| partition(index, Status::Dormant, (20, 0, 100), Some(3 * DAY)))
        .collect();
    says(
        empty(group(Status::Dormant, vec![topic("t", rows)], &standing(26 * HOUR))),
        "Dormant: no members, and no commit was seen for 26 h; 160 records, oldest 3 d old on all 2 partitions of t; \
         4 d until retention takes unread records",
    );
}

#[test]
fn fine() {
    let read = || vec![topic("t", well(0, 6).collect())];
    says(
        group(Status::Ok, read(), &standing(0)),
        "Fine: everything is read; 2 members, 6 partitions",
    );
    let mut idle = group(Status::Ok, read(), &standing(0));
    idle.members.as_mut().expect("there").idle = Some(1);
    idle.state = Some(GroupState::CompletingRebalance);
    says(
        idle,
        "Fine: everything is read; 2 members, 1 of them without a partition, 6 partitions; it is rebalancing now",
    );
    says(
        empty(group(Status::Ok, vec![topic("t", well(0, 1).collect())], &standing(0))),
        "Fine: everything is read; no members, 1 partition",
    );
}

fn lagging(why: &Explanation) -> GroupView {
    let row = owned(partition(0, Status::Ok, (60, 0, 300), Some(2)), 0);
    group(Status::Ok, vec![topic("t", vec![row])], why)
}

#[test]
fn fine_with_something_to_read() {
    says(
        lagging(&standing(0)),
        "Fine: commits move; 240 records, oldest 2 s old; 2 members, 1 partition",
    );
    let usual = Explanation {
        usual_wait: Some(seconds(10 * MINUTE)),
        window: seconds(30 * MINUTE),
        ..standing(8 * MINUTE)
    };
    says(
        lagging(&usual),
        "Fine: partition 0 of t has not moved for 8 min, usually up to 10 min, within its window of 30 min; \
         240 records, oldest 2 s old; 2 members, 1 partition",
    );
    let mut fast = lagging(&standing(0));
    fast.trend = fixture::trend(&[Some(1_140), Some(840), Some(540), Some(240)], 600);
    fast.lag = Some(24_000);
    says(
        fast,
        "Fine: commits move; 24,000 records, oldest 2 s old; 2 members, 1 partition; caught up in about 80 min at this pace",
    );
}

#[test]
fn whoever_waits_at_an_open_transaction_is_not_stuck() {
    let mut row = owned(partition(0, Status::Ok, (60, 0, 300), Some(40 * MINUTE)), 0);
    row.at_open_transaction = true;
    says(
        group(Status::Ok, vec![topic("t", vec![row])], &standing(40 * MINUTE)),
        "Not stuck: partition 0 of t waits at an open transaction; 240 records, oldest 40 min old; 2 members, 1 partition",
    );
}

#[test]
fn who_has_only_just_looked_says_so() {
    let young = Explanation {
        begin_seen: false,
        watched: seconds(6),
        ..standing(6)
    };
    says(
        lagging(&young),
        "Not known to be stuck: partition 0 of t has not moved for at least 6 s, watched for 6 s of a window of 75 s; \
         240 records, oldest 2 s old; 2 members, 1 partition",
    );
}

#[test]
fn nothing_to_judge() {
    let mut share = group(Status::Ok, Vec::new(), &standing(0));
    share.kind = GroupType::Share;
    says(
        share,
        "Nothing to judge: groups of type share commit no offsets; 2 members",
    );
    let mut bare = group(Status::Ok, Vec::new(), &standing(0));
    (bare.lag, bare.readable_lag) = (None, None);
    bare.members.as_mut().expect("there").members.pop();
    says(bare.clone(), "Nothing to judge: nothing is committed; 1 member");
    bare.members = None;
    says(bare, "Nothing to judge: nothing is committed; members unknown");
}

#[test]
fn asides() {
    let mut late = lagging(&standing(0));
    late.objective = Some(0);
    late.lag_time = Some(LagTime {
        age_ms: 61_000,
        error_ms: 0,
        method: TimeMethod::Record,
    });
    late.failure = Some(Cause::TimedOut);
    late.read_at.wall.0 -= 30_000;
    late.lag = None;
    says(
        late,
        "Fine: commits move; 240 records, oldest 61 s old; 2 members, 1 partition; something cannot be read at the moment; \
         above its objective of 60 s; this is as of 03:03 UTC, because no answer came in time (REQUEST_TIMED_OUT)",
    );
    for (names, expected) in [
        (&["a"][..], "commits are left on a, which is deleted"),
        (&["a", "b"], "commits are left on a and b, which are deleted"),
        (&["a", "b", "c", "d"], "commits are left on 4 deleted topics"),
    ] {
        let gone = names.iter().map(|name| deleted(name, 2));
        let topics = std::iter::once(topic("t", well(0, 1).collect())).chain(gone).collect();
        says(
            group(Status::Ok, topics, &standing(0)),
            &format!("Fine: everything is read; 2 members, 1 partition; {expected}"),
        );
    }
}

#[test]
fn no_name_can_speak_for_tidemark() {
    let stuck = owned(partition(0, Status::Stalled, (90, 0, 100), None), 0);
    let mut spoofed = group(Status::Stalled, vec![topic("a b", vec![stuck])], &standing(720));
    let members = spoofed.members.as_mut().expect("there");
    members.members[0].client_id = "x\x1b[2J on host y; all is fine".into();
    says(
        spoofed,
        "Stuck since 02:52 UTC: client \"x\\u{1b}[2J on host y; all is fine\" on host 10.0.0.1 holds partition 0 of \"a b\" and has not \
         moved for 12 min; 10 records of unknown age",
    );
}
