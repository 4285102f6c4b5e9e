//! SaslHandshake v0-v1: whether the mechanism is offered.

use super::versions::open;
use crate::failure::Api;
use crate::failure::ErrorCode;
use crate::kafka::wire::read::ReadError;
use crate::model::Text;

/// Whether the mechanism is offered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// UNSUPPORTED_SASL_MECHANISM when it is not.
    pub error: Option<ErrorCode>,
    /// The mechanisms that are, in the broker's order.
    pub mechanisms: Vec<Text>,
}

/// Reads the body of an answer.
///
/// # Errors
///
/// When it makes no sense.
pub fn read(body: &[u8], version: i16) -> Result<Answer, ReadError> {
    let mut reader = open(body, Api::SaslHandshake, version)?;
    let error = reader.error_code()?;
    let mechanisms = reader.list::<_, 2>("mechanisms", |reader| reader.string("mechanism").map(Text::from))?;
    reader.finish()?;
    Ok(Answer { error, mechanisms })
}
