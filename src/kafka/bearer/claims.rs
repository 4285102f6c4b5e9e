//! What a token says of itself, where it is a JSON Web Token. It is read, not verified: that is for the broker.

use std::time::Duration;

use serde_json::Value;
use tokio::time::Instant;

use super::Token;
use super::refused;
use crate::config::Secret;
use crate::kafka::trouble::Trouble;
use crate::model::Moment;

/// Whom a token is for that does not say so.
const SOMEBODY: &str = "tidemark";

/// Beyond this nobody means it.
const LONGEST: Duration = Duration::from_secs(365 * 24 * 3600);

/// A token with its end: the sooner of what whoever gave it said, and what it says itself.
pub(super) fn token(secret: Secret, told: Option<Duration>, now: Moment) -> Result<Token, Trouble> {
    let fits = |c: char| c.is_ascii_graphic();
    if secret.expose().is_empty() || !secret.expose().chars().all(fits) {
        return Err(refused(
            "sasl: the token is no token: it must be printable ASCII without spaces",
        ));
    }
    let claims = claims(secret.expose());
    let own = claims.as_ref().and_then(|claims| left(claims, now));
    if own == Some(Duration::ZERO) {
        return Err(refused("sasl: the token has expired"));
    }
    let life = [told, own].into_iter().flatten().min().map(|life| life.min(LONGEST));
    let principal = claims
        .as_ref()
        .and_then(|claims| claims.get("sub")?.as_str())
        .filter(|name| !name.is_empty() && !name.contains('\0'))
        .unwrap_or(SOMEBODY)
        .to_owned();
    Ok(Token {
        secret,
        principal,
        ends: life.map(|life| Instant::now() + life),
    })
}

/// What is left of the token's life; zero when it has ended.
fn left(claims: &Value, now: Moment) -> Option<Duration> {
    let ends = claims.get("exp")?.as_f64().filter(|ends| ends.is_finite())?;
    let now = Duration::from_millis(u64::try_from(now.wall.0).ok()?);
    Duration::try_from_secs_f64((ends - now.as_secs_f64()).max(0.0)).ok()
}

/// The claims of a JSON Web Token (RFC 7519); `None` for any other.
fn claims(token: &str) -> Option<Value> {
    let mut parts = token.split('.');
    let (_, payload, _) = (parts.next()?, parts.next()?, parts.next()?);
    serde_json::from_slice(&decode(payload)?).ok()
}

/// Base64 in its form for URLs, without padding (RFC 4648, 5).
fn decode(text: &str) -> Option<Vec<u8>> {
    let mut standard = text.trim_end_matches('=').replace('-', "+").replace('_', "/");
    while !standard.len().is_multiple_of(4) {
        standard.push('=');
    }
    openssl::base64::decode_block(&standard).ok()
}
