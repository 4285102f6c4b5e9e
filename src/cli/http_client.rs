//! Requests to a running tidemark over HTTP/1.1 or HTTPS, with a connection for each.

use std::time::Duration;

use bytes::Bytes;
use http_body_util::BodyExt as _;
use http_body_util::Full;
use http_body_util::Limited;
use hyper::Method;
use hyper::Request;
use hyper::Response;
use hyper::Uri;
use hyper::client::conn::http1;
use hyper::header::HOST;
use hyper::http::request;
use hyper_util::rt::TokioIo;
use openssl::ssl::SslConnector;
use openssl::ssl::SslMethod;
use tokio::io::AsyncRead;
use tokio::io::AsyncWrite;
use tokio::net::TcpStream;
use tokio_openssl::SslStream;

/// The largest answer that is taken.
const ANSWER_LIMIT: usize = 64 << 20;
/// For the connection, with TLS.
const CONNECT: Duration = Duration::from_secs(15);

/// Where a tidemark listens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Address {
    tls: bool,
    host: String,
    port: u16,
    /// As the `Host` header has it.
    authority: String,
    /// What is before the routes, where a proxy puts something there.
    prefix: String,
}

trait Stream: AsyncRead + AsyncWrite + Unpin + Send {}

impl<S: AsyncRead + AsyncWrite + Unpin + Send> Stream for S {}

impl Address {
    /// `http://host:port` or `https://host:port`, and what may come before the routes; `None` for anything else. A password in it is
    /// refused: it would be seen by everybody on the machine.
    pub(super) fn parse(url: &str) -> Option<Self> {
        let uri: Uri = url.parse().ok()?;
        let tls = match uri.scheme_str() {
            Some("http") => false,
            Some("https") => true,
            _ => return None,
        };
        let authority = uri.authority().filter(|found| !found.as_str().contains('@'))?;
        Some(Self {
            tls,
            host: authority.host().trim_matches(['[', ']']).to_owned(),
            port: authority.port_u16().unwrap_or(if tls { 443 } else { 80 }),
            authority: authority.to_string(),
            prefix: uri.path().trim_end_matches('/').to_owned(),
        })
    }

    /// Host and port, to be shown.
    pub(super) fn authority(&self) -> &str {
        &self.authority
    }

    /// The beginning of a request for a route.
    pub(super) fn request(&self, method: Method, route: &str) -> request::Builder {
        Request::builder()
            .method(method)
            .uri(format!("{}{route}", self.prefix))
            .header(HOST, &self.authority)
    }

    /// Sends a request and takes its answer, which may take that long once there is a connection. A problem is told in words.
    pub(super) async fn send(
        &self,
        request: Request<Full<Bytes>>,
        within: Duration,
    ) -> Result<Response<Bytes>, String> {
        let stream = tokio::time::timeout(CONNECT, self.connect()).await;
        let stream = stream.map_err(|_| self.cannot("no connection in time"))??;
        match tokio::time::timeout(within, exchange(stream, request)).await {
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

/// Ends a task when whoever waits for it has gone.
struct Driver(tokio::task::JoinHandle<hyper::Result<()>>);

impl Drop for Driver {
    fn drop(&mut self) {
        self.0.abort();
    }
}

async fn exchange(stream: Box<dyn Stream>, request: Request<Full<Bytes>>) -> Result<Response<Bytes>, String> {
    let (mut sender, connection) = http1::handshake(TokioIo::new(stream))
        .await
        .map_err(|error| error.to_string())?;
    let _driver = Driver(tokio::spawn(connection));
    let answer = sender.send_request(request).await.map_err(|error| error.to_string())?;
    let (head, body) = answer.into_parts();
    let body = Limited::new(body, ANSWER_LIMIT).collect().await;
    let body = body.map_err(|error| error.to_string())?.to_bytes();
    Ok(Response::from_parts(head, body))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_taken_apart() {
        let found = |url| Address::parse(url).map(|it| (it.tls, it.host, it.port, it.prefix));
        let some = |tls, host: &str, port, prefix: &str| Some((tls, host.to_owned(), port, prefix.to_owned()));
        assert_eq!(found("http://127.0.0.1:9640"), some(false, "127.0.0.1", 9640, ""));
        assert_eq!(
            found("https://kafka.example/lag/"),
            some(true, "kafka.example", 443, "/lag")
        );
        assert_eq!(found("http://[::1]:1/"), some(false, "::1", 1, ""));
        for url in [
            "127.0.0.1:9640",
            "ftp://a",
            "http://",
            "http://me:secret@host",
            "",
            "http://a b",
        ] {
            assert_eq!(found(url), None, "{url}");
        }
    }
}
