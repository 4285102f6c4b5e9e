//! Tokens for OAUTHBEARER: where they come from, how long they are good, and how they are put on the wire. One of these for each client
//! of a cluster; a token is fetched once for all its connections, and anew before it ends.

mod claims;
mod endpoint;
mod exchange;
mod msk;
#[cfg(test)]
mod tests;

use std::time::Duration;

use tokio::sync::Mutex;
use tokio::time::Instant;

use super::trouble::Trouble;
use crate::clock::Clock;
use crate::config::Bearer;
use crate::config::Secret;
use crate::config::TokenSource;
use crate::failure::Cause;
use crate::model::UnixMillis;

/// A token is fetched anew when this much of its life has passed, in tenths.
const LIFE_TENTHS: u32 = 8;

/// After a failure nobody asks again before this has passed: every broker's connection wants a token.
const PAUSE: Duration = Duration::from_secs(1);

/// How long a token is taken to be good that does not say so.
const UNTOLD_LIFE: Duration = Duration::from_secs(60);

/// A token and what is known about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Token {
    /// The token itself.
    pub(super) secret: Secret,
    /// Whom it is for, as far as it says; librdkafka wants to know.
    pub(super) principal: String,
    /// When it ends; `None` when it does not say.
    pub(super) ends: Option<Instant>,
}

impl Token {
    /// The end as librdkafka wants it.
    pub(super) fn ends_at(&self, clock: &Clock) -> UnixMillis {
        let left = self
            .ends
            .map_or(UNTOLD_LIFE, |ends| ends.duration_since(Instant::now()));
        let left = i64::try_from(left.as_millis()).unwrap_or(i64::MAX);
        UnixMillis(clock.now().wall.0.saturating_add(left))
    }
}

/// The tokens of one client.
#[derive(Debug)]
pub(super) struct Tokens {
    clock: Clock,
    /// Held while a token is fetched, so that everybody else waits for that one.
    last: Mutex<Last>,
}

/// What became of the last attempt.
#[derive(Debug, Default)]
struct Last {
    /// The last token, and the source it came from: that may change.
    token: Option<(TokenSource, Token)>,
    /// From when on it is to be replaced.
    stale: Option<Instant>,
    /// Why the last attempt failed, and until when nobody tries again.
    failed: Option<(Instant, Trouble)>,
}

impl Tokens {
    /// None yet.
    pub(super) fn new(clock: Clock) -> Self {
        Self {
            clock,
            last: Mutex::default(),
        }
    }

    /// The time that the ends of tokens are told by.
    pub(super) fn clock(&self) -> &Clock {
        &self.clock
    }

    /// A token that is good now: the last one, or a new one when most of its life has passed. While no new one can be had, the last one serves
    /// to its very end.
    pub(super) async fn current(&self, login: &Bearer) -> Result<Token, Trouble> {
        let mut last = self.last.lock().await;
        let now = Instant::now();
        let held = last.token.as_ref().filter(|(source, _)| *source == login.source);
        let held = held.map(|(_, token)| token.clone());
        if let Some(token) = &held
            && last.stale.is_some_and(|stale| now < stale)
        {
            return Ok(token.clone());
        }
        let usable = held.filter(|token| token.ends.is_some_and(|ends| now < ends));
        let fetched = match &last.failed {
            Some((until, trouble)) if now < *until => Err(trouble.clone()),
            _ => self.fetch(&login.source).await,
        };
        match (fetched, usable) {
            (Ok(token), _) => {
                last.keep(&login.source, &token);
                Ok(token)
            }
            (Err(trouble), Some(token)) => {
                last.failed.get_or_insert((Instant::now() + PAUSE, trouble));
                last.expire_failure();
                Ok(token)
            }
            (Err(trouble), None) => {
                last.failed = Some((Instant::now() + PAUSE, trouble.clone()));
                Err(trouble)
            }
        }
    }

    /// A broker refused the token: the next one is fetched anew.
    pub(super) async fn forget(&self, refused: &Token) {
        let mut last = self.last.lock().await;
        if last.token.as_ref().is_some_and(|(_, token)| token == refused) {
            last.token = None;
        }
    }

    /// A broker refused a token of which no more is known.
    pub(super) async fn forget_all(&self) {
        self.last.lock().await.token = None;
    }

    async fn fetch(&self, source: &TokenSource) -> Result<Token, Trouble> {
        match source {
            TokenSource::Held(material) => {
                let material = material.clone();
                let read = tokio::task::spawn_blocking(move || material.secret()).await;
                let secret = read
                    .map_err(|_| refused("reading the token was interrupted"))?
                    .map_err(refused)?;
                claims::token(secret, None, self.clock.now())
            }
            TokenSource::Endpoint(endpoint) => endpoint::ask(endpoint, self.clock.now()).await,
            TokenSource::MskIam(iam) => msk::sign(iam, self.clock.now()).await,
        }
    }
}

impl Last {
    /// A token from a file, and one that does not say when it ends, is looked for anew each time.
    fn keep(&mut self, source: &TokenSource, token: &Token) {
        let now = Instant::now();
        self.stale = match source {
            TokenSource::Held(_) => None,
            TokenSource::Endpoint(_) | TokenSource::MskIam(_) => {
                token.ends.map(|ends| now + (ends - now) * LIFE_TENTHS / 10)
            }
        };
        self.token = Some((source.clone(), token.clone()));
        self.failed = None;
    }

    fn expire_failure(&mut self) {
        if let Some((until, _)) = &mut self.failed {
            *until = (*until).max(Instant::now());
        }
    }
}

/// The one message of the client (RFC 7628, 3.1).
pub(super) fn message(token: &Token, extensions: &[String]) -> String {
    let first = format!("n,,\x01auth=Bearer {}\x01", token.secret.expose());
    let said = extensions.iter().fold(first, |said, pair| said + pair + "\x01");
    said + "\x01"
}

fn refused(why: impl std::fmt::Display) -> Trouble {
    Trouble::new(Cause::Authentication, why)
}
