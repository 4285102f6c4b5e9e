//! Metadata v0-v12: brokers, topics, leaders.

use super::Names;
use super::groups::heard;
use super::sorted::sort_and_keep_last;
use super::versions::open;
use crate::failure::Api;
use crate::failure::Heard;
use crate::kafka::wire::read::ReadError;
use crate::kafka::wire::read::Reader;
use crate::model::BrokerId;
use crate::model::Partition;
use crate::model::TopicId;
use crate::model::TopicName;
use crate::observation::Broker;
use crate::observation::PartitionMeta;
use crate::observation::TopicMeta;

/// Brokers, topics, leaders.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The brokers that are up, sorted by id.
    pub brokers: Vec<Broker>,
    /// The topics that were asked for, sorted by name.
    pub topics: Vec<(TopicName, Heard<TopicMeta>)>,
}

impl Answer {
    /// What the answer says of one topic; `None` when it does not mention it.
    pub fn topic(&self, name: &TopicName) -> Option<&Heard<TopicMeta>> {
        let found = self.topics.binary_search_by(|topic| topic.0.cmp(name)).ok()?;
        self.topics.get(found).map(|topic| &topic.1)
    }
}

/// Reads the body of an answer. A topic without a name (v12, when asked by id) is left out.
///
/// # Errors
///
/// When it makes no sense.
pub fn read(body: &[u8], version: i16, names: &mut Names) -> Result<Answer, ReadError> {
    let mut reader = open(body, Api::Metadata, version)?;
    if version >= 3 {
        reader.int32("throttle time")?;
    }
    let mut brokers = reader.list::<_, 10>("brokers", |reader| broker(reader, version, names))?;
    if version >= 2 {
        reader.nullable_string("cluster id")?;
    }
    if version >= 1 {
        reader.int32("controller id")?;
    }
    let mut topics = reader.sift::<_, 8>("topics", |reader| topic(reader, version, names))?;
    if (8..=10).contains(&version) {
        reader.int32("authorized operations")?;
    }
    reader.tags()?;
    reader.finish()?;
    sort_and_keep_last(&mut brokers, |broker| &broker.id);
    sort_and_keep_last(&mut topics, |topic| &topic.0);
    Ok(Answer { brokers, topics })
}

fn broker(reader: &mut Reader<'_>, version: i16, names: &mut Names) -> Result<Broker, ReadError> {
    let id = BrokerId(reader.int32("broker id")?);
    let host = names.text(reader.nullable_string("host")?);
    let port = port(reader)?;
    if version >= 1 {
        reader.nullable_string("rack")?;
    }
    reader.tags()?;
    Ok(Broker { id, host, port })
}

/// A port; what cannot be one makes the answer unreadable, as no connection could come of it.
pub(super) fn port(reader: &mut Reader<'_>) -> Result<u16, ReadError> {
    let raw = reader.int32("port")?;
    u16::try_from(raw).map_err(|_| ReadError::OutOfRange {
        what: "port",
        at: reader.at(),
        value: raw.into(),
    })
}

fn topic(
    reader: &mut Reader<'_>,
    version: i16,
    names: &mut Names,
) -> Result<Option<(TopicName, Heard<TopicMeta>)>, ReadError> {
    let error = reader.error_code()?;
    let name = match reader.nullable_string("topic name")? {
        None if version < 12 => {
            return Err(ReadError::Null {
                what: "topic name",
                at: reader.at(),
            });
        }
        name => name,
    };
    let id = if version >= 10 {
        TopicId::new(reader.uuid("topic id")?)
    } else {
        None
    };
    let internal = version >= 1 && reader.boolean("internal")?;
    let mut partitions = reader.list::<_, 18>("partitions", |reader| partition(reader, version))?;
    if version >= 8 {
        reader.int32("authorized operations")?;
    }
    reader.tags()?;
    sort_and_keep_last(&mut partitions, |meta| &meta.partition);
    let meta = TopicMeta {
        id,
        internal,
        partitions,
    };
    Ok(name.map(|name| (names.topic(name), heard(error, meta))))
}

/// The error code beside a partition says no more than its leader does, or speaks of replicas that nobody here asks.
fn partition(reader: &mut Reader<'_>, version: i16) -> Result<PartitionMeta, ReadError> {
    reader.error_code()?;
    let partition = Partition(reader.int32("partition")?);
    let leader = Some(reader.int32("leader")?).filter(|id| *id >= 0).map(BrokerId);
    let leader_epoch = if version >= 7 {
        Some(reader.int32("leader epoch")?).filter(|epoch| *epoch >= 0)
    } else {
        None
    };
    let replicas = brokers(reader, "replicas")?;
    let in_sync = brokers(reader, "in-sync replicas")?;
    if version >= 5 {
        brokers(reader, "offline replicas")?;
    }
    reader.tags()?;
    Ok(PartitionMeta {
        partition,
        leader,
        leader_epoch,
        replicas,
        in_sync,
    })
}

fn brokers(reader: &mut Reader<'_>, what: &'static str) -> Result<u16, ReadError> {
    let count = reader.pass::<4>(what, |reader| reader.int32("broker id").map(drop))?;
    Ok(u16::try_from(count).unwrap_or(u16::MAX))
}
