//! TLS of a listener, by the library that librdkafka brings.

use std::path::Path;
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::Arc;

use openssl::error::ErrorStack;
use openssl::hash::MessageDigest;
use openssl::ssl::Ssl;
use openssl::ssl::SslAcceptor;
use openssl::ssl::SslAcceptorBuilder;
use openssl::ssl::SslFiletype;
use openssl::ssl::SslMethod;
use openssl::ssl::SslOptions;
use openssl::ssl::SslVersion;
use tokio::net::TcpStream;
use tokio_openssl::SslStream;

use crate::config::ClientAuth;
use crate::config::TlsVersion;
use crate::config::WebTls;

mod clients;

/// A listener's certificate, and whose client certificates it requires.
#[derive(Clone)]
pub struct Tls {
    acceptor: SslAcceptor,
    /// Names of which a client's verified certificate must have one; any will do when empty.
    client_sans: Arc<[String]>,
}

/// Why a listener's TLS cannot be set up.
#[derive(Debug, thiserror::Error)]
pub enum TlsError {
    /// A file holds no certificates or no key.
    #[error("{}: {problem}", .path.display())]
    File {
        /// Which file.
        path: PathBuf,
        /// What OpenSSL says.
        problem: ErrorStack,
    },
    /// A file cannot be read.
    #[error("{}: {problem}", .path.display())]
    Unreadable {
        /// Which file.
        path: PathBuf,
        /// What the system says.
        problem: std::io::Error,
    },
    /// Certificate and key do not belong together, or OpenSSL cannot be set up.
    #[error("the certificate and the key cannot be used together: {0}")]
    Pair(#[from] ErrorStack),
}

impl std::fmt::Debug for Tls {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Tls")
    }
}

impl Tls {
    /// TLS 1.2 and newer with that certificate chain and key, in PEM. With `client_ca` every client must show a certificate by one of
    /// those authorities.
    ///
    /// # Errors
    ///
    /// When a file cannot be read or does not hold what it should, and when certificate and key do not belong together.
    pub fn new(cert: &Path, key: &Path, client_ca: Option<&Path>) -> Result<Self, TlsError> {
        let mut acceptor = pair(cert, key)?;
        if let Some(path) = client_ca {
            clients::trust(&mut acceptor, path)?;
            clients::ask(&mut acceptor, ClientAuth::RequireAndVerifyClientCert)?;
        }
        Ok(Self {
            acceptor: acceptor.build(),
            client_sans: Arc::default(),
        })
    }

    /// TLS as a web configuration file wants it.
    ///
    /// # Errors
    ///
    /// The same, and when OpenSSL was built without what is wanted.
    pub fn of(web: &WebTls) -> Result<Self, TlsError> {
        let mut acceptor = pair(&web.cert_file, &web.key_file)?;
        acceptor.set_min_proto_version(Some(version(web.min)))?;
        acceptor.set_max_proto_version(Some(version(web.max)))?;
        if !web.ciphers.is_empty() {
            acceptor.set_cipher_list(&web.ciphers.join(":"))?;
        }
        if !web.groups.is_empty() {
            acceptor.set_groups_list(&web.groups.join(":"))?;
        }
        if web.server_order {
            acceptor.set_options(SslOptions::CIPHER_SERVER_PREFERENCE);
        } else {
            acceptor.clear_options(SslOptions::CIPHER_SERVER_PREFERENCE);
        }
        if let Some(path) = &web.client_ca_file {
            clients::trust(&mut acceptor, path)?;
        }
        clients::ask(&mut acceptor, web.client_auth)?;
        Ok(Self {
            acceptor: acceptor.build(),
            client_sans: web.client_sans.clone().into(),
        })
    }

    /// The handshake. No deadline of its own.
    pub(super) async fn accept(&self, stream: TcpStream) -> Result<SslStream<TcpStream>, Unwelcome> {
        let mut stream = SslStream::new(Ssl::new(self.acceptor.context())?, stream)?;
        Pin::new(&mut stream).accept().await?;
        match clients::is_welcome(stream.ssl(), &self.client_sans) {
            true => Ok(stream),
            false => Err(Unwelcome::Name),
        }
    }
}

/// Why a client is not talked to.
#[derive(Debug, thiserror::Error)]
pub(super) enum Unwelcome {
    /// There was no handshake.
    #[error(transparent)]
    Handshake(#[from] openssl::ssl::Error),
    /// There could be none.
    #[error(transparent)]
    Own(#[from] ErrorStack),
    /// Its certificate is good and has none of the names that are allowed.
    #[error("the client's certificate has no name that may come")]
    Name,
}

/// An acceptor of TLS 1.2 and newer with that certificate chain and key.
fn pair(cert: &Path, key: &Path) -> Result<SslAcceptorBuilder, TlsError> {
    let mut acceptor = SslAcceptor::mozilla_intermediate_v5(SslMethod::tls_server())?;
    acceptor.set_certificate_chain_file(cert).map_err(at(cert))?;
    acceptor.set_private_key_file(key, SslFiletype::PEM).map_err(at(key))?;
    acceptor.check_private_key()?;
    Ok(acceptor)
}

fn at(path: &Path) -> impl Fn(ErrorStack) -> TlsError {
    let path = path.to_owned();
    move |problem| TlsError::File {
        path: path.clone(),
        problem,
    }
}

fn version(version: TlsVersion) -> SslVersion {
    match version {
        TlsVersion::Tls12 => SslVersion::TLS1_2,
        TlsVersion::Tls13 => SslVersion::TLS1_3,
    }
}

/// What a subject may take in a log.
const SUBJECT: usize = 1_024;

/// The subject of the certificate that the client showed and that was held against the authorities: `CN=ann, O=ops`, in the order of the
/// certificate. One without a subject is named by its digest. `None` where no certificate was asked for.
pub(super) fn subject(stream: &SslStream<TcpStream>) -> Option<Arc<str>> {
    let certificate = stream.ssl().peer_certificate()?;
    let fields = certificate.subject_name().entries().map(|entry| {
        let key = entry
            .object()
            .nid()
            .short_name()
            .map_or_else(|_| entry.object().to_string(), str::to_owned);
        let value = entry.data().to_string().unwrap_or_else(|_| "?".to_owned());
        // A value that reads like another field is not to be taken for one.
        format!("{key}={}", value.replace('\\', "\\\\").replace(',', "\\,"))
    });
    let mut subject = fields.collect::<Vec<_>>().join(", ");
    if subject.is_empty() {
        let digest = certificate.digest(MessageDigest::sha256()).ok()?;
        let hex: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
        subject = format!("sha256={hex}");
    }
    let end = subject.floor_char_boundary(SUBJECT);
    Some(subject[..end].into())
}
