//! Client files as people have them, each with both clients.

use std::path::Path;
use std::process::Command;

use openssl::pkcs12::Pkcs12;
use openssl::pkey::PKey;
use openssl::x509::X509;
use serde_json::json;
use tempfile::TempDir;

use super::Both;
use super::topic;
use crate::support::CLIENT_SECRET;
use crate::support::Kafka;
use crate::support::PASSWORD;
use crate::support::TokenEndpoint;
use crate::support::USER;
use crate::support::cli;
use crate::support::written;

const STORE_PASSWORD: &str = "store;pass=4";

/// What goes before the settings of each file.
fn both(bootstrap: &str, folder: &TempDir, text: &str) -> Both {
    let file = written(folder.path(), "client.properties", text);
    Both::of(bootstrap, &json!({"client_properties": file}))
}

#[test]
fn real_client_files_of_java_and_of_librdkafka_let_both_clients_in() {
    let Some(kafka) = Kafka::shared() else { return };
    let (topic, folder) = (topic(kafka), tempfile::tempdir().expect("a folder"));
    let authority = kafka.secure().authority.display();
    let java = format!(
        r#"security.protocol=SASL_SSL
sasl.mechanism=SCRAM-SHA-256
sasl.jaas.config=org.apache.kafka.common.security.scram.ScramLoginModule required username="{USER}" password="{PASSWORD}";
ssl.truststore.type=PEM
ssl.truststore.location={authority}
"#
    );
    let librdkafka = format!(
        "security.protocol=sasl_ssl\nsasl.mechanisms=PLAIN\nsasl.username={USER}\nsasl.password={PASSWORD}\nssl.ca.location={authority}\n"
    );
    let pem = std::fs::read_to_string(&kafka.secure().authority).expect("a file");
    let inline = format!(
        r#"security.protocol=SASL_SSL
sasl.mechanism=PLAIN
sasl.jaas.config=org.apache.kafka.common.security.plain.PlainLoginModule required \
  username="{USER}" \
  password="{PASSWORD}";
ssl.truststore.type=PEM
ssl.truststore.certificates={}
"#,
        pem.trim().replace('\n', " \\\n ")
    );
    let endpoint = TokenEndpoint::start(&kafka.secure().signer, std::time::Duration::from_secs(600));
    let tokens = format!(
        "security.protocol=SASL_SSL\nsasl.mechanisms=OAUTHBEARER\nsasl.oauthbearer.method=oidc\nsasl.oauthbearer.token.endpoint.url={}\n\
         sasl.oauthbearer.client.id=client\nsasl.oauthbearer.client.secret={CLIENT_SECRET}\nhttps.ca.location={authority}\nssl.ca.location={authority}\n",
        endpoint.url()
    );
    for text in [java, librdkafka, inline, tokens] {
        both(&kafka.sasl_ssl(), &folder, &text).come_in(&topic);
    }
}

/// The client's certificate in a PKCS #12 file of OpenSSL's.
fn keystore(kafka: &Kafka, folder: &Path) -> std::path::PathBuf {
    let secure = kafka.secure();
    let read = |path: &Path| std::fs::read(path).expect("a file");
    let certificate = X509::from_pem(&read(&secure.client_certificate)).expect("a certificate");
    let key = PKey::private_key_from_pem(&read(&secure.client_key)).expect("a key");
    let sealed = Pkcs12::builder()
        .name("client")
        .pkey(&key)
        .cert(&certificate)
        .build2(STORE_PASSWORD)
        .expect("a store");
    let file = folder.join("keystore.p12");
    std::fs::write(&file, sealed.to_der().expect("DER")).expect("a file");
    file
}

fn keytool(arguments: &[&str]) {
    let run = Command::new("keytool")
        .args(arguments)
        .output()
        .expect("keytool starts");
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stdout));
}

#[test]
fn real_stores_in_pkcs12_form_let_both_clients_in_and_jks_is_refused_with_what_to_do() {
    let Some(kafka) = Kafka::shared() else { return };
    if !crate::support::have(&["keytool"]) {
        return;
    }
    let (topic, folder) = (topic(kafka), tempfile::tempdir().expect("a folder"));
    let keystore = keystore(kafka, folder.path());
    let authority = kafka.secure().authority.display().to_string();
    let store = |name: &str, form: &str| {
        let file = folder.path().join(name).display().to_string();
        let import = [
            "-importcert",
            "-noprompt",
            "-alias",
            "ca",
            "-file",
            &authority,
            "-keystore",
            &file,
        ];
        keytool(&[&import[..], &["-storetype", form, "-storepass", STORE_PASSWORD]].concat());
        file
    };
    let text = |truststore: &str| {
        format!(
            "security.protocol=SSL\nssl.keystore.type=PKCS12\nssl.keystore.location={}\nssl.keystore.password={STORE_PASSWORD}\n\
             ssl.truststore.location={truststore}\nssl.truststore.password={STORE_PASSWORD}\n",
            keystore.display()
        )
    };
    both(&kafka.mutual_tls(), &folder, &text(&store("trust.p12", "PKCS12"))).come_in(&topic);

    let file = written(folder.path(), "jks.properties", &text(&store("trust.jks", "JKS")));
    let config = json!({"clusters": [{"name": "main", "bootstrap_servers": "k:1", "client_properties": file}]});
    let config = written(folder.path(), "tidemark.json", &config.to_string());
    let run = cli(&["check-config", "-c", &config.display().to_string()]);
    let told = String::from_utf8_lossy(&run.stderr).into_owned();
    assert_eq!(run.status.code(), Some(64), "{told}");
    assert!(
        told.contains("clusters[0].client_properties: ssl.truststore.location: is a JKS store")
            && told.contains("keytool"),
        "{told}"
    );
    assert!(!told.contains(STORE_PASSWORD), "{told}");
}
