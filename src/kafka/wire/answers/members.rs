//! What the describe calls have in common.

use super::Names;
use super::groups::heard;
use super::sorted::sort_and_keep_last;
use crate::failure::Heard;
use crate::kafka::wire::read::ReadError;
use crate::kafka::wire::read::Reader;
use crate::model::GroupId;
use crate::model::Text;
use crate::observation::Description;
use crate::observation::Epochs;
use crate::observation::Member;

/// A member's address as Java prints it, without the slash that stands before it.
pub(super) fn host(raw: Option<&[u8]>, names: &mut Names) -> Text {
    names.text(raw.map(|host| host.strip_prefix(b"/").unwrap_or(host)))
}

/// Each member once.
pub(super) fn arrange(mut members: Vec<Member>) -> Vec<Member> {
    sort_and_keep_last(&mut members, |member| &member.id);
    members
}

/// One group as ConsumerGroupDescribe and ShareGroupDescribe write it; a member takes at least `MIN` bytes.
pub(super) fn described<const MIN: usize>(
    reader: &mut Reader<'_>,
    names: &mut Names,
    mut member: impl FnMut(&mut Reader<'_>, &mut Names) -> Result<Member, ReadError>,
) -> Result<(GroupId, Heard<Description>), ReadError> {
    let error = reader.error_code()?;
    reader.nullable_string("error message")?;
    let id = GroupId::from(reader.string("group id")?);
    let state = names.state(reader.nullable_string("group state")?);
    let epochs = Epochs {
        group: reader.int32("group epoch")?,
        assignment: reader.int32("assignment epoch")?,
        topology: None,
    };
    let protocol = names.text(reader.nullable_string("assignor")?);
    let members = reader.list::<_, MIN>("members", |reader| member(reader, names))?;
    reader.int32("authorized operations")?;
    reader.tags()?;
    let description = Description {
        state,
        protocol_type: names.text(None),
        protocol,
        members: arrange(members),
        epochs: Some(epochs),
    };
    Ok((id, heard(error, description)))
}
