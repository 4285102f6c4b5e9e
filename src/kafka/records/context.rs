//! What librdkafka tells and asks while it works.

use std::error::Error;
use std::sync::Arc;
use std::sync::Mutex;
use std::sync::PoisonError;
use std::time::Duration;

use rdkafka::ClientContext;
use rdkafka::client::OAuthToken;
use rdkafka::config::RDKafkaLogLevel;
use rdkafka::consumer::ConsumerContext;
use rdkafka::error::KafkaError;
use tokio::runtime::Handle;
use tokio::time::timeout;

use super::client::cause;
use crate::clock::Clock;
use crate::config::Bearer;
use crate::config::Sasl;
use crate::config::Secret;
use crate::failure::Cause;
use crate::kafka::bearer::Tokens;
use crate::kafka::trouble::Trouble;

/// Logs what a person should know, at most once for each client, and remembers why brokers cannot be reached.
#[derive(Debug)]
pub(super) struct Quiet {
    cluster: Arc<str>,
    tokens: Option<Fetching>,
    /// The lock is held for a copy only, by librdkafka's threads and the worker.
    trouble: Mutex<Option<Cause>>,
    /// What was logged last.
    told: Mutex<Option<Cause>>,
    /// What librdkafka or a broker may repeat in a message: the last token, the password.
    secrets: Mutex<Option<Secret>>,
}

impl Quiet {
    pub(super) fn new(cluster: Arc<str>, tokens: Option<Fetching>, password: Option<Secret>) -> Self {
        Self {
            cluster,
            tokens,
            secrets: Mutex::new(password),
            trouble: Mutex::default(),
            told: Mutex::default(),
        }
    }

    /// Why brokers could not be reached since that was last forgotten.
    pub(super) fn trouble(&self) -> Option<Cause> {
        *self.trouble.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn forget_trouble(&self) {
        *self.trouble.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    /// A broker refused the token, if there is one.
    pub(super) fn forget_token(&self) {
        if let Some(tokens) = &self.tokens {
            tokens.forget();
        }
    }

    fn tell(&self, trouble: Cause, reason: &str) {
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        if told.replace(trouble) != Some(trouble) {
            let cluster = &*self.cluster;
            let error = self.struck(reason);
            tracing::warn!(cluster, error, "the times of records cannot be read");
        }
    }
}

impl Quiet {
    fn struck(&self, said: &str) -> String {
        let secret = self.secrets.lock().unwrap_or_else(PoisonError::into_inner);
        secret
            .as_ref()
            .map_or_else(|| said.to_owned(), |secret| secret.struck_from(said))
    }
}

impl ClientContext for Quiet {
    const ENABLE_REFRESH_OAUTH_TOKEN: bool = true;

    fn log(&self, level: RDKafkaLogLevel, facility: &str, message: &str) {
        tracing::debug!(?level, facility, message = self.struck(message), "librdkafka");
    }

    fn error(&self, error: KafkaError, reason: &str) {
        let trouble = match error.rdkafka_error_code().map(cause) {
            Some(found @ (Cause::Authentication | Cause::Tls | Cause::Disconnected)) => found,
            _ => return,
        };
        if trouble != Cause::Disconnected {
            self.tell(trouble, reason);
        }
        let mut known = self.trouble.lock().unwrap_or_else(PoisonError::into_inner);
        // "All brokers are down" follows on a refused login and says less.
        if known.is_none() || trouble != Cause::Disconnected {
            *known = Some(trouble);
        }
    }

    fn generate_oauth_token(&self, _: Option<&str>) -> Result<OAuthToken, Box<dyn Error>> {
        let tokens = self.tokens.as_ref().ok_or("no token was asked for")?;
        let token = tokens.fetch()?;
        *self.secrets.lock().unwrap_or_else(PoisonError::into_inner) = Some(Secret::new(token.token.clone()));
        Ok(token)
    }
}

impl ConsumerContext for Quiet {}

/// Gets tokens for all clients of a reader, one after the other.
pub(super) struct Refresher {
    runtime: Option<Handle>,
    within: Duration,
    tokens: Arc<Tokens>,
}

impl Refresher {
    /// Tokens are asked for on the runtime, and must come within that time.
    pub(super) fn new(runtime: Option<Handle>, within: Duration) -> Self {
        Self {
            runtime,
            within,
            tokens: Arc::new(Tokens::new(Clock::system())),
        }
    }

    /// What a client with this login needs.
    pub(super) fn of(&self, sasl: &Sasl) -> Option<Fetching> {
        let Sasl::Bearer(login) = sasl else {
            return None;
        };
        Some(Fetching {
            runtime: self.runtime.clone(),
            within: self.within,
            tokens: Arc::clone(&self.tokens),
            login: login.clone(),
        })
    }
}

/// Gets tokens for one client.
#[derive(Debug)]
pub(super) struct Fetching {
    runtime: Option<Handle>,
    within: Duration,
    tokens: Arc<Tokens>,
    login: Bearer,
}

impl Fetching {
    fn fetch(&self) -> Result<OAuthToken, Trouble> {
        let none = |why| Trouble::new(Cause::Authentication, why);
        let runtime = self.runtime.as_ref().ok_or_else(|| none("no runtime for tokens"))?;
        let current = async { timeout(self.within, self.tokens.current(&self.login)).await };
        let token = runtime
            .block_on(current)
            .map_err(|_| none("no token in time"))
            .flatten()?;
        Ok(OAuthToken {
            token: token.secret.expose().to_owned(),
            principal_name: token.principal.clone(),
            lifetime_ms: token.ends_at(self.tokens.clock()).0,
        })
    }

    /// A broker refused the login: the next token is another one.
    pub(super) fn forget(&self) {
        if let Some(runtime) = &self.runtime {
            runtime.block_on(self.tokens.forget_all());
        }
    }
}
