//! FindCoordinator v0-v6: who coordinates a group. Of one group up to v3, of many from v4 on.

use super::Groups;
use super::Names;
use super::groups::heard;
use super::metadata::port;
use super::versions::open;
use crate::failure::Api;
use crate::failure::Cause;
use crate::failure::Heard;
use crate::kafka::wire::read::ReadError;
use crate::kafka::wire::read::Reader;
use crate::model::BrokerId;
use crate::model::GroupId;
use crate::observation::Broker;

/// Reads the body of an answer: the coordinator of each group, sorted by group. Up to v3 the answer does not name its group, which is
/// `asked`; later versions ignore it.
///
/// # Errors
///
/// When it makes no sense.
pub fn read(body: &[u8], version: i16, asked: &GroupId, names: &mut Names) -> Result<Groups<Broker>, ReadError> {
    let mut reader = open(body, Api::FindCoordinator, version)?;
    if version >= 1 {
        reader.int32("throttle time")?;
    }
    let found = if version >= 4 {
        many(&mut reader, names)?
    } else {
        Groups::of_one(asked.clone(), one(&mut reader, version, names)?)
    };
    reader.tags()?;
    reader.finish()?;
    Ok(found)
}

fn one(reader: &mut Reader<'_>, version: i16, names: &mut Names) -> Result<Heard<Broker>, ReadError> {
    let error = reader.error_code()?;
    if version >= 1 {
        reader.nullable_string("error message")?;
    }
    let broker = broker(reader, names)?;
    Ok(settle(heard(error, broker)))
}

fn many(reader: &mut Reader<'_>, names: &mut Names) -> Result<Groups<Broker>, ReadError> {
    let found = reader.list::<_, 14>("coordinators", |reader| {
        let group = GroupId::from(reader.string("group id")?);
        let broker = broker(reader, names)?;
        let error = reader.error_code()?;
        reader.nullable_string("error message")?;
        reader.tags()?;
        Ok((group, settle(heard(error, broker))))
    })?;
    Ok(Groups::arrange(found))
}

/// `None` for the negative id that stands for no broker; host and port mean nothing beside it.
fn broker(reader: &mut Reader<'_>, names: &mut Names) -> Result<Option<Broker>, ReadError> {
    let id = reader.int32("broker id")?;
    let host = reader.nullable_string("host")?;
    if id < 0 {
        reader.int32("port")?;
        return Ok(None);
    }
    Ok(Some(Broker {
        id: BrokerId(id),
        host: names.text(host),
        port: port(reader)?,
    }))
}

fn settle(found: Heard<Option<Broker>>) -> Heard<Broker> {
    found?.ok_or(Cause::NoCoordinator)
}
