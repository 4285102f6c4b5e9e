//! ShareGroupDescribe v1: state, epochs and members of share groups (KIP-932).

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

/// Reads the body of an answer, sorted by group; members sorted by id.
///
/// # Errors
///
/// When it makes no sense.
pub fn read(body: &[u8], version: i16, names: &mut Names) -> Result<Groups<Description>, ReadError> {
    let mut reader = open(body, Api::ShareGroupDescribe, version)?;
    reader.int32("throttle time")?;
    let groups = reader.list::<_, 20>("groups", |reader| described::<12>(reader, names, member))?;
    reader.tags()?;
    reader.finish()?;
    Ok(Groups::arrange(groups))
}

fn member(reader: &mut Reader<'_>, names: &mut Names) -> Result<Member, ReadError> {
    let id = names.text(reader.nullable_string("member id")?);
    reader.nullable_string("rack id")?;
    let epoch = reader.int32("member epoch")?;
    let client_id = names.text(reader.nullable_string("client id")?);
    let host = host(reader.nullable_string("client host")?, names);
    reader.pass::<1>("subscribed topics", |reader| {
        reader.nullable_string("topic name").map(drop)
    })?;
    let assignment = assignment::of_newer_protocols(reader, names)?;
    reader.tags()?;
    Ok(Member {
        id,
        instance_id: None,
        client_id,
        host,
        assignment,
        target: None,
        epoch: Some(epoch),
        protocol: None,
        tasks: None,
    })
}
