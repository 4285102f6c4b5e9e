//! One question over HTTP/1.1 and its answer, on a connection of its own. No redirects, no proxies, no more than fits: whoever gives tokens
//! answers in a few kilobytes.

use bytes::Bytes;
use http_body_util::BodyExt as _;
use http_body_util::Full;
use http_body_util::Limited;
use hyper::Method;
use hyper::Request;
use hyper::Uri;
use hyper::client::conn::http1;
use hyper::header::HOST;
use hyper_util::rt::TokioIo;
use tokio::io::AsyncRead;
use tokio::io::AsyncWrite;
use tokio::net::TcpStream;

use super::refused;
use crate::config::Tls;
use crate::kafka::tls;
use crate::kafka::trouble::Trouble;
use crate::kafka::trouble::chain;

/// The longest answer that is read.
const LONGEST: usize = 1 << 20;

/// A question.
pub(super) struct Ask {
    pub(super) method: Method,
    pub(super) url: String,
    pub(super) headers: Vec<(&'static str, String)>,
    pub(super) body: String,
    /// For `https`.
    pub(super) tls: Tls,
}

/// An answer of any status.
pub(super) struct Answer {
    pub(super) status: u16,
    pub(super) body: Bytes,
}

impl Ask {
    /// Asks once. Whoever waits sets the deadline.
    pub(super) async fn send(self) -> Result<Answer, Trouble> {
        let uri: Uri = self.url.parse().map_err(|_| refused("no URL"))?;
        let host = uri.host().unwrap_or_default().trim_matches(['[', ']']).to_owned();
        let secure = uri.scheme_str() == Some("https");
        let port = uri.port_u16().unwrap_or(if secure { 443 } else { 80 });
        let stream = TcpStream::connect((host.as_str(), port))
            .await
            .map_err(|error| refused(format_args!("{host}:{port}: {error}")))?;
        let request = self.request(&uri)?;
        if secure {
            let stream = tls::connect(&self.tls, &host, stream)
                .await
                .map_err(|trouble| refused(format_args!("{host}:{port}: {trouble}")))?;
            answer(stream, request).await
        } else {
            answer(stream, request).await
        }
    }

    fn request(&self, uri: &Uri) -> Result<Request<Full<Bytes>>, Trouble> {
        let path = uri.path_and_query().map_or("/", |path| path.as_str());
        let authority = uri.authority().map_or("", |authority| authority.as_str());
        let mut request = Request::builder()
            .method(self.method.clone())
            .uri(path)
            .header(HOST, authority);
        for (name, value) in &self.headers {
            request = request.header(*name, value.as_str());
        }
        // The error would quote a header, which may be a secret.
        request
            .body(Full::from(self.body.clone()))
            .map_err(|_| refused("the credentials do not fit into a header"))
    }
}

async fn answer<S>(stream: S, request: Request<Full<Bytes>>) -> Result<Answer, Trouble>
where
    S: AsyncRead + AsyncWrite + Send + Unpin + 'static,
{
    let broken = |error: hyper::Error| refused(chain(&error));
    let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await.map_err(broken)?;
    let asked = async {
        let answer = sender.send_request(request).await.map_err(broken)?;
        let status = answer.status().as_u16();
        let body = Limited::new(answer.into_body(), LONGEST)
            .collect()
            .await
            .map_err(|error| refused(format_args!("the answer cannot be read: {error}")))?;
        Ok(Answer {
            status,
            body: body.to_bytes(),
        })
    };
    tokio::pin!(connection);
    tokio::pin!(asked);
    // The connection is driven beside the question, and dropped with it.
    tokio::select! {
        answer = &mut asked => answer,
        ended = &mut connection => match ended {
            // What has been read is still to be handed out.
            Ok(()) => asked.await,
            Err(error) => Err(broken(error)),
        },
    }
}
