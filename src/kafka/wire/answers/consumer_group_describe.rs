//! ConsumerGroupDescribe v0-v1: state, epochs and members of KIP-848 groups.

use super::Groups;
use super::Names;
use super::assignment;
use super::members::described;
use super::members::host;
use super::versions::open;
use crate::failure::Api;
use crate::kafka::wire::read::ReadError;
use crate::kafka::wire::read::Reader;
use crate::observation::Description;
use crate::observation::Member;
use crate::observation::MemberProtocol;

/// Reads the body of an answer, sorted by group; members sorted by id.
///
/// # Errors
///
/// When it makes no sense.
pub fn read(body: &[u8], version: i16, names: &mut Names) -> Result<Groups<Description>, ReadError> {
    let mut reader = open(body, Api::ConsumerGroupDescribe, version)?;
    reader.int32("throttle time")?;
    let groups = reader.list::<_, 20>("groups", |reader| {
        described::<16>(reader, names, |reader, names| member(reader, version, names))
    })?;
    reader.tags()?;
    reader.finish()?;
    Ok(Groups::arrange(groups))
}

fn member(reader: &mut Reader<'_>, version: i16, names: &mut Names) -> Result<Member, ReadError> {
    let id = names.text(reader.nullable_string("member id")?);
    let instance_id = reader.nullable_string("instance id")?.map(|id| names.text(Some(id)));
    reader.nullable_string("rack id")?;
    let epoch = reader.int32("member epoch")?;
    let client_id = names.text(reader.nullable_string("client id")?);
    let host = host(reader.nullable_string("client host")?, names);
    reader.pass::<1>("subscribed topics", |reader| {
        reader.nullable_string("topic name").map(drop)
    })?;
    reader.nullable_string("subscribed topic pattern")?;
    let assignment = assignment::of_newer_protocols(reader, names)?;
    let target = assignment::of_newer_protocols(reader, names)?;
    // -1 where the broker does not know.
    let protocol = match if version >= 1 { reader.int8("member type")? } else { -1 } {
        0 => Some(MemberProtocol::Classic),
        1 => Some(MemberProtocol::Consumer),
        _ => None,
    };
    reader.tags()?;
    Ok(Member {
        id,
        instance_id,
        client_id,
        host,
        assignment,
        target: Some(target),
        epoch: Some(epoch),
        protocol,
        tasks: None,
    })
}
