use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::json;

use super::*;
use crate::clock::Clock;
use crate::failure::Cause;
use crate::model::GroupState;
use crate::model::Offset;
use crate::model::TopicId;
use crate::model::UnixMillis;
use crate::reset::Order;
use crate::reset::Planned;
use crate::reset::Resets;
use crate::reset::Stopped;
use crate::reset::audit::Caller;
use crate::reset::engine::Place;
use crate::reset::fake::Cluster;
use crate::reset::fake::Step;
use crate::reset::fake::Twist;
use crate::reset::fake::key;
use crate::reset::fake::member;
use crate::reset::request::Asked;

const START: UnixMillis = UnixMillis(1_769_846_400_000);

fn caller() -> Caller {
    Caller {
        who: "on-call".to_owned(),
        via: "http",
        peer: None,
    }
}

fn place(group: &str) -> Place {
    Place {
        cluster: "main".to_owned(),
        group: GroupId::from(group),
    }
}

/// A cluster with group `g` at 20, 21 and 40 of `orders`, and at 7 of `other`, which no test asks for.
struct Bench {
    cluster: Cluster,
    resets: Arc<Resets<Cluster>>,
    clock: Clock,
}

impl Bench {
    fn new() -> Self {
        let cluster = Cluster::new(|world| {
            world.topic("orders", &[(0, 40), (5, 40), (10, 40)]);
            world.topic("other", &[(0, 10)]);
            world.empty_group("g");
            world.commit("g", "orders", 0, 20);
            world.commit("g", "orders", 1, 21);
            world.commit("g", "orders", 2, 40);
            world.commit("g", "other", 0, 7);
        });
        let clock = Clock::stepped(START);
        let resets = Arc::new(Resets::new(cluster.clone(), None, clock.clone()));
        Self { cluster, resets, clock }
    }

    async fn plan_request(&self, request: serde_json::Value) -> Planned {
        let asked = Asked::parse(request.to_string().as_bytes());
        let planned = self.resets.plan(&caller(), &place("g"), asked).await.expect("a plan");
        // Steps are counted from the execute on.
        self.cluster.world().steps.clear();
        planned
    }

    async fn plan(&self, to: serde_json::Value) -> Planned {
        self.plan_request(json!({"scope": {"topics": [{"topic": "orders"}]}, "to": to}))
            .await
    }

    async fn run(&self, planned: &Planned) -> Result<Executed, Stopped> {
        self.order(planned.clone().confirmed("g".to_owned())).await
    }

    async fn order(&self, order: Order) -> Result<Executed, Stopped> {
        self.resets.execute(&caller(), &place("g"), Ok(order)).await
    }

    fn committed(&self) -> BTreeMap<String, i64> {
        let committed = self.cluster.world().committed("g");
        committed
            .into_iter()
            .map(|(key, offset)| (key.to_string(), offset))
            .collect()
    }
}

fn at(orders: [i64; 3]) -> BTreeMap<String, i64> {
    let mut all: BTreeMap<_, _> = (0..)
        .zip(orders)
        .map(|(partition, offset): (i32, _)| (format!("orders/{partition}"), offset))
        .collect();
    all.insert("other/0".to_owned(), 7);
    all
}

const BEFORE: [i64; 3] = [20, 21, 40];

fn refused(ended: Result<Executed, Stopped>) -> Refusal {
    match ended {
        Err(Stopped::Refused(refusal)) => refusal,
        other => panic!("not refused: {other:?}"),
    }
}

fn failed(ended: Result<Executed, Stopped>) -> Executed {
    match ended {
        Err(Stopped::Failed(executed)) => *executed,
        other => panic!("not failed: {other:?}"),
    }
}

fn words(executed: &Executed) -> Vec<&str> {
    executed.results.iter().map(|row| row.result.as_str()).collect()
}

#[tokio::test]
async fn the_plan_is_written_and_nothing_else() {
    let bench = Bench::new();
    let planned = bench.plan(json!({"offset": 12})).await;
    let executed = bench.run(&planned).await.expect("done");
    assert_eq!(words(&executed), [DONE, DONE, DONE]);
    let rows: Vec<_> = executed
        .results
        .iter()
        .map(|row| (row.from.map(Offset::get), row.to.map(Offset::get)))
        .collect();
    assert_eq!(rows, [(Some(20), Some(12)), (Some(21), Some(12)), (Some(40), Some(12))]);
    assert_eq!(bench.committed(), at([12, 12, 12]));
    assert_eq!(bench.cluster.world().written.len(), 3);
}

#[tokio::test]
async fn everything_is_asked_again_before_the_one_write_and_the_group_last() {
    let bench = Bench::new();
    let planned = bench.plan(json!("earliest")).await;
    bench.run(&planned).await.expect("done");
    use Step::*;
    assert_eq!(
        bench.cluster.world().steps,
        [Group, Commits, Topics, Logs, Commits, Group, Write, Commits]
    );
}

#[tokio::test]
async fn the_consumers_metadata_stays_and_the_leader_epoch_goes() {
    let bench = Bench::new();
    let planned = bench.plan(json!({"offset": 21})).await;
    bench.run(&planned).await.expect("done");
    let world = bench.cluster.world();
    let facts = &world.commits[&GroupId::from("g")];
    let beside = |partition| {
        let fact = &facts[&key("orders", partition)];
        (fact.metadata.as_str(), fact.leader_epoch)
    };
    assert_eq!((beside(0), beside(2)), (("note 0", None), ("note 2", None)));
    // This one stayed where it was: it was not written, and keeps everything.
    assert_eq!(beside(1), ("note 1", Some(3)));
    assert_eq!(world.written.len(), 2);
}

#[tokio::test]
async fn an_undo_planned_and_executed_brings_everything_back() {
    for to in [json!({"offset": 12}), json!("none"), json!("latest")] {
        let bench = Bench::new();
        bench.cluster.world().topic("fresh", &[(0, 4)]);
        let scope = json!({"topics": [{"topic": "orders"}, {"topic": "fresh"}]});
        let planned = bench
            .plan_request(json!({"scope": scope, "to": to, "clamp": true, "allow_new_partitions": true}))
            .await;
        let executed = bench.run(&planned).await.expect("done");
        assert!(bench.committed() != at(BEFORE), "{to}");
        assert!(executed.not_undoable.is_empty(), "{to}");
        let undo = serde_json::to_value(&executed.undo).expect("JSON");
        let back = bench.plan_request(undo).await;
        bench.run(&back).await.expect("done");
        assert_eq!(bench.committed(), at(BEFORE), "{to}");
    }
}

#[tokio::test]
async fn what_an_undo_would_clamp_is_listed() {
    let bench = Bench::new();
    bench.cluster.world().commit("g", "orders", 2, 3);
    let planned = bench.plan(json!("latest")).await;
    let executed = bench.run(&planned).await.expect("done");
    assert_eq!(
        serde_json::to_value(&executed.not_undoable).expect("JSON"),
        json!([{"topic": "orders", "partition": 2, "from": 3, "why": "3 is outside the log, from 10 to 40: the undo goes to 10"}])
    );
    let undo = serde_json::to_value(&executed.undo).expect("JSON");
    assert_eq!(undo["clamp"], true);
    let back = bench.plan_request(undo).await;
    bench.run(&back).await.expect("done");
    assert_eq!(bench.committed(), at([20, 21, 10]));
}

#[tokio::test]
async fn a_group_that_loses_its_last_commit_may_be_gone_before_the_undo_and_that_is_said() {
    let bench = Bench::new();
    let planned = bench.plan_request(json!({"scope": "committed", "to": "none"})).await;
    let executed = bench.run(&planned).await.expect("done");
    assert!(bench.committed().is_empty());
    assert_eq!(executed.not_undoable.len(), 4);
    assert!(executed.not_undoable[0].why.starts_with("the group has no commit left"));
}

#[tokio::test]
async fn the_same_plan_again_answers_the_same_and_writes_nothing() {
    for to in [json!({"offset": 12}), json!("none")] {
        let bench = Bench::new();
        let planned = bench
            .plan_request(json!({"scope": "committed", "to": to, "clamp": true}))
            .await;
        let first = bench.run(&planned).await.expect("done");
        let writes = bench.cluster.world().written.len();
        // Forgotten by Kafka with its last commit, or taken over by consumers that have not committed yet: what was ordered is done.
        bench.cluster.world().groups.clear();
        assert_eq!(bench.run(&planned).await.as_ref(), Ok(&first), "{to}");
        bench.cluster.world().group(
            "g",
            "classic",
            "consumer",
            GroupState::Stable,
            vec![member("app", "h", None)],
        );
        assert_eq!(bench.run(&planned).await.as_ref(), Ok(&first), "{to}");
        assert_eq!(bench.cluster.world().written.len(), writes, "{to}");
    }
}

#[tokio::test]
async fn what_an_earlier_try_left_undone_is_finished() {
    let bench = Bench::new();
    let planned = bench.plan(json!({"offset": 12})).await;
    let denied = Err(Cause::Code(ErrorCode::TOPIC_AUTHORIZATION_FAILED));
    bench.cluster.twist(
        Step::Write,
        1,
        Twist::Answer(vec![Ok(()), denied, Err(Cause::TimedOut)]),
    );
    let first = failed(bench.run(&planned).await);
    assert_eq!(words(&first), [DONE, "TOPIC_AUTHORIZATION_FAILED", UNKNOWN]);
    assert_eq!(bench.committed(), at([12, 21, 40]));
    let second = bench.run(&planned).await.expect("done");
    assert_eq!(words(&second), [DONE, DONE, DONE]);
    assert_eq!(bench.committed(), at([12, 12, 12]));
    assert_eq!(second.undo, first.undo);
    assert_eq!(bench.cluster.world().written.len(), 3, "no row is written twice");
}

#[tokio::test]
async fn a_write_without_an_answer_is_unknown_unless_the_commits_tell() {
    let bench = Bench::new();
    let planned = bench.plan(json!({"offset": 12})).await;
    // It took place, and reading back shows it.
    bench.cluster.twist(Step::Write, 1, Twist::WrittenInSilence);
    assert_eq!(words(&bench.run(&planned).await.expect("done")), [DONE, DONE, DONE]);
    // It did not, or not yet.
    let bench = Bench::new();
    let planned = bench.plan(json!({"offset": 12})).await;
    bench.cluster.twist(Step::Write, 1, Twist::Hang);
    assert_eq!(words(&failed(bench.run(&planned).await)), [UNKNOWN, UNKNOWN, UNKNOWN]);
    // Nobody can say.
    let bench = Bench::new();
    let planned = bench.plan(json!({"offset": 12})).await;
    bench.cluster.twist(Step::Write, 1, Twist::WrittenInSilence);
    bench.cluster.twist(Step::Commits, 3, Twist::Hang);
    assert_eq!(words(&failed(bench.run(&planned).await)), [UNKNOWN, UNKNOWN, UNKNOWN]);
    assert_eq!(bench.committed(), at([12, 12, 12]));
}

#[tokio::test]
async fn a_write_that_arrives_late_is_no_obstacle_to_the_same_plan() {
    let bench = Bench::new();
    let planned = bench.plan(json!({"offset": 12})).await;
    bench.cluster.twist(Step::Write, 1, Twist::Hang);
    failed(bench.run(&planned).await);
    bench.cluster.world().commit("g", "orders", 1, 12);
    assert_eq!(words(&bench.run(&planned).await.expect("done")), [DONE, DONE, DONE]);
    assert_eq!(bench.committed(), at([12, 12, 12]));
}

#[tokio::test]
async fn every_partition_has_a_result_however_many_answers_came() {
    let bench = Bench::new();
    let planned = bench.plan(json!({"offset": 12})).await;
    bench.cluster.twist(Step::Write, 1, Twist::Answer(vec![Ok(())]));
    assert_eq!(words(&failed(bench.run(&planned).await)), [DONE, UNKNOWN, UNKNOWN]);
}

#[tokio::test]
async fn every_code_of_a_broker_is_named_and_a_doubtful_one_is_settled_by_reading_back() {
    for code in (-1..=130).filter_map(ErrorCode::new) {
        let cause = Cause::Code(code);
        let bench = Bench::new();
        let planned = bench.plan(json!({"offset": 12})).await;
        bench.cluster.twist(Step::Write, 1, Twist::Answer(vec![Err(cause); 3]));
        let ended = bench.run(&planned).await;
        if guard::says_active(cause).is_some() {
            assert_eq!(refused(ended).word(), "group_active", "{code}");
        } else {
            assert_eq!(words(&failed(ended)), [code.label().as_ref(); 3], "{code}");
        }
        assert_eq!(bench.committed(), at(BEFORE), "{code}");

        let bench = Bench::new();
        let planned = bench.plan(json!({"offset": 12})).await;
        bench.cluster.twist(Step::Write, 1, Twist::Answer(vec![Err(cause); 3]));
        bench.cluster.change(Step::Commits, 3, |world| {
            (0..3).for_each(|p| world.commit("g", "orders", p, 12));
        });
        match bench.run(&planned).await {
            Ok(executed) => assert!(is_doubtful(cause) && words(&executed) == [DONE; 3], "{code}"),
            Err(_) => assert!(!is_doubtful(cause), "{code}"),
        }
    }
}

#[tokio::test]
async fn a_member_that_joins_between_check_and_write_is_the_same_refusal() {
    for code in [
        ErrorCode::UNKNOWN_MEMBER_ID,
        ErrorCode::NON_EMPTY_GROUP,
        ErrorCode::REBALANCE_IN_PROGRESS,
        ErrorCode::ILLEGAL_GENERATION,
        ErrorCode::GROUP_SUBSCRIBED_TO_TOPIC,
    ] {
        let bench = Bench::new();
        let planned = bench.plan(json!({"offset": 12})).await;
        bench
            .cluster
            .twist(Step::Write, 1, Twist::Answer(vec![Err(Cause::Code(code)); 3]));
        bench.cluster.change(Step::Group, 3, |world| {
            world.group(
                "g",
                "classic",
                "consumer",
                GroupState::Stable,
                vec![member("late", "10.0.0.9", None)],
            );
        });
        let refusal = refused(bench.run(&planned).await);
        assert_eq!(
            refusal.to_string(),
            format!(
                "group \"g\" got members while the reset was under way (Kafka answered {code}), it has 1 member: late on 10.0.0.9. Stop these \
                 consumers and wait until the group is empty; nothing was changed"
            )
        );
        assert_eq!(
            refusal.details(),
            [json!({"client_id": "late", "host": "10.0.0.9", "instance_id": null, "member_id": "late-7f3a"})]
        );
        assert_eq!(bench.committed(), at(BEFORE));
    }
    // The fake coordinator fences by itself, too.
    let bench = Bench::new();
    let planned = bench.plan(json!({"offset": 12})).await;
    bench.cluster.change(Step::Write, 1, |world| {
        world.group(
            "g",
            "classic",
            "consumer",
            GroupState::Stable,
            vec![member("late", "h", None)],
        );
    });
    assert_eq!(refused(bench.run(&planned).await).word(), "group_active");
    assert_eq!(bench.committed(), at(BEFORE));
}

#[tokio::test]
async fn members_that_join_half_way_leave_a_result_for_each_partition() {
    let bench = Bench::new();
    let planned = bench.plan(json!({"offset": 12})).await;
    let fenced = Err(Cause::Code(ErrorCode::UNKNOWN_MEMBER_ID));
    bench
        .cluster
        .twist(Step::Write, 1, Twist::Answer(vec![Ok(()), fenced, fenced]));
    assert_eq!(
        words(&failed(bench.run(&planned).await)),
        [DONE, "UNKNOWN_MEMBER_ID", "UNKNOWN_MEMBER_ID"]
    );
}

#[tokio::test]
async fn an_active_group_is_left_alone_at_either_check() {
    for (nth, state) in [(1, GroupState::Stable), (2, GroupState::PreparingRebalance)] {
        let bench = Bench::new();
        let planned = bench.plan(json!({"offset": 12})).await;
        let told = state.clone();
        bench.cluster.change(Step::Group, nth, move |world| {
            world.group("g", "classic", "consumer", state, vec![member("app", "10.0.0.7", None)]);
        });
        let refusal = refused(bench.run(&planned).await);
        assert_eq!(refusal.word(), "group_active");
        assert!(refusal.to_string().contains(&told.to_string()) && refusal.to_string().contains("app on 10.0.0.7"));
        assert!(bench.cluster.world().written.is_empty());
    }
}

#[tokio::test]
async fn a_plan_that_would_change_nothing_still_needs_an_inactive_group() {
    let bench = Bench::new();
    let planned = bench.plan(json!("current")).await;
    assert_eq!(words(&bench.run(&planned).await.expect("done")), [DONE, DONE, DONE]);
    assert!(bench.cluster.world().written.is_empty());
    bench.cluster.world().group(
        "g",
        "classic",
        "consumer",
        GroupState::Stable,
        vec![member("app", "h", None)],
    );
    assert_eq!(refused(bench.run(&planned).await).word(), "group_active");
}

#[tokio::test]
async fn a_commit_that_moved_since_the_plan_stops_everything() {
    let bench = Bench::new();
    let planned = bench.plan(json!({"offset": 12})).await;
    bench.cluster.world().commit("g", "orders", 1, 22);
    let refusal = refused(bench.run(&planned).await);
    assert_eq!(refusal.word(), "plan_changed");
    assert_eq!(
        refusal.to_string(),
        "things are no longer as the plan has them (orders/1: the commit was 21, now it is 22): look at what happened, then plan anew"
    );
    assert_eq!(
        refusal.details(),
        [json!({"topic": "orders", "partition": 1, "was": 21, "is": 22})]
    );
    assert_eq!(bench.committed(), at([20, 22, 40]));
}

#[tokio::test]
async fn a_commit_outside_the_plan_may_move() {
    let bench = Bench::new();
    let planned = bench.plan(json!({"offset": 12})).await;
    bench
        .cluster
        .change(Step::Commits, 1, |world| world.commit("g", "other", 0, 8));
    bench
        .cluster
        .change(Step::Commits, 2, |world| world.commit("g", "other", 0, 9));
    bench.run(&planned).await.expect("done");
    assert_eq!(bench.cluster.world().committed("g")[&key("other", 0)], 9);
}

#[tokio::test]
async fn commits_that_move_between_two_readings_stop_everything() {
    let bench = Bench::new();
    let planned = bench.plan(json!({"offset": 12})).await;
    bench
        .cluster
        .change(Step::Commits, 2, |world| world.commit("g", "orders", 0, 25));
    let refusal = refused(bench.run(&planned).await);
    assert_eq!(refusal.word(), "commits_moving");
    assert_eq!(
        refusal.to_string(),
        "the commits of group \"g\" move though it has no members (orders/0: 20 became 25): an application that assigns its partitions \
         itself is running; stop it, then plan anew"
    );
    assert!(bench.cluster.world().written.is_empty());
}

#[tokio::test]
async fn a_topic_made_anew_since_the_plan_stops_everything() {
    let bench = Bench::new();
    let planned = bench.plan(json!({"offset": 12})).await;
    bench.cluster.world().topics.get_mut("orders").expect("known").0 = TopicId::new([9; 16]);
    let refusal = refused(bench.run(&planned).await);
    assert_eq!(
        (refusal.word(), refusal.to_string().as_str()),
        (
            "plan_changed",
            "things are no longer as the plan has them (topic \"orders\" was made anew): look at what happened, then plan anew"
        )
    );
    assert_eq!(
        refusal.details(),
        [json!({"topic": "orders", "was_id": "AQEBAQEBAQEBAQEBAQEBAQ", "is_id": "CQkJCQkJCQkJCQkJCQkJCQ"})]
    );
    // An id that the brokers no longer tell is no proof that it is the same topic.
    bench.cluster.world().topics.get_mut("orders").expect("known").0 = None;
    assert_eq!(refused(bench.run(&planned).await).word(), "plan_changed");
    assert!(bench.cluster.world().written.is_empty());
}

#[tokio::test]
async fn a_target_that_retention_has_passed_stops_everything() {
    let bench = Bench::new();
    let planned = bench.plan(json!({"offset": 12})).await;
    bench.cluster.world().log("orders", 1).start = Ok(13);
    bench.cluster.world().log("orders", 2).end = Ok(11);
    let refusal = refused(bench.run(&planned).await);
    assert_eq!(refusal.word(), "out_of_range");
    assert_eq!(
        refusal.to_string(),
        "12 is outside orders/1, which goes from 13 to 40, 12 is outside orders/2, which goes from 10 to 11: choose an offset inside, or \
         clamp to take the nearest one"
    );
    assert!(bench.cluster.world().written.is_empty());
}

#[tokio::test]
async fn what_went_missing_since_the_plan_stops_everything() {
    let bench = Bench::new();
    let planned = bench.plan(json!({"offset": 12})).await;
    bench.cluster.world().log("orders", 1).leader = false;
    assert_eq!(refused(bench.run(&planned).await).word(), "no_leader");
    bench
        .cluster
        .world()
        .topics
        .get_mut("orders")
        .expect("known")
        .1
        .truncate(1);
    assert_eq!(refused(bench.run(&planned).await).word(), "unknown_partition");
    bench.cluster.world().topics.remove("orders");
    assert_eq!(refused(bench.run(&planned).await).word(), "unknown_topic");
    bench.cluster.world().commits.clear();
    bench.cluster.world().groups.clear();
    assert_eq!(refused(bench.run(&planned).await).word(), "unknown_group");
    assert!(bench.cluster.world().written.is_empty());
}

#[tokio::test]
async fn no_answer_at_any_step_before_the_write_is_cannot_verify_and_nothing_is_written() {
    let codes = (-1..=130).filter_map(ErrorCode::new).map(Cause::Code);
    let causes: Vec<_> = codes
        .chain([
            Cause::TimedOut,
            Cause::Disconnected,
            Cause::Malformed,
            Cause::Unsupported,
            Cause::Tls,
            Cause::NoCoordinator,
        ])
        .collect();
    for (step, nth) in [
        (Step::Group, 1),
        (Step::Commits, 1),
        (Step::Topics, 1),
        (Step::Logs, 1),
        (Step::Commits, 2),
        (Step::Group, 2),
    ] {
        let mut ways: Vec<_> = causes.iter().map(|cause| (Twist::Fail(*cause), Some(*cause))).collect();
        ways.push((Twist::Hang, None));
        for (twist, cause) in ways {
            let bench = Bench::new();
            let planned = bench.plan(json!({"offset": 12})).await;
            bench.cluster.twist(step, nth, twist);
            let word = refused(bench.run(&planned).await).word();
            let leaderless = step == Step::Logs && matches!(cause, Some(Cause::Code(ErrorCode::LEADER_NOT_AVAILABLE)));
            assert_eq!(
                word,
                if leaderless { "no_leader" } else { "cannot_verify" },
                "{step:?} {nth} {cause:?}"
            );
            assert!(bench.cluster.world().written.is_empty(), "{step:?} {nth}");
            assert_eq!(bench.committed(), at(BEFORE));
        }
    }
}

#[tokio::test]
async fn a_write_that_could_not_be_sent_changed_nothing() {
    let bench = Bench::new();
    let planned = bench.plan(json!({"offset": 12})).await;
    bench.cluster.twist(Step::Write, 1, Twist::Fail(Cause::Disconnected));
    let refusal = refused(bench.run(&planned).await);
    assert_eq!(
        (refusal.word(), refusal.to_string().as_str()),
        (
            "cannot_verify",
            "the write could not be sent (OffsetCommit: NETWORK_EXCEPTION), so nothing was changed: send the same plan again"
        )
    );
}

#[tokio::test]
async fn a_write_that_somebody_commits_over_at_once_is_no_success() {
    let bench = Bench::new();
    let planned = bench.plan(json!({"offset": 12})).await;
    bench
        .cluster
        .change(Step::Commits, 3, |world| world.commit("g", "orders", 0, 26));
    assert_eq!(words(&failed(bench.run(&planned).await)), [OVERWRITTEN, DONE, DONE]);
}

#[tokio::test]
async fn a_write_that_was_answered_stands_though_it_cannot_be_read_back() {
    let bench = Bench::new();
    let planned = bench.plan(json!({"offset": 12})).await;
    bench.cluster.twist(Step::Commits, 3, Twist::Fail(Cause::Disconnected));
    let executed = bench.run(&planned).await.expect("done");
    assert_eq!(words(&executed), [DONE, DONE, DONE]);
    assert!(
        executed.warnings[0].starts_with("the commits could not be read back"),
        "{:?}",
        executed.warnings
    );
}

#[tokio::test]
async fn a_plan_is_good_for_an_hour() {
    let bench = Bench::new();
    let planned = bench.plan(json!({"offset": 12})).await;
    bench.clock.jump(UnixMillis(START.0 + 3_600_001));
    let refusal = refused(bench.run(&planned).await);
    assert_eq!(
        (refusal.word(), refusal.to_string().as_str()),
        (
            "plan_expired",
            "the plan was made at 2026-01-31T08:00:00.000Z, now it is 2026-01-31T09:00:00.001Z, and a plan is good for an hour: plan anew"
        )
    );
    bench.clock.jump(UnixMillis(START.0 - 300_001));
    assert_eq!(refused(bench.run(&planned).await).word(), "plan_expired");
    assert!(bench.cluster.world().steps.is_empty(), "Kafka was not even asked");
    bench.clock.jump(UnixMillis(START.0 + 3_600_000));
    bench.run(&planned).await.expect("done");
}

#[tokio::test]
async fn an_order_that_is_not_the_plan_is_refused_before_kafka_is_asked() {
    let bench = Bench::new();
    let planned = bench.plan(json!({"offset": 12})).await;
    let order = |change: &dyn Fn(&mut Order)| {
        let mut order = planned.clone().confirmed("g".to_owned());
        change(&mut order);
        order
    };
    let resigned = |change: &dyn Fn(&mut Order)| {
        let mut order = order(change);
        order.fingerprint = crate::reset::fingerprint::fingerprint(&order.plan);
        order
    };
    let offset = Offset::new(13);
    for (order, word) in [
        (order(&|order| order.plan.partitions[0].to = offset), "bad_fingerprint"),
        (order(&|order| order.plan.partitions.truncate(1)), "bad_fingerprint"),
        (
            order(&|order| order.plan.created = "2026-01-31T08:00:00.001Z".to_owned()),
            "bad_fingerprint",
        ),
        (order(&|order| order.fingerprint.clear()), "bad_fingerprint"),
        (order(&|order| order.confirm = None), "wrong_confirmation"),
        (
            order(&|order| order.confirm = Some(String::new())),
            "wrong_confirmation",
        ),
        (
            order(&|order| order.confirm = Some("G".to_owned())),
            "wrong_confirmation",
        ),
        (
            order(&|order| order.confirm = Some(" g".to_owned())),
            "wrong_confirmation",
        ),
        (resigned(&|order| order.plan.partitions.clear()), "invalid_request"),
        (resigned(&|order| order.plan.topics.clear()), "invalid_request"),
        (resigned(&|order| order.plan.group = "h".to_owned()), "invalid_request"),
        (
            resigned(&|order| order.plan.cluster = "other".to_owned()),
            "invalid_request",
        ),
        (
            resigned(&|order| order.plan.created = "today".to_owned()),
            "invalid_request",
        ),
        (
            resigned(&|order| order.plan.partitions[1] = order.plan.partitions[0].clone()),
            "invalid_request",
        ),
        (
            resigned(&|order| order.plan.partitions[1].partition = -1),
            "invalid_request",
        ),
        (
            resigned(&|order| order.plan.topics.push(order.plan.topics[0].clone())),
            "invalid_request",
        ),
    ] {
        assert_eq!(refused(bench.order(order.clone()).await).word(), word, "{order:?}");
    }
    assert!(bench.cluster.world().steps.is_empty(), "Kafka was not even asked");
    assert_eq!(
        refused(
            bench
                .order(order(&|order| order.confirm = Some("yes".to_owned())))
                .await
        )
        .to_string(),
        "the confirmation \"yes\" is not the name of the group, which is \"g\""
    );
}

#[tokio::test]
async fn one_execute_at_a_time() {
    let bench = Bench::new();
    let planned = bench.plan(json!({"offset": 12})).await;
    bench.cluster.twist(Step::Write, 1, Twist::WrittenInSilence);
    let (first, second) = tokio::join!(bench.run(&planned), bench.run(&planned));
    first.expect("done");
    let refusal = refused(second);
    assert_eq!(
        (refusal.word(), refusal.to_string().as_str()),
        (
            "busy",
            "another reset is running, and there is one at a time: send this one again when it is through"
        )
    );
    bench.run(&planned).await.expect("done");
}

#[tokio::test]
async fn a_cluster_that_is_not_configured_is_unknown() {
    let bench = Bench::new();
    let asked = || Asked::parse(br#"{"scope": "committed", "to": "latest"}"#);
    let nowhere = Place {
        cluster: "nowhere".to_owned(),
        group: GroupId::from("g"),
    };
    let refusal = bench
        .resets
        .plan(&caller(), &nowhere, asked())
        .await
        .expect_err("a refusal");
    assert_eq!(
        (refusal.word(), refusal.to_string().as_str()),
        ("unknown_cluster", "no cluster \"nowhere\" is configured")
    );
}
