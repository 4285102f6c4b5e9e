//! A connection that is ready to be asked: its broker's versions are known, and it is logged in.

use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering;

use tokio::time::Instant;

use super::answers;
use super::call::ApiVersions;
use super::call::Call;
use super::call::Message;
use super::call::Reply;
use super::call::exchange;
use super::call::spoken;
use super::connection::Connection;
use super::connection::End;
use super::connection::Limits;
use super::tally::Tally;
use super::versions::Versions;
use crate::failure::Cause;
use crate::failure::ErrorCode;
use crate::kafka::trouble::Trouble;

/// What a broker is asked for its versions in first; one that does not know it says so in v0 (KIP-511).
const FIRST_API_VERSIONS: i16 = 3;

/// A connection whose broker's versions are known.
#[derive(Debug)]
pub(super) struct Session {
    connection: Connection,
    versions: Versions,
    opened: Instant,
    /// From then on the broker wants to be logged in to again (KIP-368).
    use_until: Option<Instant>,
    /// Whether a call was answered after the versions and the login.
    answered: AtomicBool,
}

impl Session {
    /// Asks for the broker's versions.
    pub(super) async fn open(connection: Connection, tally: &Tally, limits: Limits) -> Result<Self, Trouble> {
        let mut answer = versions(&connection, FIRST_API_VERSIONS, tally, limits).await?;
        if answer.error == Some(ErrorCode::UNSUPPORTED_VERSION) {
            answer = versions(&connection, 0, tally, limits).await?;
        }
        if let Some(code) = answer.error {
            tally.failed(ApiVersions::API, Cause::Code(code));
            return Err(Trouble::new(Cause::Code(code), "the broker does not tell its versions"));
        }
        let ranges = answer
            .apis
            .iter()
            .map(|(key, range)| (*key, *range.start(), *range.end()));
        Ok(Self {
            connection,
            versions: ranges.collect(),
            opened: Instant::now(),
            use_until: None,
            answered: AtomicBool::new(false),
        })
    }

    /// The same session, to be used no longer than that.
    pub(super) fn until(self, use_until: Option<Instant>) -> Self {
        Self { use_until, ..self }
    }

    /// Since when it is open.
    pub(super) fn opened(&self) -> Instant {
        self.opened
    }

    /// Whether it takes requests at `now`.
    pub(super) fn is_usable(&self, now: Instant) -> bool {
        self.ended().is_none() && self.use_until.is_none_or(|until| now < until)
    }

    /// Why it takes no more requests.
    pub(super) fn ended(&self) -> Option<&End> {
        self.connection.ended()
    }

    /// The highest version of the call that both sides speak.
    pub(super) fn pick<C: Call>(&self, call: &C) -> Option<i16> {
        self.versions.pick(C::Request::KEY, spoken(call))
    }

    /// Asks in the highest version that both sides speak. Counted, whatever becomes of it.
    pub(super) async fn ask<C: Call>(&self, call: &C, tally: &Tally, limits: Limits) -> Result<Reply, Trouble> {
        let Some(version) = self.pick(call) else {
            tally.failed(C::API, Cause::Unsupported);
            return Err(Trouble::new(
                Cause::Unsupported,
                format_args!("the broker speaks no version of {} that tidemark speaks", C::API),
            ));
        };
        let result = counted(&self.connection, call, version, tally, limits).await;
        match &result {
            Ok(_) => self.answered.store(true, Ordering::Relaxed),
            Err(trouble) if trouble.cause == Cause::Disconnected && !self.answered.load(Ordering::Relaxed) => {
                return result.map_err(|trouble| {
                    Trouble::new(
                        trouble.cause,
                        format_args!("{trouble} before it answered anything (does this listener want SASL?)"),
                    )
                });
            }
            Err(_) => {}
        }
        result
    }
}

async fn versions(
    connection: &Connection,
    version: i16,
    tally: &Tally,
    limits: Limits,
) -> Result<answers::api_versions::Answer, Trouble> {
    let reply = counted(connection, &ApiVersions, version, tally, limits).await?;
    reply.read(answers::api_versions::read).map_err(|error| {
        tally.failed(ApiVersions::API, Cause::Malformed);
        Trouble::new(Cause::Malformed, format_args!("versions: {error}"))
    })
}

async fn counted<C: Call>(
    connection: &Connection,
    call: &C,
    version: i16,
    tally: &Tally,
    limits: Limits,
) -> Result<Reply, Trouble> {
    tally.asked(C::API);
    let result = exchange(connection, call, version, limits).await;
    if let Err(trouble) = &result {
        tally.failed(C::API, trouble.cause);
    }
    result
}
