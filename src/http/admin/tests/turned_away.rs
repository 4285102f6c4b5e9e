//! Who and what is turned away before a reset is looked at.

use super::*;

#[tokio::test]
async fn every_refusal_has_its_status() {
    let bench = Bench::new().await;
    let bench = &bench;
    let plan = |body: Value| async move { bench.post("g", "plan", &body).await };
    let all = |to: Value| json!({"scope": "committed", "to": to});
    assert_eq!(refused(&plan(json!([])).await), (422, "invalid_request"));
    assert_eq!(refused(&plan(all(json!({"offset": 41}))).await), (422, "out_of_range"));
    let topic = |topic: Value| json!({"scope": {"topics": [topic]}, "to": "latest"});
    assert_eq!(
        refused(&plan(topic(json!({"topic": "nope"}))).await),
        (404, "unknown_topic")
    );
    assert_eq!(
        refused(&plan(topic(json!({"topic": "orders", "partitions": [2]}))).await),
        (404, "unknown_partition")
    );
    bench.cluster.world().topic("fresh", &[(0, 1)]);
    assert_eq!(
        refused(&plan(topic(json!({"topic": "fresh"}))).await),
        (422, "not_committed")
    );
    bench.cluster.world().log("fresh", 0).leader = false;
    assert_eq!(
        refused(&plan(topic(json!({"topic": "fresh"}))).await),
        (422, "no_leader")
    );
    assert_eq!(
        refused(&bench.post("ghost", "plan", &all(json!("latest"))).await),
        (404, "unknown_group")
    );
    assert_eq!(
        refused(&bench.post("other", "plan", &all(json!("latest"))).await),
        (403, "not_allowed")
    );
    let elsewhere = path("g", "plan").replace("main", "nowhere");
    assert_eq!(
        refused(&bench.ask("POST", &elsewhere, Some(TOKEN), b"{}").await),
        (404, "unknown_cluster")
    );
    bench
        .cluster
        .world()
        .group("g-share", "Share", "share", GroupState::Empty, Vec::new());
    assert_eq!(
        refused(&bench.post("g-share", "plan", &all(json!("latest"))).await),
        (409, "wrong_group_type")
    );

    let planned = bench.planned("g").await;
    let order = confirmed(planned.clone(), "g");
    let run = |body: Value| async move { bench.post("g", "execute", &body).await };
    assert_eq!(refused(&run(planned.clone()).await), (422, "wrong_confirmation"));
    let mut edited = order.clone();
    edited["plan"]["partitions"][0]["to"] = 13.into();
    assert_eq!(refused(&run(edited).await), (422, "bad_fingerprint"));
    let mut odd = order.clone();
    odd["plan"]["partitions"][0]["to"] = json!(12.0);
    assert_eq!(refused(&run(odd).await), (422, "invalid_request"));
    bench.cluster.world().commit("g", "orders", 0, 21);
    assert_eq!(refused(&run(order.clone()).await), (409, "plan_changed"));
    bench.cluster.world().commit("g", "orders", 0, 20);
    bench.cluster.world().group(
        "g",
        "classic",
        "consumer",
        GroupState::Stable,
        vec![member("app-1", "10.0.0.7", None)],
    );
    let active = run(order.clone()).await;
    assert_eq!(refused(&active), (409, "group_active"));
    assert_eq!(active.body["details"][0]["client_id"], "app-1");
    bench.cluster.world().empty_group("g");
    bench.cluster.world().steps.clear();
    bench
        .cluster
        .change(At::Commits, 2, |world| world.commit("g", "orders", 0, 22));
    assert_eq!(refused(&run(order.clone()).await), (409, "commits_moving"));
    bench.cluster.world().commit("g", "orders", 0, 20);
    bench.cluster.world().steps.clear();
    bench.cluster.twist(At::Group, 1, Twist::Hang);
    assert_eq!(refused(&run(order.clone()).await), (503, "cannot_verify"));
    bench.clock.step(Duration::from_secs(3601));
    assert_eq!(refused(&run(order).await), (409, "plan_expired"));
    assert_eq!(bench.committed("g"), [20, 30]);
}

#[tokio::test]
async fn without_the_right_token_there_is_nothing_not_even_an_audit_line() {
    let bench = Bench::new().await;
    let body = br#"{"scope": "committed", "to": "earliest"}"#;
    for token in [
        None,
        Some("wrong"),
        Some("correct horse battery staplex"),
        Some("correct horse battery stapl"),
        Some(""),
    ] {
        for step in ["plan", "execute"] {
            for method in ["POST", "GET", "DELETE"] {
                let answer = bench.ask(method, &path("g", step), token, body).await;
                if refused(&answer) == (429, "too_many_requests") {
                    bench.clock.step(Duration::from_secs(60));
                    continue;
                }
                assert_eq!(refused(&answer), (401, "unauthenticated"));
                assert!(
                    answer.head.to_ascii_lowercase().contains("www-authenticate: bearer"),
                    "{}",
                    answer.head
                );
            }
        }
    }
    assert!(bench.lines().is_empty() && bench.cluster.world().steps.is_empty());
}

#[tokio::test]
async fn guesses_are_limited_and_the_limit_passes() {
    let bench = Bench::new().await;
    let mut statuses = Vec::new();
    for _ in 0..22 {
        statuses.push(bench.ask("POST", &path("g", "plan"), Some("guess"), b"{}").await.status);
    }
    assert_eq!(statuses, [vec![401; 20], vec![429; 2]].concat());
    let answer = bench.ask("POST", &path("g", "plan"), Some(TOKEN), b"{}").await;
    assert_eq!(refused(&answer), (429, "too_many_requests"));
    assert!(
        answer.head.to_ascii_lowercase().contains("retry-after: 1"),
        "{}",
        answer.head
    );
    bench.clock.step(Duration::from_secs(2));
    bench.planned("g").await;
}

#[tokio::test]
async fn requests_are_limited_overall() {
    let bench = Bench::new().await;
    let mut last = 0;
    for _ in 0..101 {
        last = bench.ask("GET", &path("g", "plan"), Some(TOKEN), b"").await.status;
    }
    assert_eq!(last, 429);
}

#[tokio::test]
async fn only_post_on_the_two_routes_does_anything() {
    let bench = Bench::new().await;
    let planned = bench.planned("g").await;
    let steps = bench.cluster.world().steps.len();
    let order = confirmed(planned, "g").to_string();
    for method in ["GET", "PUT", "PATCH", "DELETE", "OPTIONS"] {
        for step in ["plan", "execute"] {
            let answer = bench.ask(method, &path("g", step), Some(TOKEN), order.as_bytes()).await;
            assert_eq!(refused(&answer), (405, "method_not_allowed"), "{method}");
            assert!(
                answer.head.to_ascii_lowercase().contains("allow: post"),
                "{}",
                answer.head
            );
        }
    }
    for unknown in [
        "/",
        "/metrics",
        "/api/v1/clusters",
        "/admin/v1/clusters/main/groups/g/reset",
        "/admin/v1/clusters/main/groups/g/reset/plan/",
        "/admin/v1/clusters/main/groups/g/reset/undo",
        "/admin/v1/clusters/main/groups/g/h/reset/plan",
        "//admin/v1/clusters/main/groups/g/reset/plan",
    ] {
        let answer = bench.ask("POST", unknown, Some(TOKEN), order.as_bytes()).await;
        assert_eq!(refused(&answer), (404, "not_found"), "{unknown}");
    }
    assert_eq!(bench.cluster.world().steps.len(), steps);
    assert_eq!(bench.lines().len(), 1, "the plan alone was recorded");
}

#[tokio::test]
async fn a_body_has_a_limit_and_whoever_sends_more_is_told_so() {
    let bench = Bench::new().await;
    let answer = bench
        .ask("POST", &path("g", "plan"), Some(TOKEN), &vec![b' '; BODY_LIMIT + 1])
        .await;
    assert_eq!(refused(&answer), (413, "too_large"));
    let answer = bench
        .ask("POST", &path("g", "plan"), Some(TOKEN), &vec![b' '; 3 * BODY_LIMIT])
        .await;
    assert_eq!(refused(&answer), (413, "too_large"));
    let answer = bench
        .ask("POST", &path("g", "plan"), Some(TOKEN), &vec![b' '; BODY_LIMIT])
        .await;
    assert_eq!(refused(&answer), (422, "invalid_request"));
}
