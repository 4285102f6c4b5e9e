//! The brokers' sockets: accept, read requests, send answers. One request at a time per connection, answered in order, as brokers do.

use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;
use std::sync::Mutex;
use std::sync::MutexGuard;
use std::sync::PoisonError;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering;
use std::time::Duration;

use bytes::Bytes;
use kafka_protocol::messages::ApiKey;
use kafka_protocol::messages::BrokerId;
use kafka_protocol::messages::RequestHeader;
use kafka_protocol::messages::RequestKind;
use kafka_protocol::messages::ResponseKind;
use kafka_protocol::protocol::decode_request_header_from_buffer;
use tokio::io::AsyncReadExt;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpListener;
use tokio::net::TcpStream;
use tokio::sync::Notify;
use tokio::task::JoinSet;
use tokio::time::Instant;

use crate::clock::Clock;

use super::alias::Aliases;
use super::api;
use super::api::Call;
use super::api::Login;
use super::fault::Faults;
use super::fault::Plan;
use super::fault::Reply;
use super::fault::Then;
use super::fault::reply;
use super::model::Model;
use super::subjects;
use super::trace::Asked;
use super::trace::Trace;

/// `socket.request.max.bytes` of a broker.
const MAX_FRAME: usize = 100 * 1024 * 1024;

/// How often a waiting Fetch looks for records that a producer's rate has brought.
const FETCH_LOOK: Duration = Duration::from_millis(20);

/// What all brokers of a cluster share.
pub(super) struct Shared {
    state: Mutex<State>,
    clock: Clock,
    /// The cluster's wall clock minus the clock's `mono`.
    offset: i64,
    pub(super) ports: BTreeMap<i32, u16>,
    pub(super) changed: Notify,
    connections: AtomicU64,
}

/// What may change while the cluster runs.
pub(super) struct State {
    pub(super) model: Model,
    pub(super) faults: Faults,
    pub(super) trace: Trace,
    pub(super) aliases: Aliases,
}

/// One connection to one broker.
struct Connection {
    shared: Arc<Shared>,
    broker: BrokerId,
    id: u64,
    login: Login,
}

/// One request as it came.
struct Request {
    header: RequestHeader,
    api: ApiKey,
    kind: RequestKind,
}

impl Shared {
    pub(super) fn new(model: Model, clock: Clock, ports: BTreeMap<i32, u16>) -> Self {
        let now = clock.now();
        Self {
            state: Mutex::new(State {
                model,
                faults: Faults::default(),
                trace: Trace::default(),
                aliases: Aliases::default(),
            }),
            offset: now.wall.0.saturating_sub(millis(now.mono)),
            clock,
            ports,
            changed: Notify::new(),
            connections: AtomicU64::new(0),
        }
    }

    /// The state, brought to the present. Never held across an await.
    pub(super) fn state(&self) -> MutexGuard<'_, State> {
        // A test that panicked inside an edit says so itself; what it left serves on.
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.model.now = self.offset.saturating_add(millis(self.clock.now().mono));
        state
    }
}

/// Accepts connections until it is dropped; with it go the connections.
pub(super) async fn accept(shared: Arc<Shared>, broker: BrokerId, listener: TcpListener) {
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            accepted = listener.accept() => {
                let Ok((stream, _)) = accepted else { continue };
                let id = shared.connections.fetch_add(1, Ordering::Relaxed);
                let connection = Connection { shared: Arc::clone(&shared), broker, id, login: Login::default() };
                connections.spawn(async move {
                    // The client went away or sent nonsense: either way the connection ends, and only it.
                    let _ = connection.serve(stream).await;
                });
            }
            Some(_) = connections.join_next() => {}
        }
    }
}

impl Connection {
    async fn serve(mut self, mut stream: TcpStream) -> io::Result<()> {
        stream.set_nodelay(true)?;
        while let Some(frame) = read_frame(&mut stream).await? {
            match self.answer(frame).await {
                Reply::Send(bytes) => stream.write_all(&self.outward(bytes)).await?,
                Reply::Nothing => {}
                Reply::Close => return Ok(()),
                Reply::Part(bytes, then) => {
                    stream.write_all(&self.outward(bytes)).await?;
                    if then == Then::Silence {
                        while read_frame(&mut stream).await?.is_some() {}
                    }
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    fn outward(&self, bytes: Bytes) -> Bytes {
        let aliases = self.shared.state().aliases.clone();
        aliases.outward(bytes)
    }

    /// A broker closes the connection on what it cannot read or does not speak.
    async fn answer(&mut self, frame: Bytes) -> Reply {
        let aliases = self.shared.state().aliases.clone();
        let Some((header, api, mut body)) = head(aliases.inward(frame)) else {
            return Reply::Close;
        };
        if let Some(refused) = self.refused(&header, api) {
            return refused;
        }
        let Ok(kind) = RequestKind::decode(api, &mut body, header.request_api_version) else {
            return Reply::Close;
        };
        let mut request = Request { header, api, kind };
        let plan = self.heard(&mut request);
        let correlation = request.header.correlation_id;
        let version = request.header.request_api_version;
        let Some(answer) = self.worked_off(request, &plan).await else {
            return Reply::Nothing;
        };
        let reply = reply(api, version, correlation, answer, &plan);
        tokio::time::sleep(plan.delay()).await;
        reply
    }

    /// The answer to what this broker does not speak, or not before a login.
    fn refused(&self, header: &RequestHeader, api: ApiKey) -> Option<Reply> {
        let state = self.shared.state();
        let versions = state.model.broker(self.broker).map(|broker| &broker.versions)?;
        if !versions.speaks(header.request_api_key, header.request_api_version) {
            if api != ApiKey::ApiVersions {
                return Some(Reply::Close);
            }
            let answer = ResponseKind::ApiVersions(api::unsupported_api_versions(versions));
            return Some(reply(api, 0, header.correlation_id, answer, &Plan::default()));
        }
        let open = matches!(
            api,
            ApiKey::ApiVersions | ApiKey::SaslHandshake | ApiKey::SaslAuthenticate
        );
        let barred = state.model.sasl.is_some() && self.login != Login::Done && !open;
        barred.then_some(Reply::Close)
    }

    /// Notes the request and says what is to go wrong with it.
    fn heard(&self, request: &mut Request) -> Plan {
        let mut state = self.shared.state();
        subjects::resolve(&mut request.kind, &state.model);
        let now = state.model.now();
        let plan = state.faults.plan(self.broker.0, request.api, &request.kind, now);
        if !state.trace.counts_only || request.api == ApiKey::Produce {
            // Cloned once, shared with every copy of the trace.
            let kept = Arc::new(request.kind.clone());
            state.trace.add(self.asked(request, kept, now));
        } else {
            let nothing = Arc::new(RequestKind::ApiVersions(Default::default()));
            state.trace.add(self.asked(request, nothing, now));
        }
        plan
    }

    fn asked(&self, request: &Request, kind: Arc<RequestKind>, at: i64) -> Asked {
        Asked {
            at,
            broker: self.broker.0,
            connection: self.id,
            client_id: request.header.client_id.clone(),
            api: request.api,
            version: request.header.request_api_version,
            request: kind,
        }
    }

    /// Works a request off. A Fetch that finds nothing waits for records as long as it said.
    async fn worked_off(&mut self, request: Request, plan: &Plan) -> Option<ResponseKind> {
        let version = request.header.request_api_version;
        let wait = match &request.kind {
            RequestKind::Fetch(fetch) if fetch.min_bytes > 0 => millis_to_wait(fetch.max_wait_ms),
            _ => Duration::ZERO,
        };
        if wait.is_zero() {
            return self.work(request.kind, version, plan);
        }
        let until = Instant::now() + wait;
        loop {
            let answer = self.work(request.kind.clone(), version, plan);
            let waits = matches!(&answer, Some(ResponseKind::Fetch(fetch)) if api::fetch::is_empty(fetch));
            let left = until.saturating_duration_since(Instant::now());
            if !waits || left.is_zero() {
                return answer;
            }
            // An edit wakes it; a producer's rate is looked after now and then.
            let _ = tokio::time::timeout(left.min(FETCH_LOOK), self.shared.changed.notified()).await;
        }
    }

    fn work(&mut self, kind: RequestKind, version: i16, plan: &Plan) -> Option<ResponseKind> {
        let mut state = self.shared.state();
        let mut call = Call {
            model: &mut state.model,
            broker: self.broker,
            version,
            ports: &self.shared.ports,
            login: &mut self.login,
            refusal: &|subject| plan.refusal(subject),
        };
        api::answer(&mut call, kind)
    }
}

/// The next frame without its length; `None` when the client is done.
async fn read_frame(stream: &mut TcpStream) -> io::Result<Option<Bytes>> {
    let length = match stream.read_i32().await {
        Ok(length) => usize::try_from(length).unwrap_or(usize::MAX),
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
        Err(error) => return Err(error),
    };
    if length > MAX_FRAME {
        return Ok(None);
    }
    let mut frame = vec![0; length];
    stream.read_exact(&mut frame).await?;
    Ok(Some(frame.into()))
}

/// Header, call and body of a request; `None` for what is none.
fn head(mut frame: Bytes) -> Option<(RequestHeader, ApiKey, Bytes)> {
    if frame.len() < 8 {
        return None;
    }
    let header = decode_request_header_from_buffer(&mut frame).ok()?;
    let api = ApiKey::try_from(header.request_api_key).ok()?;
    Some((header, api, frame))
}

fn millis(duration: Duration) -> i64 {
    super::model::millis(duration)
}

fn millis_to_wait(wait: i32) -> Duration {
    Duration::from_millis(u64::try_from(wait).unwrap_or(0))
}
