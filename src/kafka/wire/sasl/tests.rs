use super::password::begin;
use super::password::step;
use super::*;
use crate::config::Material;
use crate::config::PasswordLogin;
use crate::config::PasswordMechanism;
use crate::config::Secret;
use rsasl::prelude::MessageSent;
use rsasl::prelude::Session as Exchange;
use rsasl::prelude::State;

fn exchange(mechanism: PasswordMechanism) -> Exchange {
    let login = PasswordLogin {
        mechanism,
        username: "user".to_owned(),
        password: Material::inline("sasl.password", "pencil"),
    };
    begin(&login, &Secret::new("pencil".to_owned())).unwrap()
}

#[tokio::test]
async fn plain_says_who_and_the_password_at_once() {
    let (_, state, said) = step(exchange(PasswordMechanism::Plain), None).await.unwrap();
    assert!(matches!(state, State::Finished(MessageSent::Yes)));
    assert_eq!(said.unwrap(), &b"\0user\0pencil"[..]);
}

#[tokio::test]
async fn scram_never_says_the_password() {
    for mechanism in [PasswordMechanism::ScramSha256, PasswordMechanism::ScramSha512] {
        let (exchange, state, said) = step(exchange(mechanism), None).await.unwrap();
        assert!(matches!(state, State::Running));
        let first = String::from_utf8(said.unwrap().to_vec()).unwrap();
        let nonce = first
            .strip_prefix("n,,n=user,r=")
            .expect("the first message of RFC 5802");
        let answer = format!("r={nonce}more,s=QSXCR+Q6sek8bf92,i=4096");
        let (exchange, state, said) = step(exchange, Some(answer.into_bytes())).await.unwrap();
        assert!(matches!(state, State::Running));
        let second = String::from_utf8(said.unwrap().to_vec()).unwrap();
        assert!(second.starts_with(&format!("c=biws,r={nonce}more,p=")), "{second}");
        assert!(!second.contains("pencil"));
        // A server that does not know the password cannot prove that it does.
        let forged = step(exchange, Some(b"v=rmF9pqV8S7suAoZWja4dJRkFsKQ=".to_vec())).await;
        assert_eq!(forged.map(drop).unwrap_err().cause, Cause::Authentication);
    }
}

#[tokio::test]
async fn no_server_decides_how_long_we_compute() {
    for iterations in ["1000001", "4294967296", "99999999999999999999", "-1", "many"] {
        let (exchange, _, said) = step(exchange(PasswordMechanism::ScramSha512), None).await.unwrap();
        let first = String::from_utf8(said.unwrap().to_vec()).unwrap();
        let nonce = first.rsplit("r=").next().unwrap();
        let answer = format!("r={nonce}more,s=QSXCR+Q6sek8bf92,i={iterations}");
        let begun = tokio::time::Instant::now();
        let refused = step(exchange, Some(answer.into_bytes())).await.map(drop).unwrap_err();
        assert!(refused.detail.contains("rounds of hashing"), "{refused}");
        assert!(begun.elapsed() < Duration::from_secs(2));
    }
}

#[tokio::test]
async fn another_nonce_than_ours_is_refused() {
    let (exchange, _, _) = step(exchange(PasswordMechanism::ScramSha256), None).await.unwrap();
    let answer = b"r=not ours,s=QSXCR+Q6sek8bf92,i=4096".to_vec();
    assert!(step(exchange, Some(answer)).await.is_err());
}
