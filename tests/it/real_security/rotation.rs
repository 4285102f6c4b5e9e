//! What is replaced on disk is taken up without a restart, by both clients.

use serde_json::json;
use tidemark::failure::Cause;

use super::Both;
use super::tls;
use super::topic;
use crate::support::Kafka;
use crate::support::unique;
use crate::support::wait::PATIENCE;
use crate::support::wait::eventually;
use crate::support::written;

/// Makes the user known by that password, or changes it.
fn set_password(kafka: &Kafka, user: &str, password: &str) {
    let config = format!("SCRAM-SHA-512=[iterations=4096,password={password}]");
    let arguments = [
        "--alter",
        "--add-config",
        &config,
        "--entity-type",
        "users",
        "--entity-name",
        user,
    ];
    kafka.tool("ConfigCommand", &arguments);
}

#[test]
fn real_a_password_changed_at_kafka_and_on_disk_is_taken_up() {
    let Some(kafka) = Kafka::shared() else { return };
    let (topic, user) = (topic(kafka), unique("user"));
    let folder = tempfile::tempdir().expect("a folder");
    let file = written(folder.path(), "password", "first");
    let sasl = json!({"mechanism": "SCRAM-SHA-512", "username": user, "password_file": file});
    let java = |password: &str| {
        format!(
            "security.protocol=SASL_SSL\nsasl.mechanism=SCRAM-SHA-512\n\
             sasl.jaas.config=x.ScramLoginModule required username=\"{user}\" password=\"{password}\";\n\
             ssl.truststore.location={}\n",
            kafka.secure().authority.display()
        )
    };
    let properties = written(folder.path(), "client.properties", &java("first"));
    set_password(kafka, &user, "first");
    let mut by_file = Both::of(&kafka.sasl_ssl(), &json!({"tls": tls(kafka), "sasl": sasl}));
    let mut by_properties = Both::of(&kafka.sasl_ssl(), &json!({"client_properties": properties}));
    by_file.come_in_soon(&topic);
    by_properties.come_in_soon(&topic);

    set_password(kafka, &user, "second");
    // Brokers hear of it a moment later.
    let mut late = eventually("the old password is refused", PATIENCE, || {
        let mut late = Both::of(&kafka.sasl_ssl(), &json!({"client_properties": properties}));
        late.survey().is_err().then_some(late)
    });
    late.stay_out(&topic, Cause::Authentication);
    written(folder.path(), "password", "second\n");
    written(folder.path(), "client.properties", &java("second"));
    by_file.come_in_soon(&topic);
    by_properties.come_in_soon(&topic);
    late.come_in_soon(&topic);
}

#[test]
fn real_certificates_replaced_on_disk_are_taken_up() {
    let Some(kafka) = Kafka::shared() else { return };
    let (topic, secure) = (topic(kafka), kafka.secure());
    let folder = tempfile::tempdir().expect("a folder");
    let put =
        |name, from: &std::path::Path| written(folder.path(), name, &std::fs::read_to_string(from).expect("a file"));
    // An authority that did not sign the broker, and a client certificate that the broker does not know.
    let authority = put("ca.pem", &secure.strange_authority);
    let stranger = crate::support::Authority::new("a stranger");
    let (certificate, key) = stranger.issue(&["client"]);
    let certificate = written(folder.path(), "client.pem", &certificate);
    let key = written(folder.path(), "client.key", &key);
    let shown = json!({"ca_file": authority, "cert_file": certificate, "key_file": key});
    let mut both = Both::of(&kafka.mutual_tls(), &json!({"tls": shown}));
    both.stay_out(&topic, Cause::Tls);
    put("ca.pem", &secure.authority);
    // The broker is trusted now, and does not trust.
    eventually("the new authority is taken up", PATIENCE, || {
        let told = both.fail(&topic);
        (!told.contains("tls.ca_file")).then_some(())
    });
    put("client.pem", &secure.client_certificate);
    put("client.key", &secure.client_key);
    both.come_in_soon(&topic);
    // And once more, with a client that is connected and well: a new certificate of the same authority.
    let (certificate, key) = secure.signer.issue(&["client, renewed"]);
    written(folder.path(), "client.pem", &certificate);
    written(folder.path(), "client.key", &key);
    both.come_in_soon(&topic);
}
