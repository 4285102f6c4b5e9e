//! DescribeShareGroupOffsets v0-v1: where share groups begin to read, and from v1 on (KIP-1226, Kafka 4.2) how far they lag by the
//! broker's own count. The codec knows v0 alone; the request is the same in both.

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
use crate::observation::Share;
use crate::observation::TopicShares;

/// Reads the body of an answer: start offsets and lags by group, sorted by topic and partition.
///
/// # Errors
///
/// When it makes no sense.
pub fn read(body: &[u8], version: i16, names: &mut Names) -> Result<Groups<Vec<TopicShares>>, ReadError> {
    let mut reader = open(body, Api::DescribeShareGroupOffsets, version)?;
    reader.int32("throttle time")?;
    let groups = reader.list::<_, 6>("groups", |reader| {
        let group = GroupId::from(reader.string("group id")?);
        let topics = topics(reader, version, names)?;
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
fn topics(reader: &mut Reader<'_>, version: i16, names: &mut Names) -> Result<Vec<TopicShares>, ReadError> {
    let topics = reader.list::<_, 19>("topics", |reader| {
        let topic = names.topic(reader.string("topic name")?);
        reader.uuid("topic id")?;
        let partitions = partitions::<_, 20>(reader, &mut |reader| share(reader, version))?;
        reader.tags()?;
        Ok((topic, partitions))
    })?;
    let topics = Topics::arrange(topics).into_vec().into_iter();
    Ok(topics
        .map(|(topic, partitions)| TopicShares { topic, partitions })
        .collect())
}

fn share(reader: &mut Reader<'_>, version: i16) -> Result<Option<Heard<Share>>, ReadError> {
    let start = reader.int64("start offset")?;
    reader.int32("leader epoch")?;
    let lag = if version >= 1 { reader.int64("lag")? } else { -1 };
    let error = reader.error_code()?;
    reader.nullable_string("error message")?;
    reader.tags()?;
    Ok(Some(match (error, start) {
        (Some(code), _) => Err(Cause::Code(code)),
        (None, -1) => Ok(Share { start: None, lag: None }),
        (None, start) => Offset::new(start).ok_or(Cause::Malformed).map(|start| Share {
            start: Some(start),
            // -1: the broker cannot tell.
            lag: u64::try_from(lag).ok(),
        }),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::failure::ErrorCode;
    use crate::model::Partition;
    use crate::model::TopicName;

    /// By hand, as Kafka's schema of v1 has it: a group with four partitions (a lag, none, not begun, an error), and one that is unknown.
    const ANSWER: &[u8] = b"\0\0\0\0\x03\
        \x02g\x02\x02t\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x07\x05\
        \0\0\0\0\0\0\0\0\0\0\0\x05\0\0\0\x01\0\0\0\0\0\0\0\x03\0\0\0\0\
        \0\0\0\x01\0\0\0\0\0\0\0\x06\0\0\0\x01\xff\xff\xff\xff\xff\xff\xff\xff\0\0\0\0\
        \0\0\0\x02\xff\xff\xff\xff\xff\xff\xff\xff\0\0\0\0\xff\xff\xff\xff\xff\xff\xff\xff\0\0\0\0\
        \0\0\0\x03\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x1d\x02?\0\
        \0\0\0\0\0\
        \x02h\x01\0\x45\x02?\0\
        \0";

    #[test]
    fn the_brokers_own_lag_is_read_where_it_gives_one() {
        let groups = read(ANSWER, 1, &mut Names::new()).unwrap();
        let share = |start, lag| {
            Ok(Share {
                start: Offset::new(start),
                lag,
            })
        };
        let denied = Err(Cause::Code(ErrorCode::TOPIC_AUTHORIZATION_FAILED));
        let partitions = [share(5, Some(3)), share(6, None), share(-1, None), denied];
        let expected = TopicShares {
            topic: TopicName::from("t"),
            partitions: (0..).map(Partition).zip(partitions).collect(),
        };
        assert_eq!(groups.get(&GroupId::from("g")), Some(&Ok(vec![expected])));
        let unknown = Err(Cause::Code(ErrorCode::GROUP_ID_NOT_FOUND));
        assert_eq!(groups.get(&GroupId::from("h")), Some(&unknown));
    }

    #[test]
    fn every_cut_of_the_answer_is_refused() {
        for end in 0..ANSWER.len() {
            assert!(read(&ANSWER[..end], 1, &mut Names::new()).is_err(), "{end}");
        }
    }
}
