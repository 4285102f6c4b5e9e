//! A token for the client's credentials (RFC 6749, 4.4).

use std::time::Duration;

use hyper::Method;
use percent_encoding::AsciiSet;
use percent_encoding::NON_ALPHANUMERIC;
use percent_encoding::utf8_percent_encode;
use serde_json::Value;

use super::Token;
use super::claims;
use super::exchange::Answer;
use super::exchange::Ask;
use super::refused;
use crate::config::Authorities;
use crate::config::Material;
use crate::config::Secret;
use crate::config::Tls;
use crate::config::TokenEndpoint;
use crate::kafka::trouble::Trouble;
use crate::model::Moment;

/// What stays as it is in a form (RFC 3986's unreserved characters).
const FORM: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// Of what an endpoint says about a refusal, so much is passed on.
const LONGEST_REASON: usize = 300;

/// Asks for a token.
pub(super) async fn ask(endpoint: &TokenEndpoint, now: Moment) -> Result<Token, Trouble> {
    let material = endpoint.client_secret.clone();
    let secret = tokio::task::spawn_blocking(move || material.secret())
        .await
        .map_err(|_| refused("reading the client's secret was interrupted"))?
        .map_err(refused)?;
    let ask = Ask {
        method: Method::POST,
        url: endpoint.url.clone(),
        headers: vec![
            ("authorization", basic(&endpoint.client_id, &secret)),
            ("content-type", "application/x-www-form-urlencoded".to_owned()),
            ("accept", "application/json".to_owned()),
        ],
        body: form(endpoint),
        tls: Tls {
            authorities: endpoint
                .ca_file
                .as_ref()
                .map(|file| Authorities::Pem(Material::file("sasl.token_ca_file", file.clone()))),
            ..Tls::default()
        },
    };
    let answer = ask
        .send()
        .await
        .map_err(|trouble| refused(format_args!("sasl.token_url: {}", secret.struck_from(&trouble.detail))))?;
    token(&answer, now).map_err(|why| refused(format_args!("sasl.token_url: {}", secret.struck_from(&why))))
}

fn form(endpoint: &TokenEndpoint) -> String {
    let grant = "grant_type=client_credentials";
    match &endpoint.scope {
        Some(scope) => format!("{grant}&scope={}", encoded(scope)),
        None => grant.to_owned(),
    }
}

fn encoded(text: &str) -> String {
    utf8_percent_encode(text, FORM).to_string()
}

/// RFC 6749, 2.3.1: both parts are encoded as in a form before they are joined.
fn basic(id: &str, secret: &Secret) -> String {
    let pair = format!("{}:{}", encoded(id), encoded(secret.expose()));
    format!("Basic {}", openssl::base64::encode_block(pair.as_bytes()))
}

/// The token in the answer, or why there is none.
fn token(answer: &Answer, now: Moment) -> Result<Token, String> {
    let said: Option<Value> = serde_json::from_slice(&answer.body).ok();
    let text = |key: &str| said.as_ref().and_then(|said| said.get(key)?.as_str());
    if answer.status != 200 {
        let told = [text("error"), text("error_description")].into_iter().flatten();
        let told: Vec<String> = told.map(printable).collect();
        let hint = match answer.status {
            400 | 401 if text("error") == Some("invalid_client") => " (sasl.client_id, sasl.client_secret)",
            401 | 403 => " (sasl.client_id, sasl.client_secret)",
            _ => "",
        };
        let colon = if told.is_empty() { "" } else { ": " };
        return Err(format!("answers {}{colon}{}{hint}", answer.status, told.join(": ")));
    }
    let Some(token) = text("access_token") else {
        return Err("answers without an access_token".to_owned());
    };
    let life = said.as_ref().and_then(life);
    claims::token(Secret::new(token.to_owned()), life, now).map_err(|trouble| trouble.detail.to_string())
}

/// `expires_in`, in seconds; some endpoints put it in quotes.
fn life(said: &Value) -> Option<Duration> {
    let seconds = match said.get("expires_in")? {
        Value::String(text) => text.parse().ok(),
        other => other.as_f64(),
    };
    Duration::try_from_secs_f64(seconds?).ok()
}

/// What a stranger says, fit for a log.
fn printable(text: &str) -> String {
    let plain = |c: char| if c.is_control() { ' ' } else { c };
    text.chars().take(LONGEST_REASON).map(plain).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn id_and_secret_are_encoded_before_they_are_joined() {
        // The example of RFC 6749 2.3.1 needs no encoding; a colon in an id does.
        assert_eq!(
            basic("s6BhdRkqt3", &Secret::new("gX1fBat3bV".to_owned())),
            "Basic czZCaGRSa3F0MzpnWDFmQmF0M2JW"
        );
        let odd = basic("a:b", &Secret::new("ü&=".to_owned()));
        assert_eq!(
            odd,
            format!("Basic {}", openssl::base64::encode_block(b"a%3Ab:%C3%BC%26%3D"))
        );
    }
}
