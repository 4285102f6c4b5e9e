//! The web configuration file: what is taken, and what is refused by name.

use super::support::CERTIFICATE;
use super::support::KEY;
use super::support::Place;
use super::support::SECRET;
use crate::config::ClientAuth;
use crate::config::TlsVersion;
use crate::config::Web;

const LEAST: &str = "web_config_file: $DIR/web.yaml\nclusters: [{name: main, bootstrap_servers: 'kafka:9092'}]";
/// The password is `x`.
const HASH: &str = "$2y$04$Ch9dYa.DtOfeSnJwYLe7ruBh3MgXZyUBsbQ6bDGkzwaJfpSMdyYKa";

fn place(web: &str) -> Place {
    Place::with(LEAST).beside("web.yaml", web)
}

fn web(text: &str) -> Web {
    let loaded = place(text).load().unwrap_or_else(|errors| panic!("{errors}"));
    loaded.config.web.expect("it is named")
}

fn problems(text: &str) -> Vec<String> {
    let told = place(text).problems();
    assert!(!told.join(" ").contains(SECRET), "{told:?}");
    told
}

#[test]
fn everything_that_prometheus_people_write_is_taken() {
    let all = web(&format!(
        "
tls_server_config:
  cert_file: cert.pem
  key_file: $DIR/key.pem
  client_auth_type: RequireAndVerifyClientCert
  client_ca_file: cert.pem
  client_allowed_sans: [prometheus.example]
  min_version: TLS13
  max_version: TLS13
  cipher_suites: [TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256, TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256]
  prefer_server_cipher_suites: false
  curve_preferences: [X25519, CurveP256]
http_server_config:
  http2: false
  headers:
    Strict-Transport-Security: max-age=31536000
    X-Frame-Options: DENY
basic_auth_users:
  ann: {HASH}
  Bob Smith: {HASH}
bearer_token_files:
  prometheus: token
"
    ));
    let tls = all.tls.expect("a section");
    assert!(tls.cert_file.is_absolute(), "it counts from the file's own folder");
    assert_eq!(tls.client_auth, ClientAuth::RequireAndVerifyClientCert);
    assert_eq!(
        (tls.min, tls.max, tls.server_order),
        (TlsVersion::Tls13, TlsVersion::Tls13, false)
    );
    assert_eq!(
        tls.ciphers,
        ["ECDHE-RSA-AES128-GCM-SHA256", "ECDHE-ECDSA-CHACHA20-POLY1305"]
    );
    assert_eq!(tls.groups, ["X25519", "P-256"]);
    assert_eq!(all.headers.len(), 2);
    assert_eq!(
        all.users.iter().map(|user| user.name.as_str()).collect::<Vec<_>>(),
        ["Bob Smith", "ann"]
    );
    assert!(!format!("{:?}", all.users).contains("Ch9dYa"), "a hash is a secret");
    assert_eq!(all.tokens[0].name, "prometheus");
}

#[test]
fn the_example_of_the_documentation_is_taken() {
    let document = include_str!("../../../docs/listeners.md");
    let (_, example) = document.split_once("```yaml\n").unwrap();
    let (example, _) = example.split_once("```").unwrap();
    let place = place(example).beside("tls.crt", CERTIFICATE).beside("tls.key", KEY);
    let taken = place
        .load()
        .unwrap_or_else(|errors| panic!("{errors}"))
        .config
        .web
        .unwrap();
    let user = &taken.users[0];
    assert_eq!(bcrypt::verify("change me", user.hash.expose()).ok(), Some(true));
}

#[test]
fn an_empty_file_opens_the_listener_to_everybody() {
    let nothing = web("{}");
    assert!(nothing.tls.is_none() && nothing.users.is_empty() && nothing.tokens.is_empty());
}

#[test]
fn every_problem_is_told_at_once_by_its_key() {
    let told = problems(&format!(
        "
tls_server_config:
  cert_file: none.pem
  client_auth_type: Maybe
  min_version: TLS11
  cipher_suites: [TLS_NONE_SUCH]
  curve_preferences: [CurveP1]
  cert: inline
http_server_config: {{headers: {{X-Powered-By: me}}}}
basic_auth_users: {{ann: $SECRET, 'a:b': {HASH}, dear: {}}}
rate_limit: {{interval: 1s}}
",
        HASH.replacen("$04$", "$17$", 1)
    ));
    let key = "web_config_file.";
    assert_eq!(
        told,
        [
            format!(
                "{key}tls_server_config.cert_file: must be a file that can be read: No such file or directory (os error 2)"
            ),
            format!("{key}tls_server_config.key_file: missing: the private key of the certificate"),
            format!(
                "{key}tls_server_config.client_auth_type: must be NoClientCert, RequestClientCert, RequireAnyClientCert, VerifyClientCertIfGiven or RequireAndVerifyClientCert"
            ),
            format!("{key}tls_server_config.min_version: is too old to be safe; must be TLS12 or TLS13"),
            format!(
                "{key}tls_server_config.cipher_suites[0]: must be a cipher suite by its standard name, as in TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256"
            ),
            format!("{key}tls_server_config.curve_preferences[0]: must be CurveP256, CurveP384, CurveP521 or X25519"),
            format!(
                "{key}tls_server_config.cert: unknown key; known here: cert_file, key_file, client_auth_type, client_ca_file, client_allowed_sans, min_version, max_version, cipher_suites, prefer_server_cipher_suites, curve_preferences"
            ),
            format!(
                "{key}http_server_config.headers.X-Powered-By: unknown key; known here: Content-Security-Policy, Strict-Transport-Security, X-Content-Type-Options, X-Frame-Options, X-XSS-Protection"
            ),
            format!("{key}basic_auth_users.\"a:b\": must be for a user whose name is not empty and has no colon"),
            format!("{key}basic_auth_users.ann: must be a bcrypt hash, as `htpasswd -nB` makes them"),
            format!("{key}basic_auth_users.dear: must be a bcrypt hash of a cost of at most 16"),
            format!(
                "{key}rate_limit: unknown key; known here: tls_server_config, http_server_config, basic_auth_users, bearer_token_files"
            ),
        ]
    );
}

#[test]
fn keys_about_clients_certificates_must_make_sense_together() {
    let pair = "cert_file: cert.pem, key_file: key.pem";
    for (more, problem) in [
        (
            "client_auth_type: RequireAndVerifyClientCert",
            "client_ca_file: missing beside client_auth_type: the authorities of the clients",
        ),
        (
            "client_ca_file: cert.pem",
            "client_ca_file: must not be without client_auth_type: RequireAndVerifyClientCert or VerifyClientCertIfGiven",
        ),
        (
            "client_allowed_sans: [a]",
            "client_allowed_sans: must not be without client_auth_type: RequireAndVerifyClientCert or VerifyClientCertIfGiven",
        ),
        (
            "min_version: TLS13, max_version: TLS12",
            "min_version: must not be above max_version",
        ),
    ] {
        let told = problems(&format!("tls_server_config: {{{pair}, {more}}}"));
        assert_eq!(told, [format!("web_config_file.tls_server_config.{problem}")]);
    }
}

#[test]
fn what_is_hardly_meant_is_warned_about() {
    let warnings = |text: &str| -> Vec<String> {
        let loaded = place(text).load().unwrap();
        loaded.warnings.iter().map(ToString::to_string).collect()
    };
    assert_eq!(
        warnings(&format!("basic_auth_users: {{ann: {HASH}}}")),
        [
            "web_config_file.basic_auth_users: stands without tls_server_config: passwords cross the network in the clear"
        ]
    );
    assert_eq!(
        warnings(
            "tls_server_config: {cert_file: cert.pem, key_file: key.pem, client_auth_type: RequireAnyClientCert}\nhttp_server_config: {http2: true}"
        ),
        [
            "web_config_file.tls_server_config.client_auth_type: verifies nobody: anybody's certificate will do",
            "web_config_file.http_server_config.http2: HTTP/2 is not served: clients fall back to HTTP/1.1",
        ]
    );
}

#[test]
fn a_file_that_cannot_be_parsed_is_refused_by_its_key_and_not_quoted() {
    assert_eq!(
        problems("basic_auth_users: {ann: '$SECRET"),
        ["web_config_file: not valid YAML: line 1: while scanning a quoted scalar, found unexpected end of stream"]
    );
}
