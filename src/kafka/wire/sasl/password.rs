//! PLAIN and SCRAM.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use rsasl::prelude::Mechname;
use rsasl::prelude::MessageSent;
use rsasl::prelude::SASLClient;
use rsasl::prelude::SASLConfig;
use rsasl::prelude::Session as Exchange;
use rsasl::prelude::State;

use super::Line;
use super::about;
use super::refused;
use crate::config::PasswordLogin;
use crate::config::Secret;
use crate::kafka::trouble::Trouble;

/// More rounds of password hashing than any broker asks for (Kafka allows 16,384): a stranger must not decide how long we compute.
const ITERATIONS_LIMIT: u32 = 1_000_000;

/// Messages that a mechanism may take. The longest, SCRAM, takes three.
const STEPS_LIMIT: usize = 8;

/// Logs in. The password may be in a file, which is read anew.
pub(super) async fn log_in(line: &Line<'_>, login: &PasswordLogin) -> Result<Option<Duration>, Trouble> {
    line.handshake(login.mechanism.as_str()).await?;
    let material = login.password.clone();
    let password = tokio::task::spawn_blocking(move || material.secret())
        .await
        .map_err(|_| refused("reading the password was interrupted"))?
        .map_err(refused)?;
    let exchange = begin(login, &password)?;
    let settings = format!("sasl.username, {}", login.password.setting);
    converse(line, exchange).await.map_err(|trouble| {
        // A broker that was told the password may repeat it.
        let told = Trouble::new(trouble.cause, password.struck_from(&trouble.detail));
        about(told, &settings)
    })
}

async fn converse(line: &Line<'_>, mut exchange: Exchange) -> Result<Option<Duration>, Trouble> {
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

pub(super) fn begin(login: &PasswordLogin, password: &Secret) -> Result<Exchange, Trouble> {
    let config: Arc<SASLConfig> =
        SASLConfig::with_credentials(None, login.username.clone(), password.expose().to_owned()).map_err(refused)?;
    let mechanism = Mechname::parse(login.mechanism.as_str().as_bytes()).map_err(refused)?;
    SASLClient::new(config)
        .start_suggested_iter([mechanism])
        .map_err(refused)
}

/// One step of the mechanism: its state, and what is to be sent. Off the async threads, as SCRAM hashes the password thousands of times.
pub(super) async fn step(
    mut exchange: Exchange,
    heard: Option<Vec<u8>>,
) -> Result<(Exchange, State, Option<Bytes>), Trouble> {
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
