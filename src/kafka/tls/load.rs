//! Certificates and keys as they are configured, read into what OpenSSL works with: the one reading of them for both Kafka clients.

use openssl::pkcs12::ParsedPkcs12_2;
use openssl::pkcs12::Pkcs12;
use openssl::pkey::PKey;
use openssl::pkey::Private;
use openssl::x509::X509;

use super::broken;
use crate::config::Authorities;
use crate::config::Identity;
use crate::config::Material;
use crate::config::Store;
use crate::failure::Cause;
use crate::kafka::trouble::Trouble;

/// The client's certificate, ready to be shown.
pub(in crate::kafka) struct Loaded {
    pub(in crate::kafka) certificate: X509,
    /// Those that lead from it to an authority.
    pub(in crate::kafka) chain: Vec<X509>,
    pub(in crate::kafka) key: PKey<Private>,
    /// Where the certificate comes from, for messages.
    pub(super) certificate_setting: &'static str,
    /// Where the key comes from.
    pub(super) key_setting: &'static str,
}

/// The authorities to trust; at least one.
pub(in crate::kafka) fn authorities(named: &Authorities) -> Result<Vec<X509>, Trouble> {
    match named {
        Authorities::Pem(material) => certificates(material),
        Authorities::Store(store) => {
            let opened = open(store)?;
            // A truststore holds nothing but authorities; one that somebody made from a key's store is read just as Java does.
            let found: Vec<X509> = opened.ca.into_iter().flatten().chain(opened.cert).collect();
            filled(found, store.file.setting, "no certificate in it")
        }
    }
}

/// The client's certificate, chain and key.
pub(in crate::kafka) fn identity(own: &Identity) -> Result<Loaded, Trouble> {
    match own {
        Identity::Pem { chain, key, passphrase } => {
            let mut certificates = certificates(chain)?.into_iter();
            let certificate = certificates.next();
            Ok(Loaded {
                certificate: certificate.ok_or_else(|| missing(chain.setting, "no certificate"))?,
                chain: certificates.collect(),
                key: read_key(key, passphrase.as_ref())?,
                certificate_setting: chain.setting,
                key_setting: key.setting,
            })
        }
        Identity::Store(store) => {
            let setting = store.file.setting;
            let opened = open(store)?;
            Ok(Loaded {
                certificate: opened.cert.ok_or_else(|| missing(setting, "no certificate in it"))?,
                chain: opened.ca.into_iter().flatten().collect(),
                key: opened.pkey.ok_or_else(|| missing(setting, "no private key in it"))?,
                certificate_setting: setting,
                key_setting: setting,
            })
        }
    }
}

fn open(store: &Store) -> Result<ParsedPkcs12_2, Trouble> {
    let bytes = store.file.bytes().map_err(unusable)?;
    let password = store.password.as_ref().map(Material::secret).transpose();
    let password = password.map_err(unusable)?;
    Pkcs12::from_der(&bytes)
        .and_then(|sealed| sealed.parse2(password.as_ref().map_or("", |secret| secret.expose())))
        .map_err(|error| broken(store.file.setting, &error))
}

fn certificates(material: &Material) -> Result<Vec<X509>, Trouble> {
    let bytes = material.bytes().map_err(unusable)?;
    let found = X509::stack_from_pem(&bytes).map_err(|error| broken(material.setting, &error))?;
    let place = material.path().map(|file| format!(" in {}", file.display()));
    filled(
        found,
        material.setting,
        &format!("no PEM certificate{}", place.unwrap_or_default()),
    )
}

/// The passphrase is always given, if only an empty one: without, OpenSSL would ask on the terminal.
fn read_key(material: &Material, passphrase: Option<&Material>) -> Result<PKey<Private>, Trouble> {
    let secret = passphrase.map(Material::secret).transpose().map_err(unusable)?;
    let pem = material.bytes().map_err(unusable)?;
    let opened = secret.as_ref().map_or("", |secret| secret.expose());
    PKey::private_key_from_pem_passphrase(&pem, opened.as_bytes()).map_err(|error| match passphrase {
        Some(passphrase) => broken(&format!("{}, {}", material.setting, passphrase.setting), &error),
        None => broken(material.setting, &error),
    })
}

fn filled(found: Vec<X509>, setting: &str, otherwise: &str) -> Result<Vec<X509>, Trouble> {
    match found.is_empty() {
        true => Err(missing(setting, otherwise)),
        false => Ok(found),
    }
}

fn missing(setting: &str, what: &str) -> Trouble {
    Trouble::new(Cause::Tls, format_args!("{setting}: {what}"))
}

fn unusable(error: crate::config::MaterialError) -> Trouble {
    Trouble::new(Cause::Tls, error)
}
