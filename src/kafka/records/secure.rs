//! The settings of TLS and SASL as librdkafka wants them. Certificates and keys are read as for the other client and handed over in PEM
//! form, so that whatever one client takes the other takes too.

use openssl::x509::X509;
use rdkafka::ClientConfig;

use crate::config::Identity;
use crate::config::Sasl;
use crate::config::Secret;
use crate::config::Tls;
use crate::failure::Cause;
use crate::kafka::tls;
use crate::kafka::trouble::Trouble;

/// Adds them, secrets and all; the password, for whoever must not let it be repeated.
pub(super) fn secure(
    config: &mut ClientConfig,
    tls: Option<&Tls>,
    sasl: Option<&Sasl>,
) -> Result<Option<Secret>, Trouble> {
    config.set(
        "security.protocol",
        match (tls, sasl) {
            (None, None) => "plaintext",
            (Some(_), None) => "ssl",
            (None, Some(_)) => "sasl_plaintext",
            (Some(_), Some(_)) => "sasl_ssl",
        },
    );
    if let Some(tls) = tls {
        encrypt(config, tls)?;
    }
    match sasl {
        None => Ok(None),
        Some(Sasl::Password(login)) => {
            let password = login
                .password
                .secret()
                .map_err(|error| Trouble::new(Cause::Authentication, error))?;
            config
                .set("sasl.mechanism", login.mechanism.as_str())
                .set("sasl.username", &login.username)
                .set("sasl.password", password.expose());
            Ok(Some(password))
        }
        // The token itself comes by a callback.
        Some(Sasl::Bearer(_)) => {
            config.set("sasl.mechanism", "OAUTHBEARER");
            Ok(None)
        }
    }
}

fn encrypt(config: &mut ClientConfig, tls: &Tls) -> Result<(), Trouble> {
    match &tls.authorities {
        Some(named) => {
            config.set("ssl.ca.pem", pem(&tls::authorities(named)?)?);
        }
        None => trust_system(config),
    }
    if let Some(own) = &tls.identity {
        present(config, own)?;
    }
    let check = if tls.verify_hostname { "https" } else { "none" };
    config.set("ssl.endpoint.identification.algorithm", check);
    Ok(())
}

/// The same authorities as the other client trusts.
fn trust_system(config: &mut ClientConfig) {
    let system = openssl_probe::probe();
    let place = system.cert_file.or_else(|| system.cert_dir.into_iter().next());
    if let Some(place) = place {
        config.set("ssl.ca.location", place.to_string_lossy());
    }
}

fn present(config: &mut ClientConfig, own: &Identity) -> Result<(), Trouble> {
    let loaded = tls::identity(own)?;
    let chain: Vec<X509> = std::iter::once(loaded.certificate).chain(loaded.chain).collect();
    let key = loaded.key.private_key_to_pem_pkcs8().map_err(unwritable)?;
    let key = String::from_utf8(key).map_err(|_| Trouble::new(Cause::Tls, "tls: the private key has no PEM form"))?;
    config.set("ssl.certificate.pem", pem(&chain)?).set("ssl.key.pem", key);
    Ok(())
}

fn pem(certificates: &[X509]) -> Result<String, Trouble> {
    let mut text = String::new();
    for certificate in certificates {
        let one = certificate.to_pem().map_err(unwritable)?;
        text.push_str(&String::from_utf8_lossy(&one));
    }
    Ok(text)
}

#[expect(clippy::needless_pass_by_value, reason = "it is handed to map_err")]
fn unwritable(error: openssl::error::ErrorStack) -> Trouble {
    Trouble::new(Cause::Tls, format_args!("tls: {error}"))
}
