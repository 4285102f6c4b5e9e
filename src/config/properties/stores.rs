//! `ssl.…`: whom the client trusts and what it shows, in every form that Java or librdkafka takes. The form of a store is told by what is in
//! its file, as Java does it.

use std::path::Path;

use super::checked;
use super::syntax::Properties;
use crate::config::Authorities;
use crate::config::Identity;
use crate::config::Material;
use crate::config::Store;
use crate::config::Tls;
use crate::config::files;

pub(super) fn tls(properties: &Properties, problems: &mut Vec<String>) -> Tls {
    if properties.get("enable.ssl.certificate.verification") == Some("false") {
        problems.push(
            "enable.ssl.certificate.verification: cannot be switched off: name the authority, or verify only no host name \
             by ssl.endpoint.identification.algorithm"
                .to_owned(),
        );
    }
    let algorithm = properties.given("ssl.endpoint.identification.algorithm");
    Tls {
        authorities: authorities(properties, problems),
        identity: identity(properties, problems),
        verify_hostname: !matches!(algorithm, Some("" | "none")),
    }
}

/// What stands behind a `….location`.
enum Form {
    Pem,
    Pkcs12,
}

fn authorities(properties: &Properties, problems: &mut Vec<String>) -> Option<Authorities> {
    if let Some((key, text)) = properties.first(&["ssl.truststore.certificates", "ssl.ca.pem"]) {
        return Some(Authorities::Pem(Material::inline(key, rewrapped(text))));
    }
    if let Some(path) = properties.get("ssl.ca.location").filter(|path| *path != "probe") {
        let path = checked("ssl.ca.location", path, files::certificates, problems)?;
        return Some(Authorities::Pem(Material::file("ssl.ca.location", path)));
    }
    let key = "ssl.truststore.location";
    let path = properties.get(key)?;
    Some(match form(key, path, problems)? {
        Form::Pem => Authorities::Pem(Material::file(key, checked(key, path, files::certificates, problems)?)),
        Form::Pkcs12 => Authorities::Store(Store {
            file: Material::file(key, path),
            password: secret(properties, "ssl.truststore.password"),
        }),
    })
}

fn identity(properties: &Properties, problems: &mut Vec<String>) -> Option<Identity> {
    let chain = ["ssl.keystore.certificate.chain", "ssl.certificate.pem"];
    let key = ["ssl.keystore.key", "ssl.key.pem"];
    match (properties.first(&chain), properties.first(&key)) {
        (Some((chain, certificates)), Some((key, private))) => {
            return Some(Identity::Pem {
                chain: Material::inline(chain, rewrapped(certificates)),
                key: Material::inline(key, rewrapped(private)),
                passphrase: secret(properties, "ssl.key.password"),
            });
        }
        (Some((given, _)), None) => problems.push(format!("{given}: its private key is missing")),
        (None, Some((given, _))) => problems.push(format!("{given}: its certificate is missing")),
        (None, None) => {}
    }
    if properties.get("ssl.certificate.location").is_some() || properties.get("ssl.key.location").is_some() {
        return files_of_librdkafka(properties, problems);
    }
    let key = "ssl.keystore.location";
    let path = properties.get(key)?;
    Some(match form(key, path, problems)? {
        // One file for both.
        Form::Pem => {
            let path = checked(key, path, files::certificates, problems)?;
            Identity::Pem {
                chain: Material::file(key, path.clone()),
                key: Material::file(key, path),
                passphrase: secret(properties, "ssl.key.password"),
            }
        }
        Form::Pkcs12 => Identity::Store(Store {
            file: Material::file(key, path),
            password: secret(properties, "ssl.keystore.password"),
        }),
    })
}

fn files_of_librdkafka(properties: &Properties, problems: &mut Vec<String>) -> Option<Identity> {
    let opened = properties.get("ssl.key.password").is_some();
    let chain = super::needed(
        properties,
        "ssl.certificate.location",
        "the certificate of the key",
        problems,
    )
    .and_then(|path| checked("ssl.certificate.location", path, files::certificates, problems));
    let key = super::needed(properties, "ssl.key.location", "the key of the certificate", problems)
        .and_then(|path| checked("ssl.key.location", path, |path| files::key(path, opened), problems));
    Some(Identity::Pem {
        chain: Material::file("ssl.certificate.location", chain?),
        key: Material::file("ssl.key.location", key?),
        passphrase: secret(properties, "ssl.key.password"),
    })
}

fn secret(properties: &Properties, key: &'static str) -> Option<Material> {
    properties.get(key).map(|text| Material::inline(key, text))
}

/// Java's own form cannot be read by anything but Java.
fn form(key: &str, path: &str, problems: &mut Vec<String>) -> Option<Form> {
    let found = match files::content(Path::new(path)) {
        Err(error) => Err(files::cannot_be_read(&error)),
        Ok(bytes) if bytes.starts_with(&[0xfe, 0xed, 0xfe, 0xed]) => Err(
            "is a JKS store, which only Java reads: keytool -importkeystore -srckeystore FILE -destkeystore FILE.p12 \
             -deststoretype PKCS12"
                .to_owned(),
        ),
        Ok(bytes) if bytes.first() == Some(&0x30) => Ok(Form::Pkcs12),
        Ok(bytes) if bytes.windows(10).any(|part| part == b"-----BEGIN") => Ok(Form::Pem),
        Ok(_) => Err("must be a store in PEM or PKCS12 form".to_owned()),
    };
    found.map_err(|what| problems.push(format!("{key}: {what}"))).ok()
}

/// PEM as OpenSSL wants it: Kafka takes it on one line too.
fn rewrapped(text: &str) -> String {
    let mut out = String::new();
    for block in text.split("-----BEGIN ").skip(1) {
        let Some((label, rest)) = block.split_once("-----") else {
            continue;
        };
        let body = rest.split("-----END ").next().unwrap_or_default();
        // Headers of an encrypted key stand on lines of their own.
        if body.contains(':') {
            return text.to_owned();
        }
        let body: Vec<char> = body.chars().filter(|c| !c.is_whitespace()).collect();
        let lines: Vec<String> = body.chunks(64).map(|line| line.iter().collect()).collect();
        out += &format!("-----BEGIN {label}-----\n{}\n-----END {label}-----\n", lines.join("\n"));
    }
    out
}
