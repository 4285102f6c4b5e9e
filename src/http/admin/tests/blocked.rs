//! What is in the way of an execute, asked by whoever waits; and by which method each route is asked.

use super::*;

#[tokio::test]
async fn what_is_in_the_way_can_be_asked_and_leaves_no_line() {
    let bench = Bench::new().await;
    let ask =
        async |group: &str, token: Option<&'static str>| bench.ask("GET", &path(group, "blocked"), token, b"").await;
    let free = ask("g", Some(TOKEN)).await;
    assert_eq!((free.status, &free.body), (200, &json!({"blocked": null})));
    bench.cluster.world().group(
        "g",
        "classic",
        "consumer",
        GroupState::Stable,
        vec![member("app", "h", None)],
    );
    let taken = ask("g", Some(TOKEN)).await;
    assert_eq!(
        (taken.status, &taken.body["blocked"]["error"]),
        (200, &json!("group_active"))
    );
    assert!(
        taken.body["blocked"]["message"]
            .as_str()
            .is_some_and(|message| message.contains("app"))
    );
    assert_eq!(refused(&ask("g", None).await), (401, "unauthenticated"));
    assert_eq!(refused(&ask("other", Some(TOKEN)).await), (403, "not_allowed"));
    let groups = bench
        .cluster
        .world()
        .steps
        .iter()
        .filter(|step| **step == At::Group)
        .count();
    bench.cluster.twist(At::Group, groups + 1, Twist::Fail(Cause::TimedOut));
    assert_eq!(ask("g", Some(TOKEN)).await.body["blocked"]["error"], "cannot_verify");
    assert!(bench.lines().is_empty());
}

#[tokio::test]
async fn every_route_says_by_which_method_it_is_asked() {
    let bench = Bench::new().await;
    for (method, step, right) in [
        ("GET", "plan", "allow: POST"),
        ("GET", "execute", "allow: POST"),
        ("POST", "blocked", "allow: GET"),
    ] {
        let answer = bench.ask(method, &path("g", step), Some(TOKEN), b"").await;
        assert_eq!(refused(&answer), (405, "method_not_allowed"), "{step}");
        assert!(
            answer.head.lines().any(|line| line.eq_ignore_ascii_case(right)),
            "{}",
            answer.head
        );
    }
    assert!(bench.lines().is_empty());
}
