//! ListOffsets v1-v10: log starts and ends, offsets by time.

use super::Names;
use super::Topics;
use super::versions::open;
use crate::failure::Api;
use crate::failure::Cause;
use crate::failure::Heard;
use crate::kafka::wire::read::ReadError;
use crate::model::Offset;
use crate::model::UnixMillis;

/// What one partition's leader answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Listed {
    /// `None` when no record fits: dated as late as that, or any at all.
    pub offset: Option<Offset>,
    /// The time of the record there; `None` when the request was not about times.
    pub time: Option<UnixMillis>,
    /// The epoch of the leader at that offset (v4).
    pub leader_epoch: Option<i32>,
}

/// Reads the body of an answer.
///
/// # Errors
///
/// When it makes no sense.
pub fn read(body: &[u8], version: i16, names: &mut Names) -> Result<Topics<Heard<Listed>>, ReadError> {
    let mut reader = open(body, Api::ListOffsets, version)?;
    if version >= 2 {
        reader.int32("throttle time")?;
    }
    let topics = Topics::read::<22>(&mut reader, names, |reader| {
        let error = reader.error_code()?;
        let time = reader.int64("timestamp")?;
        let offset = reader.int64("offset")?;
        let leader_epoch = if version >= 4 {
            Some(reader.int32("leader epoch")?).filter(|epoch| *epoch >= 0)
        } else {
            None
        };
        reader.tags()?;
        Ok(Some(match error {
            Some(code) => Err(Cause::Code(code)),
            None => listed(time, offset, leader_epoch),
        }))
    })?;
    reader.tags()?;
    reader.finish()?;
    Ok(topics)
}

/// -1 stands for nothing; offsets below it for nothing that anybody knows.
fn listed(time: i64, offset: i64, leader_epoch: Option<i32>) -> Heard<Listed> {
    let offset = match offset {
        -1 => None,
        raw => Some(Offset::new(raw).ok_or(Cause::Malformed)?),
    };
    Ok(Listed {
        offset,
        time: Some(time).filter(|time| *time != -1).map(UnixMillis),
        leader_epoch,
    })
}
