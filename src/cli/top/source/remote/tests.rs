use std::sync::Mutex;

use tokio::io::AsyncReadExt as _;
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpListener;

use super::*;
use crate::cli::top::fixture;

/// A server of fixed answers, and the requests that it got.
struct Server {
    address: String,
    requests: Arc<Mutex<Vec<String>>>,
}

impl Server {
    /// `answer` makes the whole answer, head and all, from the request's.
    async fn start(answer: impl Fn(&str) -> String + Send + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let requests = Arc::new(Mutex::new(Vec::new()));
        let heard = requests.clone();
        tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                let mut head = Vec::new();
                while !head.ends_with(b"\r\n\r\n") {
                    head.push(stream.read_u8().await.unwrap());
                }
                let head = String::from_utf8(head).unwrap();
                stream.write_all(answer(&head).as_bytes()).await.unwrap();
                heard.lock().unwrap().push(head);
            }
        });
        Self { address, requests }
    }

    fn remote(&self, only: Option<&str>) -> Remote {
        let address = Address::parse(&format!("http://{}/behind/", self.address)).unwrap();
        Remote::new(address, only.map(str::to_owned))
    }

    fn requests(&self) -> Vec<String> {
        self.requests.lock().unwrap().clone()
    }
}

fn answer(status: &str, more: &str, body: &str) -> String {
    format!(
        "HTTP/1.1 {status}\r\n{more}content-length: {}\r\n\r\n{body}",
        body.len()
    )
}

const CLUSTERS: &str = r#"{"clusters": [
    {"cluster": "a b", "up": true, "read_at": null, "cycle": null}, {"cluster": "c", "up": true, "read_at": null, "cycle": null}]}"#;

/// Two clusters with one group each, whose tag is always the same.
fn tidemark(head: &str) -> String {
    let path = head.split(' ').nth(1).unwrap();
    match path.strip_prefix("/behind/api/v1/clusters").unwrap() {
        "" => answer("200 OK", "", CLUSTERS),
        "/a%20b/groups" | "/c/groups" if head.contains("if-none-match: \"1\"") => answer("304 Not Modified", "", ""),
        "/a%20b/groups" | "/c/groups" => {
            let group = fixture::group("g", "ok", serde_json::json!({}));
            answer("200 OK", "etag: \"1\"\r\n", &format!("{{\"groups\": [{group}]}}"))
        }
        "/c/groups/g" => {
            let mut group = fixture::group("g", "ok", serde_json::json!({}));
            group["topics"] = serde_json::json!([]);
            answer("200 OK", "", &group.to_string())
        }
        _ => answer(
            "404 Not Found",
            "",
            r#"{"error": "unknown_group", "message": "no group"}"#,
        ),
    }
}

#[tokio::test]
async fn every_cluster_is_read_and_groups_are_sent_again_only_when_they_have_changed() {
    let server = Server::start(tidemark).await;
    let mut remote = server.remote(None);
    let first = remote.read(None).await.unwrap();
    assert_eq!(first.clusters.len(), 2);
    assert_eq!(first.clusters[1].groups[0].group, "g");
    let before = server.requests().len();
    assert_eq!(remote.read(None).await.unwrap(), first);
    let again = server.requests().split_off(before);
    assert_eq!(again.iter().filter(|head| head.contains("if-none-match")).count(), 2);
}

#[tokio::test]
async fn one_cluster_is_read_when_only_one_is_wanted() {
    let server = Server::start(tidemark).await;
    let read = server.remote(Some("c")).read(None).await.unwrap();
    assert_eq!(read.clusters.len(), 1);
    assert!(!server.requests().iter().any(|head| head.contains("a%20b")));
    let problem = server.remote(Some("d")).read(None).await.unwrap_err();
    assert_eq!(
        problem,
        format!("there is no cluster \"d\" at {}; there are a b, c", server.address)
    );
}

#[tokio::test]
async fn a_group_is_read_besides_and_may_be_gone() {
    let server = Server::start(tidemark).await;
    let mut remote = server.remote(None);
    let (here, gone) = (fixture::key("c", "g"), fixture::key("a b", "/%2F"));
    let found = remote.read(Some(&here)).await.unwrap().opened.unwrap();
    assert!(found.0 == here && matches!(found.1, Opened::Found(_)));
    assert_eq!(
        remote.read(Some(&gone)).await.unwrap().opened,
        Some((gone, Opened::Gone))
    );
    let last = server.requests().pop().unwrap();
    assert!(
        last.starts_with("GET /behind/api/v1/clusters/a%20b/groups/%2F%252F HTTP/1.1"),
        "{last}"
    );
}

#[tokio::test]
async fn what_is_no_tidemark_or_refuses_is_told_in_words() {
    for (answered, told) in [
        (
            answer("200 OK", "", "<html>"),
            "answered something else than a tidemark does",
        ),
        (answer("404 Not Found", "", "nope"), "answered 404 Not Found"),
        (
            answer(
                "500 Internal Server Error",
                "",
                r#"{"error": "internal", "message": "it broke"}"#,
            ),
            "answered 500 Internal Server Error, it broke",
        ),
        ("SSH-2.0-OpenSSH\r\n".to_owned(), "HTTP"),
    ] {
        let server = Server::start(move |_| answered.clone()).await;
        let problem = server.remote(None).read(None).await.unwrap_err();
        assert!(
            problem.starts_with(&server.address) && problem.contains(told),
            "{problem}"
        );
    }
}

#[tokio::test]
async fn nobody_there_is_told_in_words() {
    let free = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
    let address = Address::parse(&format!("http://{free}")).unwrap();
    let problem = Remote::new(address, None).read(None).await.unwrap_err();
    assert!(
        problem.starts_with(&free.to_string()) && problem.contains("refused"),
        "{problem}"
    );
}
