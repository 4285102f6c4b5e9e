//! SASL over Kafka's own frames: SaslHandshake v1, then the mechanism's steps through SaslAuthenticate.

#[cfg(test)]
mod tests;

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use rsasl::prelude::Mechname;
use rsasl::prelude::MessageSent;
use rsasl::prelude::SASLClient;
use rsasl::prelude::SASLConfig;
use rsasl::prelude::Session as Exchange;
use rsasl::prelude::State;

use super::answers;
use super::call::Call;
use super::call::Reply;
use super::call::SaslAuthenticate;
use super::call::SaslHandshake;
use super::connection::Limits;
use super::read::ReadError;
use super::session::Session;
use super::tally::Tally;
use super::trouble::Trouble;
use super::trouble::chain;
use crate::config::Mechanism;
use crate::config::Sasl;
use crate::failure::Api;
use crate::failure::Cause;

/// More rounds of password hashing than any broker asks for (Kafka allows 16,384): a stranger must not decide how long we compute.
const ITERATIONS_LIMIT: u32 = 1_000_000;

/// Messages that a mechanism may take. The longest, SCRAM, takes three.
const STEPS_LIMIT: usize = 8;

/// Logs in on the session. How long the broker lets it live; `None` for ever (KIP-368).
pub(super) async fn authenticate(
    session: &Session,
    sasl: &Sasl,
    tally: &Tally,
    limits: Limits,
) -> Result<Option<Duration>, Trouble> {
    let line = Line { session, tally, limits };
    line.handshake(sasl.mechanism).await?;
    let mut exchange = begin(sasl).await?;
    let mut heard = None;
    let mut lifetime = None;
    for _ in 0..STEPS_LIMIT {
        let (state, said);
        (exchange, state, said) = step(exchange, heard.take()).await?;
        if let Some(token) = said {
            let answer = line.authenticate(token).await?;
            lifetime = answer.session_lifetime;
            heard = Some(answer.token);
        }
        if matches!(state, State::Finished(_)) {
            return Ok(lifetime);
        }
    }
    Err(refused("the broker asks for more and more"))
}

/// The session that is to be logged in on.
struct Line<'a> {
    session: &'a Session,
    tally: &'a Tally,
    limits: Limits,
}

impl Line<'_> {
    async fn handshake(&self, mechanism: Mechanism) -> Result<(), Trouble> {
        let call = SaslHandshake {
            mechanism: mechanism.as_str(),
        };
        let answer = self.ask(&call, answers::sasl_handshake::read).await?;
        let Some(code) = answer.error else {
            return Ok(());
        };
        self.tally.failed(Api::SaslHandshake, Cause::Code(code));
        let offered: Vec<_> = answer.mechanisms.iter().map(ToString::to_string).collect();
        Err(refused(format_args!(
            "the broker does not offer {}, only {} ({code})",
            mechanism.as_str(),
            offered.join(", "),
        )))
    }

    async fn authenticate(&self, token: Bytes) -> Result<answers::sasl_authenticate::Answer, Trouble> {
        let answer = self
            .ask(&SaslAuthenticate { token }, answers::sasl_authenticate::read)
            .await?;
        let Some(code) = answer.error else {
            return Ok(answer);
        };
        self.tally.failed(Api::SaslAuthenticate, Cause::Code(code));
        Err(match answer.message {
            Some(message) => refused(format_args!("{message} ({code})")),
            None => refused(code),
        })
    }

    async fn ask<C: Call, T>(
        &self,
        call: &C,
        read: impl FnOnce(&[u8], i16) -> Result<T, ReadError>,
    ) -> Result<T, Trouble> {
        let reply: Reply = self.session.ask(call, self.tally, self.limits).await?;
        reply.read(read).map_err(|error| {
            self.tally.failed(C::API, Cause::Malformed);
            Trouble::new(Cause::Malformed, format_args!("{}: {error}", C::API))
        })
    }
}

/// The password may be in a file, which is read anew.
async fn begin(sasl: &Sasl) -> Result<Exchange, Trouble> {
    let (username, source) = (sasl.username.clone(), sasl.password.clone());
    let password = tokio::task::spawn_blocking(move || source.read())
        .await
        .map_err(|_| refused("reading the password was interrupted"))?
        .map_err(|error| refused(format_args!("sasl.password_file: {}", chain(&error))))?;
    let config: Arc<SASLConfig> =
        SASLConfig::with_credentials(None, username, password.expose().to_owned()).map_err(refused)?;
    let mechanism = Mechname::parse(sasl.mechanism.as_str().as_bytes()).map_err(refused)?;
    SASLClient::new(config)
        .start_suggested_iter([mechanism])
        .map_err(refused)
}

/// One step of the mechanism: its state, and what is to be sent. Off the async threads, as SCRAM hashes the password thousands of times.
async fn step(mut exchange: Exchange, heard: Option<Vec<u8>>) -> Result<(Exchange, State, Option<Bytes>), Trouble> {
    check_iterations(heard.as_deref().unwrap_or_default())?;
    tokio::task::spawn_blocking(move || {
        let mut said = Vec::new();
        // The error says what is wrong with the broker's message, never what the credentials are.
        let state = exchange.step(heard.as_deref(), &mut said).map_err(refused)?;
        let sent = matches!(state, State::Running | State::Finished(MessageSent::Yes));
        Ok((exchange, state, sent.then(|| Bytes::from(said))))
    })
    .await
    .unwrap_or_else(|_| Err(refused("the exchange was interrupted")))
}

/// SCRAM's first message of the server says, as `i=`, how often the password is to be hashed (RFC 5802).
fn check_iterations(heard: &[u8]) -> Result<(), Trouble> {
    let asked = heard
        .split(|byte| *byte == b',')
        .find_map(|attribute| attribute.strip_prefix(b"i="));
    let Some(asked) = asked else {
        return Ok(());
    };
    let count = str::from_utf8(asked).ok().and_then(|digits| digits.parse::<u32>().ok());
    if count.is_some_and(|count| count <= ITERATIONS_LIMIT) {
        Ok(())
    } else {
        Err(refused("the broker asks for absurdly many rounds of hashing"))
    }
}

fn refused(why: impl std::fmt::Display) -> Trouble {
    Trouble::new(Cause::Authentication, why)
}
