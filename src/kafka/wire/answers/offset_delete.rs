//! OffsetDelete v0: what became of commits that were to be forgotten.

use super::Names;
use super::Topics;
use super::groups::heard;
use super::versions::open;
use crate::failure::Api;
use crate::failure::Heard;
use crate::kafka::wire::read::ReadError;

/// Reads the body of an answer: an error for the whole group (GROUP_ID_NOT_FOUND, NON_EMPTY_GROUP), or `Ok` for every partition whose
/// commit is gone.
///
/// # Errors
///
/// When it makes no sense.
pub fn read(body: &[u8], version: i16, names: &mut Names) -> Result<Heard<Topics<Heard<()>>>, ReadError> {
    let mut reader = open(body, Api::OffsetDelete, version)?;
    let error = reader.error_code()?;
    reader.int32("throttle time")?;
    let topics = Topics::read::<6>(&mut reader, names, |reader| {
        let error = reader.error_code()?;
        Ok(Some(heard(error, ())))
    })?;
    reader.finish()?;
    Ok(heard(error, topics))
}
