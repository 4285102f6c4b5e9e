use std::net::Ipv4Addr;
use std::sync::Arc;
use std::sync::Mutex;

use serde_json::json;
use tokio::io::AsyncReadExt;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpListener;

use super::*;
use crate::clock::Clock;
use crate::model::UnixMillis;

fn now() -> Moment {
    // 2026-03-04T05:06:07Z
    Clock::stepped(UnixMillis(1_772_600_767_000)).now()
}

fn key(id: &str, secret: &str, session: Option<&str>) -> Credentials {
    Credentials {
        key_id: id.to_owned(),
        secret: Secret::new(secret.to_owned()),
        session: session.map(|token| Secret::new(token.to_owned())),
        ends: None,
    }
}

/// What Amazon's own signer for Python (1.0.2) signs with these keys at this time, its name aside.
#[test]
fn a_url_is_signed_as_amazons_own_signer_does_it() {
    let long = key("AKIDEXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY", None);
    let own = |signed: &str| signed.split("&User-Agent=").next().unwrap().to_owned();
    assert_eq!(
        own(&presigned("eu-west-1", &long, now()).unwrap()),
        "https://kafka.eu-west-1.amazonaws.com/?Action=kafka-cluster%3AConnect&X-Amz-Algorithm=AWS4-HMAC-SHA256\
         &X-Amz-Credential=AKIDEXAMPLE%2F20260304%2Feu-west-1%2Fkafka-cluster%2Faws4_request&X-Amz-Date=20260304T050607Z\
         &X-Amz-Expires=900&X-Amz-SignedHeaders=host\
         &X-Amz-Signature=7871c31988ac326f5b3a9a86119b5495edafd954a59b1374fd28375579ea3ca0"
    );
    let short = presigned("eu-west-1", &key("ASIAEXAMPLE", "secret/+", Some("tok/en+=")), now()).unwrap();
    // The session's token stands in another place there, which changes nothing of the signature.
    assert!(
        short.contains("&X-Amz-Security-Token=tok%2Fen%2B%3D&X-Amz-SignedHeaders=host"),
        "{short}"
    );
    let signature = "X-Amz-Signature=10d6e40b6dbb2b938958640cfb86fe2ebfb7a574a10bdf86785845d91a392fd8";
    assert!(short.contains(signature), "{short}");
}

/// A service that answers each path, and keeps what it was asked.
async fn service(answers: Vec<(&'static str, String)>) -> (String, Arc<Mutex<Vec<String>>>) {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let asked = Arc::new(Mutex::new(Vec::new()));
    let kept = Arc::clone(&asked);
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let mut part = [0; 8192];
            let count = stream.read(&mut part).await.unwrap_or(0);
            let question = String::from_utf8_lossy(&part[..count]).into_owned();
            let found = answers.iter().find(|(start, _)| question.starts_with(start));
            let (status, body) = found.map_or((404, ""), |(_, body)| (200, body.as_str()));
            kept.lock().unwrap().push(question);
            let head = format!("HTTP/1.1 {status} x\r\ncontent-length: {}\r\n\r\n", body.len());
            let _ = stream.write_all((head + body).as_bytes()).await;
        }
    });
    (url, asked)
}

fn environment(variables: &[(&str, &str)]) -> sources::Environment {
    let own = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
    sources::Environment::of(variables.iter().map(own))
}

async fn found(variables: &[(&str, &str)]) -> Result<Credentials, String> {
    let found = sources::credentials(&environment(variables), "eu-west-1", now()).await;
    found.map_err(|trouble| trouble.to_string())
}

fn role() -> serde_json::Value {
    json!({"AccessKeyId": "ASIA1", "SecretAccessKey": "s", "Token": "t", "Expiration": "2026-03-04T06:06:07Z"})
}

fn is_of_role(found: &Credentials) {
    assert_eq!(
        (found.key_id.as_str(), found.session.as_ref().map(Secret::expose)),
        ("ASIA1", Some("t"))
    );
    let left = found.ends.unwrap().duration_since(Instant::now());
    assert!(
        left > Duration::from_secs(3_500) && left <= Duration::from_secs(3_600),
        "{left:?}"
    );
}

#[tokio::test]
async fn keys_in_the_environment_come_before_those_of_a_profile() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("credentials");
    let text = "[other]\naws_access_key_id = O\naws_secret_access_key = o\n[default]\naws_access_key_id=D\naws_secret_access_key=d\naws_session_token=t\n";
    std::fs::write(&file, text).unwrap();
    let file = ("AWS_SHARED_CREDENTIALS_FILE", file.to_str().unwrap());
    let own = [file, ("AWS_ACCESS_KEY_ID", "E"), ("AWS_SECRET_ACCESS_KEY", "e")];
    assert_eq!(found(&own).await.unwrap(), key("E", "e", None));
    assert_eq!(found(&[file]).await.unwrap(), key("D", "d", Some("t")));
    assert_eq!(
        found(&[file, ("AWS_PROFILE", "other")]).await.unwrap(),
        key("O", "o", None)
    );
    let none = found(&[file, ("AWS_PROFILE", "none")]).await.unwrap_err();
    assert_eq!(none, "sasl: AWS_PROFILE names no profile with an access key");
    let nothing = found(&[("AWS_EC2_METADATA_DISABLED", "true")]).await.unwrap_err();
    assert!(nothing.contains("no credentials of AWS"), "{nothing}");
}

#[tokio::test]
async fn a_container_is_asked_with_its_token() {
    let (url, asked) = service(vec![("GET /v1/credentials ", role().to_string())]).await;
    let url = format!("{url}/v1/credentials");
    let own = [
        ("AWS_CONTAINER_CREDENTIALS_FULL_URI", url.as_str()),
        ("AWS_CONTAINER_AUTHORIZATION_TOKEN", "hunter2"),
    ];
    is_of_role(&found(&own).await.unwrap());
    assert!(asked.lock().unwrap()[0].contains("authorization: hunter2\r\n"));
}

#[tokio::test]
async fn an_instance_is_asked_by_a_session() {
    let path = "GET /latest/meta-data/iam/security-credentials/";
    let (url, asked) = service(vec![
        ("PUT /latest/api/token ", "session".to_owned()),
        (
            "GET /latest/meta-data/iam/security-credentials/lag ",
            role().to_string(),
        ),
        (path, "lag\n".to_owned()),
    ])
    .await;
    is_of_role(&found(&[("AWS_EC2_METADATA_SERVICE_ENDPOINT", &url)]).await.unwrap());
    let asked = asked.lock().unwrap();
    assert!(
        asked[1].contains("x-aws-ec2-metadata-token: session\r\n"),
        "{}",
        asked[1]
    );
}

#[tokio::test]
async fn a_web_identity_is_exchanged_for_a_key() {
    let credentials =
        json!({"AccessKeyId": "ASIA1", "SecretAccessKey": "s", "SessionToken": "t", "Expiration": 1_772_604_367.0});
    let answer =
        json!({"AssumeRoleWithWebIdentityResponse": {"AssumeRoleWithWebIdentityResult": {"Credentials": credentials}}});
    let (url, asked) = service(vec![("POST / ", answer.to_string())]).await;
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("token");
    std::fs::write(&file, "web.identity.token\n").unwrap();
    let own = [
        ("AWS_WEB_IDENTITY_TOKEN_FILE", file.to_str().unwrap()),
        ("AWS_ROLE_ARN", "arn:aws:iam::1:role/lag"),
        ("AWS_ENDPOINT_URL_STS", &url),
    ];
    is_of_role(&found(&own).await.unwrap());
    let asked = asked.lock().unwrap()[0].clone();
    assert!(
        asked.contains("&RoleArn=arn%3Aaws%3Aiam%3A%3A1%3Arole%2Flag&") && asked.contains("web.identity.token"),
        "{asked}"
    );
    let (elsewhere, _) = service(Vec::new()).await;
    let refused = found(&[own[0], own[1], ("AWS_ENDPOINT_URL_STS", &elsewhere)]).await;
    assert_eq!(refused.unwrap_err(), "sasl: AWS STS: answers 404");
}
