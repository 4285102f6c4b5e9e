//! TLS and SASL against a real listener: who may come in, and what is said to who may not.

use serde_json::Value;
use serde_json::json;

use crate::support::Kafka;
use crate::support::PASSWORD;
use crate::support::Scrape;
use crate::support::Tidemark;
use crate::support::USER;
use crate::support::unique;

fn a_level_group(kafka: &Kafka) -> String {
    let (topic, group) = (kafka.topic(1), unique("group"));
    kafka.commit(&group, &[(&topic, 0, 0)]);
    group
}

fn sasl(mechanism: &str, password: &str) -> Value {
    json!({"mechanism": mechanism, "username": USER, "password": password})
}

fn errors(scrape: &Scrape, code: &str) -> f64 {
    scrape.total("tidemark_kafka_errors_total", &[("code", code)])
}

#[test]
fn sasl_ssl_lets_in_who_knows_the_password_by_every_mechanism() {
    let Some(kafka) = Kafka::shared() else { return };
    let group = a_level_group(kafka);
    for mechanism in ["SCRAM-SHA-512", "SCRAM-SHA-256", "PLAIN"] {
        let tidemark = Tidemark::of(&kafka.sasl_ssl())
            .cluster("tls", json!({"ca_file": kafka.secure().authority}))
            .cluster("sasl", sasl(mechanism, PASSWORD))
            .start();
        assert_eq!(tidemark.next_cycle().lag(&group), Some(0.0), "{mechanism}");
    }
}

#[test]
fn a_wrong_password_says_so_and_is_not_said() {
    let Some(kafka) = Kafka::shared() else { return };
    let wrong = "not the password at all";
    for mechanism in ["SCRAM-SHA-512", "PLAIN"] {
        let tidemark = Tidemark::of(&kafka.sasl_ssl())
            .cluster("tls", json!({"ca_file": kafka.secure().authority}))
            .cluster("sasl", sasl(mechanism, wrong))
            .unready()
            .start();
        let scrape = tidemark.scrape_until("it is counted", |scrape| {
            errors(scrape, "SASL_AUTHENTICATION_FAILED") > 0.0
        });
        assert_eq!(scrape.value("tidemark_up", &[]), Some(0.0));
        let log = tidemark.log();
        assert!(log.to_lowercase().contains("authentication"), "{mechanism}: {log}");
        assert!(!log.contains(wrong), "the password is in the log");
    }
}

#[test]
fn a_certificate_of_a_strange_authority_is_refused() {
    let Some(kafka) = Kafka::shared() else { return };
    let tidemark = Tidemark::of(&kafka.sasl_ssl())
        .cluster("tls", json!({"ca_file": kafka.secure().strange_authority}))
        .cluster("sasl", sasl("SCRAM-SHA-512", PASSWORD))
        .unready()
        .start();
    let scrape = tidemark.scrape_until("it is counted", |scrape| errors(scrape, "TLS_HANDSHAKE_FAILED") > 0.0);
    assert_eq!(scrape.value("tidemark_up", &[]), Some(0.0));
    assert!(
        tidemark.log().to_lowercase().contains("certificate"),
        "{}",
        tidemark.log()
    );
}

#[test]
fn a_listener_that_wants_a_client_certificate_gets_one() {
    let Some(kafka) = Kafka::shared() else { return };
    let (group, secure) = (a_level_group(kafka), kafka.secure());
    let known = json!({
        "ca_file": secure.authority,
        "cert_file": secure.client_certificate,
        "key_file": secure.client_key,
    });
    let tidemark = Tidemark::of(&kafka.mutual_tls()).cluster("tls", known).start();
    assert_eq!(tidemark.next_cycle().lag(&group), Some(0.0));

    let stranger = Tidemark::of(&kafka.mutual_tls()).cluster("tls", json!({"ca_file": secure.authority}));
    let scrape = stranger
        .unready()
        .start()
        .scrape_until("nobody comes in without", |scrape| {
            scrape.total("tidemark_cycles_total", &[("result", "failed")]) >= 2.0
        });
    assert_eq!(
        (scrape.value("tidemark_up", &[]), scrape.count("kafka_group_")),
        (Some(0.0), 0)
    );
}
