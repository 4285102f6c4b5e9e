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

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;

    fn read(bytes: &[u8]) -> Assignment {
        of_classic_consumer(bytes, &mut Names::new())
    }

    #[test]
    fn no_bytes_are_no_partitions() {
        assert_eq!(read(b""), Assignment::Partitions(Vec::new()));
    }

    #[test]
    fn partitions_come_sorted_and_once() {
        let bytes = b"\0\x01\0\0\0\x03\
            \0\x01b\0\0\0\x03\0\0\0\x02\0\0\0\x01\0\0\0\x02\
            \0\x01a\0\0\0\0\
            \0\x01b\0\0\0\x01\0\0\0\x01\
            \xff\xff\xff\xff";
        let expected = vec![
            (TopicName::from("a"), vec![]),
            (TopicName::from("b"), vec![Partition(1), Partition(2)]),
        ];
        assert_eq!(read(bytes), Assignment::Partitions(expected));
    }

    #[test]
    fn bytes_of_another_kind_are_opaque() {
        // Cut off; longer than they say; a version below zero; a claim of two billion topics; what a schema registry writes.
        for bytes in [
            &b"\0"[..],
            b"\0\0\0\0\0\0",
            b"\0\0\0\0\0\0\xff\xff\xff\xff\0",
            b"\0\x03\0\0\0\0\xff\xff\xff\xff\0",
            b"\xff\xff\0\0\0\0\xff\xff\xff\xff",
            b"\0\0\x7f\xff\xff\xff\0\0\0\0",
            b"{\"version\":1,\"error\":0,\"master\":\"sr-1\"}",
        ] {
            assert_eq!(read(bytes), Assignment::Opaque, "{bytes:?}");
        }
    }

    #[test]
    fn a_later_version_may_add_what_nobody_here_knows() {
        assert_eq!(
            read(b"\0\x04\0\0\0\0\xff\xff\xff\xffnew"),
            Assignment::Partitions(Vec::new())
        );
    }

    proptest! {
        #[test]
        fn no_bytes_whatsoever_panic(bytes in vec(any::<u8>(), 0..60), zeros in 0_usize..12) {
            read(&[vec![0; zeros], bytes].concat());
        }
    }
}
