//! Against a TLS listener with certificates made on the spot.

use std::net::Ipv4Addr;
use std::path::PathBuf;

use openssl::pkey::PKey;
use openssl::ssl::SslAcceptor;
use openssl::ssl::SslVerifyMode;
use rcgen::BasicConstraints;
use rcgen::CertificateParams;
use rcgen::CertifiedIssuer;
use rcgen::IsCa;
use rcgen::KeyPair;
use tempfile::TempDir;
use tokio::io::AsyncReadExt;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpListener;

use super::*;
use crate::config::Material;

/// Certificates in a folder: of an authority, of a server at `localhost`, of a client.
struct Certificates {
    folder: TempDir,
    authority: CertifiedIssuer<'static, KeyPair>,
}

impl Certificates {
    fn new() -> Self {
        let mut params = CertificateParams::new([]).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params
            .distinguished_name
            .push(rcgen::DnType::CommonName, "an authority");
        let authority = CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap();
        let made = Self {
            folder: tempfile::tempdir().unwrap(),
            authority,
        };
        made.write("authority.pem", &made.authority.pem());
        made.issue("server", &["localhost"], |_| {});
        made.issue("client", &["client"], |_| {});
        made
    }

    fn write(&self, name: &str, text: &str) -> PathBuf {
        let file = self.file(name);
        std::fs::write(&file, text).unwrap();
        file
    }

    fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// `{name}.pem` and `{name}.key`.
    fn issue(&self, name: &str, names: &[&str], change: impl FnOnce(&mut CertificateParams)) {
        let names: Vec<_> = names.iter().map(|name| (*name).to_owned()).collect();
        let mut params = CertificateParams::new(names).unwrap();
        change(&mut params);
        let key = KeyPair::generate().unwrap();
        let certificate = params.signed_by(&key, &self.authority).unwrap();
        self.write(&format!("{name}.pem"), &certificate.pem());
        self.write(&format!("{name}.key"), &key.serialize_pem());
    }

    fn trusting(&self) -> Tls {
        self.trusting_file("authority.pem")
    }

    fn trusting_file(&self, name: &str) -> Tls {
        let file = Material::file("tls.ca_file", self.file(name));
        Tls {
            authorities: Some(Authorities::Pem(file)),
            ..Tls::default()
        }
    }

    /// Trusts the authority and shows a certificate.
    fn showing(&self, certificate: &str, key: &str, passphrase: Option<Material>) -> Tls {
        Tls {
            identity: Some(Identity::Pem {
                chain: Material::file("tls.cert_file", self.file(certificate)),
                key: Material::file("tls.key_file", self.file(key)),
                passphrase,
            }),
            ..self.trusting()
        }
    }

    /// A listener that shakes hands and says `hello`; its port.
    async fn listen(&self, ask_for_certificate: bool) -> u16 {
        let mut acceptor = SslAcceptor::mozilla_intermediate_v5(SslMethod::tls_server()).unwrap();
        acceptor.set_certificate_chain_file(self.file("server.pem")).unwrap();
        acceptor
            .set_private_key_file(self.file("server.key"), openssl::ssl::SslFiletype::PEM)
            .unwrap();
        if ask_for_certificate {
            acceptor.set_ca_file(self.file("authority.pem")).unwrap();
            acceptor.set_verify(SslVerifyMode::PEER | SslVerifyMode::FAIL_IF_NO_PEER_CERT);
        }
        let acceptor = acceptor.build();
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let port = listener.local_addr().unwrap().port();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let ssl = Ssl::new(acceptor.context()).unwrap();
                let mut stream = SslStream::new(ssl, stream).unwrap();
                if Pin::new(&mut stream).accept().await.is_ok() {
                    let _ = stream.write_all(b"hello").await;
                }
            }
        });
        port
    }
}

async fn hello(tls: &Tls, host: &str, port: u16) -> Result<(), Trouble> {
    let stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).await.unwrap();
    let mut stream = connect(tls, host, stream).await?;
    let mut said = [0; 5];
    match stream.read_exact(&mut said).await {
        Ok(_) => Ok(()),
        Err(error) => Err(broken_by(&error).unwrap_or_else(|| Trouble::new(Cause::Disconnected, error))),
    }
}

async fn refusal(tls: &Tls, host: &str, port: u16) -> String {
    let trouble = hello(tls, host, port).await.unwrap_err();
    assert_eq!(trouble.cause, Cause::Tls, "{trouble}");
    trouble.to_string()
}

#[tokio::test]
async fn a_broker_with_a_certificate_of_the_authority_is_trusted_by_name() {
    let made = Certificates::new();
    let port = made.listen(false).await;
    assert_eq!(hello(&made.trusting(), "localhost", port).await, Ok(()));
    let other = refusal(&made.trusting(), "elsewhere.example", port).await;
    assert!(
        other.contains("not trusted") && other.contains("hostname mismatch"),
        "{other}"
    );
    let careless = Tls {
        verify_hostname: false,
        ..made.trusting()
    };
    assert_eq!(hello(&careless, "elsewhere.example", port).await, Ok(()));
}

#[tokio::test]
async fn nobody_else_is_trusted_beside_the_given_authority() {
    let made = Certificates::new();
    let port = made.listen(false).await;
    let strange = Certificates::new();
    let told = refusal(&strange.trusting(), "localhost", port).await;
    assert!(told.contains("not trusted"), "{told}");
    // The system's authorities know nothing of ours.
    let system = Tls {
        authorities: None,
        ..made.trusting()
    };
    assert!(refusal(&system, "localhost", port).await.contains("not trusted"));
}

#[tokio::test]
async fn an_expired_certificate_is_called_so() {
    let made = Certificates::new();
    made.issue("server", &["localhost"], |params| {
        params.not_before = rcgen::date_time_ymd(2001, 1, 1);
        params.not_after = rcgen::date_time_ymd(2002, 1, 1);
    });
    let port = made.listen(false).await;
    let told = refusal(&made.trusting(), "localhost", port).await;
    assert!(told.contains("expired"), "{told}");
}

#[tokio::test]
async fn a_client_certificate_opens_the_door_and_none_does_not() {
    let made = Certificates::new();
    let port = made.listen(true).await;
    let own = made.showing("client.pem", "client.key", None);
    assert_eq!(hello(&own, "localhost", port).await, Ok(()));
    let told = refusal(&made.trusting(), "localhost", port).await;
    assert!(told.contains("certificate"), "{told}");
}

#[tokio::test]
async fn a_certificate_that_is_replaced_on_disk_is_taken_up() {
    let made = Certificates::new();
    let port = made.listen(true).await;
    made.write("client.pem", "not a certificate");
    let own = made.showing("client.pem", "client.key", None);
    assert!(hello(&own, "localhost", port).await.is_err());
    made.issue("client", &["client"], |_| {});
    assert_eq!(hello(&own, "localhost", port).await, Ok(()));
}

#[tokio::test]
async fn an_encrypted_key_wants_its_passphrase_and_nobody_is_asked_for_it() {
    let made = Certificates::new();
    let port = made.listen(true).await;
    let key = PKey::private_key_from_pem(&std::fs::read(made.file("client.key")).unwrap()).unwrap();
    let cipher = openssl::symm::Cipher::aes_256_cbc();
    let encrypted = key.private_key_to_pem_pkcs8_passphrase(cipher, b"open sesame").unwrap();
    std::fs::write(made.file("client.key"), encrypted).unwrap();
    let with = |password| made.showing("client.pem", "client.key", password);
    let inline = |password: &str| Some(Material::inline("tls.key_password_file", password));
    assert_eq!(hello(&with(inline("open sesame")), "localhost", port).await, Ok(()));
    let wrong = refusal(&with(inline("close sesame")), "localhost", port).await;
    assert!(wrong.starts_with("tls.key_file, tls.key_password_file: "), "{wrong}");
    assert!(!wrong.contains("sesame"));
    let none = refusal(&with(None), "localhost", port).await;
    assert!(none.starts_with("tls.key_file: "), "{none}");
    let file = Material::file("tls.key_password_file", made.write("passphrase", "open sesame\n"));
    assert_eq!(hello(&with(Some(file)), "localhost", port).await, Ok(()));
    let missing = Material::file("tls.key_password_file", made.file("nowhere"));
    let told = refusal(&with(Some(missing)), "localhost", port).await;
    assert!(told.starts_with("tls.key_password_file: cannot read"), "{told}");
}

#[tokio::test]
async fn a_file_that_cannot_be_used_is_named_with_its_setting() {
    let made = Certificates::new();
    let port = made.listen(true).await;
    let told = refusal(&made.trusting_file("nowhere.pem"), "localhost", port).await;
    assert!(
        told.starts_with("tls.ca_file: ") && told.contains("nowhere.pem"),
        "{told}"
    );
    made.write("empty.pem", "");
    let told = refusal(&made.trusting_file("empty.pem"), "localhost", port).await;
    assert!(told.starts_with("tls.ca_file: no PEM certificate"), "{told}");
    let strange = made.showing("client.pem", "server.key", None);
    let told = refusal(&strange, "localhost", port).await;
    assert!(
        told.starts_with("tls.key_file: ") && told.contains("mismatch"),
        "{told}"
    );
}

#[tokio::test]
async fn a_listener_that_speaks_no_tls_is_told_apart() {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let _ = stream.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n").await;
            let _ = stream.read(&mut [0; 1024]).await;
        }
    });
    let made = Certificates::new();
    let told = refusal(&made.trusting(), "localhost", port).await;
    assert!(told.contains("does this listener speak TLS?"), "{told}");
}
