//! DescribeGroups v0-v6: state and members of classic groups.

use super::Groups;
use super::Names;
use super::assignment;
use super::groups::heard;
use super::members::arrange;
use super::members::host;
use super::versions::open;
use crate::failure::Api;
use crate::failure::Heard;
use crate::kafka::wire::read::ReadError;
use crate::kafka::wire::read::Reader;
use crate::model::GroupId;
use crate::observation::Assignment;
use crate::observation::Description;
use crate::observation::Member;

/// The protocol type whose assignments are partitions.
const CONSUMER: &[u8] = b"consumer";

/// Reads the body of an answer, sorted by group; members sorted by id. A group the coordinator does not know is `Dead` up to v5 and
/// GROUP_ID_NOT_FOUND from v6 on. Assignments of other protocol types than `consumer` are opaque.
///
/// # Errors
///
/// When it makes no sense.
pub fn read(body: &[u8], version: i16, names: &mut Names) -> Result<Groups<Description>, ReadError> {
    let mut reader = open(body, Api::DescribeGroups, version)?;
    if version >= 1 {
        reader.int32("throttle time")?;
    }
    let groups = reader.list::<_, 12>("groups", |reader| group(reader, version, names))?;
    reader.tags()?;
    reader.finish()?;
    Ok(Groups::arrange(groups))
}

fn group(reader: &mut Reader<'_>, version: i16, names: &mut Names) -> Result<(GroupId, Heard<Description>), ReadError> {
    let error = reader.error_code()?;
    if version >= 6 {
        reader.nullable_string("error message")?;
    }
    let id = GroupId::from(reader.string("group id")?);
    let state = names.state(reader.nullable_string("group state")?);
    let protocol_type = reader.nullable_string("protocol type")?.unwrap_or_default();
    let protocol = names.text(reader.nullable_string("protocol")?);
    let members = reader.list::<_, 7>("members", |reader| {
        member(reader, version, protocol_type == CONSUMER, names)
    })?;
    if version >= 3 {
        reader.int32("authorized operations")?;
    }
    reader.tags()?;
    let description = Description {
        state,
        protocol_type: names.text(Some(protocol_type)),
        protocol,
        members: arrange(members),
        epochs: None,
    };
    Ok((id, heard(error, description)))
}

fn member(reader: &mut Reader<'_>, version: i16, consumer: bool, names: &mut Names) -> Result<Member, ReadError> {
    let id = names.text(reader.nullable_string("member id")?);
    let instance_id = if version >= 4 {
        reader.nullable_string("group instance id")?
    } else {
        None
    };
    let client_id = names.text(reader.nullable_string("client id")?);
    let host = host(reader.nullable_string("client host")?, names);
    reader.nullable_bytes("member metadata")?;
    let assignment = reader.nullable_bytes("member assignment")?.unwrap_or_default();
    reader.tags()?;
    Ok(Member {
        id,
        instance_id: instance_id.map(|id| names.text(Some(id))),
        client_id,
        host,
        assignment: if consumer {
            assignment::of_classic_consumer(assignment, names)
        } else {
            Assignment::Opaque
        },
        target: None,
        epoch: None,
        protocol: None,
        tasks: None,
    })
}
