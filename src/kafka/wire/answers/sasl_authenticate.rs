//! SaslAuthenticate v0-v2: one step of the exchange.

use std::fmt;
use std::time::Duration;

use super::versions::open;
use crate::failure::Api;
use crate::failure::ErrorCode;
use crate::kafka::wire::read::ReadError;
use crate::model::Text;

/// One step of the exchange.
#[derive(Clone, PartialEq, Eq)]
pub struct Answer {
    /// SASL_AUTHENTICATION_FAILED when the broker refused.
    pub error: Option<ErrorCode>,
    /// The broker's words about it.
    pub message: Option<Text>,
    /// What the mechanism's next step works on; may be empty. Not shown by `Debug`.
    pub token: Vec<u8>,
    /// After this time the broker wants to be authenticated to again (v1, KIP-368); `None` when it never does.
    pub session_lifetime: Option<Duration>,
}

impl fmt::Debug for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Answer")
            .field("error", &self.error)
            .field("message", &self.message)
            .field("session_lifetime", &self.session_lifetime)
            .finish_non_exhaustive()
    }
}

/// Reads the body of an answer.
///
/// # Errors
///
/// When it makes no sense.
pub fn read(body: &[u8], version: i16) -> Result<Answer, ReadError> {
    let mut reader = open(body, Api::SaslAuthenticate, version)?;
    let error = reader.error_code()?;
    let message = reader.nullable_string("error message")?.map(Text::from);
    let token = reader.nullable_bytes("token")?.unwrap_or_default().to_vec();
    let lifetime = if version >= 1 {
        reader.int64("session lifetime")?
    } else {
        0
    };
    reader.tags()?;
    reader.finish()?;
    Ok(Answer {
        error,
        message,
        token,
        session_lifetime: u64::try_from(lifetime)
            .ok()
            .filter(|millis| *millis > 0)
            .map(Duration::from_millis),
    })
}
