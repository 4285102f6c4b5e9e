//! `reset execute`, straight on Kafka and through an endpoint.

use super::*;

#[tokio::test]
async fn a_plan_is_executed_and_the_way_back_is_in_a_file_either_way() {
    let bench = Bench::new();
    for way in [bench.kafka(), bench.endpoint().await] {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("plan.json");
        let planned = bench.plan(&way, &["--topic", "orders:0,2", "--to-earliest"]).await;
        fs::write(&file, planned.to_string()).expect("written");
        let line = ["execute", file.to_str().expect("text"), "--confirm", "g"];
        let (status, out, err) = bench.run(&way, false, &line).await;
        assert_eq!(status, ExitStatus::Done, "{out}{err}");
        assert_eq!(bench.committed(), [0, 21, 10]);
        let answer: Value = serde_json::from_str(&out).expect("JSON");
        assert_eq!(answer["results"].as_array().map(Vec::len), Some(2));
        let undo = folder.path().join("plan.undo.json");
        assert_eq!(err, format!("tidemark: the way back is in {}\n", undo.display()));
        let written: Value = serde_json::from_slice(&fs::read(&undo).expect("a file")).expect("JSON");
        assert_eq!(written, answer["undo"]);
        // The same again does no harm.
        assert_eq!(bench.run(&way, false, &line).await.0, ExitStatus::Done);
        assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 2);
        // And back.
        let back = bench.plan(&way, &["--from-file", undo.to_str().expect("text")]).await;
        let file = bench.file("back.json", &back.to_string());
        let line = ["execute", file.to_str().expect("text"), "--confirm", "g"];
        assert_eq!(bench.run(&way, false, &line).await.0, ExitStatus::Done);
        assert_eq!(bench.committed(), [20, 21, 40]);
    }
}

#[tokio::test]
async fn a_refusal_is_status_two_names_its_word_and_leaves_no_file_either_way() {
    let bench = Bench::new();
    for way in [bench.kafka(), bench.endpoint().await] {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("plan.json");
        fs::write(
            &file,
            bench.plan(&way, &["--committed", "--to-earliest"]).await.to_string(),
        )
        .expect("written");
        let (status, out, err) = bench
            .run(
                &way,
                false,
                &["execute", file.to_str().expect("text"), "--confirm", "another"],
            )
            .await;
        assert_eq!((status, out.as_str()), (ExitStatus::Refused, ""));
        assert_eq!(
            err,
            "tidemark: refused: wrong_confirmation: the confirmation \"another\" is not the name of the group, which is \"g\"\n"
        );
        assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 1);
        let (status, _, err) = bench
            .run(&way, false, &["plan", "--group", "h", "--committed", "--to-earliest"])
            .await;
        assert_eq!(status, ExitStatus::Refused);
        assert!(err.starts_with("tidemark: refused: unknown_group: "), "{err}");
    }
    assert_eq!(bench.committed(), [20, 21, 40]);
}

#[tokio::test]
async fn what_failed_half_way_is_status_one_and_keeps_the_way_back_either_way() {
    let bench = Bench::new();
    for (nth, way) in [(1, bench.kafka()), (2, bench.endpoint().await)] {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("plan.json");
        bench.cluster.world().commit("g", "orders", 0, 20);
        fs::write(
            &file,
            bench.plan(&way, &["--committed", "--to-earliest"]).await.to_string(),
        )
        .expect("written");
        bench.cluster.twist(Step::Write, nth, Twist::Answer(vec![Ok(())]));
        let (status, out, err) = bench
            .run(
                &way,
                false,
                &["execute", file.to_str().expect("text"), "--confirm", "g"],
            )
            .await;
        assert_eq!(status, ExitStatus::Failed, "{err}");
        let answer: Value = serde_json::from_str(&out).expect("JSON");
        let results: Vec<_> = answer["results"]
            .as_array()
            .expect("rows")
            .iter()
            .map(|row| &row["result"])
            .collect();
        assert_eq!(results, ["done", "unknown", "unknown"]);
        assert!(
            err.contains("commit_failed: 1 of 3 partitions are as ordered; of 2 no answer came"),
            "{err}"
        );
        assert!(folder.path().join("plan.undo.json").exists());
    }
}

#[tokio::test]
async fn a_blocked_plan_is_no_failure_and_waiting_lasts_until_the_group_is_empty() {
    let bench = Bench::new();
    let way = bench.kafka();
    bench.cluster.world().group(
        "g",
        "classic",
        "consumer",
        GroupState::Stable,
        vec![member("app", "h", None)],
    );
    let file = bench.planned_file(&way, &["--committed", "--to-earliest"]).await;
    let file = file.to_str().expect("text");
    let (status, _, err) = bench.run(&way, false, &["execute", file, "--confirm", "g"]).await;
    assert_eq!(status, ExitStatus::Refused);
    assert!(
        err.contains("group_active: group \"g\" is active: its state is Stable, it has 1 member: app on h."),
        "{err}"
    );
    // Empty at the second look.
    let looks = bench
        .cluster
        .world()
        .steps
        .iter()
        .filter(|step| **step == Step::Group)
        .count();
    bench
        .cluster
        .change(Step::Group, looks + 2, |world| world.empty_group("g"));
    let (status, _, err) = bench
        .run(&way, false, &["execute", file, "--confirm", "g", "--wait", "60s"])
        .await;
    assert_eq!(status, ExitStatus::Done, "{err}");
    assert!(err.starts_with("tidemark: waiting: group_active: "), "{err}");
    assert_eq!(bench.committed(), [0, 5, 10]);
}

#[tokio::test]
async fn waiting_ends() {
    let bench = Bench::new();
    let way = bench.kafka();
    let file = bench.planned_file(&way, &["--committed", "--to-earliest"]).await;
    bench.cluster.world().group(
        "g",
        "classic",
        "consumer",
        GroupState::Stable,
        vec![member("app", "h", None)],
    );
    let line = [
        "execute",
        file.to_str().expect("text"),
        "--confirm",
        "g",
        "--wait",
        "20ms",
    ];
    let (status, _, err) = bench.run(&way, false, &line).await;
    assert_eq!(status, ExitStatus::Refused);
    assert!(err.ends_with("nothing was changed\n"), "{err}");
    assert_eq!(bench.committed(), [20, 21, 40]);
}

#[tokio::test]
async fn an_endpoint_with_the_wrong_token_or_none_at_all_is_told_apart() {
    let bench = Bench::new();
    let address = bench.listen(&bench.file("token", "right")).await;
    let wrong = bench.file("wrong", "wrong");
    let way = Way::Endpoint(
        Endpoint::new(&format!("http://{address}/"), &wrong, &EndpointArgs::default()).expect("an endpoint"),
    );
    let line = ["plan", "--group", "g", "--committed", "--to-earliest"];
    let (status, _, err) = bench.run(&way, false, &line).await;
    assert_eq!(status, ExitStatus::Refused);
    assert!(err.starts_with("tidemark: refused: unauthenticated: "), "{err}");
    // Nobody listens there: the port was just given back.
    let free = TcpListener::bind("127.0.0.1:0")
        .await
        .expect("a port")
        .local_addr()
        .expect("an address");
    let way =
        Way::Endpoint(Endpoint::new(&format!("http://{free}"), &wrong, &EndpointArgs::default()).expect("an endpoint"));
    let (status, _, err) = bench.run(&way, false, &line).await;
    assert_eq!(status, ExitStatus::Failed);
    assert!(err.contains("Connection refused"), "{err}");
}

#[test]
fn what_is_no_address_or_no_token_is_wrong_usage() {
    let folder = tempfile::tempdir().expect("a folder");
    let token = folder.path().join("token");
    fs::write(&token, "tok\nen").expect("written");
    let said = |url: &str| Endpoint::new(url, &token, &EndpointArgs::default()).err();
    assert!(said("http://h:1").is_some_and(|problem| problem.contains("no token that a header can carry")));
    fs::write(&token, "token\n").expect("written");
    assert!(said("https://h").is_none() && said("http://[::1]:9641/prefix/").is_none());
    for url in ["", "h:1", "ftp://h", "http://", "http://user:pw@h", "not a url"] {
        assert!(
            said(url).is_some_and(|problem| problem.starts_with("--admin ")),
            "{url}"
        );
    }
    let nobody = EndpointArgs::default();
    assert!(nobody.admin.is_none());
}
