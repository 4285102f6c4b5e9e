//! The section `sasl`: which keys belong to which mechanism.

use std::path::PathBuf;

use config::ValueKind;

use crate::config::Bearer;
use crate::config::Material;
use crate::config::Mechanism;
use crate::config::MskIam;
use crate::config::PasswordLogin;
use crate::config::PasswordMechanism;
use crate::config::Sasl;
use crate::config::TokenEndpoint;
use crate::config::TokenSource;
use crate::config::files;
use crate::config::node::Node;
use crate::config::node::Section;
use crate::config::read;

/// Mechanisms that Kafka knows and tidemark does not serve yet.
const NOT_YET: [&str; 1] = ["GSSAPI"];

/// Keys of the mechanisms with a password.
const OF_PASSWORDS: [&str; 3] = ["username", "password", "password_file"];
/// Keys of an endpoint that gives tokens.
const OF_ENDPOINTS: [&str; 6] = [
    "token_url",
    "client_id",
    "client_secret",
    "client_secret_file",
    "scope",
    "token_ca_file",
];
/// Keys of every kind of token.
const OF_TOKENS: [&str; 2] = ["token_file", "extensions"];

/// Keys of Amazon MSK.
const OF_MSK: [&str; 1] = ["region"];

/// The section `sasl`.
pub(in crate::config::schema) fn sasl(node: &Node<'_>) -> Option<Sasl> {
    let mut section = node.section()?;
    let served = read::either(Mechanism::WORDS.map(|(word, _)| word));
    let mechanism = section.required("mechanism", &served, mechanism);
    let given = Given::read(&mut section);
    let sasl = mechanism.and_then(|mechanism| {
        refuse_strangers(&section, mechanism);
        given.login(&section, mechanism)
    });
    section.end();
    sasl
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

fn refuse_strangers(section: &Section<'_>, mechanism: Mechanism) {
    let own: &[&[&str]] = match mechanism {
        Mechanism::Plain | Mechanism::ScramSha256 | Mechanism::ScramSha512 => &[&OF_PASSWORDS],
        Mechanism::OAuthBearer => &[&OF_ENDPOINTS, &OF_TOKENS],
        Mechanism::AwsMskIam => &[&OF_MSK],
    };
    let all: [&[&str]; 4] = [&OF_PASSWORDS, &OF_ENDPOINTS, &OF_TOKENS, &OF_MSK];
    for key in all.into_iter().flatten() {
        if section.has(key) && !own.iter().any(|keys| keys.contains(key)) {
            section.refuse(key, format!("is of no use with {}", mechanism.as_str()));
        }
    }
}

/// The values of all keys, whichever mechanism they belong to.
struct Given {
    username: Option<String>,
    password: Option<Material>,
    token_file: Option<PathBuf>,
    url: Option<String>,
    client_id: Option<String>,
    client_secret: Option<Material>,
    scope: Option<String>,
    ca_file: Option<PathBuf>,
    extensions: Vec<String>,
    region: Option<String>,
}

impl Given {
    fn read(section: &mut Section<'_>) -> Self {
        Self {
            username: section.optional("username", credential),
            password: kept(
                section,
                ("password", "sasl.password"),
                ("password_file", "sasl.password_file"),
            ),
            token_file: section.optional("token_file", |n| files::path_to(n, files::secret)),
            url: section.optional("token_url", url),
            client_id: section.optional("client_id", credential),
            client_secret: kept(
                section,
                ("client_secret", "sasl.client_secret"),
                ("client_secret_file", "sasl.client_secret_file"),
            ),
            scope: section.optional("scope", read::text),
            ca_file: section.optional("token_ca_file", |n| files::path_to(n, files::certificates)),
            extensions: section.or("extensions", Vec::new(), extensions),
            region: section.optional("region", region),
        }
    }

    fn login(self, section: &Section<'_>, mechanism: Mechanism) -> Option<Sasl> {
        match mechanism {
            Mechanism::Plain => self.password(section, PasswordMechanism::Plain),
            Mechanism::ScramSha256 => self.password(section, PasswordMechanism::ScramSha256),
            Mechanism::ScramSha512 => self.password(section, PasswordMechanism::ScramSha512),
            Mechanism::OAuthBearer => self.bearer(section),
            Mechanism::AwsMskIam => Some(Sasl::Bearer(Bearer {
                source: TokenSource::MskIam(MskIam { region: self.region }),
                extensions: Vec::new(),
            })),
        }
    }

    fn password(self, section: &Section<'_>, mechanism: PasswordMechanism) -> Option<Sasl> {
        needs(section, "username", "who tidemark is to Kafka");
        needs_one(
            section,
            "password",
            "password_file",
            "a file that holds the password, or password itself",
        );
        Some(Sasl::Password(PasswordLogin {
            mechanism,
            username: self.username?,
            password: self.password?,
        }))
    }

    fn bearer(self, section: &Section<'_>) -> Option<Sasl> {
        let extensions = self.extensions.clone();
        let source = match (section.has("token_file"), section.has("token_url")) {
            (false, false) => {
                section.refuse(
                    "token_url",
                    "missing: the endpoint that gives tokens, or token_file in its place",
                );
                None
            }
            (true, true) => {
                section.refuse("token_file", "must not stand beside token_url: leave one of the two");
                None
            }
            (true, false) => self.held(section),
            (false, true) => self.endpoint(section),
        };
        Some(Sasl::Bearer(Bearer {
            source: source?,
            extensions,
        }))
    }

    fn held(self, section: &Section<'_>) -> Option<TokenSource> {
        for key in OF_ENDPOINTS.iter().filter(|key| section.has(key)) {
            section.refuse(key, "is of no use with token_file");
        }
        let file = Material::file("sasl.token_file", self.token_file?);
        Some(TokenSource::Held(file))
    }

    fn endpoint(self, section: &Section<'_>) -> Option<TokenSource> {
        needs(section, "client_id", "who tidemark is to the token endpoint");
        needs_one(
            section,
            "client_secret",
            "client_secret_file",
            "a file that holds the client's secret, or client_secret itself",
        );
        if self.url.as_ref().is_some_and(|url| url.starts_with("http://")) {
            section.warn(
                "token_url",
                "is used without TLS: the client's secret and tokens cross the network in the clear",
            );
        }
        Some(TokenSource::Endpoint(TokenEndpoint {
            url: self.url?,
            client_id: self.client_id?,
            client_secret: self.client_secret?,
            scope: self.scope,
            ca_file: self.ca_file,
        }))
    }
}

fn needs(section: &Section<'_>, key: &str, what: &str) {
    if !section.has(key) {
        section.refuse(key, format!("missing: {what}"));
    }
}

fn needs_one(section: &Section<'_>, inline: &str, file: &str, what: &str) {
    match (section.has(inline), section.has(file)) {
        (false, false) => section.refuse(file, format!("missing: {what}")),
        (true, true) => section.refuse(inline, format!("must not stand beside {file}: leave one of the two")),
        _ => {}
    }
}

/// A secret that stands there or in a file: each a key, and the setting's name for messages.
fn kept(
    section: &mut Section<'_>,
    (key, setting): (&'static str, &'static str),
    (file_key, file_setting): (&'static str, &'static str),
) -> Option<Material> {
    let inline = section.optional(key, credential);
    let file = section.optional(file_key, |n| files::path_to(n, files::secret));
    match (inline, file) {
        (Some(text), _) => Some(Material::inline(setting, text)),
        (None, Some(path)) => Some(Material::file(file_setting, path)),
        (None, None) => None,
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

fn url(node: &Node<'_>) -> Option<String> {
    let text = read::text(node)?;
    if !is_url(&text) {
        return node.refuse("must be a URL that begins with https:// or http:// and holds no user or password");
    }
    Some(text)
}

/// A URL that can be asked for a token.
pub(in crate::config) fn is_url(text: &str) -> bool {
    let rest = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
    rest.is_some_and(|rest| {
        let host = rest.split(['/', '?']).next().unwrap_or_default();
        !host.is_empty() && !host.contains('@') && rest.chars().all(|c| c.is_ascii_graphic() && c != '#')
    })
}

/// A part of host names.
fn region(node: &Node<'_>) -> Option<String> {
    let text = read::text(node)?;
    if !text.chars().all(|c| c.is_ascii_alphanumeric() || c == '-') {
        return node.refuse("must be the name of a region, as in eu-west-1");
    }
    Some(text)
}

/// `key=value` as KIP-342 has them.
fn extensions(node: &Node<'_>) -> Option<Vec<String>> {
    let texts = read::texts(node)?;
    read::all(texts.into_iter().map(|(at, text)| match is_extension(&text) {
        true => Some(text),
        false => at.refuse("must be key=value: letters before it, printable ASCII behind it, and no key called auth"),
    }))
}

/// The grammar of RFC 7628, 3.1; `auth` is the token's own key.
pub(in crate::config) fn is_extension(text: &str) -> bool {
    let Some((key, value)) = text.split_once('=') else {
        return false;
    };
    let printable = |c: char| c.is_ascii_graphic() || matches!(c, ' ' | '\t' | '\r' | '\n');
    !key.is_empty() && key != "auth" && key.chars().all(|c| c.is_ascii_alphabetic()) && value.chars().all(printable)
}
