//! The security settings of a client file as people have it, of the Java clients or of librdkafka. All other settings in it are passed over.
//! What is not understood is refused, never left out: a connection must not be less secure than its file says.

mod jaas;
mod login;
mod stores;
mod syntax;
#[cfg(test)]
mod tests;

use std::path::Path;
use std::path::PathBuf;

use thiserror::Error;

use super::Security;
use super::files;

use syntax::Properties;

/// What is wrong with a client file; each names the setting, none holds a value.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("client_properties: {}: {}", file.display(), problems.join("; "))]
pub struct PropertiesError {
    /// The file.
    pub file: PathBuf,
    /// At least one.
    pub problems: Vec<String>,
}

/// Java code that does what tidemark does anyway.
const MSK_HANDLER: &str = "software.amazon.msk.auth.iam.IAMClientCallbackHandler";

/// Settings that make a client trust or be somebody in ways that are not served.
const REFUSED: [(&str, &str); 8] = [
    ("ssl.engine.factory.class", "is Java code: name the files it reads"),
    ("ssl.crl.location", "lists of revoked certificates are not read"),
    ("ssl.providers", "OpenSSL's providers are not loaded"),
    ("security.providers", "is Java code"),
    ("sasl.login.class", "is Java code"),
    ("sasl.client.callback.handler.class", "is Java code"),
    ("sasl.oauthbearer.config", "librdkafka's unsecured tokens are not made"),
    (
        "ssl.truststore.certificate.stores",
        "the stores of Windows are not read",
    ),
];

/// Reads the settings, and looks into every file they name.
pub(super) fn read(file: &Path) -> Result<Security, PropertiesError> {
    let failed = |problems| PropertiesError {
        file: file.to_owned(),
        problems,
    };
    let bytes = files::content(file).map_err(|error| failed(vec![files::cannot_be_read(&error)]))?;
    let text = String::from_utf8(bytes).map_err(|_| failed(vec!["must be UTF-8 text".to_owned()]))?;
    let properties = Properties::parse(&text);
    let mut problems = Vec::new();
    let security = security(&properties, &mut problems);
    match problems.is_empty() {
        true => Ok(security),
        false => Err(failed(problems)),
    }
}

fn security(properties: &Properties, problems: &mut Vec<String>) -> Security {
    let (tls, sasl) = match properties
        .get("security.protocol")
        .unwrap_or("PLAINTEXT")
        .to_uppercase()
        .as_str()
    {
        "PLAINTEXT" => (false, false),
        "SSL" => (true, false),
        "SASL_PLAINTEXT" => (false, true),
        "SASL_SSL" => (true, true),
        _ => {
            problems.push("security.protocol: must be PLAINTEXT, SSL, SASL_PLAINTEXT or SASL_SSL".to_owned());
            return Security::default();
        }
    };
    for key in properties.keys().filter(|key| relevant(key, tls, sasl)) {
        if properties.get(key).is_some_and(|value| value.contains("${")) {
            problems.push(format!(
                "{key}: ${{…}} is not filled in: put the value there, or the path of its file"
            ));
        }
        let of_msk = properties.get(key) == Some(MSK_HANDLER);
        if let Some((_, why)) = REFUSED.iter().find(|(refused, _)| *refused == key && !of_msk) {
            problems.push(format!("{key}: {why}"));
        }
    }
    Security {
        tls: tls.then(|| stores::tls(properties, problems)),
        sasl: sasl.then(|| login::sasl(properties, problems)).flatten(),
    }
}

fn relevant(key: &str, tls: bool, sasl: bool) -> bool {
    (tls && key.starts_with("ssl.")) || (sasl && key.starts_with("sasl.")) || key.starts_with("security.")
}

/// A value, or a problem where it is missing.
fn needed<'a>(properties: &'a Properties, key: &str, what: &str, problems: &mut Vec<String>) -> Option<&'a str> {
    let value = properties.get(key);
    if value.is_none() {
        problems.push(format!("{key}: missing: {what}"));
    }
    value
}

/// The material, if `check` finds nothing wrong with its file.
fn checked(
    key: &str,
    path: &str,
    check: impl FnOnce(&Path) -> Result<(), String>,
    problems: &mut Vec<String>,
) -> Option<PathBuf> {
    match check(Path::new(path)) {
        Ok(()) => Some(path.into()),
        Err(what) => {
            problems.push(format!("{key}: {what}"));
            None
        }
    }
}
