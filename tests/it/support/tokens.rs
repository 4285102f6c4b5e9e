//! A token endpoint over HTTPS: gives unsecured web tokens, which a Kafka without further settings takes, for a client's credentials.

use std::io::Read;
use std::io::Write;
use std::net::TcpListener;
use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::Duration;
use std::time::SystemTime;
use std::time::UNIX_EPOCH;

use openssl::base64::encode_block;
use openssl::pkey::PKey;
use openssl::ssl::SslAcceptor;
use openssl::ssl::SslMethod;
use openssl::x509::X509;
use serde_json::json;

use super::secure::Authority;

/// The secret of the one client that it knows.
pub(crate) const CLIENT_SECRET: &str = "client;secret=3";

/// The endpoint. Ends when dropped.
pub(crate) struct TokenEndpoint {
    port: u16,
    given: Arc<AtomicUsize>,
    ended: Arc<AtomicBool>,
}

impl TokenEndpoint {
    /// One whose certificate the authority signs and whose tokens live so long.
    pub(crate) fn start(authority: &Authority, life: Duration) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = listener.local_addr().expect("bound").port();
        let acceptor = acceptor(authority);
        let (given, ended) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicBool::new(false)));
        let (count, over) = (Arc::clone(&given), Arc::clone(&ended));
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                if over.load(Ordering::Relaxed) {
                    return;
                }
                // Whoever does not trust us says nothing.
                let Ok(mut stream) = acceptor.accept(stream) else {
                    continue;
                };
                let (status, body) = answer(&question(&mut stream), life);
                if status == 200 {
                    count.fetch_add(1, Ordering::Relaxed);
                }
                let head = format!("HTTP/1.1 {status} x\r\ncontent-length: {}\r\n\r\n", body.len());
                let _ = stream.write_all((head + &body).as_bytes());
                let _ = stream.shutdown();
            }
        });
        Self { port, given, ended }
    }

    /// Where it is asked.
    pub(crate) fn url(&self) -> String {
        format!("https://localhost:{}/token", self.port)
    }

    /// How many tokens it has given.
    pub(crate) fn given(&self) -> usize {
        self.given.load(Ordering::Relaxed)
    }
}

impl Drop for TokenEndpoint {
    fn drop(&mut self) {
        self.ended.store(true, Ordering::Relaxed);
        let _ = std::net::TcpStream::connect(("127.0.0.1", self.port));
    }
}

fn acceptor(authority: &Authority) -> SslAcceptor {
    let (certificate, key) = authority.issue(&["localhost"]);
    let mut acceptor = SslAcceptor::mozilla_intermediate_v5(SslMethod::tls_server()).expect("OpenSSL works");
    let certificate = X509::from_pem(certificate.as_bytes()).expect("a certificate");
    let key = PKey::private_key_from_pem(key.as_bytes()).expect("a key");
    acceptor.set_certificate(&certificate).expect("it fits");
    acceptor.set_private_key(&key).expect("it fits");
    acceptor.build()
}

/// Everything up to the end of the form, which is last.
fn question(stream: &mut impl Read) -> String {
    let mut said = String::new();
    while !said.contains("grant_type=client_credentials") {
        let mut part = [0; 4096];
        match stream.read(&mut part) {
            Ok(0) | Err(_) => break,
            Ok(count) => said.push_str(&String::from_utf8_lossy(&part[..count])),
        }
    }
    said
}

fn answer(question: &str, life: Duration) -> (u16, String) {
    // As in a form: "client" and the secret with its two odd characters encoded.
    let known = format!("Basic {}", encode_block(b"client:client%3Bsecret%3D3"));
    if question.contains(&known) {
        let token = web_token("client", life);
        let answer = json!({"access_token": token, "token_type": "Bearer", "expires_in": life.as_secs()});
        return (200, answer.to_string());
    }
    let answer = json!({"error": "invalid_client", "error_description": "unknown client or wrong secret"});
    (401, answer.to_string())
}

/// An unsecured web token (RFC 7519, 6) for `who`.
pub(crate) fn web_token(who: &str, life: Duration) -> String {
    let now = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .expect("after 1970")
        .as_secs();
    let part = |claims: serde_json::Value| {
        let standard = encode_block(claims.to_string().as_bytes());
        standard.replace(['\n', '='], "").replace('+', "-").replace('/', "_")
    };
    let header = part(json!({"alg": "none"}));
    format!(
        "{header}.{}.",
        part(json!({"sub": who, "iat": now, "exp": now + life.as_secs()}))
    )
}

/// Writes a file and returns its path.
pub(crate) fn written(folder: &Path, name: &str, text: &str) -> PathBuf {
    let file = folder.join(name);
    std::fs::write(&file, text).expect("a file");
    file
}
