//! OffsetCommit v2-v9: what became of a commit from outside a group.

use super::Names;
use super::Topics;
use super::groups::heard;
use super::versions::open;
use crate::failure::Api;
use crate::failure::Heard;
use crate::kafka::wire::read::ReadError;

/// Reads the body of an answer: `Ok` for every partition that was committed.
///
/// # Errors
///
/// When it makes no sense.
pub fn read(body: &[u8], version: i16, names: &mut Names) -> Result<Topics<Heard<()>>, ReadError> {
    let mut reader = open(body, Api::OffsetCommit, version)?;
    if version >= 3 {
        reader.int32("throttle time")?;
    }
    let topics = Topics::read::<6>(&mut reader, names, |reader| {
        let error = reader.error_code()?;
        reader.tags()?;
        Ok(Some(heard(error, ())))
    })?;
    reader.tags()?;
    reader.finish()?;
    Ok(topics)
}
