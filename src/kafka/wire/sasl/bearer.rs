//! OAUTHBEARER (RFC 7628, KIP-255).

use std::time::Duration;

use bytes::Bytes;

use super::Line;
use super::about;
use super::refused;
use crate::config::Bearer;
use crate::config::TokenSource;
use crate::failure::Cause;
use crate::kafka::bearer::Token;
use crate::kafka::bearer::Tokens;
use crate::kafka::bearer::message;
use crate::kafka::trouble::Trouble;

/// What answers the broker's reasons for a refusal, so that it says them as an error.
const NOTED: &[u8] = b"\x01";

/// Logs in.
pub(super) async fn log_in(line: &Line<'_>, login: &Bearer, tokens: &Tokens) -> Result<Option<Duration>, Trouble> {
    // Before the handshake: a broker waits for what follows on it.
    let token = tokens.current(login).await?;
    line.handshake("OAUTHBEARER").await?;
    let result = show(line, login, &token).await;
    if let Err(trouble) = &result
        && trouble.cause == Cause::Authentication
    {
        tokens.forget(&token).await;
    }
    result.map_err(|trouble| {
        let told = Trouble::new(trouble.cause, token.secret.struck_from(&trouble.detail));
        about(told, setting(login))
    })
}

async fn show(line: &Line<'_>, login: &Bearer, token: &Token) -> Result<Option<Duration>, Trouble> {
    let answer = line
        .authenticate(Bytes::from(message(token, &login.extensions)))
        .await?;
    if answer.token.is_empty() {
        return Ok(answer.session_lifetime);
    }
    line.authenticate(Bytes::from_static(NOTED)).await?;
    Err(refused("the broker does not take the token"))
}

fn setting(login: &Bearer) -> &'static str {
    match &login.source {
        TokenSource::Held(material) => material.setting,
        TokenSource::Endpoint(_) => "sasl.token_url (the broker does not take its token)",
        TokenSource::MskIam(_) => "sasl: AWS_MSK_IAM",
    }
}
