//! HTTPS, certificates and passwords of the scrape listener, by a web configuration file as Prometheus' exporters take it.

use std::fs;
use std::io::Read;
use std::io::Write;
use std::net::TcpStream;
use std::path::Path;
use std::path::PathBuf;
use std::time::Duration;

use openssl::ssl::SslConnector;
use openssl::ssl::SslFiletype;
use openssl::ssl::SslMethod;
use openssl::ssl::SslStream;
use rcgen::BasicConstraints;
use rcgen::CertificateParams;
use rcgen::CertifiedIssuer;
use rcgen::DnType;
use rcgen::IsCa;
use rcgen::KeyPair;
use rcgen::SerialNumber;
use tempfile::TempDir;
use tidemark::clock::Clock;
use tidemark::sim::story;

use crate::sim::running::Running;
use crate::support::Prometheus;
use crate::support::Tidemark;
use crate::support::cli;
use crate::support::until;

/// `ann:b`
const ANN: &str = "Authorization: Basic YW5uOmI=";
/// `ann:c`
const ANN_LATER: &str = "Authorization: Basic YW5uOmM=";

/// A folder with an authority, certificates by it, and the web configuration.
struct Folder {
    folder: TempDir,
    authority: CertifiedIssuer<'static, KeyPair>,
}

impl Folder {
    fn new() -> Self {
        let mut authority = CertificateParams::new(Vec::new()).expect("valid");
        authority.distinguished_name.push(DnType::CommonName, "authority");
        authority.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let authority = CertifiedIssuer::self_signed(authority, KeyPair::generate().expect("a key")).expect("signed");
        let folder = tempfile::tempdir().expect("a folder");
        let folder = Self { folder, authority };
        folder.write("ca.pem", &folder.authority.pem());
        folder
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.path("next"), text).expect("a file");
        fs::rename(self.path("next"), self.path(name)).expect("renamed");
    }

    /// A certificate `NAME.pem` for this host and its key `NAME.key`.
    fn certificate(&self, name: &str, host: &str, serial: u64) {
        let key = KeyPair::generate().expect("a key");
        let mut leaf = CertificateParams::new(vec![host.to_owned()]).expect("valid");
        leaf.serial_number = Some(SerialNumber::from(serial));
        let leaf = leaf.signed_by(&key, &self.authority).expect("signed");
        self.write(&format!("{name}.key"), &key.serialize_pem());
        self.write(&format!("{name}.pem"), &leaf.pem());
    }

    fn web(&self, text: &str) -> String {
        self.write("web.yml", text);
        self.path("web.yml").to_str().expect("UTF-8").to_owned()
    }

    /// A connection over TLS, and the serial number of the certificate that was shown.
    fn connect(&self, tidemark: &Tidemark, own: Option<&str>) -> Option<(SslStream<TcpStream>, u64)> {
        let mut connector = SslConnector::builder(SslMethod::tls_client()).expect("OpenSSL");
        connector.set_ca_file(self.path("ca.pem")).expect("a file");
        if let Some(own) = own {
            let (cert, key) = (self.path(&format!("{own}.pem")), self.path(&format!("{own}.key")));
            connector.set_certificate_chain_file(cert).expect("a file");
            connector.set_private_key_file(key, SslFiletype::PEM).expect("a file");
        }
        let stream = TcpStream::connect(tidemark.address()).expect("it listens");
        stream
            .set_read_timeout(Some(Duration::from_secs(15)))
            .expect("a timeout");
        let stream = connector.build().connect("localhost", stream).ok()?;
        let shown = stream.ssl().peer_certificate()?;
        let serial = shown.serial_number().to_bn().ok()?.to_dec_str().ok()?.parse().ok()?;
        Some((stream, serial))
    }
}

/// One request on a connection that is kept: its status; `None` when nothing comes.
fn ask(stream: &mut SslStream<TcpStream>, headers: &str) -> Option<u16> {
    write!(stream, "GET /-/healthy HTTP/1.1\r\nHost: x\r\n{headers}\r\n").ok()?;
    let mut answer = Vec::new();
    while !answer.ends_with(b"healthy\n") && answer.len() < 4096 {
        let mut byte = [0];
        if stream.read(&mut byte).ok()? == 0 {
            return None;
        }
        answer.push(byte[0]);
    }
    std::str::from_utf8(&answer).ok()?.get(9..12)?.parse().ok()
}

fn hash(password: &str) -> String {
    bcrypt::hash(password, 4).expect("a hash")
}

fn steady() -> Running {
    Running::new(|| story::start(Some("steady"), Clock::system(), 1))
}

#[test]
fn passwords_are_asked_for_and_changed_while_it_runs_and_a_wrong_file_changes_nothing() {
    let (cluster, folder) = (steady(), Folder::new());
    let file = folder.web(&format!("basic_auth_users: {{ann: {}}}", hash("b")));
    let tidemark = Tidemark::of(&cluster.bootstrap()).set("web_config_file", file).start();
    let status = |headers: &[&str]| tidemark.get("/metrics", headers).expect("an answer").status;
    assert_eq!((status(&[]), status(&[ANN_LATER]), status(&[ANN])), (401, 401, 200));
    assert_eq!(tidemark.get("/-/healthy", &[]).expect("an answer").status, 200);
    folder.web(&format!("basic_auth_users: {{ann: {}}}", hash("c")));
    until("the new password counts", || status(&[ANN_LATER]) == 200);
    assert_eq!(status(&[ANN]), 401);
    folder.web("basic_auth_users: {ann: hunter2-secret}");
    until("the problem is logged", || {
        tidemark
            .log()
            .contains("web_config_file.basic_auth_users.ann: must be a bcrypt hash")
    });
    assert_eq!((status(&[]), status(&[ANN_LATER])), (401, 200), "nothing changed");
    let metrics = tidemark.get("/metrics", &[ANN_LATER]).expect("an answer").text();
    assert!(metrics.contains("\ntidemark_config_last_reload_successful 0\n"));
    let log = tidemark.log();
    assert!(!log.contains("hunter2") && !log.contains("$2b$"), "{log}");
}

#[test]
fn certificates_are_read_again_and_no_connection_is_dropped() {
    let (cluster, folder) = (steady(), Folder::new());
    folder.certificate("server", "localhost", 1);
    let file = folder.web("tls_server_config: {cert_file: server.pem, key_file: server.key}");
    let tidemark = Tidemark::of(&cluster.bootstrap())
        .set("web_config_file", file)
        .unready()
        .start();
    let (mut first, serial) = folder.connect(&tidemark, None).expect("a handshake");
    assert_eq!((serial, ask(&mut first, "")), (1, Some(200)));
    folder.certificate("server", "localhost", 2);
    until("the new certificate is shown", || {
        folder.connect(&tidemark, None).is_some_and(|(_, serial)| serial == 2)
    });
    assert_eq!(
        ask(&mut first, ""),
        Some(200),
        "the connection by the old one is still there"
    );
    folder.write("server.pem", "no certificate");
    until("the problem is logged", || tidemark.log().contains("stays in force"));
    assert_eq!(folder.connect(&tidemark, None).expect("a handshake").1, 2);
    folder.certificate("server", "localhost", 3);
    until("what was mended is taken", || {
        folder.connect(&tidemark, None).is_some_and(|(_, serial)| serial == 3)
    });
    folder.web("{}");
    until("it is plain HTTP again", || {
        tidemark.get("/-/ready", &[]).is_ok_and(|answer| answer.status == 200)
    });
    assert_eq!(ask(&mut first, ""), Some(200));
}

#[test]
fn clients_show_certificates_by_the_authority_and_of_the_names_that_may_come() {
    let (cluster, folder) = (steady(), Folder::new());
    folder.certificate("server", "localhost", 1);
    folder.certificate("prometheus", "prometheus.example", 2);
    folder.certificate("other", "other.example", 3);
    let pair = "cert_file: server.pem, key_file: server.key, client_ca_file: ca.pem";
    let file = folder.web(&format!(
        "tls_server_config: {{{pair}, client_auth_type: RequireAndVerifyClientCert, client_allowed_sans: [prometheus.example], min_version: TLS13}}"
    ));
    let tidemark = Tidemark::of(&cluster.bootstrap())
        .set("web_config_file", file)
        .unready()
        .start();
    let answered = |own: Option<&str>| {
        let (mut stream, _) = folder.connect(&tidemark, own)?;
        ask(&mut stream, "")
    };
    assert_eq!(answered(Some("prometheus")), Some(200));
    assert_eq!((answered(Some("other")), answered(None)), (None, None));
    folder.web(&format!(
        "tls_server_config: {{{pair}, client_auth_type: VerifyClientCertIfGiven}}"
    ));
    until("one is no longer required", || answered(None) == Some(200));
    assert_eq!(answered(Some("other")), Some(200));
    let strangers = Folder::new();
    strangers.certificate("stranger", "prometheus.example", 4);
    for file in ["stranger.pem", "stranger.key"] {
        fs::copy(strangers.path(file), folder.path(file)).expect("copied");
    }
    assert_eq!(answered(Some("stranger")), None, "who shows one must show a good one");
}

#[test]
fn a_wrong_file_keeps_it_from_starting() {
    let folder = Folder::new();
    let file = folder.web("basic_auth_user: {}");
    let done = cli(&[
        "serve",
        "--brokers",
        "127.0.0.1:1",
        "--listen",
        "127.0.0.1:0",
        "--web.config.file",
        &file,
    ]);
    assert_eq!(done.status.code(), Some(64));
    let told = String::from_utf8_lossy(&done.stderr).into_owned();
    let expected = "web_config_file.basic_auth_user: unknown key; did you mean `basic_auth_users`?";
    assert!(told.contains(expected), "{told}");
}

/// The files that the documentation tells people to write, read by the Prometheus that they are for.
#[test]
fn prometheus_scrapes_with_a_password_and_a_certificate() {
    let (cluster, folder) = (steady(), Folder::new());
    folder.certificate("server", "localhost", 1);
    folder.certificate("prometheus", "prometheus.example", 2);
    let file = folder.web(&format!(
        "tls_server_config: {{cert_file: server.pem, key_file: server.key, client_ca_file: ca.pem, client_auth_type: RequireAndVerifyClientCert}}\n\
         basic_auth_users: {{ann: {}}}",
        hash("b")
    ));
    let tidemark = Tidemark::of(&cluster.bootstrap())
        .set("web_config_file", file)
        .unready()
        .start();
    let at = |name: &str| Path::display(&folder.path(name)).to_string();
    let config = format!(
        "global: {{scrape_interval: 1s}}\nscrape_configs: [{{job_name: tidemark, scheme: https, basic_auth: {{username: ann, password: b}}, \
         tls_config: {{ca_file: {}, cert_file: {}, key_file: {}, server_name: localhost}}, static_configs: [{{targets: ['{}']}}]}}]\n",
        at("ca.pem"),
        at("prometheus.pem"),
        at("prometheus.key"),
        tidemark.address()
    );
    let Some(prometheus) = Prometheus::with(&config) else {
        return;
    };
    until("its figures are there", || prometheus.value("tidemark_up") == Some(1.0));
}
