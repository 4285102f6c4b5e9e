//! What a write leaves behind, whatever the coordinator answers.

use super::*;

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
