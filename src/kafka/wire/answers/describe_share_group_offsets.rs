//! DescribeShareGroupOffsets v0: where share groups begin to read.

use super::Groups;
use super::Names;
use super::Topics;
use super::groups::heard;
use super::topics::partitions;
use super::versions::open;
use crate::failure::Api;
use crate::failure::Cause;
use crate::failure::Heard;
use crate::kafka::wire::read::ReadError;
use crate::kafka::wire::read::Reader;
use crate::model::GroupId;
use crate::model::Offset;

/// Reads the body of an answer: start offsets by group; `None` where the group has not begun to read.
///
/// # Errors
///
/// When it makes no sense.
pub fn read(body: &[u8], version: i16, names: &mut Names) -> Result<Groups<Topics<Heard<Option<Offset>>>>, ReadError> {
    let mut reader = open(body, Api::DescribeShareGroupOffsets, version)?;
    reader.int32("throttle time")?;
    let groups = reader.list::<_, 6>("groups", |reader| {
        let group = GroupId::from(reader.string("group id")?);
        let topics = topics(reader, names)?;
        let error = reader.error_code()?;
        reader.nullable_string("error message")?;
        reader.tags()?;
        Ok((group, heard(error, topics)))
    })?;
    reader.tags()?;
    reader.finish()?;
    Ok(Groups::arrange(groups))
}

/// Unlike elsewhere, the topic's id stands between its name and its partitions.
fn topics(reader: &mut Reader<'_>, names: &mut Names) -> Result<Topics<Heard<Option<Offset>>>, ReadError> {
    let topics = reader.list::<_, 19>("topics", |reader| {
        let topic = names.topic(reader.string("topic name")?);
        reader.uuid("topic id")?;
        let partitions = partitions::<_, 20>(reader, &mut start)?;
        reader.tags()?;
        Ok((topic, partitions))
    })?;
    Ok(Topics::arrange(topics))
}

fn start(reader: &mut Reader<'_>) -> Result<Option<Heard<Option<Offset>>>, ReadError> {
    let offset = reader.int64("start offset")?;
    reader.int32("leader epoch")?;
    let error = reader.error_code()?;
    reader.nullable_string("error message")?;
    reader.tags()?;
    Ok(Some(match (error, offset) {
        (Some(code), _) => Err(Cause::Code(code)),
        (None, -1) => Ok(None),
        (None, offset) => Offset::new(offset).map(Some).ok_or(Cause::Malformed),
    }))
}
