//! TLS and SASL on real listeners, each way in with both Kafka clients: the survey on the wire, and librdkafka for the times of records. What
//! the daemon says about it is in `real_secure`.

mod client_files;
mod clients;
mod moved;
mod refusals;
mod rotation;
mod tokens;

use serde_json::Value;
use serde_json::json;

use crate::support::Kafka;
use crate::support::PASSWORD;
use crate::support::USER;

use clients::Both;

/// A topic with one record, to be read by both clients.
fn topic(kafka: &Kafka) -> String {
    let topic = kafka.topic(1);
    kafka.produce_to(&[(&topic, 0)], 1, Some(3_600_000));
    topic
}

fn tls(kafka: &Kafka) -> Value {
    json!({"ca_file": kafka.secure().authority})
}

fn sasl(mechanism: &str, password: &str) -> Value {
    json!({"mechanism": mechanism, "username": USER, "password": password})
}

#[test]
fn real_both_clients_come_in_by_password_and_by_certificate() {
    let Some(kafka) = Kafka::shared() else { return };
    let topic = topic(kafka);
    for mechanism in ["PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"] {
        Both::of(
            &kafka.sasl_ssl(),
            &json!({"tls": tls(kafka), "sasl": sasl(mechanism, PASSWORD)}),
        )
        .come_in(&topic);
    }
    let shown = json!({
        "ca_file": kafka.secure().authority,
        "cert_file": kafka.secure().client_certificate,
        "key_file": kafka.secure().client_key,
    });
    Both::of(&kafka.mutual_tls(), &json!({"tls": shown})).come_in(&topic);
    assert!(
        !kafka.groups().contains_key("tidemark-record-times"),
        "no group is ever joined"
    );
}
