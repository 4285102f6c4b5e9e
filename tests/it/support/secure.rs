//! Certificates, users and the broker settings that go with them.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::path::PathBuf;

use rcgen::BasicConstraints;
use rcgen::CertificateParams;
use rcgen::CertifiedIssuer;
use rcgen::IsCa;
use rcgen::KeyPair;

/// The user that every SASL mechanism knows.
pub(crate) const USER: &str = "alice";
/// Its password.
pub(crate) const PASSWORD: &str = "wonder;land=2";

/// What a client needs to come in by the secure listeners.
pub(crate) struct Secure {
    /// The authority that signed all of it.
    pub(crate) authority: PathBuf,
    /// The client's certificate.
    pub(crate) client_certificate: PathBuf,
    /// The client's key.
    pub(crate) client_key: PathBuf,
    /// An authority that signed none of it.
    pub(crate) strange_authority: PathBuf,
    /// Lines of `server.properties`.
    pub(super) settings: String,
}

impl Secure {
    /// Writes certificates for the brokers and for a client into `folder`.
    pub(crate) fn write(folder: &Path) -> Self {
        let authority = Authority::new("tidemark tests");
        let (server, server_key) = authority.issue(&["localhost", "127.0.0.1"]);
        let (client, client_key) = authority.issue(&["client"]);
        let write = |name: &str, text: &str| {
            let file = folder.join(name);
            fs::write(&file, text).expect("a file");
            file
        };
        let keystore = write("server.pem", &(server_key + &server));
        let authority = write("authority.pem", &authority.pem());
        Self {
            settings: settings(&keystore, &authority),
            authority,
            client_certificate: write("client.pem", &client),
            client_key: write("client.key", &client_key),
            strange_authority: write("strange.pem", &Authority::new("a stranger").pem()),
        }
    }

    /// Arguments of the format command that make the user known to SCRAM.
    pub(super) fn scram_users(&self) -> Vec<String> {
        let user = |mechanism| format!("{mechanism}=[name={USER},password=\"{PASSWORD}\"]");
        ["SCRAM-SHA-256", "SCRAM-SHA-512"]
            .iter()
            .flat_map(|m| ["--add-scram".to_owned(), user(m)])
            .collect()
    }
}

fn settings(keystore: &Path, authority: &Path) -> String {
    let mut settings = format!(
        "ssl.keystore.type=PEM
ssl.keystore.location={}
ssl.truststore.type=PEM
ssl.truststore.location={}
listener.name.mutual.ssl.client.auth=required
listener.name.secure.sasl.enabled.mechanisms=PLAIN,SCRAM-SHA-256,SCRAM-SHA-512
listener.name.secure.plain.sasl.jaas.config=org.apache.kafka.common.security.plain.PlainLoginModule required user_{USER}=\"{PASSWORD}\";
",
        keystore.display(),
        authority.display()
    );
    for mechanism in ["scram-sha-256", "scram-sha-512"] {
        let module = "org.apache.kafka.common.security.scram.ScramLoginModule";
        let _ = writeln!(
            settings,
            "listener.name.secure.{mechanism}.sasl.jaas.config={module} required;"
        );
    }
    settings
}

struct Authority(CertifiedIssuer<'static, KeyPair>);

impl Authority {
    fn new(name: &str) -> Self {
        let mut params = CertificateParams::new([]).expect("no names are valid names");
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.distinguished_name.push(rcgen::DnType::CommonName, name);
        let key = KeyPair::generate().expect("a key");
        Self(CertifiedIssuer::self_signed(params, key).expect("a certificate"))
    }

    /// A certificate for the names, and its key.
    fn issue(&self, names: &[&str]) -> (String, String) {
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        let params = CertificateParams::new(names).expect("valid names");
        let key = KeyPair::generate().expect("a key");
        let certificate = params.signed_by(&key, &self.0).expect("a certificate");
        (certificate.pem(), key.serialize_pem())
    }

    fn pem(&self) -> String {
        self.0.pem()
    }
}
