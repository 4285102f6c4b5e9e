//! How a cluster is reached safely: TLS and SASL. No message here ever holds a value.

mod sasl;

pub(in crate::config) use sasl::is_extension;
pub(in crate::config) use sasl::is_url;
pub(super) use sasl::sasl;

use std::path::Path;
use std::path::PathBuf;

use crate::config::Authorities;
use crate::config::Identity;
use crate::config::Material;
use crate::config::Security;
use crate::config::Tls;
use crate::config::files;
use crate::config::node::Node;
use crate::config::node::Section;
use crate::config::properties;
use crate::config::read;

/// The section `tls`. The files are looked into: what cannot be read now cannot be read later.
pub(super) fn tls(node: &Node<'_>) -> Option<Tls> {
    let mut section = node.section()?;
    let ca_file = section.optional("ca_file", |n| files::path_to(n, files::certificates));
    let cert_file = section.optional("cert_file", |n| files::path_to(n, files::certificates));
    let encrypted = section.has("key_password_file");
    let key_file = section.optional("key_file", |n| files::path_to(n, |path| files::key(path, encrypted)));
    let key_password = section.optional("key_password_file", |n| files::path_to(n, files::secret));
    let verify_hostname = section.or("verify_hostname", true, read::boolean);
    belongs(&section, "cert_file", "key_file", "the private key of the certificate");
    belongs(&section, "key_file", "cert_file", "the certificate of the private key");
    belongs(
        &section,
        "key_password_file",
        "key_file",
        "the private key that the passphrase opens",
    );
    section.end();
    let identity = cert_file.zip(key_file).map(|(chain, key)| Identity::Pem {
        chain: Material::file("tls.cert_file", chain),
        key: Material::file("tls.key_file", key),
        passphrase: key_password.map(|path| Material::file("tls.key_password_file", path)),
    });
    Some(Tls {
        authorities: ca_file.map(|path| Authorities::Pem(Material::file("tls.ca_file", path))),
        identity,
        verify_hostname,
    })
}

fn belongs(section: &Section<'_>, given: &str, missing: &str, what: &str) {
    if section.has(given) && !section.has(missing) {
        section.refuse(missing, format!("missing beside {given}: {what}"));
    }
}

/// The sections `tls` and `sasl`, or what a client file says in their place.
pub(super) fn security(section: &mut Section<'_>) -> (Security, Option<PathBuf>) {
    let stated = Security {
        tls: section.optional("tls", tls),
        sasl: section.optional("sasl", sasl),
    };
    let file = section.optional("client_properties", read::path);
    for key in ["tls", "sasl"] {
        if section.has("client_properties") && section.has(key) {
            section.refuse(key, "must not stand beside client_properties: leave one of the two");
        }
    }
    let found = match file.as_deref().map(properties::read) {
        None => stated,
        Some(Ok(found)) => found,
        Some(Err(error)) => {
            for problem in error.problems {
                section.refuse("client_properties", problem);
            }
            stated
        }
    };
    if found.sasl.is_some() && found.tls.is_none() && !section.has("tls") {
        let key = if file.is_some() { "client_properties" } else { "sasl" };
        section.warn(
            key,
            "is used without tls: credentials and data cross the network in the clear",
        );
    }
    (found, file)
}

/// True when the two are the same file, by name or by what they lead to.
pub(super) fn same_file(a: &Path, b: &Path) -> bool {
    a == b || matches!((a.canonicalize(), b.canonicalize()), (Ok(a), Ok(b)) if a == b)
}
