//! The web configuration file. Its keys are those of Prometheus' exporter toolkit; what is not served is refused by name. No message here ever
//! holds a value.

use std::path::Path;
use std::path::PathBuf;

use config::ValueKind;

use crate::config::AdminToken;
use crate::config::ClientAuth;
use crate::config::Secret;
use crate::config::TlsVersion;
use crate::config::Web;
use crate::config::WebTls;
use crate::config::WebUser;
use crate::config::files;
use crate::config::load::parse;
use crate::config::node::Node;
use crate::config::node::Section;
use crate::config::read;

/// The headers that may be set: those about the safety of a page.
const HEADERS: [&str; 5] = [
    "Content-Security-Policy",
    "Strict-Transport-Security",
    "X-Content-Type-Options",
    "X-Frame-Options",
    "X-XSS-Protection",
];
/// Groups of the key exchange by Go's names and OpenSSL's.
const CURVES: [(&str, &str); 4] = [
    ("CurveP256", "P-256"),
    ("CurveP384", "P-384"),
    ("CurveP521", "P-521"),
    ("X25519", "X25519"),
];
/// The least that bcrypt knows.
const COST_MIN: u32 = 4;
/// A password takes a second or two at this cost, and every step doubles it.
const COST_MAX: u32 = 16;

/// The file that the key names, and everything in it.
pub(super) fn read(node: &Node<'_>) -> Option<Web> {
    let file = read::path(node)?;
    let tree = match parse(&file) {
        Ok(tree) => tree,
        Err(problem) => return node.refuse(problem.what),
    };
    // Other paths in it count from its own folder, as its users expect.
    let folder = file.parent().unwrap_or(Path::new("")).to_owned();
    let mut section = node.within(&tree).section()?;
    let tls = section.optional("tls_server_config", |n| tls(n, &folder));
    let headers = section.or("http_server_config", Vec::new(), http);
    let users = section.or("basic_auth_users", Vec::new(), users);
    let tokens = section.or("bearer_token_files", Vec::new(), |n| tokens(n, &folder));
    if section.has("basic_auth_users") && !section.has("tls_server_config") {
        section.warn(
            "basic_auth_users",
            "stands without tls_server_config: passwords cross the network in the clear",
        );
    }
    section.end();
    Some(Web {
        file,
        tls,
        headers,
        users,
        tokens,
    })
}

fn tls(node: &Node<'_>, folder: &Path) -> Option<WebTls> {
    let mut section = node.section()?;
    let certificate = |n: &Node<'_>| file_in(n, folder, files::certificates);
    let cert_file = section.required("cert_file", "the certificate of the listener", certificate);
    let key_file = section.required("key_file", "the private key of the certificate", |n| {
        file_in(n, folder, files::plain_key)
    });
    let client_auth = section.or("client_auth_type", ClientAuth::NoClientCert, |n| {
        read::one_of(n, &ClientAuth::WORDS)
    });
    let client_ca_file = section.optional("client_ca_file", certificate);
    let client_sans = section.or("client_allowed_sans", Vec::new(), texts);
    let min = section.or("min_version", TlsVersion::Tls12, version);
    let max = section.or("max_version", TlsVersion::Tls13, version);
    let ciphers = section.or("cipher_suites", Vec::new(), |n| each(n, cipher));
    let server_order = section.or("prefer_server_cipher_suites", true, read::boolean);
    let groups = section.or("curve_preferences", Vec::new(), |n| {
        each(n, |one| read::one_of(one, &CURVES))
    });
    clients_fit(&section, client_auth);
    if min > max {
        section.refuse("min_version", "must not be above max_version");
    }
    section.end();
    Some(WebTls {
        cert_file: cert_file?,
        key_file: key_file?,
        client_auth,
        client_ca_file,
        client_sans,
        min,
        max,
        ciphers,
        server_order,
        groups,
    })
}

/// Whether the keys about clients' certificates make sense together.
fn clients_fit(section: &Section<'_>, auth: ClientAuth) {
    if auth.verifies() && !section.has("client_ca_file") {
        section.refuse(
            "client_ca_file",
            "missing beside client_auth_type: the authorities of the clients",
        );
    }
    for key in ["client_ca_file", "client_allowed_sans"] {
        if section.has(key) && !auth.verifies() {
            section.refuse(
                key,
                "must not be without client_auth_type: RequireAndVerifyClientCert or VerifyClientCertIfGiven",
            );
        }
    }
    if matches!(auth, ClientAuth::RequestClientCert | ClientAuth::RequireAnyClientCert) {
        section.warn("client_auth_type", "verifies nobody: anybody's certificate will do");
    }
}

fn version(node: &Node<'_>) -> Option<TlsVersion> {
    match node.kind() {
        ValueKind::String(text) if matches!(text.as_str(), "TLS10" | "TLS11") => {
            node.refuse("is too old to be safe; must be TLS12 or TLS13")
        }
        _ => read::one_of(node, &TlsVersion::WORDS),
    }
}

/// A suite by its name in the standards, as OpenSSL calls it.
fn cipher(node: &Node<'_>) -> Option<String> {
    let name = read::text(node)?;
    let known = name.is_ascii() && name.starts_with("TLS_") && !name.contains('\0');
    match openssl::ssl::cipher_name(if known { &name } else { "none" }) {
        "(NONE)" => {
            node.refuse("must be a cipher suite by its standard name, as in TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256")
        }
        found => Some(found.to_owned()),
    }
}

fn http(node: &Node<'_>) -> Option<Vec<(&'static str, String)>> {
    let mut section = node.section()?;
    if section.optional("http2", read::boolean) == Some(true) {
        section.warn("http2", "HTTP/2 is not served: clients fall back to HTTP/1.1");
    }
    let headers = section.or("headers", Vec::new(), |n| {
        let mut section = n.section()?;
        let set = HEADERS.map(|name| section.optional(name, header).map(|value| (name, value)));
        section.end();
        Some(set.into_iter().flatten().collect())
    });
    section.end();
    Some(headers)
}

fn header(node: &Node<'_>) -> Option<String> {
    let text = read::text(node)?;
    if text.bytes().any(|byte| !(b' '..=b'~').contains(&byte)) {
        return node.refuse("must be a header's value: printable ASCII");
    }
    Some(text)
}

fn users(node: &Node<'_>) -> Option<Vec<WebUser>> {
    read::all(node.entries()?.into_iter().map(|(name, at)| {
        if name.is_empty() || name.contains(':') {
            return at.refuse("must be for a user whose name is not empty and has no colon");
        }
        let hash = read::text(&at)?;
        match cost(&hash) {
            None => at.refuse("must be a bcrypt hash, as `htpasswd -nB` makes them"),
            Some(cost) if cost > COST_MAX => {
                at.refuse(format!("must be a bcrypt hash of a cost of at most {COST_MAX}"))
            }
            Some(cost) => Some(WebUser {
                name,
                hash: Secret::new(hash),
                cost,
            }),
        }
    }))
}

/// The cost of a bcrypt hash; `None` for what is none.
fn cost(hash: &str) -> Option<u32> {
    let after = ["$2a$", "$2b$", "$2y$"]
        .iter()
        .find_map(|form| hash.strip_prefix(form))?;
    let (cost, rest) = after.split_once('$')?;
    let cost = cost
        .parse()
        .ok()
        .filter(|known| *known >= COST_MIN && cost.len() == 2)?;
    // Whether the rest is a salt and a hash is seen at the least cost, whatever the password takes later.
    bcrypt::verify("", &format!("$2b${COST_MIN:02}${rest}")).ok()?;
    Some(cost)
}

fn tokens(node: &Node<'_>, folder: &Path) -> Option<Vec<AdminToken>> {
    read::all(node.entries()?.into_iter().map(|(name, at)| {
        let file = file_in(&at, folder, files::secret)?;
        Some(AdminToken { name, file })
    }))
}

fn texts(node: &Node<'_>) -> Option<Vec<String>> {
    each(node, read::text)
}

fn each<T>(node: &Node<'_>, read: impl Fn(&Node<'_>) -> Option<T>) -> Option<Vec<T>> {
    read::all(node.list()?.iter().map(read))
}

/// A path that counts from the folder, when `check` finds nothing wrong with its file.
fn file_in(node: &Node<'_>, folder: &Path, check: impl FnOnce(&Path) -> Result<(), String>) -> Option<PathBuf> {
    let path = folder.join(read::path(node)?);
    match check(&path) {
        Ok(()) => Some(path),
        Err(what) => node.refuse(what),
    }
}
