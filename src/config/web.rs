//! What the web configuration file says: HTTPS and who may come to the scrape listener, in the shape of Prometheus' exporter toolkit.

use std::path::PathBuf;

use super::AdminToken;
use super::Secret;

/// A web configuration file.
#[derive(Clone, Debug, PartialEq)]
pub struct Web {
    /// Where it is.
    pub file: PathBuf,
    /// `tls_server_config`; plain HTTP when absent.
    pub tls: Option<WebTls>,
    /// `http_server_config.headers`: names and values that every answer carries.
    pub headers: Vec<(&'static str, String)>,
    /// `basic_auth_users`, sorted by name.
    pub users: Vec<WebUser>,
    /// `bearer_token_files`, sorted by name; read again when they change. Together with `users` empty: everybody may come.
    pub tokens: Vec<AdminToken>,
}

/// Somebody who comes with a password.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WebUser {
    /// The name.
    pub name: String,
    /// The bcrypt hash of the password, known to be one.
    pub hash: Secret,
    /// What the hash costs: 2 to the power of this.
    pub cost: u32,
}

/// `tls_server_config`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WebTls {
    /// The server's certificate chain.
    pub cert_file: PathBuf,
    /// Its private key.
    pub key_file: PathBuf,
    /// Whether clients show certificates.
    pub client_auth: ClientAuth,
    /// Authorities of the clients' certificates; there when they are verified.
    pub client_ca_file: Option<PathBuf>,
    /// Names of which a verified certificate must have one; all of them may come when empty.
    pub client_sans: Vec<String>,
    /// The oldest version that is spoken.
    pub min: TlsVersion,
    /// The newest.
    pub max: TlsVersion,
    /// Cipher suites of TLS 1.2 by OpenSSL's names; its own choice when empty.
    pub ciphers: Vec<String>,
    /// Whether the server's order of them counts.
    pub server_order: bool,
    /// Groups of the key exchange by OpenSSL's names; its own choice when empty.
    pub groups: Vec<&'static str>,
}

/// Whether clients show certificates, by Go's names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClientAuth {
    /// None is asked for.
    NoClientCert,
    /// Asked for, and whatever comes is fine, nothing too.
    RequestClientCert,
    /// Required, but anybody's will do.
    RequireAnyClientCert,
    /// Asked for, and verified where one comes.
    VerifyClientCertIfGiven,
    /// Required and verified.
    RequireAndVerifyClientCert,
}

impl ClientAuth {
    /// True when the authorities matter.
    pub fn verifies(self) -> bool {
        matches!(self, Self::VerifyClientCertIfGiven | Self::RequireAndVerifyClientCert)
    }
}

/// A version of TLS that is spoken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum TlsVersion {
    /// RFC 5246.
    Tls12,
    /// RFC 8446.
    Tls13,
}
