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
    /// The authority itself, for more of what it signs.
    pub(crate) signer: Authority,
    /// Lines of `server.properties`.
    pub(super) settings: String,
}

impl Secure {
    /// Writes certificates for the brokers and for a client into `folder`.
    pub(crate) fn write(folder: &Path) -> Self {
        let authority = Authority::new("tidemark tests");
        let (server, server_key) = authority.issue(&["localhost", "127.0.0.1"]);
        let (expired, expired_key) = authority.issue_expired(&["localhost", "127.0.0.1"]);
        let (misnamed, misnamed_key) = authority.issue(&["elsewhere.example"]);
        let (client, client_key) = authority.issue(&["client"]);
        let write = |name: &str, text: &str| {
            let file = folder.join(name);
            fs::write(&file, text).expect("a file");
            file
        };
        let keystores = [
            write("server.pem", &(server_key + &server)),
            write("expired.pem", &(expired_key + &expired)),
            write("misnamed.pem", &(misnamed_key + &misnamed)),
        ];
        let signer = authority;
        let authority = write("authority.pem", &signer.pem());
        Self {
            settings: settings(&keystores, &authority),
            authority,
            signer,
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

fn settings([keystore, expired, misnamed]: &[PathBuf; 3], authority: &Path) -> String {
    let mut settings = format!(
        "ssl.keystore.type=PEM
ssl.keystore.location={}
ssl.truststore.type=PEM
ssl.truststore.location={}
listener.name.mutual.ssl.client.auth=required
listener.name.expired.ssl.keystore.location={}
listener.name.misnamed.ssl.keystore.location={}
listener.name.secure.sasl.enabled.mechanisms=PLAIN,SCRAM-SHA-256,SCRAM-SHA-512,OAUTHBEARER
listener.name.secure.oauthbearer.connections.max.reauth.ms=3600000
listener.name.secure.oauthbearer.sasl.jaas.config=org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginModule required unsecuredLoginStringClaim_sub=\"broker\";
listener.name.secure.plain.sasl.jaas.config=org.apache.kafka.common.security.plain.PlainLoginModule required user_{USER}=\"{PASSWORD}\";
",
        keystore.display(),
        authority.display(),
        expired.display(),
        misnamed.display(),
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

/// Who signs certificates.
pub(crate) struct Authority(CertifiedIssuer<'static, KeyPair>);

impl Authority {
    pub(crate) fn new(name: &str) -> Self {
        let mut params = CertificateParams::new([]).expect("no names are valid names");
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.distinguished_name.push(rcgen::DnType::CommonName, name);
        let key = KeyPair::generate().expect("a key");
        Self(CertifiedIssuer::self_signed(params, key).expect("a certificate"))
    }

    /// A certificate for the names, and its key.
    pub(crate) fn issue(&self, names: &[&str]) -> (String, String) {
        self.sign(&named(names))
    }

    /// The same, good for one day long ago.
    fn issue_expired(&self, names: &[&str]) -> (String, String) {
        let mut params = named(names);
        params.not_before = rcgen::date_time_ymd(2001, 1, 1);
        params.not_after = rcgen::date_time_ymd(2001, 1, 2);
        self.sign(&params)
    }

    fn sign(&self, params: &CertificateParams) -> (String, String) {
        let key = KeyPair::generate().expect("a key");
        let certificate = params.signed_by(&key, &self.0).expect("a certificate");
        (certificate.pem(), key.serialize_pem())
    }

    pub(crate) fn pem(&self) -> String {
        self.0.pem()
    }
}

fn named(names: &[&str]) -> CertificateParams {
    let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
    CertificateParams::new(names).expect("valid names")
}
