//! The admin section: who may reset what, from where, and where it is written down. No message here ever holds a value.

use std::net::SocketAddr;
use std::path::PathBuf;

use super::security::same_file;
use crate::config::Admin;
use crate::config::AdminTls;
use crate::config::AdminToken;
use crate::config::Allow;
use crate::config::files;
use crate::config::node::Node;
use crate::config::node::Section;
use crate::config::read;

/// The own machine only: whoever wants more says so.
const DEFAULT_LISTEN: &str = "127.0.0.1:9641";
/// The name of a lone `token_file` in the audit log.
const LONE_TOKEN: &str = "admin";

/// The section `admin`. `clusters` are the names that `allow` may use; `None` when they could not be read, and then nothing is said of them.
pub(super) fn read(node: &Node<'_>, scrape: SocketAddr, clusters: Option<&[&str]>) -> Option<Admin> {
    let mut section = node.section()?;
    let listen = section.optional("listen", read::socket).unwrap_or_else(default_listen);
    if collide(listen, scrape) {
        section.refuse("listen", "must be another address than that of the scrape listener");
    }
    let tokens = tokens(&mut section);
    let what = "which groups of which cluster may be reset";
    let allow = section.required("allow", what, |n| {
        read::all(n.filled_list()?.iter().map(|rule| allow(rule, clusters)))
    });
    let audit_log = section.required("audit_log", "the file in which every reset is written down", audit_log);
    let require_reason = section.or("require_reason", false, read::boolean);
    let tls = section.optional("tls", tls);
    if !listen.ip().is_loopback() && !section.has("tls") {
        section.warn(
            "listen",
            "is open to other machines without tls: tokens cross the network in the clear",
        );
    }
    section.end();
    Some(Admin {
        listen,
        tokens: tokens?,
        allow: allow?,
        audit_log: audit_log?,
        require_reason,
        tls,
    })
}

fn default_listen() -> SocketAddr {
    DEFAULT_LISTEN.parse().expect("the default is an address")
}

/// Port 0 is a free port, never the same one twice. An unspecified address takes the port on all of them.
fn collide(a: SocketAddr, b: SocketAddr) -> bool {
    let overlap = a.ip() == b.ip() || a.ip().is_unspecified() || b.ip().is_unspecified();
    a.port() != 0 && a.port() == b.port() && overlap
}

/// One `token_file`, or the list `tokens`.
fn tokens(section: &mut Section<'_>) -> Option<Vec<AdminToken>> {
    let lone = section.optional("token_file", token_file);
    let named = section.optional("tokens", |n| {
        let mut before = Vec::new();
        read::all(n.filled_list()?.iter().map(|token| named_token(token, &mut before)))
    });
    match (section.has("token_file"), section.has("tokens")) {
        (false, false) => section.refuse(
            "token_file",
            "missing: a file that holds the token, or a list of tokens",
        ),
        (true, true) => section.refuse("token_file", "must not stand beside tokens: leave one of the two"),
        _ => {}
    }
    let lone = lone.map(|file| AdminToken {
        name: LONE_TOKEN.to_owned(),
        file,
    });
    named.or(lone.map(|token| vec![token]))
}

fn token_file(node: &Node<'_>) -> Option<PathBuf> {
    files::path_to(node, files::secret)
}

fn named_token(node: &Node<'_>, before: &mut Vec<(Option<String>, Option<PathBuf>)>) -> Option<AdminToken> {
    let mut section = node.section()?;
    let name = section.required("name", "who comes with this token, for the audit log", read::text);
    let file = section.required("file", "a file that holds the token", token_file);
    if name.is_some() && before.iter().any(|(other, _)| *other == name) {
        section.refuse("name", "must be unique: a token before this one has the same name");
    }
    let same = |other: &PathBuf| {
        file.as_ref()
            .is_some_and(|file| same_file(file, other) || files::same_secret(file, other))
    };
    if before.iter().filter_map(|(_, other)| other.as_ref()).any(same) {
        section.refuse(
            "file",
            "must hold another token than those before it: the audit log could not say who came",
        );
    }
    section.end();
    before.push((name.clone(), file.clone()));
    Some(AdminToken {
        name: name?,
        file: file?,
    })
}

fn allow(node: &Node<'_>, clusters: Option<&[&str]>) -> Option<Allow> {
    let mut section = node.section()?;
    let cluster = section.required("cluster", "the name of a cluster", |n| {
        let name = read::text(n)?;
        match clusters {
            Some(known) if !known.contains(&name.as_str()) => n.refuse("must be the name of one of the clusters"),
            _ => Some(name),
        }
    });
    let groups = section.required(
        "groups",
        "regular expressions of the groups that may be reset",
        read::some_patterns,
    );
    section.end();
    Some(Allow {
        cluster: cluster?,
        groups: groups?,
    })
}

fn audit_log(node: &Node<'_>) -> Option<PathBuf> {
    let path = read::path(node)?;
    if path.is_dir() {
        return node.refuse("must be a file, not a directory");
    }
    let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    if directory.is_some_and(|directory| !directory.is_dir()) {
        return node.refuse("must be in a directory that exists");
    }
    Some(path)
}

fn tls(node: &Node<'_>) -> Option<AdminTls> {
    let mut section = node.section()?;
    let certificate = |n: &Node<'_>| files::path_to(n, files::certificates);
    let cert_file = section.required("cert_file", "the certificate of the listener", certificate);
    // Nobody is there to be asked for a passphrase: the key must be a plain one.
    let key_file = section.required("key_file", "the private key of the certificate", |n| {
        files::path_to(n, files::plain_key)
    });
    let client_ca_file = section.optional("client_ca_file", certificate);
    section.end();
    Some(AdminTls {
        cert_file: cert_file?,
        key_file: key_file?,
        client_ca_file,
    })
}
