//! Which groups can be planned for, and what is said of them.

use super::*;

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
