//! What the scrape listener answers.

use std::io::Read as _;
use std::process::Command;
use std::time::Duration;

use super::client::Running;
use super::client::published;
use super::client::scrape;
use super::client::serving;
use crate::http::Limits;
use crate::metrics::fixture;
use crate::model::GroupId;

const ROUTES: [&str; 12] = [
    "/",
    "/assets/page.css",
    "/assets/page.js",
    "/assets/icon.svg",
    "/clusters/main/groups/orders",
    "/?status=stalled&q=o",
    "/metrics",
    "/-/healthy",
    "/-/ready",
    "/api/v1/clusters",
    "/api/v1/clusters/main/groups",
    "/api/v1/clusters/main/groups/orders",
];

#[tokio::test]
async fn every_route_answers_get_and_head_alike() {
    let server = serving(vec![fixture::motley("main")]).await;
    for route in ROUTES {
        let get = server.get(route).await;
        assert_eq!(get.status, 200, "{route}");
        assert!(!get.body.is_empty(), "{route}");
        let mut client = server.connect().await;
        client.send(&format!("HEAD {route} HTTP/1.1\r\nHost: x\r\n\r\n")).await;
        let head = client.answer_to_head().await;
        assert_eq!(head.status, 200, "{route}");
        assert_eq!(head.header("content-type"), get.header("content-type"), "{route}");
        // The process's own figures change from scrape to scrape, and with them the length.
        if route != "/metrics" {
            assert_eq!(head.header("content-length"), get.header("content-length"), "{route}");
        }
        assert_eq!(
            client.get("/-/healthy").await.text(),
            "healthy\n",
            "the connection goes on after {route}"
        );
    }
}

#[tokio::test]
async fn other_methods_are_refused_and_say_which_are_served() {
    let server = serving(vec![fixture::motley("main")]).await;
    for route in ROUTES {
        for method in ["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "BREW"] {
            let answer = server
                .request(&format!("{method} {route} HTTP/1.1\r\nContent-Length: 0"))
                .await;
            assert_eq!(
                (answer.status, answer.header("allow")),
                (405, Some("GET, HEAD")),
                "{method} {route}"
            );
            assert_eq!(answer.json()["error"], "method_not_allowed");
        }
    }
}

#[tokio::test]
async fn what_is_not_there_is_not_found() {
    let server = serving(vec![fixture::motley("main")]).await;
    for (route, error) in [
        ("/no/such/page", "not_found"),
        ("/metrics/", "not_found"),
        ("/style.css", "not_found"),
        ("/assets/nope", "not_found"),
        ("/clusters/main/groups", "not_found"),
        ("//metrics", "not_found"),
        ("/-/", "not_found"),
        ("/api", "not_found"),
        ("/api/v2/clusters", "not_found"),
        ("/api/v1/clusters/", "not_found"),
        ("/api/v1/clusters/main", "not_found"),
        ("/api/v1/clusters/main/groups/orders/", "not_found"),
        ("/admin/v1/clusters/main/groups/orders/reset/plan", "not_found"),
        ("/api/v1/clusters/nope/groups", "unknown_cluster"),
        ("/api/v1/clusters//groups", "unknown_cluster"),
        ("/api/v1/clusters/nope/groups/orders", "unknown_cluster"),
        ("/api/v1/clusters/main/groups/nope", "unknown_group"),
        ("/api/v1/clusters/main/groups/", "unknown_group"),
        ("/api/v1/clusters/main/groups/..", "unknown_group"),
        ("/api/v1/clusters/main/groups/%00%ff", "unknown_group"),
    ] {
        let answer = server.get(route).await;
        assert_eq!(
            (answer.status, &answer.json()["error"]),
            (404, &error.into()),
            "{route}"
        );
        assert!(answer.json()["message"].is_string() && answer.json()["details"] == serde_json::json!([]));
    }
    let post = server
        .request("POST /admin/v1/clusters/main/groups/a/reset/plan HTTP/1.1\r\nContent-Length: 0")
        .await;
    assert_eq!(post.status, 404, "not 405: nothing of the sort is here");
}

#[tokio::test]
async fn a_path_segment_is_decoded_exactly_once() {
    let names: [&[u8]; 12] = [
        b"%2Fz",
        b"/z",
        b"%252Fz",
        b"..",
        b"",
        b"a+b",
        b"a b",
        b"100%",
        b"a?b=c&d",
        b"line\nbreak",
        "Grüße-消费".as_bytes(),
        b"a\xff",
    ];
    let groups = names
        .iter()
        .map(|&name| fixture::group(GroupId::from(name), Vec::new()))
        .collect();
    let server = serving(vec![fixture::snapshot("main", groups)]).await;
    for (path, group) in [
        ("%252Fz", "%2Fz"),
        ("%2Fz", "/z"),
        ("%25252Fz", "%252Fz"),
        ("..", ".."),
        ("%2E%2e", ".."),
        ("", ""),
        ("a+b", "a+b"),
        ("a%20b", "a b"),
        ("100%25", "100%"),
        ("100%", "100%"),
        ("a%3Fb=c&d", "a?b=c&d"),
        ("line%0Abreak", "line\nbreak"),
        ("Gr%C3%BC%C3%9Fe-%E6%B6%88%E8%B4%B9", "Grüße-消费"),
        ("a%FF", "a\\xff"),
        ("a%5Cxff", "a\\xff"),
    ] {
        let answer = server.get(&format!("/api/v1/clusters/main/groups/{path}")).await;
        assert_eq!((answer.status, &answer.json()["group"]), (200, &group.into()), "{path}");
    }
    let bytes = server.get("/api/v1/clusters/main/groups/a%FF").await.json();
    assert_eq!(bytes["group_bytes"], "61ff");
}

#[tokio::test]
async fn ready_means_that_some_cluster_was_read() {
    let (handler, pollers) = scrape(vec![fixture::blank("one"), fixture::blank("two")]);
    let server = Running::start(handler, Limits::default(), None, Duration::from_secs(5)).await;
    assert_eq!(server.get("/-/ready").await.status, 503);
    assert_eq!(server.get("/-/healthy").await.status, 200);
    let mut failed = fixture::snapshot("one", Vec::new());
    failed.read_at = None;
    pollers[0].send_replace(published(failed));
    assert_eq!(server.get("/-/ready").await.status, 503, "a cycle that read nothing");
    pollers[1].send_replace(published(fixture::motley("two")));
    assert_eq!(server.get("/-/ready").await.status, 200);
}

#[tokio::test]
async fn the_coding_of_metrics_is_negotiated() {
    let server = serving(vec![fixture::motley("main"), fixture::blank("new")]).await;
    let plain = server.get("/metrics").await;
    assert_eq!(
        plain.header("content-type"),
        Some("text/plain; version=0.0.4; charset=utf-8")
    );
    assert_eq!(
        (plain.header("content-encoding"), plain.header("vary")),
        (None, Some("Accept-Encoding"))
    );
    let packed = server
        .request("GET /metrics HTTP/1.1\r\nAccept-Encoding: deflate, gzip;q=0.9")
        .await;
    assert_eq!(packed.header("content-type"), plain.header("content-type"));
    assert_eq!(
        (packed.header("content-encoding"), packed.header("vary")),
        (Some("gzip"), Some("Accept-Encoding"))
    );
    let mut text = String::new();
    flate2::bufread::GzDecoder::new(&packed.body[..])
        .read_to_string(&mut text)
        .expect("gzip");
    let lag = |text: &str| text[..text.find("# HELP process_").expect("the process comes last")].to_owned();
    assert_eq!(lag(&text), lag(plain.text()));
    assert!(text.contains("tidemark_snapshot_age_seconds{kafka_cluster=\"main\"} 2\n"));
    assert!(text.contains("\nprocess_resident_memory_bytes "));
}

#[tokio::test]
#[expect(clippy::disallowed_methods, reason = "the tests' own switch")]
async fn curl_reads_both_forms() {
    let server = serving(vec![fixture::motley("main")]).await;
    let address = format!("http://{}/metrics", server.address);
    for flags in [&["--compressed", "-sSf"][..], &["-sSf"]] {
        let (address, flags) = (address.clone(), flags.to_vec());
        let ran = tokio::task::spawn_blocking(move || Command::new("curl").args(flags).arg(address).output());
        match ran.await.expect("no panic") {
            Ok(output) => {
                assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
                assert!(String::from_utf8_lossy(&output.stdout).contains("\nkafka_group_lag_records{"));
            }
            Err(error) => {
                assert!(
                    std::env::var("TIDEMARK_TESTS_REQUIRE_ALL").is_err(),
                    "curl is not to be had: {error}"
                );
                eprintln!("skipped: curl is not installed");
            }
        }
    }
}

#[tokio::test]
async fn a_document_has_a_tag_that_changes_with_the_snapshot() {
    let (handler, pollers) = scrape(vec![fixture::motley("main")]);
    let server = Running::start(handler, Limits::default(), None, Duration::from_secs(5)).await;
    for path in ["", "/main/groups?limit=1", "/main/groups/orders"] {
        let path = format!("/api/v1/clusters{path}");
        let first = server.get(&path).await;
        let tag = first.header("etag").expect("a tag").to_owned();
        let again = |tag: &str| format!("GET {path} HTTP/1.1\r\nIf-None-Match: \"x\", W/{tag}");
        let unchanged = server.request(&again(&tag)).await;
        assert_eq!(
            (unchanged.status, unchanged.header("etag")),
            (304, Some(&*tag)),
            "{path}"
        );
        pollers[0].send_modify(|latest| {
            let mut next = (*latest.snapshot).clone();
            next.totals.cycles_ok += 1;
            *latest = published(next);
        });
        let changed = server.request(&again(&tag)).await;
        assert_eq!(changed.status, 200, "{path}");
        assert_ne!(changed.header("etag"), Some(&*tag), "{path}");
    }
    let unknown = server
        .request("GET /api/v1/clusters/main/groups/nope HTTP/1.1\r\nIf-None-Match: \"x\"")
        .await;
    assert_eq!((unknown.status, unknown.header("etag")), (404, None));
}

#[tokio::test]
async fn a_list_is_filtered_sorted_and_paged() {
    let server = serving(vec![fixture::motley("main")]).await;
    let names = async |query: &str| -> Vec<String> {
        let list = server.get(&format!("/api/v1/clusters/main/groups{query}")).await.json();
        let groups = list["groups"].as_array().expect("a list").iter();
        groups
            .map(|group| group["group"].as_str().expect("a name").to_owned())
            .collect()
    };
    assert_eq!(names("").await, ["a\"b\\c\nd", "not utf-8 \\xff", "orders", "stale"]);
    assert_eq!(names("?sort=status&limit=2").await, ["orders", "stale"]);
    assert_eq!(names("?q=OR&status=stalled").await, ["orders"]);
    assert_eq!(names("?limit=1&offset=1").await, ["not utf-8 \\xff"]);
    assert_eq!(names("?after=orders").await, ["stale"]);
    let wrong = server.get("/api/v1/clusters/main/groups?limits=1").await;
    assert_eq!((wrong.status, &wrong.json()["error"]), (400, &"invalid_request".into()));
}
