//! OAUTHBEARER with tokens of an endpoint and of a file.

use std::time::Duration;
use std::time::Instant;

use serde_json::Value;
use serde_json::json;
use tidemark::failure::Cause;

use super::Both;
use super::tls;
use super::topic;
use crate::support::CLIENT_SECRET;
use crate::support::Kafka;
use crate::support::Tidemark;
use crate::support::TokenEndpoint;
use crate::support::until;
use crate::support::web_token;
use crate::support::written;

fn login(endpoint: &TokenEndpoint, kafka: &Kafka, secret: &str) -> Value {
    json!({
        "mechanism": "OAUTHBEARER",
        "token_url": endpoint.url(),
        "client_id": "client",
        "client_secret": secret,
        "scope": "kafka",
        "token_ca_file": kafka.secure().authority,
    })
}

#[test]
fn real_both_clients_come_in_with_a_token_of_an_endpoint() {
    let Some(kafka) = Kafka::shared() else { return };
    let topic = topic(kafka);
    let endpoint = TokenEndpoint::start(&kafka.secure().signer, Duration::from_secs(600));
    let keys = |sasl| json!({"tls": tls(kafka), "sasl": sasl});
    let mut both = Both::of(&kafka.sasl_ssl(), &keys(login(&endpoint, kafka, CLIENT_SECRET)));
    both.come_in(&topic);
    both.come_in(&topic);
    assert_eq!(endpoint.given(), 2, "one for each client");

    // The one client that can says more than the token.
    let mut more = keys(login(&endpoint, kafka, CLIENT_SECRET));
    more["sasl"]["extensions"] = json!(["logicalCluster=lkc-1"]);
    more["record_time"] = json!({"read": false});
    assert_eq!(Both::of(&kafka.sasl_ssl(), &more).survey(), Ok(1));

    let wrong = "not-the-secret";
    let mut out = Both::of(&kafka.sasl_ssl(), &keys(login(&endpoint, kafka, wrong)));
    let told = out.stay_out(&topic, Cause::Authentication);
    assert!(told.contains("sasl.token_url: answers 401: invalid_client"), "{told}");
    assert!(!told.contains(wrong), "{told}");

    let mut strange = login(&endpoint, kafka, CLIENT_SECRET);
    strange["token_ca_file"] = json!(kafka.secure().strange_authority);
    let told = Both::of(&kafka.sasl_ssl(), &keys(strange)).stay_out(&topic, Cause::Authentication);
    assert!(
        told.contains("sasl.token_url: ") && told.contains("not trusted"),
        "{told}"
    );
}

#[test]
fn real_tokens_are_replaced_before_they_end_and_nothing_fails_meanwhile() {
    let Some(kafka) = Kafka::shared() else { return };
    let topic = topic(kafka);
    let life = Duration::from_secs(5);
    let endpoint = TokenEndpoint::start(&kafka.secure().signer, life);
    let keys = json!({"tls": tls(kafka), "sasl": login(&endpoint, kafka, CLIENT_SECRET)});
    let mut both = Both::of(&kafka.sasl_ssl(), &keys);
    let begun = Instant::now();
    // Two clients, three tokens each, every one before the broker ends its session.
    while endpoint.given() < 6 {
        both.come_in(&topic);
        assert!(begun.elapsed() < life * 6, "{} tokens", endpoint.given());
    }
    assert!(begun.elapsed() > life, "no token is thrown away early");
}

#[test]
fn real_a_token_in_a_file_is_taken_up_when_it_is_replaced() {
    let Some(kafka) = Kafka::shared() else { return };
    let topic = topic(kafka);
    let folder = tempfile::tempdir().expect("a folder");
    let file = written(folder.path(), "token", "not-a-token-that-kafka-knows");
    let keys = json!({"tls": tls(kafka), "sasl": {"mechanism": "OAUTHBEARER", "token_file": file}});
    let mut both = Both::of(&kafka.sasl_ssl(), &keys);
    let told = both.stay_out(&topic, Cause::Authentication);
    assert!(told.contains("sasl.token_file: "), "{told}");
    assert!(!told.contains("not-a-token-that-kafka-knows"), "{told}");
    written(folder.path(), "token", &web_token("client", Duration::from_secs(600)));
    both.come_in_soon(&topic);
}

#[test]
fn real_the_daemon_keeps_polling_through_the_ends_of_its_tokens() {
    let Some(kafka) = Kafka::shared() else { return };
    let endpoint = TokenEndpoint::start(&kafka.secure().signer, Duration::from_secs(4));
    let tidemark = Tidemark::of(&kafka.sasl_ssl())
        .cluster("tls", tls(kafka))
        .cluster("sasl", login(&endpoint, kafka, CLIENT_SECRET))
        .set("log", json!({"level": "trace"}))
        .start();
    until("the third token", || endpoint.given() >= 3);
    let scrape = tidemark.next_cycle();
    assert_eq!(scrape.value("tidemark_up", &[]), Some(1.0));
    assert_eq!(scrape.total("tidemark_cycles_total", &[("result", "failed")]), 0.0);
    assert_eq!(scrape.total("tidemark_kafka_errors_total", &[]), 0.0);
    let log = tidemark.log();
    assert!(!log.contains(CLIENT_SECRET) && !log.contains("eyJ"), "a secret is told");
}
