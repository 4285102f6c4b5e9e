//! HTTPS, with and without client certificates.

use std::path::Path;
use std::path::PathBuf;
use std::pin::Pin;
use std::time::Duration;

use openssl::ssl::SslConnector;
use openssl::ssl::SslFiletype;
use openssl::ssl::SslMethod;
use rcgen::BasicConstraints;
use rcgen::CertificateParams;
use rcgen::CertifiedIssuer;
use rcgen::DnType;
use rcgen::IsCa;
use rcgen::KeyPair;
use tempfile::TempDir;
use tokio::io::AsyncReadExt as _;
use tokio::io::AsyncWriteExt as _;
use tokio_openssl::SslStream;

use super::client::Running;
use super::client::scrape;
use super::client::soon;
use crate::http::Limits;
use crate::http::Tls;
use crate::metrics::fixture;

/// An authority, and files of a certificate by it.
struct Files {
    folder: TempDir,
}

impl Files {
    fn new() -> Self {
        let mut authority = CertificateParams::new(Vec::new()).expect("valid");
        authority.distinguished_name.push(DnType::CommonName, "authority");
        authority.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let issuer = CertifiedIssuer::self_signed(authority, KeyPair::generate().expect("a key")).expect("signed");
        let key = KeyPair::generate().expect("a key");
        let leaf = CertificateParams::new(vec!["localhost".into()]).expect("valid");
        let leaf = leaf.signed_by(&key, &issuer).expect("signed");
        let folder = tempfile::tempdir().expect("a folder");
        let write = |name: &str, pem: String| std::fs::write(folder.path().join(name), pem).expect("writable");
        write("ca.pem", issuer.pem());
        write("cert.pem", leaf.pem());
        write("key.pem", key.serialize_pem());
        Self { folder }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn tls(&self, client_ca: Option<&Path>) -> Tls {
        Tls::new(&self.path("cert.pem"), &self.path("key.pem"), client_ca).expect("good files")
    }
}

/// What `/-/healthy` says over TLS; `None` where the server does not talk to such a client.
async fn healthy(server: &Running, files: &Files, certificate: Option<&Files>) -> Option<String> {
    let mut connector = SslConnector::builder(SslMethod::tls_client()).expect("OpenSSL");
    connector.set_ca_file(files.path("ca.pem")).expect("a file");
    if let Some(own) = certificate {
        connector
            .set_certificate_chain_file(own.path("cert.pem"))
            .expect("a file");
        connector
            .set_private_key_file(own.path("key.pem"), SslFiletype::PEM)
            .expect("a file");
    }
    let ssl = connector
        .build()
        .configure()
        .expect("OpenSSL")
        .into_ssl("localhost")
        .expect("a name");
    let mut stream = SslStream::new(ssl, server.connect().await.0).expect("OpenSSL");
    let asked = async {
        Pin::new(&mut stream).connect().await.ok()?;
        stream
            .write_all(b"GET /-/healthy HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
            .await
            .ok()?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.ok()?;
        Some(answer.rsplit("\r\n\r\n").next()?.to_owned()).filter(|body| !body.is_empty())
    };
    soon(asked).await
}

async fn start(tls: Tls, limits: Limits) -> Running {
    let (handler, _pollers) = scrape(vec![fixture::motley("main")]);
    Running::start(handler, limits, Some(tls), Duration::from_secs(5)).await
}

#[tokio::test]
async fn a_listener_with_a_certificate_speaks_https() {
    let files = Files::new();
    let server = start(files.tls(None), Limits::default()).await;
    assert_eq!(healthy(&server, &files, None).await.as_deref(), Some("healthy\n"));
}

#[tokio::test]
async fn who_speaks_no_tls_or_is_silent_is_cut_off() {
    let files = Files::new();
    let limits = Limits {
        request: Duration::from_secs(1),
        ..Limits::default()
    };
    let server = start(files.tls(None), limits).await;
    let mut plain = server.connect().await;
    plain.send("GET / HTTP/1.1\r\n\r\n").await;
    let mut told = Vec::new();
    let _ = soon(plain.0.read_to_end(&mut told)).await;
    assert!(!told.starts_with(b"HTTP/"), "no answer outside TLS");
    let mut silent = server.connect().await;
    assert!(silent.is_closed().await);
    assert_eq!(healthy(&server, &files, None).await.as_deref(), Some("healthy\n"));
}

#[tokio::test]
async fn clients_show_a_certificate_where_one_is_required() {
    let files = Files::new();
    let server = start(files.tls(Some(&files.path("ca.pem"))), Limits::default()).await;
    assert_eq!(
        healthy(&server, &files, Some(&files)).await.as_deref(),
        Some("healthy\n")
    );
    assert_eq!(healthy(&server, &files, None).await, None, "none");
    assert_eq!(
        healthy(&server, &files, Some(&Files::new())).await,
        None,
        "one by somebody else"
    );
}

#[test]
fn wrong_files_are_named() {
    let (files, others) = (Files::new(), Files::new());
    let error = |cert: &Path, key: &Path, ca: Option<&Path>| {
        Tls::new(cert, key, ca)
            .map_err(|error| error.to_string())
            .expect_err("wrong")
    };
    let (cert, key) = (files.path("cert.pem"), files.path("key.pem"));
    assert!(error(Path::new("/no/such.pem"), &key, None).contains("/no/such.pem"));
    assert!(error(&cert, Path::new("/no/such.pem"), None).contains("/no/such.pem"));
    assert!(error(&cert, &key, Some(Path::new("/no/such.pem"))).contains("/no/such.pem"));
    assert!(
        error(&cert, &cert, None).contains("cert.pem"),
        "a certificate is no key"
    );
    let pair = error(&cert, &others.path("key.pem"), None);
    assert!(!pair.contains("PRIVATE"), "{pair}");
}
