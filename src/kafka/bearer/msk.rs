//! Tokens for Amazon MSK's access control by IAM: a presigned URL of the action `kafka-cluster:Connect` (AWS Signature Version 4), which the
//! brokers take by OAUTHBEARER. Signed here, with OpenSSL's HMAC: the crates that do it bring a second HTTP client and a second TLS library.

mod credentials;
mod sources;
#[cfg(test)]
mod tests;

use std::time::Duration;

use jiff::Timestamp;
use openssl::hash::MessageDigest;
use openssl::pkey::PKey;
use openssl::sha::sha256;
use openssl::sign::Signer;
use percent_encoding::AsciiSet;
use percent_encoding::NON_ALPHANUMERIC;
use percent_encoding::utf8_percent_encode;
use tokio::time::Instant;

use super::Token;
use super::refused;
use crate::config::MskIam;
use crate::config::Secret;
use crate::kafka::trouble::Trouble;
use crate::model::Moment;

use credentials::Credentials;

/// As long as MSK lets a signature live.
const LIFE: Duration = Duration::from_secs(900);

const SERVICE: &str = "kafka-cluster";

/// RFC 3986's unreserved characters, which is what AWS leaves as they are.
const KEPT: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// A token for the region, with the credentials that this process runs under.
pub(super) async fn sign(iam: &MskIam, now: Moment) -> Result<Token, Trouble> {
    let environment = sources::Environment::of_process();
    let region = iam.region.clone().or_else(|| environment.region());
    let region = region.ok_or_else(|| refused("sasl.region: missing, and no AWS_REGION in the environment"))?;
    let found = sources::credentials(&environment, &region, now).await?;
    let url = presigned(&region, &found, now)?;
    let life = found
        .ends
        .map_or(LIFE, |ends| LIFE.min(ends.saturating_duration_since(Instant::now())));
    Ok(Token {
        secret: Secret::new(base64_url(url.as_bytes())),
        principal: found.key_id,
        ends: Some(Instant::now() + life),
    })
}

/// The URL with its signature.
fn presigned(region: &str, credentials: &Credentials, now: Moment) -> Result<String, Trouble> {
    let time = Timestamp::from_millisecond(now.wall.0).map_err(|_| refused("the clock shows no time"))?;
    let (stamp, day) = (
        time.strftime("%Y%m%dT%H%M%SZ").to_string(),
        time.strftime("%Y%m%d").to_string(),
    );
    let scope = format!("{day}/{region}/{SERVICE}/aws4_request");
    let host = format!("kafka.{region}.amazonaws.com");
    let query = query(&scope, &stamp, credentials);
    let nothing = hex(&sha256(b""));
    let canonical = format!("GET\n/\n{query}\nhost:{host}\n\nhost\n{nothing}");
    let to_sign = format!(
        "AWS4-HMAC-SHA256\n{stamp}\n{scope}\n{}",
        hex(&sha256(canonical.as_bytes()))
    );
    let first = format!("AWS4{}", credentials.secret.expose()).into_bytes();
    let key = [day.as_str(), region, SERVICE, "aws4_request"]
        .iter()
        .try_fold(first, |key, part| hmac(&key, part))?;
    let signature = hex(&hmac(&key, &to_sign)?);
    let agent = format!("tidemark%2F{}", env!("CARGO_PKG_VERSION"));
    Ok(format!(
        "https://{host}/?{query}&X-Amz-Signature={signature}&User-Agent={agent}"
    ))
}

/// In the order of the names, as it is signed.
fn query(scope: &str, stamp: &str, credentials: &Credentials) -> String {
    let credential = format!("{}/{scope}", credentials.key_id);
    let life = LIFE.as_secs().to_string();
    let mut pairs = vec![
        ("Action", "kafka-cluster:Connect"),
        ("X-Amz-Algorithm", "AWS4-HMAC-SHA256"),
        ("X-Amz-Credential", &credential),
        ("X-Amz-Date", stamp),
        ("X-Amz-Expires", &life),
    ];
    pairs.extend(
        credentials
            .session
            .as_ref()
            .map(|token| ("X-Amz-Security-Token", token.expose())),
    );
    pairs.push(("X-Amz-SignedHeaders", "host"));
    let pairs: Vec<String> = pairs
        .iter()
        .map(|(key, value)| format!("{key}={}", utf8_percent_encode(value, KEPT)))
        .collect();
    pairs.join("&")
}

fn hmac(key: &[u8], text: &str) -> Result<Vec<u8>, Trouble> {
    PKey::hmac(key)
        .and_then(|key| Signer::new(MessageDigest::sha256(), &key)?.sign_oneshot_to_vec(text.as_bytes()))
        .map_err(|_| refused("the token cannot be signed"))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn base64_url(bytes: &[u8]) -> String {
    let standard = openssl::base64::encode_block(bytes);
    standard
        .replace('+', "-")
        .replace('/', "_")
        .trim_end_matches('=')
        .to_owned()
}
