//! Credentials of AWS, and how each source writes them.

use std::time::Duration;

use jiff::Timestamp;
use serde_json::Value;
use tokio::time::Instant;

use crate::config::Secret;
use crate::model::Moment;

/// An access key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Credentials {
    /// Its id; no secret.
    pub(super) key_id: String,
    pub(super) secret: Secret,
    /// Comes with keys that end.
    pub(super) session: Option<Secret>,
    /// When they end; `None` for keys that do not.
    pub(super) ends: Option<Instant>,
}

impl Credentials {
    /// Of a container's or an instance's role: `AccessKeyId`, `SecretAccessKey`, `Token`, `Expiration`.
    pub(super) fn of_role(said: &Value, now: Moment) -> Option<Self> {
        Self::of_json(said, "Token", said.get("Expiration")?.as_str()?.parse().ok()?, now)
    }

    /// Of the security token service; it counts in seconds.
    pub(super) fn of_token_service(said: &Value, now: Moment) -> Option<Self> {
        let said = said
            .get("AssumeRoleWithWebIdentityResponse")?
            .get("AssumeRoleWithWebIdentityResult")?
            .get("Credentials")?;
        let ends = match said.get("Expiration")? {
            Value::String(text) => text.parse().ok()?,
            // A whole number of seconds, written as a float.
            #[expect(clippy::cast_possible_truncation, reason = "a second more or less is none")]
            other => Timestamp::from_second(other.as_f64()? as i64).ok()?,
        };
        Self::of_json(said, "SessionToken", ends, now)
    }

    fn of_json(said: &Value, session: &str, ends: Timestamp, now: Moment) -> Option<Self> {
        let text = |key: &str| said.get(key)?.as_str().map(str::to_owned);
        let left = ends.as_millisecond().saturating_sub(now.wall.0);
        Some(Self {
            key_id: text("AccessKeyId")?,
            secret: Secret::new(text("SecretAccessKey")?),
            session: text(session).map(Secret::new),
            ends: Some(Instant::now() + Duration::from_millis(u64::try_from(left).ok()?)),
        })
    }

    /// Of the environment or a profile: each value by its name.
    pub(super) fn of_names(value: impl Fn(&str) -> Option<String>) -> Option<Self> {
        Some(Self {
            key_id: value("aws_access_key_id")?,
            secret: Secret::new(value("aws_secret_access_key")?),
            session: value("aws_session_token").map(Secret::new),
            ends: None,
        })
    }

    /// Of a profile in the text of a credentials file.
    pub(super) fn of_profile(text: &str, profile: &str) -> Option<Self> {
        let header = format!("[{profile}]");
        let lines = text.lines().map(str::trim).skip_while(|line| *line != header).skip(1);
        let own: Vec<&str> = lines.take_while(|line| !line.starts_with('[')).collect();
        Self::of_names(|name| {
            let value = own.iter().filter_map(|line| line.split_once('='));
            let mut value = value.filter(|(key, _)| key.trim() == name);
            value.next().map(|(_, value)| value.trim().to_owned())
        })
    }
}
