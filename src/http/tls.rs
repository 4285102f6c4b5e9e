//! TLS of a listener, by the library that librdkafka brings.

use std::path::Path;
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::Arc;

use openssl::error::ErrorStack;
use openssl::hash::MessageDigest;
use openssl::ssl::Ssl;
use openssl::ssl::SslAcceptor;
use openssl::ssl::SslFiletype;
use openssl::ssl::SslMethod;
use openssl::ssl::SslVerifyMode;
use openssl::x509::X509;
use tokio::net::TcpStream;
use tokio_openssl::SslStream;

/// A listener's certificate, and whose client certificates it requires.
#[derive(Clone)]
pub struct Tls(SslAcceptor);

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
        let at = |path: &Path| {
            let path = path.to_owned();
            move |problem| TlsError::File { path, problem }
        };
        let mut acceptor = SslAcceptor::mozilla_intermediate_v5(SslMethod::tls_server())?;
        acceptor.set_certificate_chain_file(cert).map_err(at(cert))?;
        acceptor.set_private_key_file(key, SslFiletype::PEM).map_err(at(key))?;
        acceptor.check_private_key()?;
        if let Some(path) = client_ca {
            let pem = std::fs::read(path).map_err(|problem| TlsError::Unreadable {
                path: path.to_owned(),
                problem,
            })?;
            for authority in X509::stack_from_pem(&pem).map_err(at(path))? {
                acceptor.add_client_ca(&authority)?;
                acceptor.cert_store_mut().add_cert(authority)?;
            }
            acceptor.set_verify(SslVerifyMode::PEER | SslVerifyMode::FAIL_IF_NO_PEER_CERT);
            // Sessions are bound to this listener, as OpenSSL asks of servers that verify clients.
            acceptor.set_session_id_context(b"tidemark")?;
        }
        Ok(Self(acceptor.build()))
    }

    /// The handshake. No deadline of its own.
    pub(super) async fn accept(&self, stream: TcpStream) -> Result<SslStream<TcpStream>, openssl::ssl::Error> {
        let mut stream = SslStream::new(Ssl::new(self.0.context())?, stream)?;
        Pin::new(&mut stream).accept().await?;
        Ok(stream)
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
