//! Against an endpoint on loopback that says what each test wants.

use std::net::Ipv4Addr;
use std::sync::Arc;
use std::sync::Mutex as StdMutex;

use tokio::io::AsyncReadExt;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpListener;

use super::*;
use crate::config::Material;
use crate::config::TokenEndpoint;
use crate::model::Moment;

/// The wall clock of these tests, in seconds.
const NOW: i64 = 1_700_000_000;

/// An endpoint that gives one answer after the other, the last one for ever, and keeps what it was asked.
struct Endpoint {
    port: u16,
    asked: Arc<StdMutex<Vec<String>>>,
}

impl Endpoint {
    async fn saying(answers: &[(u16, &str)]) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let asked = Arc::new(StdMutex::new(Vec::new()));
        let (kept, answers) = (Arc::clone(&asked), answers.iter().map(|(s, b)| (*s, (*b).to_owned())));
        let answers: Vec<_> = answers.collect();
        tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                let mut question = String::new();
                // All of a question of these tests comes with its body.
                while !question.contains("grant_type=") {
                    let mut part = [0; 4096];
                    match stream.read(&mut part).await {
                        Ok(0) | Err(_) => break,
                        Ok(count) => question.push_str(&String::from_utf8_lossy(&part[..count])),
                    }
                }
                let place = kept.lock().unwrap().len().min(answers.len() - 1);
                kept.lock().unwrap().push(question);
                let (status, body) = &answers[place];
                let head = format!("HTTP/1.1 {status} x\r\ncontent-length: {}\r\n\r\n", body.len());
                let _ = stream.write_all((head + body).as_bytes()).await;
            }
        });
        Self { port, asked }
    }

    fn login(&self) -> Bearer {
        Bearer {
            source: TokenSource::Endpoint(TokenEndpoint {
                url: format!("http://127.0.0.1:{}/token?tenant=1", self.port),
                client_id: "tidemark".to_owned(),
                client_secret: Material::inline("sasl.client_secret", "hunter2"),
                scope: Some("kafka read".to_owned()),
                ca_file: None,
            }),
            extensions: Vec::new(),
        }
    }

    fn times(&self) -> usize {
        self.asked.lock().unwrap().len()
    }
}

fn tokens() -> Tokens {
    Tokens::new(Clock::stepped(UnixMillis(NOW * 1000)))
}

fn held(text: &str) -> Result<Token, Trouble> {
    claims::token(Secret::new(text.to_owned()), None, moment())
}

fn moment() -> Moment {
    Clock::stepped(UnixMillis(NOW * 1000)).now()
}

fn jwt(claims: &str) -> String {
    let part = |text: &str| {
        let standard = openssl::base64::encode_block(text.as_bytes());
        standard.replace('+', "-").replace('/', "_").replace('=', "")
    };
    format!("{}.{}.", part(r#"{"alg":"none"}"#), part(claims))
}

#[tokio::test]
async fn a_token_is_asked_for_as_the_standard_says_and_once_for_all_connections() {
    let endpoint = Endpoint::saying(&[(200, r#"{"access_token":"abc","expires_in":3600}"#)]).await;
    let (tokens, login) = (tokens(), endpoint.login());
    let (first, second) = tokio::join!(tokens.current(&login), tokens.current(&login));
    assert_eq!(first.unwrap().secret.expose(), "abc");
    assert_eq!(second.unwrap().secret.expose(), "abc");
    assert_eq!(endpoint.times(), 1);
    let asked = endpoint.asked.lock().unwrap()[0].clone();
    assert!(asked.starts_with("POST /token?tenant=1 HTTP/1.1\r\n"), "{asked}");
    assert!(
        asked.contains("authorization: Basic dGlkZW1hcms6aHVudGVyMg==\r\n"),
        "{asked}"
    );
    assert!(
        asked.ends_with("\r\n\r\ngrant_type=client_credentials&scope=kafka%20read"),
        "{asked}"
    );
}

#[tokio::test]
async fn a_token_is_replaced_before_it_ends_and_serves_to_its_end_where_none_can_be_had() {
    let short = r#"{"access_token":"first","expires_in":2}"#;
    let endpoint = Endpoint::saying(&[(200, short), (503, "no")]).await;
    let (tokens, login) = (tokens(), endpoint.login());
    let first = tokens.current(&login).await.unwrap();
    let ends = first.ends.unwrap();
    while endpoint.times() < 2 {
        let now = tokens.current(&login).await.unwrap();
        assert_eq!(now, first, "good until it ends");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert!(Instant::now() < ends, "asked again before the end");
    assert_eq!(tokens.current(&login).await.unwrap(), first);
    tokio::time::sleep_until(ends).await;
    let failed = tokens.current(&login).await.unwrap_err();
    assert_eq!(failed.to_string(), "sasl.token_url: answers 503");
}

#[tokio::test]
async fn a_refused_token_and_one_of_another_endpoint_are_not_used_again() {
    let long = |token| format!(r#"{{"access_token":"{token}","expires_in":"3600"}}"#);
    let endpoint = Endpoint::saying(&[(200, &long("a")), (200, &long("b"))]).await;
    let (tokens, login) = (tokens(), endpoint.login());
    let first = tokens.current(&login).await.unwrap();
    assert!(first.ends.is_some(), "a number in quotes is one");
    tokens.forget(&first).await;
    assert_eq!(tokens.current(&login).await.unwrap().secret.expose(), "b");
    let other = Endpoint::saying(&[(200, &long("c"))]).await;
    assert_eq!(tokens.current(&other.login()).await.unwrap().secret.expose(), "c");
}

#[tokio::test]
async fn a_refusal_is_told_with_the_setting_and_never_with_the_secret() {
    let reason = r#"{"error":"invalid_client","error_description":"hunter2 is\nwrong"}"#;
    for (answer, told) in [
        (
            (401, reason),
            "sasl.token_url: answers 401: invalid_client: *** is wrong (sasl.client_id, sasl.client_secret)",
        ),
        ((302, ""), "sasl.token_url: answers 302"),
        ((200, "{}"), "sasl.token_url: answers without an access_token"),
        ((200, "<html>"), "sasl.token_url: answers without an access_token"),
        (
            (200, r#"{"access_token":"a b"}"#),
            "sasl.token_url: sasl: the token is no token: it must be printable ASCII without spaces",
        ),
    ] {
        let endpoint = Endpoint::saying(&[answer]).await;
        let trouble = tokens().current(&endpoint.login()).await.unwrap_err();
        assert_eq!(
            (trouble.cause, &*trouble.detail),
            (Cause::Authentication, told),
            "{answer:?}"
        );
    }
    let endless = "x".repeat(2 << 20);
    let endpoint = Endpoint::saying(&[(200, &endless)]).await;
    let trouble = tokens().current(&endpoint.login()).await.unwrap_err();
    assert!(trouble.detail.contains("cannot be read"), "{trouble}");
}

#[tokio::test]
async fn after_a_failure_nobody_asks_again_at_once() {
    let endpoint = Endpoint::saying(&[(500, "")]).await;
    let (tokens, login) = (tokens(), endpoint.login());
    for _ in 0..5 {
        assert!(tokens.current(&login).await.is_err());
    }
    assert_eq!(endpoint.times(), 1);
}

#[tokio::test]
async fn a_token_file_is_read_anew_each_time() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("token");
    let login = Bearer {
        source: TokenSource::Held(Material::file("sasl.token_file", file.clone())),
        extensions: Vec::new(),
    };
    let tokens = tokens();
    let failed = tokens.current(&login).await.unwrap_err();
    assert!(failed.detail.starts_with("sasl.token_file: cannot read "), "{failed}");
    tokio::time::sleep(PAUSE).await;
    for token in ["one", "two"] {
        std::fs::write(&file, format!("{token}\n")).unwrap();
        assert_eq!(tokens.current(&login).await.unwrap().secret.expose(), token);
    }
}

#[test]
fn the_end_and_the_principal_are_read_from_a_web_token() {
    let token = held(&jwt(&format!(r#"{{"sub":"Ü","exp":{}}}"#, NOW + 100))).unwrap();
    assert_eq!(token.principal, "Ü");
    let left = token.ends.unwrap().duration_since(Instant::now());
    assert!(
        left > Duration::from_secs(90) && left <= Duration::from_secs(100),
        "{left:?}"
    );
    let opaque = held("no-web.token").unwrap();
    assert_eq!((opaque.principal.as_str(), opaque.ends), ("tidemark", None));
    for strange in [r#"{"exp":"soon"}"#, r#"{"exp":1e400}"#, "[]", "{", r#"{"sub":""}"#] {
        let token = held(&jwt(strange)).unwrap();
        assert_eq!((token.principal.as_str(), token.ends), ("tidemark", None), "{strange}");
    }
    assert!(held(&jwt(r#"{"exp":1e300}"#)).is_ok());
    let ended = held(&jwt(&format!(r#"{{"exp":{NOW}}}"#))).unwrap_err();
    assert_eq!(&*ended.detail, "sasl: the token has expired");
}

#[test]
fn what_is_said_is_as_the_standard_writes_it() {
    let token = held("abc").unwrap();
    assert_eq!(message(&token, &[]), "n,,\x01auth=Bearer abc\x01\x01");
    let extensions = ["logicalCluster=lkc-1".to_owned(), "pool=p".to_owned()];
    assert_eq!(
        message(&token, &extensions),
        "n,,\x01auth=Bearer abc\x01logicalCluster=lkc-1\x01pool=p\x01\x01"
    );
    assert!(!format!("{token:?}").contains("abc"));
}
