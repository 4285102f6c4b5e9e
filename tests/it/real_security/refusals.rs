//! Who stays out, and what is said about it.

use serde_json::Value;
use serde_json::json;
use tidemark::failure::Cause;

use super::Both;
use super::sasl;
use super::tls;
use super::topic;
use crate::support::Kafka;
use crate::support::PASSWORD;
use crate::support::Tidemark;
use crate::support::unique;

const WRONG: &str = "not-the-password-at-all";

/// Ways to stay out of the cluster: where, by which keys, why, and what names the setting.
fn refusals(kafka: &Kafka) -> Vec<(&'static str, String, Value, Cause, &'static [&'static str])> {
    let strange = json!({"ca_file": kafka.secure().strange_authority});
    let login = sasl("SCRAM-SHA-512", PASSWORD);
    vec![
        (
            "wrong-scram",
            kafka.sasl_ssl(),
            json!({"tls": tls(kafka), "sasl": sasl("SCRAM-SHA-512", WRONG)}),
            Cause::Authentication,
            &["sasl.username, sasl.password: "],
        ),
        (
            "wrong-plain",
            kafka.sasl_ssl(),
            json!({"tls": tls(kafka), "sasl": sasl("PLAIN", WRONG)}),
            Cause::Authentication,
            &["sasl.username, sasl.password: "],
        ),
        (
            "unknown-authority",
            kafka.sasl_ssl(),
            json!({"tls": strange, "sasl": login}),
            Cause::Tls,
            &["tls: ", "not trusted", "tls.ca_file"],
        ),
        (
            "expired",
            kafka.expired(),
            json!({"tls": tls(kafka)}),
            Cause::Tls,
            &["tls: ", "certificate has expired", "renewed"],
        ),
        (
            "wrong-host",
            kafka.misnamed(),
            json!({"tls": tls(kafka)}),
            Cause::Tls,
            &["tls: ", "mismatch", "tls.verify_hostname"],
        ),
    ]
}

#[test]
fn real_neither_client_comes_in_wrongly_and_the_setting_is_named() {
    let Some(kafka) = Kafka::shared() else { return };
    let topic = topic(kafka);
    for (name, bootstrap, keys, cause, words) in refusals(kafka) {
        let told = Both::of(&bootstrap, &keys).stay_out(&topic, cause);
        for word in words {
            assert!(told.contains(word), "{name}: {told}");
        }
        assert!(!told.contains(WRONG) && !told.contains(PASSWORD), "{name}: {told}");
    }
    // Whoever does not look at the name comes in all the same.
    let mut careless = tls(kafka);
    careless["verify_hostname"] = false.into();
    Both::of(&kafka.misnamed(), &json!({"tls": careless})).come_in(&topic);
}

#[test]
fn real_a_cluster_that_cannot_be_reached_is_named_with_its_setting_and_harms_no_other() {
    let Some(kafka) = Kafka::shared() else { return };
    let (topic, group) = (topic(kafka), unique("group"));
    kafka.commit(&group, &[(&topic, 0, 0)]);
    let refusals = refusals(kafka);
    let builder = refusals
        .iter()
        .fold(Tidemark::of(&kafka.bootstrap()), |builder, (name, at, keys, ..)| {
            let mut cluster = keys.clone();
            cluster["name"] = (*name).into();
            cluster["bootstrap_servers"] = at.clone().into();
            builder.another(cluster)
        });
    let tidemark = builder.set("log", json!({"level": "trace"})).start();
    let scrape = tidemark.scrape_until("all of them have failed twice", |scrape| {
        refusals.iter().all(|(name, ..)| {
            let failed = [("kafka_cluster", *name), ("result", "failed")];
            scrape.value("tidemark_cycles_total", &failed) >= Some(2.0)
        })
    });
    let of_main = |name| scrape.value(name, &[("kafka_cluster", "main")]);
    assert_eq!(of_main("tidemark_up"), Some(1.0));
    assert_eq!(scrape.lag(&group), Some(1.0));
    let log = tidemark.log();
    for (name, _, _, _, words) in &refusals {
        let named = format!("cluster=\"{name}\"");
        let line = log
            .lines()
            .find(|line| line.contains("cannot be used") && line.contains(&named))
            .unwrap_or_else(|| panic!("{name}: {log}"));
        assert!(words.iter().all(|word| line.contains(word)), "{line}");
    }
    let mut said = log + &tidemark.api("/clusters").to_string();
    for (name, ..) in &refusals {
        said += &tidemark.api(&format!("/clusters/{name}/groups")).to_string();
    }
    for path in ["/metrics", "/"] {
        said += &String::from_utf8_lossy(&tidemark.get(path, &[]).expect("an answer").body);
    }
    assert!(!said.contains(WRONG) && !said.contains(PASSWORD), "a password is told");
}
