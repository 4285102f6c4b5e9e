//! TLS, SASL, and sessions that a broker limits.

use super::*;

#[tokio::test(flavor = "multi_thread")]
async fn every_mechanism_logs_in_over_tls_and_a_wrong_password_is_told_in_the_brokers_words() {
    let Some(kafka) = Kafka::shared() else { return };
    let tls = json!({"ca_file": kafka.secure().authority});
    for mechanism in ["PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"] {
        let sasl = |password: &str| json!({"tls": tls, "sasl": {"mechanism": mechanism, "username": USER, "password": password}});
        let mut client = Client::new(cluster(&kafka.sasl_ssl(), &sasl(PASSWORD)));
        assert_eq!(
            client.brokers(soon()).await.map(|brokers| brokers.len()),
            Ok(1),
            "{mechanism}"
        );
        let mut client = Client::new(cluster(&kafka.sasl_ssl(), &sasl("not the password")));
        let failure = client.brokers(soon()).await.expect_err("a wrong password");
        assert_eq!(failure.cause, Cause::Authentication, "{failure}");
        assert!(
            failure.to_string().to_lowercase().contains("invalid credentials")
                || failure.to_string().contains("Invalid username or password"),
            "{failure}"
        );
        assert!(!failure.to_string().contains("not the password"));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn who_is_not_trusted_or_brings_no_certificate_is_told_so() {
    let Some(kafka) = Kafka::shared() else { return };
    let secure = kafka.secure();
    let fails = async |address: &str, keys: Value| {
        Client::new(cluster(address, &keys))
            .brokers(soon())
            .await
            .expect_err("no way in")
    };
    let strange = fails(&kafka.sasl_ssl(), json!({"tls": {"ca_file": secure.strange_authority}})).await;
    assert_eq!(strange.cause, Cause::Tls);
    assert!(strange.to_string().contains("not trusted"), "{strange}");
    let bare = fails(&kafka.mutual_tls(), json!({"tls": {"ca_file": secure.authority}})).await;
    assert_eq!(bare.cause, Cause::Tls, "{bare}");
    let mutual = json!({"tls": {"ca_file": secure.authority, "cert_file": secure.client_certificate, "key_file": secure.client_key}});
    let mut client = Client::new(cluster(&kafka.mutual_tls(), &mutual));
    assert_eq!(client.brokers(soon()).await.map(|brokers| brokers.len()), Ok(1));
    // TLS spoken to a plain listener, and the other way round.
    let plain = fails(&kafka.bootstrap(), json!({"tls": {"ca_file": secure.authority}})).await;
    assert_eq!(plain.cause, Cause::Tls, "{plain}");
    let none = fails(&kafka.sasl_ssl(), json!({})).await;
    assert!(matches!(none.cause, Cause::Malformed | Cause::Disconnected), "{none}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_that_the_broker_limits_is_made_anew_before_it_ends() {
    let Some(kafka) = Kafka::with()
        .secure()
        .setting("connections.max.reauth.ms", "2000")
        .start()
    else {
        return;
    };
    let tls = json!({"ca_file": kafka.secure().authority});
    let sasl = json!({"mechanism": "SCRAM-SHA-512", "username": USER, "password": PASSWORD});
    let mut client = Client::new(cluster(&kafka.sasl_ssl(), &json!({"tls": tls, "sasl": sasl})));
    let began = Instant::now();
    while began.elapsed() < Duration::from_secs(6) {
        assert!(client.brokers(soon()).await.is_ok());
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    let calls = client.take_calls();
    assert!(calls.errors.is_empty(), "{:?}", calls.errors);
    let logins = calls.requests[&Api::SaslHandshake];
    assert!((3..=6).contains(&logins), "{logins} logins");
}
