//! SASL over Kafka's own frames: SaslHandshake v1, then the mechanism's steps through SaslAuthenticate.

mod bearer;
mod password;
#[cfg(test)]
mod tests;

use std::time::Duration;

use bytes::Bytes;

use super::answers;
use super::call::Call;
use super::call::Reply;
use super::call::SaslAuthenticate;
use super::call::SaslHandshake;
use super::connection::Limits;
use super::read::ReadError;
use super::session::Session;
use super::tally::Tally;
use crate::config::Sasl;
use crate::failure::Api;
use crate::failure::Cause;
use crate::kafka::bearer::Tokens;
use crate::kafka::trouble::Trouble;

/// Logs in on the session. How long the broker lets it live; `None` for ever (KIP-368).
pub(super) async fn authenticate(
    session: &Session,
    sasl: &Sasl,
    tokens: &Tokens,
    tally: &Tally,
    limits: Limits,
) -> Result<Option<Duration>, Trouble> {
    let line = Line { session, tally, limits };
    match sasl {
        Sasl::Password(login) => password::log_in(&line, login).await,
        Sasl::Bearer(login) => bearer::log_in(&line, login, tokens).await,
    }
}

/// The session that is to be logged in on.
struct Line<'a> {
    session: &'a Session,
    tally: &'a Tally,
    limits: Limits,
}

impl Line<'_> {
    async fn handshake(&self, mechanism: &'static str) -> Result<(), Trouble> {
        let answer = self
            .ask(&SaslHandshake { mechanism }, answers::sasl_handshake::read)
            .await?;
        let Some(code) = answer.error else {
            return Ok(());
        };
        self.tally.failed(Api::SaslHandshake, Cause::Code(code));
        let offered: Vec<_> = answer.mechanisms.iter().map(ToString::to_string).collect();
        Err(refused(format_args!(
            "sasl.mechanism: the broker does not offer {mechanism}, only {} ({code})",
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

/// The same trouble with the settings that it may be about, where it is about the login.
fn about(trouble: Trouble, settings: &str) -> Trouble {
    match trouble.cause {
        Cause::Authentication => refused(format_args!("{settings}: {}", trouble.detail)),
        _ => trouble,
    }
}

fn refused(why: impl std::fmt::Display) -> Trouble {
    Trouble::new(Cause::Authentication, why)
}
