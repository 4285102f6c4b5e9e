//! What strangers may take, and how the end goes.

use std::sync::Arc;
use std::time::Duration;

use hyper::Request;
use hyper::Response;
use hyper::StatusCode;
use hyper::body::Incoming;
use tokio::io::AsyncReadExt as _;
use tokio::sync::Notify;
use tokio::sync::Semaphore;

use super::client::Running;
use super::client::serving;
use super::client::soon;
use crate::http::Body;
use crate::http::Drained;
use crate::http::Handler;
use crate::http::Limits;
use crate::http::respond;
use crate::http::respond::BodyError;
use crate::metrics::fixture;

/// Short ones, so that the tests need not wait.
const SHORT: Duration = Duration::from_millis(100);
const LONG: Duration = Duration::from_secs(60);

/// Says when a request has come, and answers when it may.
#[derive(Clone)]
struct Gate {
    come: Arc<Semaphore>,
    go: Arc<Notify>,
    answer: usize,
}

impl Gate {
    fn new(answer: usize) -> Self {
        Self {
            come: Arc::new(Semaphore::new(0)),
            go: Arc::new(Notify::new()),
            answer,
        }
    }

    async fn has_come(&self) {
        soon(self.come.acquire()).await.expect("never closed").forget();
    }
}

impl Handler for Gate {
    async fn handle(&self, _: Request<Incoming>) -> Response<Body> {
        self.come.add_permits(1);
        self.go.notified().await;
        Response::new(vec![b'x'; self.answer].into())
    }
}

/// Answers with what it was sent, up to ten bytes within a short time.
struct Echo;

impl Handler for Echo {
    async fn handle(&self, request: Request<Incoming>) -> Response<Body> {
        match respond::read_body(request.into_body(), 10, SHORT).await {
            Ok(body) => respond::json_bytes(StatusCode::OK, body),
            Err(error @ BodyError::TooLarge(_)) => respond::text(StatusCode::PAYLOAD_TOO_LARGE, error.to_string()),
            Err(error) => respond::text(StatusCode::REQUEST_TIMEOUT, error.to_string()),
        }
    }
}

fn patient() -> Limits {
    Limits {
        request: LONG,
        idle: LONG,
        blocked: LONG,
        answer: LONG,
        ..Limits::default()
    }
}

async fn limited(handler: impl Handler, limits: Limits) -> Running {
    Running::start(handler, limits, None, LONG).await
}

#[tokio::test]
async fn a_request_that_makes_no_sense_is_refused() {
    let server = serving(vec![fixture::blank("main")]).await;
    let long = "x".repeat(150_000);
    let many = "A: b\r\n".repeat(100);
    for (request, status) in [
        ("GARBAGE\r\n\r\n".to_owned(), 400),
        ("GET / HTTP/9.9\r\n\r\n".to_owned(), 400),
        ("GET /\x01 HTTP/1.1\r\n\r\n".to_owned(), 400),
        ("GET / HTTP/1.1\r\nContent-Length: -1\r\n\r\n".to_owned(), 400),
        (
            "GET / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n".to_owned(),
            400,
        ),
        (format!("GET /{} HTTP/1.1\r\n\r\n", "x".repeat(66_000)), 414),
        (format!("GET / HTTP/1.1\r\nA: {long}\r\n\r\n"), 431),
        (format!("GET / HTTP/1.1\r\n{many}\r\n"), 431),
    ] {
        let mut client = server.connect().await;
        client.send(&request).await;
        let shown: String = request.chars().take(40).collect();
        assert_eq!(client.answer().await.status, status, "{shown:?}");
        assert!(client.is_closed().await, "{shown:?}");
    }
    assert_eq!(
        server.get("/-/healthy").await.status,
        200,
        "and everyone else is served"
    );
}

#[tokio::test]
async fn a_group_of_the_greatest_length_can_be_addressed() {
    let name = "ü".repeat(10_000);
    let server = serving(vec![fixture::snapshot(
        "main",
        vec![fixture::group(&*name, Vec::new())],
    )])
    .await;
    let answer = server
        .get(&format!("/api/v1/clusters/main/groups/{}", "%C3%BC".repeat(10_000)))
        .await;
    assert_eq!((answer.status, &answer.json()["group"]), (200, &(&*name).into()));
}

#[tokio::test]
async fn requests_one_after_the_other_share_a_connection() {
    let server = serving(vec![fixture::motley("main")]).await;
    let mut client = server.connect().await;
    client
        .send(&"GET /-/healthy HTTP/1.1\r\nHost: x\r\n\r\n".repeat(3))
        .await;
    for _ in 0..3 {
        assert_eq!(client.answer().await.text(), "healthy\n");
    }
    assert_eq!(client.get("/metrics").await.status, 200);
    let mut old = server.connect().await;
    old.send("GET /-/healthy HTTP/1.0\r\n\r\n").await;
    assert_eq!(old.answer().await.text(), "healthy\n");
    assert!(old.is_closed().await, "HTTP/1.0 ends with its answer");
}

#[tokio::test]
async fn who_is_slow_to_ask_is_cut_off() {
    let limits = Limits {
        request: SHORT,
        ..patient()
    };
    let server = limited(Gate::new(0), limits).await;
    let mut silent = server.connect().await;
    assert!(silent.is_closed().await, "nothing came");
    let mut slow = server.connect().await;
    slow.send("GET / HTTP/1.1\r\nHo").await;
    assert!(slow.is_closed().await, "half a head came");
}

#[tokio::test]
async fn who_asks_nothing_more_is_let_go() {
    let limits = Limits {
        idle: SHORT,
        ..patient()
    };
    let gate = Gate::new(1);
    gate.go.notify_one();
    let server = limited(gate, limits).await;
    let mut client = server.connect().await;
    assert_eq!(client.get("/").await.status, 200);
    assert!(client.is_closed().await);
}

#[tokio::test]
async fn work_takes_as_long_as_it_takes() {
    let limits = Limits {
        request: 5 * SHORT,
        idle: 5 * SHORT,
        ..patient()
    };
    let gate = Gate::new(1);
    let server = limited(gate.clone(), limits).await;
    let mut client = server.connect().await;
    client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n").await;
    gate.has_come().await;
    tokio::time::sleep(7 * SHORT).await;
    gate.go.notify_one();
    assert_eq!(client.answer().await.status, 200);
}

#[tokio::test]
async fn who_takes_nothing_of_its_answer_is_cut_off() {
    let limits = Limits {
        blocked: SHORT,
        ..patient()
    };
    let gate = Gate::new(50_000_000);
    gate.go.notify_one();
    let server = limited(gate, limits).await;
    let mut client = server.connect().await;
    client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n").await;
    let stopped = server.stop();
    // Only when the server gives the connection up can it end within the grace period of a minute.
    assert_eq!(soon(stopped).await.expect("no panic"), Drained::Finished);
    let mut taken = Vec::new();
    let _ = soon(client.0.read_to_end(&mut taken)).await;
    assert!(taken.len() < 50_000_000, "the answer was not finished");
}

#[tokio::test]
async fn who_takes_its_answer_bit_by_bit_is_cut_off_in_the_end() {
    let limits = Limits {
        answer: 5 * SHORT,
        ..patient()
    };
    let gate = Gate::new(50_000_000);
    gate.go.notify_one();
    let server = limited(gate, limits).await;
    let mut client = server.connect().await;
    client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n").await;
    let mut stopped = server.stop();
    let mut bits = [0; 1024];
    let drained = async {
        loop {
            tokio::select! {
                drained = &mut stopped => return drained,
                // The server goes on sending: nothing is blocked for long.
                () = tokio::time::sleep(SHORT / 10) => { let _ = client.0.read(&mut bits).await; }
            }
        }
    };
    assert_eq!(soon(drained).await.expect("no panic"), Drained::Finished);
}

#[tokio::test]
async fn the_connection_that_is_idle_for_the_longest_gives_way() {
    let limits = Limits {
        connections: 2,
        ..patient()
    };
    let gate = Gate::new(1);
    let server = limited(gate.clone(), limits).await;
    let mut idle = server.connect().await;
    gate.go.notify_one();
    assert_eq!(idle.get("/").await.status, 200);
    gate.has_come().await;
    let mut busy = server.connect().await;
    busy.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n").await;
    gate.has_come().await;
    let mut third = server.connect().await;
    third.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n").await;
    gate.has_come().await;
    assert!(idle.is_closed().await);
    gate.go.notify_one();
    gate.go.notify_waiters();
    assert_eq!(busy.answer().await.status, 200);
}

#[tokio::test]
async fn when_all_are_at_work_one_more_is_told_so() {
    let limits = Limits {
        connections: 1,
        ..patient()
    };
    let gate = Gate::new(1);
    let server = limited(gate.clone(), limits).await;
    let mut busy = server.connect().await;
    busy.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n").await;
    gate.has_come().await;
    let refused = server.get("/").await;
    assert_eq!((refused.status, refused.text()), (503, "too many connections\n"));
    gate.go.notify_one();
    assert_eq!(busy.answer().await.status, 200, "the one at work is not disturbed");
    gate.go.notify_one();
    assert_eq!(server.get("/").await.status, 200, "and there is room again");
}

#[tokio::test]
async fn a_thousand_idle_connections_keep_no_scrape_out() {
    let limits = Limits {
        connections: 64,
        ..patient()
    };
    let (handler, _pollers) = super::client::scrape(vec![fixture::motley("main")]);
    let server = limited(handler, limits).await;
    let mut idle = Vec::new();
    for _ in 0..1000 {
        idle.push(server.connect().await);
    }
    assert_eq!(server.get("/metrics").await.status, 200);
}

#[tokio::test]
async fn a_body_is_read_within_limits() {
    let server = limited(Echo, patient()).await;
    let post = async |body: &str| {
        let length = body.len();
        let mut client = server.connect().await;
        client
            .send(&format!(
                "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: {length}\r\n\r\n{body}"
            ))
            .await;
        client.answer().await
    };
    assert_eq!(post("0123456789").await.text(), "0123456789");
    assert_eq!(post("0123456789a").await.status, 413);
    let mut slow = server.connect().await;
    slow.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nab")
        .await;
    assert_eq!(slow.answer().await.status, 408);
}

#[tokio::test]
async fn a_shutdown_lets_the_request_in_flight_finish_and_takes_no_other() {
    let gate = Gate::new(3);
    let server = limited(gate.clone(), patient()).await;
    let address = server.address;
    let mut idle = server.connect().await;
    let mut busy = server.connect().await;
    busy.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n").await;
    gate.has_come().await;
    let stopped = server.stop();
    assert!(idle.is_closed().await, "nothing is lost with it");
    let refused = async {
        while tokio::net::TcpStream::connect(address).await.is_ok() {
            tokio::task::yield_now().await;
        }
    };
    soon(refused).await;
    assert!(!stopped.is_finished(), "it waits for the request in flight");
    gate.go.notify_one();
    assert_eq!(busy.answer().await.text(), "xxx");
    assert!(busy.is_closed().await, "the connection is not kept");
    assert_eq!(soon(stopped).await.expect("no panic"), Drained::Finished);
}

#[tokio::test]
async fn a_shutdown_ends_with_the_grace_period() {
    let gate = Gate::new(3);
    let server = Running::start(gate.clone(), patient(), None, SHORT).await;
    let mut busy = server.connect().await;
    busy.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n").await;
    gate.has_come().await;
    assert_eq!(soon(server.stop()).await.expect("no panic"), Drained::CutOff(1));
    assert!(busy.is_closed().await);
}
