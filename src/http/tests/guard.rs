//! Names, passwords and tokens on the scrape listener.

use std::sync::Arc;

use tokio::sync::watch;

use super::client::Running;
use super::client::scrape;
use crate::clock::Clock;
use crate::config::AdminToken;
use crate::config::Secret;
use crate::config::Web;
use crate::config::WebUser;
use crate::http::Gate;
use crate::http::Guarded;
use crate::http::Limits;
use crate::metrics::fixture;
use crate::model::UnixMillis;

/// `ann:b`, `ann:c` and `eve:b` as clients write them.
const ANN: &str = "Basic YW5uOmI=";
const ANN_WRONG: &str = "Basic YW5uOmM=";
const EVE: &str = "Basic ZXZlOmI=";

/// A listener, the way to another gate, and the time of its throttle.
struct Listener {
    server: Running,
    gate: watch::Sender<Arc<Gate>>,
    clock: Clock,
}

impl Listener {
    async fn behind(web: &Web) -> Self {
        let (handler, _pollers) = scrape(vec![fixture::motley("main")]);
        let (gate, latest) = watch::channel(Arc::new(Gate::new(Some(web))));
        let clock = Clock::stepped(UnixMillis(0));
        let handler = Guarded::new(handler, latest, clock.clone());
        let server = Running::start(handler, Limits::default(), None, std::time::Duration::from_secs(5)).await;
        Self { server, gate, clock }
    }

    async fn status(&self, path: &str, authorization: Option<&str>) -> u16 {
        let line = authorization.map_or_else(String::new, |given| format!("\r\nAuthorization: {given}"));
        self.server.request(&format!("GET {path} HTTP/1.1{line}")).await.status
    }
}

fn web(password: &str) -> Web {
    Web {
        file: "web.yml".into(),
        tls: None,
        headers: vec![("X-Frame-Options", "DENY".to_owned())],
        users: vec![WebUser {
            name: "ann".to_owned(),
            hash: Secret::new(bcrypt::hash(password, 4).expect("a hash")),
            cost: 4,
        }],
        tokens: Vec::new(),
    }
}

#[tokio::test]
async fn only_who_has_a_name_gets_more_than_the_probes() {
    let listener = Listener::behind(&web("b")).await;
    for path in [
        "/metrics",
        "/",
        "/api/v1/clusters",
        "/assets/page.css",
        "/none-such",
        "/-/healthy/",
    ] {
        assert_eq!(listener.status(path, None).await, 401, "{path}");
    }
    for path in ["/-/healthy", "/-/ready"] {
        assert_eq!(listener.status(path, None).await, 200, "{path}");
    }
    for wrong in [ANN_WRONG, EVE, "Bearer b", "Basic", ""] {
        assert_eq!(listener.status("/metrics", Some(wrong)).await, 401, "{wrong}");
    }
    for _ in 0..2 {
        assert_eq!(listener.status("/metrics", Some(ANN)).await, 200);
    }
    let told = listener.server.get("/metrics").await;
    assert_eq!(
        told.header("www-authenticate"),
        Some(r#"Basic realm="tidemark", charset="UTF-8""#)
    );
    assert_eq!(told.json()["error"], "unauthenticated");
    assert_eq!(told.header("x-frame-options"), Some("DENY"));
}

#[tokio::test]
async fn a_token_is_as_good_as_a_password_and_is_read_again_when_its_file_changes() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("token");
    std::fs::write(&file, "first\n").expect("a file");
    let tokens = vec![AdminToken {
        name: "prometheus".to_owned(),
        file: file.clone(),
    }];
    let listener = Listener::behind(&Web { tokens, ..web("b") }).await;
    assert_eq!(listener.status("/metrics", Some("Bearer first")).await, 200);
    assert_eq!(listener.status("/metrics", Some(ANN)).await, 200);
    std::fs::write(&file, "second\n").expect("a file");
    assert_eq!(listener.status("/metrics", Some("Bearer first")).await, 401);
    assert_eq!(listener.status("/metrics", Some("Bearer second")).await, 200);
}

#[tokio::test]
async fn who_guesses_is_slowed_down_and_who_was_right_is_not() {
    let listener = Listener::behind(&web("b")).await;
    assert_eq!(listener.status("/metrics", Some(ANN)).await, 200);
    let mut statuses = Vec::new();
    for _ in 0..25 {
        statuses.push(listener.status("/metrics", Some(EVE)).await);
    }
    assert_eq!((statuses[0], statuses[24]), (401, 429));
    assert_eq!(
        listener.status("/metrics", Some(ANN)).await,
        200,
        "by what is remembered"
    );
    assert_eq!(listener.status("/metrics", None).await, 401, "no guess is no attempt");
    listener.clock.step(std::time::Duration::from_secs(60));
    assert_eq!(listener.status("/metrics", Some(EVE)).await, 401);
}

#[tokio::test]
async fn another_gate_counts_from_the_next_request_on_the_same_connection() {
    let listener = Listener::behind(&web("b")).await;
    let mut client = listener.server.connect().await;
    let request = format!("GET /metrics HTTP/1.1\r\nHost: x\r\nAuthorization: {ANN}\r\n\r\n");
    client.send(&request).await;
    assert_eq!(client.answer().await.status, 200);
    let before = listener.gate.borrow().clone();
    listener
        .gate
        .send_replace(Arc::new(Gate::new(Some(&web("c"))).after(&before)));
    client.send(&request).await;
    assert_eq!(
        client.answer().await.status,
        401,
        "what is remembered ends with the hash"
    );
    listener.gate.send_replace(Arc::new(Gate::new(None)));
    client.send(&request).await;
    assert_eq!(client.answer().await.status, 200, "open to everybody");
}
