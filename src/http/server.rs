//! One listener: accepts, serves HTTP/1.1 within limits, drains.

use std::convert::Infallible;
use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::pin::pin;
use std::sync::Arc;
use std::task::Context;
use std::task::Poll;
use std::time::Duration;

use bytes::Bytes;
use hyper::Request;
use hyper::Response;
use hyper::body::Frame;
use hyper::body::Incoming;
use hyper::body::SizeHint;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::io::AsyncRead;
use tokio::io::AsyncReadExt as _;
use tokio::io::AsyncWrite;
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpListener;
use tokio::net::TcpStream;
use tokio::sync::Semaphore;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::activity::Activity;
use super::activity::Answering;
use super::activity::Watched;
use super::body::Body;
use super::connections::Connections;
use super::connections::Place;
use super::tls;
use super::tls::Tls;

/// How long accepting pauses when the process is out of file descriptors or memory.
const BACKOFF: Duration = Duration::from_millis(100);
/// How many connections beyond the limit are told so at the same time; further ones are closed without a word.
const REFUSALS: usize = 64;
/// How long a refused client is listened to, so that closing does not take the refusal from it.
const REFUSAL: Duration = Duration::from_secs(1);
const REFUSED: &[u8] = b"HTTP/1.1 503 Service Unavailable\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: 21\r\nRetry-After: 1\r\nConnection: close\r\n\r\ntoo many connections\n";

/// Answers requests.
pub trait Handler: Send + Sync + 'static {
    /// The answer to one request. Dropped when the client goes away: work that must be finished is handed to a task of its own.
    /// Who asked is in the request's extensions, as a [`Peer`] and a [`Certificate`].
    fn handle(&self, request: Request<Incoming>) -> impl Future<Output = Response<Body>> + Send;
}

/// Who asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Peer(pub SocketAddr);

/// The subject of the certificate that the client showed; not there where none was asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Certificate(pub Arc<str>);

/// The other end of one connection.
struct Client {
    peer: SocketAddr,
    certificate: Option<Certificate>,
}

/// What strangers may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Connections at the same time.
    pub connections: usize,
    /// For a request's head to come in whole, and for the TLS handshake.
    pub request: Duration,
    /// Between two requests on one connection: longer than the intervals at which scrapers come.
    pub idle: Duration,
    /// For a client to take anything of its answer.
    pub blocked: Duration,
    /// For an answer as a whole, once it is there.
    pub answer: Duration,
    /// Of a request's head, in bytes; enough for any group id percent-encoded that an address can hold.
    pub head: usize,
    /// Headers of one request.
    pub headers: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connections: 512,
            request: Duration::from_secs(10),
            idle: Duration::from_secs(300),
            blocked: Duration::from_secs(30),
            answer: Duration::from_secs(300),
            head: 80 * 1024,
            headers: 64,
        }
    }
}

/// How a shutdown went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Drained {
    /// Every request was answered.
    Finished,
    /// The grace period ended before; that many connections were cut off.
    CutOff(usize),
}

/// One listener and what answers on it.
#[derive(Debug)]
pub struct Server<H> {
    listener: TcpListener,
    shared: Arc<Shared<H>>,
}

/// What every connection needs.
#[derive(Debug)]
struct Shared<H> {
    handler: H,
    limits: Limits,
    /// The latest counts for every new connection; whoever reads certificates sends.
    tls: watch::Receiver<Option<Tls>>,
    connections: Arc<Connections>,
    refusals: Arc<Semaphore>,
    tasks: TaskTracker,
    /// Cancelled when no further request is taken.
    draining: CancellationToken,
    /// Cancelled when the grace period is over.
    cut_off: CancellationToken,
}

impl<H: Handler> Server<H> {
    /// A server on a bound listener; HTTPS with `tls`.
    pub fn new(listener: TcpListener, handler: H, limits: Limits, tls: Option<Tls>) -> Self {
        Self {
            listener,
            shared: Arc::new(Shared {
                handler,
                limits,
                tls: watch::channel(tls).1,
                connections: Arc::new(Connections::new(limits.connections)),
                refusals: Arc::new(Semaphore::new(REFUSALS)),
                tasks: TaskTracker::new(),
                draining: CancellationToken::new(),
                cut_off: CancellationToken::new(),
            }),
        }
    }

    /// The same with certificates that may change: each connection is made by the latest, and open ones stay as they are.
    ///
    /// # Panics
    ///
    /// Never: a server that runs has given itself away.
    #[must_use]
    pub fn with_tls(mut self, tls: watch::Receiver<Option<Tls>>) -> Self {
        let shared = Arc::get_mut(&mut self.shared).expect("nothing is served yet");
        shared.tls = tls;
        self
    }

    /// Serves until `shutdown`; then takes no more connections and requests, finishes what has begun, and after `grace` cuts off the rest.
    pub async fn run(self, shutdown: impl Future<Output = ()>, grace: Duration) -> Drained {
        let Self { listener, shared } = self;
        let mut shutdown = pin!(shutdown);
        loop {
            let accepted = tokio::select! {
                biased;
                () = &mut shutdown => break,
                accepted = listener.accept() => accepted,
            };
            match accepted {
                Ok((stream, peer)) => shared.admit(stream, peer),
                Err(error) if of_one_connection(&error) => {}
                Err(error) => {
                    tracing::warn!(%error, "cannot accept connections");
                    tokio::time::sleep(BACKOFF).await;
                }
            }
        }
        drop(listener);
        shared.drain(grace).await
    }
}

/// True for errors of the connection that would have been accepted, which leave the listener as it is.
fn of_one_connection(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::ConnectionRefused | io::ErrorKind::ConnectionAborted | io::ErrorKind::ConnectionReset
    )
}

impl<H: Handler> Shared<H> {
    fn admit(self: &Arc<Self>, stream: TcpStream, peer: SocketAddr) {
        if let Some(place) = self.connections.admit() {
            let shared = Arc::clone(self);
            self.tasks.spawn(async move { shared.serve(stream, peer, place).await });
        } else if let (None, Ok(permit)) = (self.tls(), Arc::clone(&self.refusals).try_acquire_owned()) {
            self.tasks.spawn(async move {
                refuse(stream).await;
                drop(permit);
            });
        }
    }

    fn tls(&self) -> Option<Tls> {
        self.tls.borrow().clone()
    }

    async fn serve(&self, stream: TcpStream, peer: SocketAddr, place: Place) {
        // Answers go out in large writes: waiting for more would only delay their end.
        let _ = stream.set_nodelay(true);
        let Some(tls) = self.tls() else {
            let certificate = None;
            return self.drive(stream, Client { peer, certificate }, &place).await;
        };
        let handshake = tokio::select! {
            handshake = tokio::time::timeout(self.limits.request, tls.accept(stream)) => handshake,
            () = self.draining.cancelled() => return,
        };
        match handshake {
            Ok(Ok(stream)) => {
                let certificate = tls::subject(&stream).map(Certificate);
                self.drive(stream, Client { peer, certificate }, &place).await;
            }
            Ok(Err(error)) => tracing::debug!(%peer, %error, "no TLS handshake"),
            Err(_) => tracing::debug!(%peer, "no TLS handshake in time"),
        }
    }

    async fn drive<S: AsyncRead + AsyncWrite + Unpin>(&self, stream: S, client: Client, place: &Place) {
        let activity = &place.activity;
        let peer = client.peer;
        let service = service_fn(|request| self.answer(request, &client, activity));
        let stream = TokioIo::new(Watched::new(stream, Arc::clone(activity)));
        let connection = http1::Builder::new()
            // The deadlines are `Activity`'s: hyper's own would close a connection that waits for the next scrape.
            .header_read_timeout(None)
            .max_headers(self.limits.headers)
            .max_buf_size(self.limits.head)
            .serve_connection(stream, service);
        let mut connection = pin!(connection);
        let mut draining = false;
        loop {
            tokio::select! {
                ended = connection.as_mut() => {
                    if let Err(error) = ended {
                        tracing::debug!(%peer, %error, "connection ended");
                    }
                    return;
                }
                overdue = activity.overdue(&self.limits) => {
                    tracing::debug!(%peer, ?overdue, "connection cut off");
                    return;
                }
                () = self.draining.cancelled(), if !draining => {
                    draining = true;
                    connection.as_mut().graceful_shutdown();
                }
                () = self.cut_off.cancelled() => return,
            }
        }
    }

    async fn answer(
        &self,
        mut request: Request<Incoming>,
        client: &Client,
        activity: &Arc<Activity>,
    ) -> Result<Response<Sending>, Infallible> {
        activity.asked();
        request.extensions_mut().insert(Peer(client.peer));
        if let Some(certificate) = &client.certificate {
            request.extensions_mut().insert(certificate.clone());
        }
        let answer = self.handler.handle(request).await;
        let sending = Arc::clone(activity).answering();
        Ok(answer.map(|body| Sending {
            body,
            _activity: sending,
        }))
    }

    async fn drain(&self, grace: Duration) -> Drained {
        self.tasks.close();
        self.draining.cancel();
        if tokio::time::timeout(grace, self.tasks.wait()).await.is_ok() {
            return Drained::Finished;
        }
        let left = self.tasks.len();
        self.cut_off.cancel();
        self.tasks.wait().await;
        Drained::CutOff(left)
    }
}

/// Says that there are too many connections, and hears the client out.
async fn refuse(mut stream: TcpStream) {
    let words = async {
        stream.write_all(REFUSED).await?;
        stream.shutdown().await?;
        let mut heard = [0; 1024];
        while stream.read(&mut heard).await? > 0 {}
        io::Result::Ok(())
    };
    let _ = tokio::time::timeout(REFUSAL, words).await;
}

/// A body that tells its connection when it is done.
struct Sending {
    body: Body,
    _activity: Answering,
}

impl hyper::body::Body for Sending {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        Pin::new(&mut self.body).poll_frame(cx)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_errors_of_the_listener_make_it_pause() {
        assert!(of_one_connection(&io::ErrorKind::ConnectionAborted.into()));
        // Too many open files, of the process and of the system; no memory.
        for code in [24, 23, 12] {
            assert!(!of_one_connection(&io::Error::from_raw_os_error(code)));
        }
    }
}
