//! TLS and SASL to Kafka.

use super::Doc;
use super::HIDDEN;
use super::path;
use super::plain;
use super::text;
use crate::config::Authorities;
use crate::config::Bearer;
use crate::config::Identity;
use crate::config::Material;
use crate::config::PasswordLogin;
use crate::config::Place;
use crate::config::Sasl;
use crate::config::Tls;
use crate::config::TokenEndpoint;
use crate::config::TokenSource;

type Keys = Vec<(&'static str, Doc)>;

pub(super) fn tls(tls: &Tls) -> Doc {
    let mut keys = Vec::new();
    if let Some(Authorities::Pem(material)) = &tls.authorities {
        keys.extend(file("ca_file", material));
    }
    if let Some(Identity::Pem { chain, key, passphrase }) = &tls.identity {
        keys.extend(file("cert_file", chain));
        keys.extend(file("key_file", key));
        keys.extend(
            passphrase
                .as_ref()
                .and_then(|material| file("key_password_file", material)),
        );
    }
    keys.push(("verify_hostname", plain(tls.verify_hostname)));
    Doc::Keys(keys)
}

fn file(key: &'static str, material: &Material) -> Option<(&'static str, Doc)> {
    material.path().map(|file| (key, path(file)))
}

pub(super) fn sasl(sasl: &Sasl) -> Doc {
    let mut keys = vec![("mechanism", plain(sasl.mechanism().as_str()))];
    keys.extend(match sasl {
        Sasl::Password(login) => password(login),
        Sasl::Bearer(login) => bearer(login),
    });
    Doc::Keys(keys)
}

fn password(login: &PasswordLogin) -> Keys {
    vec![
        ("username", text(&login.username)),
        secret("password", "password_file", &login.password),
    ]
}

fn bearer(login: &Bearer) -> Keys {
    let mut keys = match &login.source {
        TokenSource::Held(material) => file("token_file", material).into_iter().collect(),
        TokenSource::Endpoint(endpoint) => self::endpoint(endpoint),
        TokenSource::MskIam(iam) => iam.region.iter().map(|region| ("region", text(region))).collect(),
    };
    if !login.extensions.is_empty() {
        keys.push(("extensions", super::list(&login.extensions, text)));
    }
    keys
}

fn endpoint(endpoint: &TokenEndpoint) -> Keys {
    let mut keys = vec![
        ("token_url", text(&endpoint.url)),
        ("client_id", text(&endpoint.client_id)),
        secret("client_secret", "client_secret_file", &endpoint.client_secret),
    ];
    keys.extend(endpoint.scope.as_ref().map(|scope| ("scope", text(scope))));
    keys.extend(endpoint.ca_file.as_deref().map(|file| ("token_ca_file", path(file))));
    keys
}

fn secret(inline: &'static str, in_file: &'static str, material: &Material) -> (&'static str, Doc) {
    match &material.place {
        Place::Inline(_) => (inline, text(HIDDEN)),
        Place::File(file) => (in_file, path(file)),
    }
}
