//! Servers, and a client that sees every byte.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use tokio::io::AsyncReadExt as _;
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpListener;
use tokio::net::TcpStream;
use tokio::sync::oneshot;
use tokio::sync::watch;
use tokio::task::JoinHandle;

use crate::clock::Clock;
use crate::http::Drained;
use crate::http::Feed;
use crate::http::Handler;
use crate::http::Limits;
use crate::http::Published;
use crate::http::Scrape;
use crate::http::Server;
use crate::http::State;
use crate::http::Tls;
use crate::metrics::Exposition;
use crate::metrics::Packer;
use crate::metrics::fixture;
use crate::snapshot::Snapshot;

/// Nothing in these tests takes that long, unless something is wrong.
const PATIENCE: Duration = Duration::from_secs(20);

pub(super) async fn soon<T>(what: impl Future<Output = T>) -> T {
    tokio::time::timeout(PATIENCE, what).await.expect("it happens soon")
}

pub(super) struct Running {
    pub(super) address: SocketAddr,
    stop: oneshot::Sender<()>,
    ended: JoinHandle<Drained>,
}

impl Running {
    pub(super) async fn start(handler: impl Handler, limits: Limits, tls: Option<Tls>, grace: Duration) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("bound");
        let (stop, stopped) = oneshot::channel();
        let stopped = async {
            let _ = stopped.await;
        };
        let ended = tokio::spawn(Server::new(listener, handler, limits, tls).run(stopped, grace));
        Self { address, stop, ended }
    }

    pub(super) async fn connect(&self) -> Client {
        Client(TcpStream::connect(self.address).await.expect("it listens"))
    }

    /// One request on a connection of its own.
    pub(super) async fn request(&self, request: &str) -> Answer {
        asked(self.address, request).await
    }

    pub(super) async fn get(&self, path: &str) -> Answer {
        self.request(&format!("GET {path} HTTP/1.1")).await
    }

    /// Begins to shut down.
    pub(super) fn stop(self) -> JoinHandle<Drained> {
        self.stop.send(()).expect("it runs");
        self.ended
    }
}

pub(super) struct Client(pub(super) TcpStream);

/// One answer.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) status: u16,
    head: String,
    pub(super) body: Vec<u8>,
}

impl Client {
    pub(super) async fn send(&mut self, bytes: &str) {
        self.0.write_all(bytes.as_bytes()).await.expect("it listens");
    }

    /// A request that keeps the connection.
    pub(super) async fn get(&mut self, path: &str) -> Answer {
        self.send(&format!("GET {path} HTTP/1.1\r\nHost: x\r\n\r\n")).await;
        self.answer().await
    }

    pub(super) async fn answer(&mut self) -> Answer {
        soon(self.read_answer(false)).await
    }

    pub(super) async fn answer_to_head(&mut self) -> Answer {
        soon(self.read_answer(true)).await
    }

    async fn read_answer(&mut self, to_head: bool) -> Answer {
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            head.push(self.0.read_u8().await.expect("the head of an answer"));
        }
        let head = String::from_utf8(head).expect("text");
        let status = head[9..12].parse().expect("a status");
        let mut answer = Answer {
            status,
            head,
            body: Vec::new(),
        };
        let length = answer
            .header("content-length")
            .map_or(0, |length| length.parse().expect("a number"));
        if !to_head && status != 304 {
            answer.body.resize(length, 0);
            self.0.read_exact(&mut answer.body).await.expect("the whole body");
        }
        answer
    }

    /// True when the server closes the connection without a further word.
    pub(super) async fn is_closed(&mut self) -> bool {
        let mut byte = [0];
        matches!(soon(self.0.read(&mut byte)).await, Ok(0) | Err(_))
    }
}

impl Answer {
    pub(super) fn header(&self, name: &str) -> Option<&str> {
        let mut headers = self.head.lines().skip(1).filter_map(|line| line.split_once(": "));
        headers
            .find(|(found, _)| found.eq_ignore_ascii_case(name))
            .map(|(_, value)| value)
    }

    pub(super) fn text(&self) -> &str {
        std::str::from_utf8(&self.body).expect("UTF-8")
    }

    pub(super) fn json(&self) -> serde_json::Value {
        assert_eq!(self.header("content-type"), Some("application/json"));
        serde_json::from_slice(&self.body).expect("JSON")
    }
}

/// One GET of whatever listens there.
pub(super) async fn get(address: SocketAddr, path: &str) -> Answer {
    asked(address, &format!("GET {path} HTTP/1.1")).await
}

async fn asked(address: SocketAddr, request: &str) -> Answer {
    let mut client = Client(TcpStream::connect(address).await.expect("it listens"));
    client
        .send(&format!("{request}\r\nHost: x\r\nConnection: close\r\n\r\n"))
        .await;
    client.answer().await
}

/// A scrape listener of clusters with these snapshots, and the handles of their pollers.
pub(super) fn scrape(snapshots: Vec<Snapshot>) -> (Scrape, Vec<watch::Sender<Published>>) {
    let objectives = fixture::objectives();
    let mut senders = Vec::new();
    let feeds = snapshots.into_iter().map(|snapshot| {
        let config = Arc::new(fixture::cluster(&snapshot.cluster));
        let (sender, latest) = watch::channel(published(snapshot));
        senders.push(sender);
        Feed { config, latest }
    });
    let feeds = feeds.collect();
    let exposition = Exposition::new("kafka_cluster".into(), None);
    let clock = Clock::stepped(fixture::NOW.wall);
    clock.step(fixture::NOW.mono);
    (
        Scrape(Arc::new(State::new(feeds, clock, exposition, objectives))),
        senders,
    )
}

pub(super) fn published(snapshot: Snapshot) -> Published {
    let config = Arc::new(fixture::cluster(&snapshot.cluster));
    let packed = Packer::new(config, "kafka_cluster".into(), fixture::objectives()).pack(&snapshot);
    Published {
        snapshot: Arc::new(snapshot),
        packed: Arc::new(packed),
    }
}

pub(super) async fn serving(snapshots: Vec<Snapshot>) -> Running {
    Running::start(scrape(snapshots).0, Limits::default(), None, PATIENCE).await
}
