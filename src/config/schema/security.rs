//! How a cluster is reached safely: TLS and SASL. No message here ever holds a value.

use std::path::Path;

use config::ValueKind;

use crate::config::Mechanism;
use crate::config::PasswordSource;
use crate::config::Sasl;
use crate::config::Secret;
use crate::config::Tls;
use crate::config::files;
use crate::config::node::Node;
use crate::config::node::Section;
use crate::config::read;

/// Mechanisms that Kafka knows and tidemark does not serve yet.
const NOT_YET: [&str; 3] = ["OAUTHBEARER", "GSSAPI", "AWS_MSK_IAM"];

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
    Some(Tls {
        ca_file,
        cert_file,
        key_file,
        key_password: key_password.map(PasswordSource::File),
        verify_hostname,
    })
}

fn belongs(section: &Section<'_>, given: &str, missing: &str, what: &str) {
    if section.has(given) && !section.has(missing) {
        section.refuse(missing, format!("missing beside {given}: {what}"));
    }
}

/// The section `sasl`.
pub(super) fn sasl(node: &Node<'_>) -> Option<Sasl> {
    let mut section = node.section()?;
    let served = read::either(Mechanism::WORDS.map(|(word, _)| word));
    let mechanism = section.required("mechanism", &served, mechanism);
    let username = section.required("username", "who tidemark is to Kafka", credential);
    let inline = section
        .optional("password", credential)
        .map(|text| PasswordSource::Inline(Secret::new(text)));
    let file = section
        .optional("password_file", |n| files::path_to(n, files::secret))
        .map(PasswordSource::File);
    match (section.has("password"), section.has("password_file")) {
        (false, false) => section.refuse(
            "password_file",
            "missing: a file that holds the password, or password itself",
        ),
        (true, true) => section.refuse("password", "must not stand beside password_file: leave one of the two"),
        _ => {}
    }
    section.end();
    Some(Sasl {
        mechanism: mechanism?,
        username: username?,
        password: inline.or(file)?,
    })
}

fn mechanism(node: &Node<'_>) -> Option<Mechanism> {
    match node.kind() {
        ValueKind::String(text) if NOT_YET.contains(&text.as_str()) => {
            let served = read::either(Mechanism::WORDS.map(|(word, _)| word));
            node.refuse(format!("this mechanism is not served yet; must be {served}"))
        }
        _ => read::one_of(node, &Mechanism::WORDS),
    }
}

/// PLAIN separates its parts by NUL (RFC 4616).
fn credential(node: &Node<'_>) -> Option<String> {
    let text = read::text(node)?;
    if text.contains('\0') {
        return node.refuse("must not hold a NUL character");
    }
    Some(text)
}

/// True when the two are the same file, by name or by what they lead to.
pub(super) fn same_file(a: &Path, b: &Path) -> bool {
    a == b || matches!((a.canonicalize(), b.canonicalize()), (Ok(a), Ok(b)) if a == b)
}
