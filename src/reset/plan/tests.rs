use serde_json::json;

use super::*;
use crate::failure::Cause;
use crate::failure::ErrorCode;
use crate::model::GroupState;
use crate::reset::facts;
use crate::reset::fake::Cluster;
use crate::reset::fake::PACE;
use crate::reset::fake::Step;
use crate::reset::fake::Twist;
use crate::reset::fake::World;
use crate::reset::fake::member;
use crate::reset::request::Asked;
use crate::reset::request::Reason;

const NOW: UnixMillis = UnixMillis(1_769_846_400_000);

/// Group `g` on topic `orders`: p0 at 20 of [0, 40], p1 at 21 of [5, 40], p2 at 40 of [10, 40]; a record every second, at second 1,000 + offset.
fn cluster() -> Cluster {
    Cluster::new(|world| {
        world.topic("orders", &[(0, 40), (5, 40), (10, 40)]);
        for partition in 0..3 {
            world.log("orders", partition).times = (0..40).map(|at| (at, (1_000 + at) * 1_000)).collect();
        }
        world.empty_group("g");
        world.commit("g", "orders", 0, 20);
        world.commit("g", "orders", 1, 21);
        world.commit("g", "orders", 2, 40);
    })
}

async fn plan_of(cluster: &Cluster, group: &str, request: serde_json::Value) -> Result<Planned, Refusal> {
    let asked = Asked::parse(request.to_string().as_bytes())?.check(Reason::Optional)?;
    let group = GroupId::from(group);
    let facts = facts::gather(&mut cluster.clone(), &group, &asked, NOW, PACE).await?;
    draft("main", &group, &asked, &facts, NOW)
}

async fn planned(cluster: &Cluster, request: serde_json::Value) -> Planned {
    plan_of(cluster, "g", request).await.expect("a plan")
}

fn targets(planned: &Planned) -> Vec<Option<i64>> {
    planned
        .plan
        .partitions
        .iter()
        .map(|row| row.to.map(Offset::get))
        .collect()
}

fn refused(result: Result<Planned, Refusal>) -> (String, String) {
    let refusal = result.expect_err("a refusal");
    (refusal.word().to_owned(), refusal.to_string())
}

#[tokio::test]
async fn a_plan_says_everything() {
    let request = json!({"scope": {"topics": [{"topic": "orders", "partitions": [2, 0]}]}, "to": {"offset": 30}, "reason": "why"});
    let planned = planned(&cluster(), request).await;
    assert_eq!(
        serde_json::to_value(&planned).expect("JSON"),
        json!({
            "plan": {
                "cluster": "main", "group": "g", "created": "2026-01-31T08:00:00.000Z", "reason": "why",
                "topics": [{"topic": "orders", "topic_id": "AQEBAQEBAQEBAQEBAQEBAQ"}],
                "partitions": [
                    {"topic": "orders", "partition": 0, "start": 0, "end": 40, "from": 20, "to": 30, "replayed": 0, "skipped": 10},
                    {"topic": "orders", "partition": 2, "start": 10, "end": 40, "from": 40, "to": 30, "replayed": 10, "skipped": 0},
                ],
            },
            // Computed by another implementation: `sha256sum` over Python's sorted, compact JSON.
            "fingerprint": "65954aef7e7fea647a0f56b8629e1d4a2dc19ca3ecfa6bedb2683ca8adee1259",
            "warnings": [],
            "blocked": null,
        })
    );
}

#[tokio::test]
async fn every_target_goes_where_kafkas_own_tool_goes() {
    for (to, expected) in [
        (json!({"offset": 33}), [33, 33, 33]),
        (json!("earliest"), [0, 5, 10]),
        (json!("latest"), [40, 40, 40]),
        (json!("current"), [20, 21, 40]),
        (json!({"shift": -7}), [13, 14, 33]),
        (json!({"datetime": "1970-01-01T00:17:08.500Z"}), [29, 29, 29]),
        (json!({"datetime": "1970-01-01T00:17:08Z"}), [28, 28, 28]),
    ] {
        let planned = planned(&cluster(), json!({"scope": "committed", "to": to})).await;
        assert_eq!(targets(&planned), expected.map(Some), "{to}");
    }
}

#[tokio::test]
async fn ago_counts_from_the_time_of_the_plan() {
    let cluster = cluster();
    for partition in 0..3 {
        let hour = 3_600_000;
        cluster.world().log("orders", partition).times =
            (0..40).map(|at| (at, NOW.0 - (40 - at) * hour + 60_000)).collect();
    }
    let planned = planned(&cluster, json!({"scope": "committed", "to": {"ago": "330m"}})).await;
    assert_eq!(targets(&planned), [Some(35), Some(35), Some(35)]);
}

#[tokio::test]
async fn where_no_record_is_dated_that_late_the_end_is_taken_and_said() {
    let planned = planned(
        &cluster(),
        json!({"scope": "committed", "to": {"datetime": "2030-01-01T00:00:00Z"}}),
    )
    .await;
    assert_eq!(targets(&planned), [Some(40), Some(40), Some(40)]);
    assert_eq!(
        planned.warnings,
        [
            "no record is dated that late, so the end of the log is taken: orders/0 to 40, orders/1 to 40, orders/2 to 40"
        ]
    );
}

#[tokio::test]
async fn a_forgotten_commit_goes_to_null_and_what_that_replays_is_not_known() {
    let planned = planned(
        &cluster(),
        json!({"scope": {"topics": [{"topic": "orders", "partitions": [1]}]}, "to": "none"}),
    )
    .await;
    let row = &planned.plan.partitions[0];
    assert_eq!(
        (row.from.map(Offset::get), row.to, row.replayed, row.skipped),
        (Some(21), None, None, None)
    );
}

#[tokio::test]
async fn offsets_one_by_one_go_where_each_says() {
    let rows = json!([
        {"topic": "orders", "partition": 2, "offset": 10}, {"topic": "orders", "partition": 0, "offset": null},
        {"topic": "orders", "partition": 1, "offset": 22}
    ]);
    let planned = planned(&cluster(), json!({"to": {"offsets": rows}})).await;
    assert_eq!(targets(&planned), [None, Some(22), Some(10)]);
}

#[tokio::test]
async fn outside_the_log_is_refused_and_every_such_partition_named() {
    let request = json!({"scope": "committed", "to": {"offset": 3}});
    let refusal = plan_of(&cluster(), "g", request).await.expect_err("a refusal");
    assert_eq!(refusal.word(), "out_of_range");
    assert_eq!(
        refusal.to_string(),
        "3 is outside orders/1, which goes from 5 to 40, 3 is outside orders/2, which goes from 10 to 40: choose an offset inside, or \
         clamp to take the nearest one"
    );
    assert_eq!(
        refusal.details(),
        [
            json!({"error": "out_of_range", "topic": "orders", "partition": 1, "to": 3, "start": 5, "end": 40}),
            json!({"error": "out_of_range", "topic": "orders", "partition": 2, "to": 3, "start": 10, "end": 40}),
        ]
    );
}

#[tokio::test]
async fn clamped_it_is_the_nearest_offset_and_said() {
    let planned = planned(
        &cluster(),
        json!({"scope": "committed", "to": {"offset": 3}, "clamp": true}),
    )
    .await;
    assert_eq!(targets(&planned), [Some(3), Some(5), Some(10)]);
    assert_eq!(
        planned.warnings,
        ["outside the log, so the nearest offset is taken: orders/1: 5 instead of 3, orders/2: 10 instead of 3"]
    );
}

#[tokio::test]
async fn a_shift_beyond_all_numbers_is_out_of_range_or_clamped() {
    for (by, to) in [(i64::MAX, 40), (i64::MIN, 0)] {
        let request = |clamp| json!({"scope": {"topics": [{"topic": "orders", "partitions": [0]}]}, "to": {"shift": by}, "clamp": clamp});
        assert_eq!(targets(&planned(&cluster(), request(true)).await), [Some(to)]);
        let (word, message) = refused(plan_of(&cluster(), "g", request(false)).await);
        assert_eq!(word, "out_of_range");
        assert!(message.starts_with(&(20 + i128::from(by)).to_string()), "{message}");
    }
}

#[tokio::test]
async fn current_outside_the_log_is_refused_like_any_other_offset() {
    let cluster = cluster();
    cluster.world().commit("g", "orders", 2, 3);
    let request = json!({"scope": "committed", "to": "current"});
    assert_eq!(refused(plan_of(&cluster, "g", request).await).0, "out_of_range");
}

#[tokio::test]
async fn only_what_is_still_in_the_log_is_replayed_or_skipped() {
    let cluster = cluster();
    // Retention took 3..10 before the group read it; the commit on p0 lies beyond a truncated log.
    cluster.world().commit("g", "orders", 2, 3);
    cluster.world().commit("g", "orders", 0, 105);
    let planned = planned(&cluster, json!({"scope": "committed", "to": {"offset": 12}})).await;
    let figures: Vec<_> = planned
        .plan
        .partitions
        .iter()
        .map(|row| (row.replayed, row.skipped))
        .collect();
    assert_eq!(figures, [(Some(28), Some(0)), (Some(9), Some(0)), (Some(0), Some(2))]);
}

#[tokio::test]
async fn a_partition_without_a_commit_needs_consent() {
    let cluster = cluster();
    cluster.world().topic("fresh", &[(0, 4)]);
    let request =
        |consent| json!({"scope": {"topics": [{"topic": "fresh"}]}, "to": "latest", "allow_new_partitions": consent});
    assert_eq!(
        refused(plan_of(&cluster, "g", request(false)).await),
        (
            "not_committed".to_owned(),
            "the group has no commit on fresh/0: leave it out, or allow new partitions to give the group a commit there".to_owned()
        )
    );
    let row = planned(&cluster, request(true)).await.plan.partitions.remove(0);
    assert_eq!(
        (row.from, row.to.map(Offset::get), row.replayed, row.skipped),
        (None, Some(4), None, None)
    );
}

#[tokio::test]
async fn a_partition_without_a_commit_cannot_be_shifted_even_with_consent() {
    let cluster = cluster();
    cluster.world().topic("fresh", &[(0, 4)]);
    let request = json!({"scope": {"topics": [{"topic": "fresh"}]}, "to": {"shift": 1}, "allow_new_partitions": true});
    assert_eq!(refused(plan_of(&cluster, "g", request).await).0, "not_committed");
}

#[tokio::test]
async fn all_bad_partitions_are_named_at_once_whatever_is_wrong_with_them() {
    let cluster = cluster();
    cluster.world().topic("fresh", &[(0, 4)]);
    cluster.world().log("orders", 1).leader = false;
    cluster.world().log("orders", 2).end = Err(Cause::TimedOut);
    let topics = json!([{"topic": "orders", "partitions": [0, 1, 2, 7]}, {"topic": "fresh"}, {"topic": "nope"}, {"topic": "gone", "partitions": [1, 2]}]);
    let refusal = plan_of(
        &cluster,
        "g",
        json!({"scope": {"topics": topics}, "to": {"offset": 41}}),
    )
    .await
    .expect_err("a refusal");
    assert_eq!(refusal.word(), "unknown_topic");
    assert_eq!(
        refusal.to_string(),
        "topic gone does not exist, topic nope does not exist: check the names (5 more for other reasons: see the details)"
    );
    assert_eq!(
        refusal.details(),
        [
            json!({"error": "unknown_topic", "topic": "gone"}),
            json!({"error": "unknown_topic", "topic": "nope"}),
            json!({"error": "unknown_partition", "topic": "orders", "partition": 7, "partitions": 3}),
            json!({"error": "no_leader", "topic": "orders", "partition": 1}),
            json!({"error": "cannot_verify", "topic": "orders", "partition": 2, "what": "the log", "cause": "REQUEST_TIMED_OUT"}),
            json!({"error": "not_committed", "topic": "fresh", "partition": 0}),
            json!({"error": "out_of_range", "topic": "orders", "partition": 0, "to": 41, "start": 0, "end": 40}),
        ]
    );
}

#[tokio::test]
async fn a_log_that_loses_its_leader_while_it_is_read_has_no_leader() {
    let cluster = cluster();
    cluster.world().log("orders", 1).start = Err(Cause::NoLeader);
    assert_eq!(
        refused(plan_of(&cluster, "g", json!({"scope": "committed", "to": "latest"})).await),
        (
            "no_leader".to_owned(),
            "orders/1 has no leader: try again when the partition has a leader".to_owned()
        )
    );
}

#[tokio::test]
async fn commits_on_what_is_no_more_are_left_out_and_said() {
    let cluster = cluster();
    cluster.world().commit("g", "deleted", 0, 5);
    cluster.world().commit("g", "orders", 9, 5);
    let planned = planned(&cluster, json!({"scope": "committed", "to": "latest"})).await;
    assert_eq!(planned.plan.partitions.len(), 3);
    assert_eq!(
        planned.warnings,
        ["left out, as the topic or partition does not exist any more: deleted/0, orders/9"]
    );
}

#[tokio::test]
async fn a_group_without_a_usable_commit_has_nothing_to_reset() {
    let cluster = Cluster::new(|world| {
        world.empty_group("g");
        world.commit("g", "deleted", 0, 5);
    });
    assert_eq!(
        refused(plan_of(&cluster, "g", json!({"scope": "committed", "to": "latest"})).await),
        (
            "not_committed".to_owned(),
            "group \"g\" has no commit on any existing topic that is asked for: name the topics, and allow new partitions to give it one"
                .to_owned()
        )
    );
}

#[tokio::test]
async fn an_exception_must_name_a_topic_that_is_committed() {
    let cluster = cluster();
    cluster.world().topic("more", &[(0, 4)]);
    cluster.world().commit("g", "more", 0, 1);
    let request = |topic| json!({"scope": {"committed_except": [topic]}, "to": "latest"});
    assert_eq!(targets(&planned(&cluster, request("orders")).await), [Some(4)]);
    assert_eq!(
        refused(plan_of(&cluster, "g", request("order")).await).0,
        "not_committed"
    );
}

#[tokio::test]
async fn an_unknown_group_is_refused_at_once() {
    let cluster = cluster();
    cluster
        .world()
        .group("dead", "classic", "", GroupState::Dead, Vec::new());
    for group in ["nobody", "dead", " g"] {
        let request = json!({"scope": {"topics": [{"topic": "orders"}]}, "to": "latest", "allow_new_partitions": true});
        assert_eq!(
            refused(plan_of(&cluster, group, request).await),
            (
                "unknown_group".to_owned(),
                format!(
                    "the cluster knows no group {group:?} and no commit of it: check the spelling; a reset does not create groups"
                )
            )
        );
    }
}

#[tokio::test]
async fn a_group_of_which_only_commits_are_left_can_be_planned() {
    let cluster = cluster();
    cluster.world().commit("orphan", "orders", 0, 1);
    let answer = plan_of(&cluster, "orphan", json!({"scope": "committed", "to": "latest"}))
        .await
        .expect("a plan");
    assert_eq!((targets(&answer), answer.blocked), (vec![Some(40)], None));
    cluster
        .world()
        .group("orphan", "classic", "consumer", GroupState::Dead, Vec::new());
    let answer = plan_of(&cluster, "orphan", json!({"scope": "committed", "to": "latest"}))
        .await
        .expect("a plan");
    assert_eq!(answer.blocked, None);
}

#[tokio::test]
async fn a_group_of_another_type_is_refused_at_once() {
    for (group_type, protocol, message) in [
        (
            "Share",
            "share",
            "group \"other\" is of type share, which has no committed offsets: use kafka-share-groups --reset-offsets",
        ),
        (
            "Streams",
            "streams",
            "group \"other\" is of type streams, whose offsets belong together with its state: use kafka-streams-groups --reset-offsets",
        ),
        (
            "Classic",
            "connect",
            "group \"other\" is of type connect, the workers of a Connect cluster, which commit nothing: a sink connector's offsets are in \
             its own group, connect-NAME",
        ),
        (
            "Classic",
            "sr",
            "group \"other\" is of type sr, which is no consumer group: its offsets, if it has any, mean something else",
        ),
    ] {
        let cluster = cluster();
        cluster
            .world()
            .group("other", group_type, protocol, GroupState::Empty, Vec::new());
        cluster.world().commit("other", "orders", 0, 1);
        assert_eq!(
            refused(plan_of(&cluster, "other", json!({"scope": "committed", "to": "latest"})).await),
            ("wrong_group_type".to_owned(), message.to_owned())
        );
    }
}

#[tokio::test]
async fn a_kip_848_group_is_planned_like_any_other() {
    let cluster = cluster();
    cluster
        .world()
        .group("g", "Consumer", "consumer", GroupState::Empty, Vec::new());
    assert_eq!(
        planned(&cluster, json!({"scope": "committed", "to": "latest"}))
            .await
            .blocked,
        None
    );
}

#[tokio::test]
async fn an_active_group_can_be_planned_and_is_said_to_be_blocked() {
    let cluster = cluster();
    let members = vec![
        member("app-1", "10.0.0.7", None),
        member("app-2", "10.0.0.8", Some("pod-2")),
    ];
    cluster
        .world()
        .group("g", "classic", "consumer", GroupState::Stable, members);
    let planned = planned(&cluster, json!({"scope": "committed", "to": "latest"})).await;
    let blocked = planned.blocked.expect("blocked");
    assert_eq!(blocked.error, "group_active");
    assert_eq!(
        blocked.message,
        "group \"g\" is active: its state is Stable, it has 2 members: app-1 on 10.0.0.7, app-2 on 10.0.0.8 (static pod-2). Stop these \
         consumers and wait until the group is empty; nothing was changed; a static member stays until its session times out, even after \
         it was stopped"
    );
}

#[tokio::test]
async fn every_state_but_empty_and_dead_blocks_even_one_that_nobody_knows() {
    use crate::model::Text;
    for state in [
        GroupState::PreparingRebalance,
        GroupState::CompletingRebalance,
        GroupState::Stable,
        GroupState::Assigning,
        GroupState::Reconciling,
        GroupState::NotReady,
        GroupState::Other(Text::from("Napping")),
    ] {
        let cluster = cluster();
        cluster
            .world()
            .group("g", "classic", "consumer", state.clone(), Vec::new());
        let planned = planned(&cluster, json!({"scope": "committed", "to": "latest"})).await;
        assert_eq!(planned.blocked.expect("blocked").error, "group_active", "{state}");
    }
    let cluster = cluster();
    cluster.world().group(
        "g",
        "classic",
        "consumer",
        GroupState::Empty,
        vec![member("late", "h", None)],
    );
    let planned = planned(&cluster, json!({"scope": "committed", "to": "latest"})).await;
    assert_eq!(planned.blocked.expect("blocked").error, "group_active");
}

#[tokio::test]
async fn a_sink_connectors_group_says_that_pausing_is_not_enough() {
    let cluster = cluster();
    let members = vec![member("connector-consumer-sink-0", "10.0.0.7", None)];
    cluster
        .world()
        .group("connect-sink", "classic", "consumer", GroupState::Stable, members);
    cluster.world().commit("connect-sink", "orders", 0, 1);
    let answer = plan_of(&cluster, "connect-sink", json!({"scope": "committed", "to": "latest"}))
        .await
        .expect("a plan");
    let message = answer.blocked.expect("blocked").message;
    assert!(
        message.ends_with("a sink connector must be stopped, not paused (PUT /connectors/sink/stop)"),
        "{message}"
    );
}

#[tokio::test]
async fn a_group_whose_state_cannot_be_read_can_be_planned_and_is_said_to_be_blocked() {
    for twist in [
        Twist::Fail(Cause::Code(ErrorCode::COORDINATOR_LOAD_IN_PROGRESS)),
        Twist::Hang,
    ] {
        let cluster = cluster();
        cluster.twist(Step::Group, 1, twist);
        let planned = planned(&cluster, json!({"scope": "committed", "to": "latest"})).await;
        assert_eq!(planned.blocked.expect("blocked").error, "cannot_verify");
        assert_eq!(planned.plan.partitions.len(), 3);
    }
}

#[tokio::test]
async fn without_commits_topics_or_logs_there_is_no_plan() {
    for step in [Step::Commits, Step::Topics, Step::Logs, Step::Times] {
        for twist in [
            Twist::Fail(Cause::Disconnected),
            Twist::Fail(Cause::Code(ErrorCode::GROUP_AUTHORIZATION_FAILED)),
            Twist::Hang,
        ] {
            let cluster = cluster();
            cluster.twist(step, 1, twist);
            let request = json!({"scope": "committed", "to": {"datetime": "1970-01-01T00:17:08Z"}});
            assert_eq!(
                refused(plan_of(&cluster, "g", request).await).0,
                "cannot_verify",
                "{step:?}"
            );
        }
    }
}

#[tokio::test]
async fn a_commit_that_cannot_be_told_cannot_be_planned() {
    let cluster = cluster();
    let unstable = Cause::Code(ErrorCode::UNSTABLE_OFFSET_COMMIT);
    cluster.world().commit_fact("g", "orders", 1, Err(unstable));
    assert_eq!(
        refused(plan_of(&cluster, "g", json!({"scope": "committed", "to": "latest"})).await),
        (
            "cannot_verify".to_owned(),
            "the commit of orders/1 could not be read (UNSTABLE_OFFSET_COMMIT): nothing was changed, try again when Kafka answers".to_owned()
        )
    );
}

#[tokio::test]
async fn commits_that_move_though_nobody_is_there_are_warned_of() {
    let cluster = cluster();
    cluster.change(Step::Commits, 2, |world: &mut World| world.commit("g", "orders", 1, 23));
    let planned = planned(&cluster, json!({"scope": "committed", "to": "latest"})).await;
    assert_eq!(
        planned.warnings,
        [
            "commits move though the group has no members (orders/1): an application that assigns its partitions itself is running, and would \
          go on from where it is"
        ]
    );
}

#[tokio::test]
async fn a_group_that_never_had_members_is_warned_of() {
    let cluster = cluster();
    cluster.world().group("g", "classic", "", GroupState::Empty, Vec::new());
    let planned = planned(&cluster, json!({"scope": "committed", "to": "latest"})).await;
    assert_eq!(
        planned.warnings,
        [
            "no member was ever seen in this group: an application that assigns its partitions itself may keep its offsets elsewhere and \
          ignore these"
        ]
    );
}

#[tokio::test]
async fn topics_of_kafka_streams_own_are_warned_of() {
    let cluster = cluster();
    for topic in ["g-counts-changelog", "g-counts-repartition", "other-counts-changelog"] {
        cluster.world().topic(topic, &[(0, 9)]);
        cluster.world().commit("g", topic, 0, 3);
    }
    let planned = planned(&cluster, json!({"scope": "committed", "to": "latest"})).await;
    assert_eq!(
        planned.warnings,
        [
            "topics of Kafka Streams' own are among these (g-counts-changelog, g-counts-repartition): moving them alone breaks the \
          application's state; use kafka-streams-application-reset"
        ]
    );
}

#[tokio::test]
async fn a_thousand_partitions_are_one_question_of_a_kind() {
    let cluster = Cluster::new(|world| {
        world.topic("wide", &vec![(0, 100); 1_000]);
        world.empty_group("g");
        (0..1_000).for_each(|partition| world.commit("g", "wide", partition, 50));
    });
    let planned = planned(&cluster, json!({"scope": "committed", "to": "earliest"})).await;
    assert_eq!(planned.plan.partitions.len(), 1_000);
    assert!(planned.plan.partitions.is_sorted_by_key(Row::key));
    assert_eq!(
        cluster.world().steps,
        [Step::Group, Step::Commits, Step::Topics, Step::Logs, Step::Commits]
    );
}

#[tokio::test]
async fn a_group_id_that_is_not_utf8_cannot_be_asked_for() {
    let group = GroupId::from(&b"a\xff"[..]);
    let asked =
        Asked::parse(br#"{"scope": "committed", "to": "latest"}"#).and_then(|asked| asked.check(Reason::Optional));
    let asked = asked.expect("good");
    let facts = facts::gather(&mut cluster(), &group, &asked, NOW, PACE)
        .await
        .expect("facts");
    let refusal = draft("main", &group, &asked, &facts, NOW).expect_err("a refusal");
    assert_eq!(
        refusal.to_string(),
        "the group's id \"a\\\\xff\" is not UTF-8, and Kafka's requests carry only UTF-8: it cannot be reset from here"
    );
}
