use super::*;
use crate::config::Authorities;
use crate::config::Identity;
use crate::config::Material;
use crate::config::Place;
use crate::config::Sasl;
use crate::config::TokenSource;

/// A folder with stores of each kind, and what is read of a client file in it, in which `$DIR` is the folder.
struct Client(tempfile::TempDir);

impl Client {
    fn new() -> Self {
        let client = Self(tempfile::tempdir().unwrap());
        let pem = "-----BEGIN CERTIFICATE-----\nMA==\n-----END CERTIFICATE-----\n";
        let key = "-----BEGIN PRIVATE KEY-----\nMA==\n-----END PRIVATE KEY-----\n";
        client.write("ca.pem", pem.as_bytes());
        client.write("key.pem", key.as_bytes());
        client.write("both.pem", (key.to_owned() + pem).as_bytes());
        client.write("store.p12", b"\x30\x82");
        client.write("store.jks", b"\xfe\xed\xfe\xed\0\0\0\x02");
        client.write("token", b"abc");
        client
    }

    fn write(&self, name: &str, content: &[u8]) {
        std::fs::write(self.0.path().join(name), content).unwrap();
    }

    fn read(&self, text: &str) -> Result<Security, Vec<String>> {
        let text = text.replace("$DIR", &self.0.path().display().to_string());
        self.write("client.properties", text.as_bytes());
        super::read(&self.0.path().join("client.properties")).map_err(|error| error.problems)
    }
}

fn login(security: &Security) -> (&'static str, String, String) {
    match security.sasl.as_ref() {
        Some(Sasl::Password(login)) => (login.mechanism.as_str(), login.username.clone(), shown(&login.password)),
        other => panic!("{other:?}"),
    }
}

fn shown(material: &Material) -> String {
    match &material.place {
        Place::Inline(secret) => secret.expose().to_owned(),
        Place::File(path) => path.file_name().unwrap().to_string_lossy().into_owned(),
    }
}

#[test]
fn a_file_of_a_java_client_is_understood_with_all_its_escapes() {
    let security = Client::new().read(
        r#"
# as the console tools take it
! and a comment of the other kind
bootstrap.servers = kafka:9092
security.protocol : SASL_SSL
sasl.mechanism SCRAM-SHA-512
sasl.jaas.config=org.apache.kafka.common.security.scram.ScramLoginModule required \
    username="al\\"ice" \
    password="wo\\\\nder;land=2 \u00fc";
ssl.truststore.location=$DIR/store.p12
ssl.truststore.password=changeit
ssl.endpoint.identification.algorithm=
"#,
    );
    let security = security.unwrap();
    let (mechanism, user, password) = login(&security);
    assert_eq!((mechanism, user.as_str()), ("SCRAM-SHA-512", "al\"ice"));
    assert_eq!(password, "wo\\nder;land=2 ü");
    let tls = security.tls.unwrap();
    assert!(!tls.verify_hostname);
    match tls.authorities {
        Some(Authorities::Store(store)) => {
            assert_eq!(shown(&store.file), "store.p12");
            assert_eq!(store.password.as_ref().map(shown).as_deref(), Some("changeit"));
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_file_of_librdkafka_is_understood_and_its_backslashes_are_backslashes() {
    let security = Client::new().read(
        r"
metadata.broker.list=kafka:9092
security.protocol=sasl_ssl
sasl.mechanisms=PLAIN
sasl.username=alice
sasl.password=a\b=c:d#e
ssl.ca.location=$DIR/ca.pem
ssl.certificate.location=$DIR/ca.pem
ssl.key.location=$DIR/key.pem
",
    );
    let security = security.unwrap();
    assert_eq!(login(&security), ("PLAIN", "alice".to_owned(), r"a\b=c:d#e".to_owned()));
    let tls = security.tls.unwrap();
    assert!(tls.verify_hostname);
    assert!(matches!(&tls.authorities, Some(Authorities::Pem(file)) if shown(file) == "ca.pem"));
    assert!(matches!(&tls.identity, Some(Identity::Pem { key, .. }) if shown(key) == "key.pem"));
}

#[test]
fn stores_in_pem_form_and_pem_in_the_file_itself_are_understood() {
    let client = Client::new();
    let stores = "security.protocol=SSL\nssl.keystore.type=PEM\nssl.keystore.location=$DIR/both.pem\nssl.truststore.type=PEM\nssl.truststore.location=$DIR/ca.pem\n";
    let tls = client.read(stores).unwrap().tls.unwrap();
    assert!(matches!(&tls.identity, Some(Identity::Pem { chain, key, .. }) if chain == key));
    let inline = "security.protocol=SSL\n\
        ssl.truststore.certificates=-----BEGIN CERTIFICATE----- \\\n MA== \\\n -----END CERTIFICATE-----\n\
        ssl.keystore.certificate.chain=-----BEGIN CERTIFICATE----- MA== -----END CERTIFICATE-----\n\
        ssl.keystore.key=-----BEGIN ENCRYPTED PRIVATE KEY----- MA== -----END ENCRYPTED PRIVATE KEY-----\n\
        ssl.key.password=open sesame\n";
    let tls = client.read(inline).unwrap().tls.unwrap();
    let Some(Authorities::Pem(authority)) = &tls.authorities else {
        panic!("{tls:?}");
    };
    assert_eq!(
        shown(authority),
        "-----BEGIN CERTIFICATE-----\nMA==\n-----END CERTIFICATE-----\n"
    );
    assert!(matches!(
        &tls.identity,
        Some(Identity::Pem {
            passphrase: Some(_),
            ..
        })
    ));
}

#[test]
fn tokens_are_understood_in_both_dialects() {
    let client = Client::new();
    let java = r#"
security.protocol=SASL_SSL
sasl.mechanism=OAUTHBEARER
sasl.login.callback.handler.class=org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginCallbackHandler
sasl.oauthbearer.token.endpoint.url=https://idp.example/token
sasl.jaas.config=org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginModule required clientId='me' clientSecret="secret" scope="kafka" extension_logicalCluster="lkc-1";
"#;
    let rdkafka = "
security.protocol=SASL_SSL
sasl.mechanisms=OAUTHBEARER
sasl.oauthbearer.method=oidc
sasl.oauthbearer.token.endpoint.url=https://idp.example/token
sasl.oauthbearer.client.id=me
sasl.oauthbearer.client.secret=secret
sasl.oauthbearer.scope=kafka
sasl.oauthbearer.extensions=logicalCluster=lkc-1
";
    for text in [java, rdkafka] {
        let security = client.read(text).unwrap();
        let Some(Sasl::Bearer(login)) = security.sasl else {
            panic!("{text}");
        };
        assert_eq!(login.extensions, ["logicalCluster=lkc-1"]);
        let TokenSource::Endpoint(endpoint) = login.source else {
            panic!("{text}");
        };
        assert_eq!(
            (endpoint.client_id.as_str(), endpoint.scope.as_deref()),
            ("me", Some("kafka"))
        );
        assert_eq!(shown(&endpoint.client_secret), "secret");
    }
    let held = "security.protocol=SASL_SSL\nsasl.mechanism=OAUTHBEARER\nsasl.oauthbearer.token.endpoint.url=file://$DIR/token\n";
    let security = client.read(held).unwrap();
    assert!(matches!(
        security.sasl,
        Some(Sasl::Bearer(crate::config::Bearer {
            source: TokenSource::Held(_),
            ..
        }))
    ));
}

#[test]
fn what_is_not_used_is_not_held_against_a_file() {
    let text = "sasl.mechanism=GSSAPI\nssl.truststore.location=/nowhere.jks\nacks=all\n";
    assert_eq!(Client::new().read(text), Ok(Security::default()));
}

#[test]
fn what_is_not_served_is_refused_with_what_to_do_and_without_values() {
    let ssl = "security.protocol=SSL\n";
    let sasl = "security.protocol=SASL_PLAINTEXT\n";
    let jaas = "sasl.mechanism=PLAIN\nsasl.jaas.config=";
    for (text, told) in [
        ("security.protocol=TLS", "security.protocol: must be PLAINTEXT, SSL"),
        (
            &format!("{ssl}ssl.truststore.location=$DIR/store.jks"),
            "ssl.truststore.location: is a JKS store, which only Java reads: keytool -importkeystore",
        ),
        (
            &format!("{ssl}ssl.keystore.location=$DIR/token"),
            "ssl.keystore.location: must be a store in PEM or PKCS12 form",
        ),
        (
            &format!("{ssl}ssl.keystore.key=hunter2"),
            "ssl.keystore.key: its certificate is missing",
        ),
        (
            &format!("{ssl}enable.ssl.certificate.verification=false"),
            "enable.ssl.certificate.verification: cannot be switched off",
        ),
        (
            &format!("{ssl}ssl.key.password=${{file:/hunter2:key}}"),
            "ssl.key.password: ${…} is not filled in",
        ),
        (
            &format!("{ssl}ssl.engine.factory.class=hunter2"),
            "ssl.engine.factory.class: is Java code",
        ),
        (sasl, "sasl.mechanism: missing: PLAIN, "),
        (
            &format!("{sasl}sasl.mechanism=DIGEST-MD5"),
            "sasl.mechanism: must be PLAIN, ",
        ),
        (
            &format!("{sasl}{jaas}x.PlainLoginModule required username=\"hunter2"),
            "sasl.jaas.config: must be one login module",
        ),
        (
            &format!("{sasl}{jaas}x.PlainLoginModule required username=\"u\" password=\"hunter2\"; y.Z required;"),
            "sasl.jaas.config: must be one login module",
        ),
        (
            &format!("{sasl}{jaas}x.ScramLoginModule required username=\"u\" password=\"hunter2\";"),
            "sasl.jaas.config: must be a PlainLoginModule for this sasl.mechanism",
        ),
        (
            &format!("{sasl}{jaas}x.PlainLoginModule required password=\"hunter2\";"),
            "sasl.jaas.config: username is missing",
        ),
        (
            &format!("{sasl}sasl.mechanism=OAUTHBEARER\nsasl.login.callback.handler.class=com.example.Hunter2"),
            "sasl.login.callback.handler.class: is Java code that tidemark does not know",
        ),
    ] {
        let problems = Client::new().read(text).unwrap_err().join("\n");
        assert!(problems.contains(told), "{text}: {problems}");
        assert!(!problems.to_lowercase().contains("hunter2"), "{problems}");
    }
}
