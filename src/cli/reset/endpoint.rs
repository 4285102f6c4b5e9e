//! The admin listener of a running tidemark, over HTTP or HTTPS.

use std::error::Error as _;
use std::path::Path;
use std::time::Duration;

use bytes::Bytes;
use http_body_util::BodyExt as _;
use http_body_util::Full;
use http_body_util::Limited;
use hyper::Method;
use hyper::Request;
use hyper::StatusCode;
use hyper::Uri;
use hyper::client::conn::http1;
use hyper::header::AUTHORIZATION;
use hyper::header::CONTENT_TYPE;
use hyper::header::HOST;
use hyper::header::HeaderValue;
use hyper_util::rt::TokioIo;
use percent_encoding::NON_ALPHANUMERIC;
use percent_encoding::percent_encode;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use tokio::io::AsyncRead;
use tokio::io::AsyncWrite;
use tokio::net::TcpStream;

use super::super::EndpointArgs;
use super::console::read_file;
use super::way::Stop;
use crate::reset::Asked;
use crate::reset::Executed;
use crate::reset::Order;
use crate::reset::Planned;
use crate::reset::document::InTheWay;
use crate::reset::engine::Place;

mod tls;

use tls::Tls;

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
    /// `None` for plain HTTP.
    tls: Option<Tls>,
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
    /// An endpoint by its address, the file with its token, and those for TLS.
    pub(super) fn new(url: &str, token_file: &Path, args: &EndpointArgs) -> Result<Self, String> {
        let wrong = || format!("--admin {url:?} is no address like http://127.0.0.1:9641 or https://host:port");
        let uri: Uri = url.parse().map_err(|_| wrong())?;
        let secure = match uri.scheme_str() {
            Some("http") => false,
            Some("https") => true,
            _ => return Err(wrong()),
        };
        let authority = uri
            .authority()
            .filter(|found| !found.as_str().contains('@'))
            .ok_or_else(wrong)?;
        let files = [&args.ca_file, &args.cert_file, &args.key_file];
        if !secure && files.iter().any(|file| file.is_some()) {
            return Err(format!(
                "--admin {url:?} is plain HTTP: --ca-file, --cert-file and --key-file are for https://"
            ));
        }
        let tls = secure.then(|| Tls::new(args)).transpose()?;
        let token = read_file(token_file, TOKEN_LIMIT)?;
        let mut token = HeaderValue::from_bytes(&[b"Bearer ", token.trim_ascii()].concat())
            .map_err(|_| format!("{}: no token that a header can carry", token_file.display()))?;
        token.set_sensitive(true);
        Ok(Self {
            tls,
            host: authority.host().trim_matches(['[', ']']).to_owned(),
            port: authority.port_u16().unwrap_or(if secure { 443 } else { 80 }),
            authority: authority.to_string(),
            prefix: uri.path().trim_end_matches('/').to_owned(),
            token,
        })
    }

    /// As it is called in messages.
    pub(super) fn authority(&self) -> &str {
        &self.authority
    }

    /// What is in the way of an execute; `None` when nothing is, or when the endpoint does not say.
    pub(super) async fn blocked(&self, at: &Place) -> Option<Stop> {
        let request = self.request(Method::GET, at, "blocked", Vec::new());
        let (status, answer) = self.send(request.ok()?).await.ok()?;
        let found: InTheWay = (status == StatusCode::OK).then(|| serde_json::from_slice(&answer).ok())??;
        found.blocked.map(|blocked| Stop::Refused {
            word: blocked.error,
            message: blocked.message,
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
        self.send(self.request(Method::POST, at, step, body)?).await
    }

    fn request(&self, method: Method, at: &Place, step: &str, body: Vec<u8>) -> Result<Request<Full<Bytes>>, String> {
        let encoded = |name: &[u8]| percent_encode(name, NON_ALPHANUMERIC).to_string();
        let path = format!(
            "{}/admin/v1/clusters/{}/groups/{}/reset/{step}",
            self.prefix,
            encoded(at.cluster.as_bytes()),
            encoded(at.group.bytes())
        );
        Request::builder()
            .method(method)
            .uri(path)
            .header(HOST, &self.authority)
            .header(AUTHORIZATION, &self.token)
            .header(CONTENT_TYPE, "application/json")
            .body(Full::new(Bytes::from(body)))
            .map_err(|error| error.to_string())
    }

    async fn send(&self, request: Request<Full<Bytes>>) -> Result<(StatusCode, Bytes), String> {
        let stream = tokio::time::timeout(CONNECT, self.connect()).await;
        let stream = stream.map_err(|_| self.cannot("no connection in time"))??;
        match tokio::time::timeout(ANSWER, exchange(stream, request)).await {
            // A listener that speaks TLS answers plain HTTP by closing, or by an alert that is no HTTP.
            Ok(Err(Broken::Early(problem))) if self.tls.is_none() => {
                Err(self.cannot(&format!("{problem} (if it speaks TLS, say https://)")))
            }
            Ok(Err(Broken::Early(problem) | Broken::Late(problem))) => Err(self.cannot(&problem)),
            Ok(Ok(answer)) => Ok(answer),
            Err(_) => Err(self.cannot("no answer in time")),
        }
    }

    fn cannot(&self, problem: &str) -> String {
        format!("{}: {problem}", self.authority)
    }

    async fn connect(&self) -> Result<Box<dyn Stream>, String> {
        let stream = TcpStream::connect((self.host.as_str(), self.port)).await;
        let stream = stream.map_err(|error| self.cannot(&error.to_string()))?;
        let Some(tls) = &self.tls else {
            return Ok(Box::new(stream));
        };
        let stream = tls.connect(&self.host, stream).await;
        Ok(Box::new(stream.map_err(|problem| self.cannot(&problem))?))
    }
}

/// Where an exchange broke off, and why.
enum Broken {
    /// Before an answer began.
    Early(String),
    /// In the middle of one.
    Late(String),
}

async fn exchange(stream: Box<dyn Stream>, request: Request<Full<Bytes>>) -> Result<(StatusCode, Bytes), Broken> {
    let (mut sender, connection) = http1::handshake(TokioIo::new(stream))
        .await
        .map_err(|error| Broken::Early(words(&error)))?;
    // Ends with the connection, which is dropped with the answer.
    let driver = tokio::spawn(connection);
    let answered = async {
        let answer = sender.send_request(request).await;
        let answer = answer.map_err(|error| Broken::Early(words(&error)))?;
        let status = answer.status();
        let body = Limited::new(answer.into_body(), ANSWER_LIMIT).collect().await;
        let body = body.map_err(|error| Broken::Late(error.to_string()))?;
        Ok((status, body.to_bytes()))
    };
    let answered = answered.await;
    driver.abort();
    answered
}

/// Why an exchange broke off, with its causes.
fn words(error: &hyper::Error) -> String {
    if let Some(said) = tls::later(error) {
        return said;
    }
    let mut told = error.to_string();
    let mut cause = error.source();
    while let Some(inner) = cause {
        told += &format!(": {inner}");
        cause = inner.source();
    }
    told
}
