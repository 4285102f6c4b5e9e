//! Who may come to the scrape listener. With users or tokens, everything but the two probes wants one of them; every answer carries the
//! configured headers.
//!
//! Guards in this order: route, a password that was right before, a token, failed attempts of this client, password.

mod users;

use std::net::IpAddr;
use std::net::Ipv4Addr;
use std::sync::Arc;

use hyper::Request;
use hyper::Response;
use hyper::StatusCode;
use hyper::body::Incoming;
use hyper::header::AUTHORIZATION;
use hyper::header::HeaderMap;
use hyper::header::HeaderName;
use hyper::header::HeaderValue;
use hyper::header::RETRY_AFTER;
use hyper::header::WWW_AUTHENTICATE;
use tokio::sync::watch;

use super::Body;
use super::Handler;
use super::Peer;
use super::admin::throttle::Throttle;
use super::admin::tokens::Tokens;
use super::respond;
use crate::clock::Clock;
use crate::config::Web;

use users::Credentials;
use users::Users;

/// Told to clients that must say who they are.
const CHALLENGE: &str = r#"Basic realm="tidemark", charset="UTF-8""#;
/// Told to them where only tokens are known.
const TOKEN_CHALLENGE: &str = r#"Bearer realm="tidemark""#;
/// Answered to everybody: who probes a process has no secrets, and learns nothing but that it lives.
const PROBES: [&str; 2] = ["/-/healthy", "/-/ready"];

/// Who may come, by one configuration.
pub struct Gate {
    users: Users,
    tokens: Tokens,
    /// What a client without a good name is told; `None`: everybody may come.
    challenge: Option<HeaderValue>,
    headers: HeaderMap,
}

/// A handler behind a gate.
pub struct Guarded<H> {
    inner: H,
    /// The latest counts for every request; whoever reads the configuration sends.
    gate: watch::Receiver<Arc<Gate>>,
    throttle: Throttle,
    clock: Clock,
}

impl Gate {
    /// Open to everybody without a web configuration.
    ///
    /// # Panics
    ///
    /// Never: the schema lets no header through that is none.
    pub fn new(web: Option<&Web>) -> Self {
        let users = web.map_or(&[][..], |web| &web.users);
        let tokens = web.map_or(&[][..], |web| &web.tokens);
        let challenge = match (users, tokens) {
            ([], []) => None,
            ([], _) => Some(HeaderValue::from_static(TOKEN_CHALLENGE)),
            _ => Some(HeaderValue::from_static(CHALLENGE)),
        };
        let headers = web.map_or(&[][..], |web| &web.headers).iter();
        let header = |(name, value): &(&'static str, String)| {
            let name = HeaderName::from_bytes(name.as_bytes());
            let value = HeaderValue::from_str(value);
            (
                name.expect("a name of the schema"),
                value.expect("the schema lets no other bytes through"),
            )
        };
        Self {
            users: Users::new(users),
            tokens: Tokens::new(tokens),
            challenge,
            headers: headers.map(header).collect(),
        }
    }

    /// The same rules with what is remembered of right passwords of the gate before, as far as it still holds.
    #[must_use]
    pub fn after(mut self, before: &Self) -> Self {
        self.users.remember(&before.users);
        self
    }
}

impl<H: Handler> Guarded<H> {
    /// `inner`, for those whom the latest gate lets through.
    pub fn new(inner: H, gate: watch::Receiver<Arc<Gate>>, clock: Clock) -> Self {
        Self {
            inner,
            gate,
            throttle: Throttle::new(),
            clock,
        }
    }

    /// Whether the client may come; else what it is told.
    async fn admit(&self, gate: &Gate, request: &Request<Incoming>) -> Result<(), Response<Body>> {
        let Some(challenge) = &gate.challenge else {
            return Ok(());
        };
        if PROBES.contains(&request.uri().path()) {
            return Ok(());
        }
        let given = request.headers().get(AUTHORIZATION).map(HeaderValue::as_bytes);
        let Some(given) = given.and_then(Credentials::read) else {
            return Err(unauthenticated(challenge));
        };
        let known = match &given {
            Credentials::Token(token) => gate.tokens.whose(token).is_some(),
            Credentials::Password { user, password } => gate.users.was_right(user, password),
        };
        if known {
            return Ok(());
        }
        let address = request.extensions().get::<Peer>().map(|Peer(address)| address.ip());
        let address = address.unwrap_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED));
        let now = self.clock.now().mono;
        self.throttle.may_try(address, now).map_err(|_| too_many())?;
        if let Credentials::Password { user, password } = given
            && gate.users.is_right(user, password).await
        {
            return Ok(());
        }
        self.throttle.failed(address, now);
        tracing::warn!(peer = %address, path = request.uri().path(), "request turned away: wrong name, password or token");
        Err(unauthenticated(challenge))
    }
}

impl<H: Handler> Handler for Guarded<H> {
    async fn handle(&self, request: Request<Incoming>) -> Response<Body> {
        let gate = self.gate.borrow().clone();
        let mut answer = match self.admit(&gate, &request).await {
            Ok(()) => self.inner.handle(request).await,
            Err(refused) => refused,
        };
        for (name, value) in &gate.headers {
            answer.headers_mut().insert(name.clone(), value.clone());
        }
        answer
    }
}

fn unauthenticated(challenge: &HeaderValue) -> Response<Body> {
    let message = "a name and password, or a token, are required";
    let mut answer = respond::refusal(StatusCode::UNAUTHORIZED, "unauthenticated", message);
    answer.headers_mut().insert(WWW_AUTHENTICATE, challenge.clone());
    answer
}

fn too_many() -> Response<Body> {
    let message = "too many attempts from this address";
    let mut answer = respond::refusal(StatusCode::TOO_MANY_REQUESTS, "too_many_requests", message);
    answer.headers_mut().insert(RETRY_AFTER, HeaderValue::from_static("1"));
    answer
}
