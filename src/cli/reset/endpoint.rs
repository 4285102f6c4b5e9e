//! The admin listener of a running tidemark, over HTTP or HTTPS.

use std::path::Path;
use std::time::Duration;

use bytes::Bytes;
use http_body_util::BodyExt as _;
use http_body_util::Full;
use http_body_util::Limited;
use hyper::Request;
use hyper::StatusCode;
use hyper::Uri;
use hyper::client::conn::http1;
use hyper::header::AUTHORIZATION;
use hyper::header::CONTENT_TYPE;
use hyper::header::HOST;
use hyper::header::HeaderValue;
use hyper_util::rt::TokioIo;
use openssl::ssl::SslConnector;
use openssl::ssl::SslMethod;
use percent_encoding::NON_ALPHANUMERIC;
use percent_encoding::percent_encode;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use tokio::io::AsyncRead;
use tokio::io::AsyncWrite;
use tokio::net::TcpStream;
use tokio_openssl::SslStream;

use super::console::read_file;
use super::way::Stop;
use crate::reset::Asked;
use crate::reset::Executed;
use crate::reset::Order;
use crate::reset::Planned;
use crate::reset::engine::Place;

/// The longest token.
const TOKEN_LIMIT: u64 = 64 << 10;
/// The largest answer that is taken.
const ANSWER_LIMIT: usize = 64 << 20;
/// For the connection, with TLS.
const CONNECT: Duration = Duration::from_secs(15);
/// For an answer: an execute may wait for Kafka at every step.
const ANSWER: Duration = Duration::from_secs(300);

/// Where a tidemark listens, and the token it wants.
pub(in crate::cli) struct Endpoint {
    tls: bool,
    host: String,
    port: u16,
    /// As the `Host` header has it.
    authority: String,
    /// What is before `/admin`, where a proxy puts something there.
    prefix: String,
    /// The whole header: marked as sensitive, so that no debug print shows it.
    token: HeaderValue,
}

/// A refusal as an endpoint sends it.
#[derive(Deserialize)]
struct Refused {
    error: String,
    message: String,
}

trait Stream: AsyncRead + AsyncWrite + Unpin + Send {}

impl<S: AsyncRead + AsyncWrite + Unpin + Send> Stream for S {}

impl Endpoint {
    /// An endpoint by its address and the file with its token.
    pub(super) fn new(url: &str, token_file: &Path) -> Result<Self, String> {
        let wrong = || format!("--admin {url:?} is no address like http://127.0.0.1:9641 or https://host:port");
        let uri: Uri = url.parse().map_err(|_| wrong())?;
        let tls = match uri.scheme_str() {
            Some("http") => false,
            Some("https") => true,
            _ => return Err(wrong()),
        };
        let authority = uri
            .authority()
            .filter(|found| !found.as_str().contains('@'))
            .ok_or_else(wrong)?;
        let token = read_file(token_file, TOKEN_LIMIT)?;
        let mut token = HeaderValue::from_bytes(&[b"Bearer ", token.trim_ascii()].concat())
            .map_err(|_| format!("{}: no token that a header can carry", token_file.display()))?;
        token.set_sensitive(true);
        Ok(Self {
            tls,
            host: authority.host().trim_matches(['[', ']']).to_owned(),
            port: authority.port_u16().unwrap_or(if tls { 443 } else { 80 }),
            authority: authority.to_string(),
            prefix: uri.path().trim_end_matches('/').to_owned(),
            token,
        })
    }

    pub(super) async fn plan(&self, at: &Place, asked: &Asked) -> Result<Planned, Stop> {
        let body = serde_json::to_vec(asked).map_err(|error| Stop::Broken(error.to_string()))?;
        let (status, answer) = self.post(at, "plan", body).await.map_err(Stop::Broken)?;
        self.read(status, &answer)
    }

    pub(super) async fn execute(&self, at: &Place, order: &Order) -> Result<Executed, Stop> {
        let body = serde_json::to_vec(order).map_err(|error| Stop::Broken(error.to_string()))?;
        let answered = self.post(at, "execute", body).await;
        let (status, answer) = answered.map_err(|problem| {
            Stop::Broken(format!(
                "{problem}: the reset may have been carried out all the same; send the same plan again, which does no harm and tells"
            ))
        })?;
        if status == StatusCode::BAD_GATEWAY
            && let Ok(executed) = serde_json::from_slice(&answer)
        {
            return Err(Stop::Failed(Box::new(executed)));
        }
        self.read(status, &answer)
    }

    fn read<T: DeserializeOwned>(&self, status: StatusCode, answer: &[u8]) -> Result<T, Stop> {
        let strange = || {
            Stop::Broken(format!(
                "{} answered {status}, and nothing that a tidemark says",
                self.authority
            ))
        };
        if status == StatusCode::OK {
            return serde_json::from_slice(answer).map_err(|_| strange());
        }
        let Refused { error, message } = serde_json::from_slice(answer).map_err(|_| strange())?;
        if error == "internal" {
            return Err(Stop::Broken(message));
        }
        Err(Stop::Refused { word: error, message })
    }

    async fn post(&self, at: &Place, step: &str, body: Vec<u8>) -> Result<(StatusCode, Bytes), String> {
        let encoded = |name: &[u8]| percent_encode(name, NON_ALPHANUMERIC).to_string();
        let path = format!(
            "{}/admin/v1/clusters/{}/groups/{}/reset/{step}",
            self.prefix,
            encoded(at.cluster.as_bytes()),
            encoded(at.group.bytes())
        );
        let request = Request::post(path)
            .header(HOST, &self.authority)
            .header(AUTHORIZATION, &self.token)
            .header(CONTENT_TYPE, "application/json")
            .body(Full::new(Bytes::from(body)))
            .map_err(|error| error.to_string())?;
        let stream = tokio::time::timeout(CONNECT, self.connect()).await;
        let stream = stream.map_err(|_| self.cannot("no connection in time"))??;
        match tokio::time::timeout(ANSWER, exchange(stream, request)).await {
            Ok(answered) => answered.map_err(|problem| self.cannot(&problem)),
            Err(_) => Err(self.cannot("no answer in time")),
        }
    }

    fn cannot(&self, problem: &str) -> String {
        format!("{}: {problem}", self.authority)
    }

    async fn connect(&self) -> Result<Box<dyn Stream>, String> {
        let stream = TcpStream::connect((self.host.as_str(), self.port)).await;
        let stream = stream.map_err(|error| self.cannot(&error.to_string()))?;
        if !self.tls {
            return Ok(Box::new(stream));
        }
        let ssl = connector().and_then(|connector| connector.configure()?.into_ssl(&self.host));
        let stream = ssl.and_then(|ssl| SslStream::new(ssl, stream));
        let mut stream = stream.map_err(|error| self.cannot(&error.to_string()))?;
        let shaken = std::pin::Pin::new(&mut stream).connect().await;
        shaken.map_err(|error| self.cannot(&format!("TLS: {error}")))?;
        Ok(Box::new(stream))
    }
}

/// Trusts the system's authorities. An OpenSSL that was built in looks where it would have been installed, which is nowhere.
fn connector() -> Result<SslConnector, openssl::error::ErrorStack> {
    let mut builder = SslConnector::builder(SslMethod::tls_client())?;
    let system = openssl_probe::probe();
    if let Some(file) = system.cert_file {
        // What cannot be read is not trusted: the handshake then says so.
        let _ = builder.set_ca_file(file);
    }
    for dir in system.cert_dir {
        let _ = builder.load_verify_locations(None, Some(&dir));
    }
    Ok(builder.build())
}

async fn exchange(stream: Box<dyn Stream>, request: Request<Full<Bytes>>) -> Result<(StatusCode, Bytes), String> {
    let (mut sender, connection) = http1::handshake(TokioIo::new(stream))
        .await
        .map_err(|error| error.to_string())?;
    // Ends with the connection, which is dropped with the answer.
    let driver = tokio::spawn(connection);
    let answered = async {
        let answer = sender.send_request(request).await.map_err(|error| error.to_string())?;
        let status = answer.status();
        let body = Limited::new(answer.into_body(), ANSWER_LIMIT).collect().await;
        Ok((status, body.map_err(|error| error.to_string())?.to_bytes()))
    };
    let answered = answered.await;
    driver.abort();
    answered
}
