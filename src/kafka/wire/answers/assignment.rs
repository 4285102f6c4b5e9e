//! What a member was given, in the two forms it is written in.

use super::Names;
use super::sorted::sort_and_join;
use crate::kafka::wire::read::Encoding;
use crate::kafka::wire::read::ReadError;
use crate::kafka::wire::read::Reader;
use crate::model::Partition;
use crate::model::TopicName;
use crate::observation::Assignment;

/// The last version of the consumer protocol whose end is known; later ones may add fields behind it.
const LAST_KNOWN: i16 = 3;

/// The bytes a classic consumer was sent by its leader: a version, topics with partitions, user data. Never an error: whatever cannot be
/// read is [`Assignment::Opaque`]. No bytes are no partitions.
pub(super) fn of_classic_consumer(bytes: &[u8], names: &mut Names) -> Assignment {
    if bytes.is_empty() {
        return Assignment::Partitions(Vec::new());
    }
    classic(bytes, names).map_or(Assignment::Opaque, arrange)
}

fn classic(bytes: &[u8], names: &mut Names) -> Result<Topics, ReadError> {
    let mut reader = Reader::new(bytes, Encoding::Classic);
    let version = reader.int16("version of the assignment")?;
    if version < 0 {
        return Err(ReadError::OutOfRange {
            what: "version of the assignment",
            at: reader.at(),
            value: version.into(),
        });
    }
    let topics = reader.list::<_, 6>("assigned topics", |reader| {
        let topic = names.topic(reader.string("topic name")?);
        Ok((topic, partitions(reader)?))
    })?;
    reader.nullable_bytes("user data")?;
    if version <= LAST_KNOWN {
        reader.finish()?;
    }
    Ok(topics)
}

/// The structure that ConsumerGroupDescribe and ShareGroupDescribe use.
pub(super) fn of_newer_protocols(reader: &mut Reader<'_>, names: &mut Names) -> Result<Assignment, ReadError> {
    let topics = reader.list::<_, 19>("assigned topics", |reader| {
        reader.uuid("topic id")?;
        let topic = names.topic(reader.string("topic name")?);
        let partitions = partitions(reader)?;
        reader.tags()?;
        Ok((topic, partitions))
    })?;
    reader.tags()?;
    Ok(arrange(topics))
}

type Topics = Vec<(TopicName, Vec<Partition>)>;

fn partitions(reader: &mut Reader<'_>) -> Result<Vec<Partition>, ReadError> {
    reader.list::<_, 4>("assigned partitions", |reader| reader.int32("partition").map(Partition))
}

fn arrange(mut topics: Topics) -> Assignment {
    sort_and_join(&mut topics);
    for (_, partitions) in &mut topics {
        partitions.sort_unstable();
        partitions.dedup();
    }
    Assignment::Partitions(topics)
}
