//! How a cluster is reached safely, for both Kafka clients: TLS and SASL.

use std::path::PathBuf;

use super::Material;

/// How a cluster is reached.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Security {
    /// Present: TLS.
    pub tls: Option<Tls>,
    /// Present: SASL.
    pub sasl: Option<Sasl>,
}

/// TLS to Kafka.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tls {
    /// Authorities to trust; the system's when absent.
    pub authorities: Option<Authorities>,
    /// What is shown when the broker asks who we are; nothing when absent.
    pub identity: Option<Identity>,
    /// Whether the broker's certificate must name its host.
    pub verify_hostname: bool,
}

impl Default for Tls {
    fn default() -> Self {
        Self {
            authorities: None,
            identity: None,
            verify_hostname: true,
        }
    }
}

/// Certificates of authorities.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Authorities {
    /// In PEM form.
    Pem(Material),
    /// In a PKCS #12 file.
    Store(Store),
}

/// The client's certificate with its chain, and its private key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Identity {
    /// In PEM form.
    Pem {
        /// The certificate, then those that lead from it to an authority.
        chain: Material,
        /// The private key.
        key: Material,
        /// What opens the key; absent when it is not encrypted.
        passphrase: Option<Material>,
    },
    /// In a PKCS #12 file.
    Store(Store),
}

/// A PKCS #12 file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Store {
    /// The file.
    pub file: Material,
    /// What opens it; an empty password when absent.
    pub password: Option<Material>,
}

/// SASL to Kafka.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Sasl {
    /// By user and password.
    Password(PasswordLogin),
    /// By a token (RFC 7628, KIP-255).
    Bearer(Bearer),
}

impl Sasl {
    /// The mechanism as it is configured.
    pub const fn mechanism(&self) -> Mechanism {
        match self {
            Self::Password(login) => match login.mechanism {
                PasswordMechanism::Plain => Mechanism::Plain,
                PasswordMechanism::ScramSha256 => Mechanism::ScramSha256,
                PasswordMechanism::ScramSha512 => Mechanism::ScramSha512,
            },
            Self::Bearer(login) => match login.source {
                TokenSource::MskIam(_) => Mechanism::AwsMskIam,
                TokenSource::Held(_) | TokenSource::Endpoint(_) => Mechanism::OAuthBearer,
            },
        }
    }
}

/// By user and password.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PasswordLogin {
    /// How.
    pub mechanism: PasswordMechanism,
    /// Who.
    pub username: String,
    /// The password, or where it is.
    pub password: Material,
}

/// By a token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bearer {
    /// Where tokens come from.
    pub source: TokenSource,
    /// What is said beside the token: `key=value` (KIP-342).
    pub extensions: Vec<String>,
}

/// Where tokens come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TokenSource {
    /// Somebody else puts them into a file.
    Held(Material),
    /// A token endpoint gives them for the client's credentials (RFC 6749, 4.4).
    Endpoint(TokenEndpoint),
    /// They are signed here with the credentials of AWS that the process runs under.
    MskIam(MskIam),
}

/// Access control by IAM of Amazon MSK.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MskIam {
    /// The region of the cluster; that of the environment when absent.
    pub region: Option<String>,
}

/// A token endpoint, and who asks it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TokenEndpoint {
    /// `https://` or `http://`.
    pub url: String,
    /// Who.
    pub client_id: String,
    /// The client's secret.
    pub client_secret: Material,
    /// What the token is to be good for; the endpoint's choice when absent.
    pub scope: Option<String>,
    /// Authorities to trust there, in PEM form; the system's when absent.
    pub ca_file: Option<PathBuf>,
}

/// A SASL mechanism that is served.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mechanism {
    /// RFC 4616.
    Plain,
    /// RFC 7677.
    ScramSha256,
    /// The same with SHA-512.
    ScramSha512,
    /// RFC 7628.
    OAuthBearer,
    /// RFC 7628 with a token signed by credentials of AWS.
    AwsMskIam,
}

/// A mechanism by user and password.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PasswordMechanism {
    /// RFC 4616.
    Plain,
    /// RFC 7677.
    ScramSha256,
    /// The same with SHA-512.
    ScramSha512,
}
