//! The admin listener: offset resets over HTTP. Absent unless configured; it serves nothing else, and the scrape listener none of this.
//!
//! | route | does |
//! |---|---|
//! | `POST /admin/v1/clusters/{cluster}/groups/{group}/reset/plan` | says what a reset would do |
//! | `POST /admin/v1/clusters/{cluster}/groups/{group}/reset/execute` | does it |
//! | `GET /admin/v1/clusters/{cluster}/groups/{group}/reset/blocked` | says what is in the way of it right now, for whoever waits; leaves no line in the audit log |
//!
//! Guards in this order: route, failed attempts of this client, token, requests overall, method, body, cluster, `allow`. What passes the
//! token is recorded in the audit log, refused or not; what does not is counted and logged. Every answer is JSON. The work is done by a
//! task of its own: a client that hangs up stops nothing half-way.

mod body;
mod counting;
mod rights;
mod status;
pub(in crate::http) mod throttle;
pub(in crate::http) mod tokens;

#[cfg(test)]
mod tests;

use std::future::Future;
use std::net::IpAddr;
use std::net::Ipv4Addr;
use std::sync::Arc;

use hyper::Method;
use hyper::Request;
use hyper::Response;
use hyper::StatusCode;
use hyper::body::Incoming;
use hyper::header::AUTHORIZATION;
use tokio_util::task::TaskTracker;

use super::Body;
use super::Certificate;
use super::Handler;
use super::Peer;
use super::Segments;
use super::respond;
use crate::clock::Clock;
use crate::config;
use crate::reset::Access;
use crate::reset::Asked;
use crate::reset::Order;
use crate::reset::Refusal;
use crate::reset::Resets;
use crate::reset::audit::Caller;
use crate::reset::engine::Place;

pub use rights::Rights;

use throttle::Throttle;

/// The largest body that is taken: some ten thousand partitions.
pub const BODY_LIMIT: usize = 1 << 20;

/// Answers on the admin listener.
pub struct Admin<A> {
    resets: Arc<Resets<A>>,
    rights: Rights,
    throttle: Throttle,
    clock: Clock,
    /// Plans and executes that are under way, whether their client is still there or not.
    running: TaskTracker,
}

/// What one route does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    Plan,
    Execute,
    Blocked,
}

impl Step {
    fn method(self) -> Method {
        match self {
            Self::Plan | Self::Execute => Method::POST,
            Self::Blocked => Method::GET,
        }
    }
}

/// Waits for what is under way when the listener has stopped.
#[derive(Clone, Debug)]
pub struct Running(TaskTracker);

impl Running {
    /// Returns when every plan and execute that was begun has ended, its outcome recorded. To be called when no more can begin.
    pub async fn finished(self) {
        self.0.close();
        self.0.wait().await;
    }
}

impl<A: Access> Admin<A> {
    /// The admin listener's answers by its configuration.
    pub fn new(resets: Arc<Resets<A>>, config: &config::Admin, clock: Clock) -> Self {
        Self {
            resets,
            rights: Rights::of(config),
            throttle: Throttle::new(),
            clock,
            running: TaskTracker::new(),
        }
    }

    /// A handle on what is under way.
    pub fn running(&self) -> Running {
        Running(self.running.clone())
    }

    /// A handle on who may come and what they may touch.
    pub fn rights(&self) -> Rights {
        self.rights.clone()
    }

    async fn answer(&self, request: Request<Incoming>) -> Response<Body> {
        let peer = request.extensions().get::<Peer>().copied();
        let segments = Segments::of(request.uri().path());
        let Some((at, step)) = route(&segments.as_slices()) else {
            tracing::debug!(?peer, "no such admin route");
            return status::refused(&Refusal::NotFound);
        };
        let who = match self.authenticate(&request, peer) {
            Ok(who) => who,
            Err(refusal) => {
                tracing::warn!(
                    ?peer,
                    cluster = at.cluster,
                    refused = refusal.word(),
                    "admin request turned away"
                );
                self.resets.turned_away(&at.cluster);
                return status::refused(&refusal);
            }
        };
        if request.method() != step.method() {
            return status::wrong_method(&step.method());
        }
        let permitted = self.permit(&at);
        if step == Step::Blocked {
            return match permitted {
                Ok(()) => status::in_the_way(self.resets.blocked(&at).await.as_ref()),
                Err(refusal) => status::refused(&refusal),
            };
        }
        let certificate = request.extensions().get::<Certificate>();
        let caller = Caller {
            who,
            via: "http",
            peer: peer.map(|Peer(address)| address),
            certificate: certificate.map(|Certificate(subject)| subject.to_string()),
        };
        let body = body::read(request.into_body(), BODY_LIMIT).await;
        let body = permitted.and(body);
        let resets = Arc::clone(&self.resets);
        self.detached(async move {
            if step == Step::Plan {
                let asked = body.and_then(|body| Asked::parse(&body));
                return status::planned(resets.plan(&caller, &at, asked).await);
            }
            let order = body.and_then(|body| Order::parse(&body));
            status::executed(resets.execute(&caller, &at, order).await)
        })
        .await
    }

    /// The name of whose token the request carries.
    fn authenticate<B>(&self, request: &Request<B>, peer: Option<Peer>) -> Result<String, Refusal> {
        let now = self.clock.now().mono;
        let address = peer.map_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED), |Peer(address)| address.ip());
        self.throttle.may_try(address, now)?;
        let header = request.headers().get(AUTHORIZATION).map(|value| value.as_bytes());
        let Some(who) = header.and_then(bearer).and_then(|token| self.rights.whose(token)) else {
            self.throttle.failed(address, now);
            return Err(Refusal::Unauthenticated);
        };
        self.throttle.may_ask(now)?;
        Ok(who)
    }

    /// Whether the group may be reset from here.
    fn permit(&self, at: &Place) -> Result<(), Refusal> {
        if self.resets.access().pace(&at.cluster).is_none() {
            return Err(Refusal::UnknownCluster {
                cluster: at.cluster.clone(),
            });
        }
        if self.rights.allow(&at.cluster, &at.group) {
            return Ok(());
        }
        Err(Refusal::NotAllowed {
            cluster: at.cluster.clone(),
            group: at.group.clone(),
        })
    }

    /// Does the work in a task that does not end with the connection.
    async fn detached(&self, work: impl Future<Output = Response<Body>> + Send + 'static) -> Response<Body> {
        let work = self.running.spawn(work);
        work.await.unwrap_or_else(|error| {
            tracing::error!(%error, "a reset ended unexpectedly");
            respond::refusal(
                StatusCode::INTERNAL_SERVER_ERROR,
                "internal",
                "the reset ended unexpectedly: the audit log tells whether it had begun to write; an intent without an outcome may have",
            )
        })
    }
}

impl<A: Access> Handler for Admin<A> {
    async fn handle(&self, request: Request<Incoming>) -> Response<Body> {
        self.answer(request).await
    }
}

fn route(segments: &[&[u8]]) -> Option<(Place, Step)> {
    let [b"admin", b"v1", b"clusters", cluster, b"groups", group, b"reset", step] = *segments else {
        return None;
    };
    let step = match step {
        b"plan" => Step::Plan,
        b"execute" => Step::Execute,
        b"blocked" => Step::Blocked,
        _ => return None,
    };
    let at = Place {
        // No cluster has a name that is not UTF-8, so that it will not be found.
        cluster: String::from_utf8_lossy(cluster).into_owned(),
        group: group.into(),
    };
    Some((at, step))
}

/// The token of `Bearer TOKEN`; the scheme's case does not matter.
fn bearer(header: &[u8]) -> Option<&[u8]> {
    let (scheme, token) = header.split_at_checked(7)?;
    scheme.eq_ignore_ascii_case(b"bearer ").then_some(token)
}
