//! Partitions that cannot be reset as asked: all of them at once, each with its reason.

use super::*;

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
