//! What comes before the body of an answer: the correlation id, and tagged fields in the flexible encoding.

use super::versions;
use crate::failure::Api;
use crate::kafka::wire::read::Encoding;
use crate::kafka::wire::read::ReadError;
use crate::kafka::wire::read::Reader;

/// Splits a frame (without its length) into the correlation id, which tells whose answer it is, and the rest.
///
/// # Errors
///
/// When the frame has less than four bytes.
pub fn correlation_id(frame: &[u8]) -> Result<(i32, &[u8]), ReadError> {
    let mut reader = Reader::new(frame, Encoding::Classic);
    let id = reader.int32("correlation id")?;
    Ok((id, reader.rest()))
}

/// What follows the correlation id → the body that `read` of the API takes.
///
/// # Errors
///
/// When the tagged fields of the header make no sense.
pub fn body(after_correlation_id: &[u8], api: Api, version: i16) -> Result<&[u8], ReadError> {
    // A client that does not know yet what the broker speaks has to be able to read the header of this one (KIP-511).
    let encoding = match api {
        Api::ApiVersions => Encoding::Classic,
        _ => versions::encoding(api, version),
    };
    let mut reader = Reader::new(after_correlation_id, encoding);
    reader.tags()?;
    Ok(reader.rest())
}
