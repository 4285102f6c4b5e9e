//! OffsetFetch v1-v9: committed offsets. Of one group up to v7, of many from v8 on.

use super::Groups;
use super::Names;
use super::Topics;
use super::groups::heard;
use super::versions::open;
use crate::failure::Api;
use crate::failure::Cause;
use crate::failure::ErrorCode;
use crate::failure::Heard;
use crate::kafka::CommitFact;
use crate::kafka::wire::read::ReadError;
use crate::kafka::wire::read::Reader;
use crate::model::GroupId;
use crate::model::Offset;
use crate::model::Partition;
use crate::model::Text;
use crate::model::TopicName;
use crate::observation::TopicCommits;

/// Reads the body of an answer for the survey: offsets alone, sorted by group, topic and partition; what has no commit is not in it. Up to
/// v7 the answer does not name its group, which is `asked`; later versions ignore it.
///
/// # Errors
///
/// When it makes no sense.
pub fn read(
    body: &[u8],
    version: i16,
    asked: &GroupId,
    names: &mut Names,
) -> Result<Groups<Vec<TopicCommits>>, ReadError> {
    let wanted = Wanted {
        asked,
        value: |commit: Raw<'_>| commit.offset().transpose(),
        finish: |topics: Topics<Heard<Offset>>| {
            topics
                .into_vec()
                .into_iter()
                .filter(|(_, partitions)| !partitions.is_empty())
                .map(|(topic, partitions)| TopicCommits { topic, partitions })
                .collect()
        },
    };
    groups(body, version, &wanted, names)
}

/// Reads the body of an answer with all that Kafka keeps beside each commit. Otherwise as [`read`].
///
/// # Errors
///
/// When it makes no sense.
pub fn read_facts(
    body: &[u8],
    version: i16,
    asked: &GroupId,
    names: &mut Names,
) -> Result<Groups<Vec<CommitFact>>, ReadError> {
    let wanted = Wanted {
        asked,
        value: |commit: Raw<'_>| {
            commit.offset().transpose().map(|offset| Kept {
                offset,
                leader_epoch: commit.leader_epoch,
                metadata: Text::from(commit.metadata).to_string(),
            })
        },
        finish: |topics: Topics<Kept>| topics.into_vec().into_iter().flat_map(facts).collect(),
    };
    groups(body, version, &wanted, names)
}

/// One commit as it is on the wire.
struct Raw<'a> {
    offset: i64,
    leader_epoch: Option<i32>,
    metadata: &'a [u8],
    error: Option<ErrorCode>,
}

impl Raw<'_> {
    /// `Ok(None)` for the -1 that stands for no commit.
    fn offset(&self) -> Heard<Option<Offset>> {
        match (self.error, self.offset) {
            (Some(code), _) => Err(Cause::Code(code)),
            (None, -1) => Ok(None),
            (None, offset) => Offset::new(offset).map(Some).ok_or(Cause::Malformed),
        }
    }
}

struct Kept {
    offset: Heard<Offset>,
    leader_epoch: Option<i32>,
    metadata: String,
}

/// What becomes of a commit and of a group's commits; `value` is `None` for what is left out.
struct Wanted<'a, V, F> {
    asked: &'a GroupId,
    value: V,
    finish: F,
}

fn groups<T, R>(
    body: &[u8],
    version: i16,
    wanted: &Wanted<'_, impl Fn(Raw<'_>) -> Option<T>, impl Fn(Topics<T>) -> R>,
    names: &mut Names,
) -> Result<Groups<R>, ReadError> {
    let mut reader = open(body, Api::OffsetFetch, version)?;
    if version >= 3 {
        reader.int32("throttle time")?;
    }
    let groups = if version >= 8 {
        let groups = reader.list::<_, 5>("groups", |reader| {
            let group = GroupId::from(reader.string("group id")?);
            let topics = topics(reader, version, wanted, names)?;
            let error = reader.error_code()?;
            reader.tags()?;
            Ok((group, heard(error, topics)))
        })?;
        Groups::arrange(groups)
    } else {
        let topics = topics(&mut reader, version, wanted, names)?;
        let error = if version >= 2 { reader.error_code()? } else { None };
        Groups::of_one(wanted.asked.clone(), heard(error, topics))
    };
    reader.tags()?;
    reader.finish()?;
    Ok(groups)
}

fn topics<T, R>(
    reader: &mut Reader<'_>,
    version: i16,
    wanted: &Wanted<'_, impl Fn(Raw<'_>) -> Option<T>, impl Fn(Topics<T>) -> R>,
    names: &mut Names,
) -> Result<R, ReadError> {
    Topics::read::<16>(reader, names, |reader| {
        let offset = reader.int64("offset")?;
        let leader_epoch = if version >= 5 {
            Some(reader.int32("leader epoch")?).filter(|epoch| *epoch >= 0)
        } else {
            None
        };
        let metadata = reader.nullable_string("metadata")?.unwrap_or_default();
        let error = reader.error_code()?;
        reader.tags()?;
        Ok((wanted.value)(Raw {
            offset,
            leader_epoch,
            metadata,
            error,
        }))
    })
    .map(&wanted.finish)
}

fn facts((topic, partitions): (TopicName, Vec<(Partition, Kept)>)) -> impl Iterator<Item = CommitFact> {
    partitions.into_iter().map(move |(partition, kept)| CommitFact {
        topic: topic.clone(),
        partition,
        offset: kept.offset,
        leader_epoch: kept.leader_epoch,
        metadata: kept.metadata,
    })
}
