//! ListGroups v0-v5: the groups a broker coordinates.

use super::Names;
use super::groups::heard;
use super::sorted::sort_and_keep_last;
use super::versions::open;
use crate::failure::Api;
use crate::failure::Heard;
use crate::kafka::wire::read::ReadError;
use crate::kafka::wire::read::Reader;
use crate::model::BrokerId;
use crate::model::GroupId;
use crate::observation::ListedGroup;

/// Reads the body of the answer of the broker `from`, which coordinates every group it lists. Sorted by group.
///
/// # Errors
///
/// When it makes no sense.
pub fn read(
    body: &[u8],
    version: i16,
    from: BrokerId,
    names: &mut Names,
) -> Result<Heard<Vec<ListedGroup>>, ReadError> {
    let mut reader = open(body, Api::ListGroups, version)?;
    if version >= 1 {
        reader.int32("throttle time")?;
    }
    let error = reader.error_code()?;
    let mut groups = reader.list::<_, 3>("groups", |reader| group(reader, version, from, names))?;
    reader.tags()?;
    reader.finish()?;
    sort_and_keep_last(&mut groups, |group| &group.id);
    Ok(heard(error, groups))
}

fn group(reader: &mut Reader<'_>, version: i16, from: BrokerId, names: &mut Names) -> Result<ListedGroup, ReadError> {
    let id = GroupId::from(reader.string("group id")?);
    let protocol_type = names.text(reader.nullable_string("protocol type")?);
    let state = if version >= 4 {
        word(reader, "group state")?
    } else {
        None
    };
    let group_type = if version >= 5 {
        word(reader, "group type")?
    } else {
        None
    };
    reader.tags()?;
    Ok(ListedGroup {
        id,
        coordinators: vec![from],
        protocol_type,
        group_type: group_type.map(|word| names.text(Some(word))),
        state: state.map(|word| names.state(Some(word))),
    })
}

/// `None` for null, and for an empty word, which says nothing either.
fn word<'a>(reader: &mut Reader<'a>, what: &'static str) -> Result<Option<&'a [u8]>, ReadError> {
    Ok(reader.nullable_string(what)?.filter(|word| !word.is_empty()))
}
