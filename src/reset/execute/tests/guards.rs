//! What stops an execute before it writes.

use super::*;

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
