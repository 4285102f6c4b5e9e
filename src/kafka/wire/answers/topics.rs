//! The form most answers about partitions have: topics, each with partitions, each with a value.

use super::Names;
use super::sorted::sort_and_join;
use super::sorted::sort_and_keep_last;
use crate::kafka::wire::read::ReadError;
use crate::kafka::wire::read::Reader;
use crate::model::Partition;
use crate::model::TopicName;

/// A value per partition, sorted by topic and partition. A partition that is not in it was not mentioned by the broker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Topics<T>(Vec<(TopicName, Vec<(Partition, T)>)>);

impl<T> Topics<T> {
    /// What the answer says of one partition.
    pub fn get(&self, topic: &TopicName, partition: Partition) -> Option<&T> {
        let partitions = self.of(topic);
        let found = partitions.binary_search_by_key(&partition, |entry| entry.0).ok()?;
        partitions.get(found).map(|entry| &entry.1)
    }

    /// What the answer says of the partitions of one topic, sorted; nothing of one that it does not mention.
    pub fn of(&self, topic: &TopicName) -> &[(Partition, T)] {
        let found = self.0.binary_search_by(|entry| entry.0.cmp(topic));
        found.map_or(&[], |place| &self.0[place].1)
    }

    /// Topic by topic.
    pub fn iter(&self) -> std::slice::Iter<'_, (TopicName, Vec<(Partition, T)>)> {
        self.0.iter()
    }

    /// Everything, topic by topic.
    pub fn into_vec(self) -> Vec<(TopicName, Vec<(Partition, T)>)> {
        self.0
    }

    /// Sorts what was read and leaves each partition once.
    pub(super) fn arrange(mut topics: Vec<(TopicName, Vec<(Partition, T)>)>) -> Self {
        sort_and_join(&mut topics);
        for (_, partitions) in &mut topics {
            sort_and_keep_last(partitions, |entry| &entry.0);
        }
        Self(topics)
    }

    /// An array of topics, each a name, an array of partitions and tagged fields; a partition's index comes first and takes, with what
    /// `value` reads, at least `MIN` bytes. Partitions without a value are left out.
    pub(super) fn read<const MIN: usize>(
        reader: &mut Reader<'_>,
        names: &mut Names,
        mut value: impl FnMut(&mut Reader<'_>) -> Result<Option<T>, ReadError>,
    ) -> Result<Self, ReadError> {
        let topics = reader.list::<_, 3>("topics", |reader| {
            let topic = names.topic(reader.string("topic name")?);
            let partitions = partitions::<T, MIN>(reader, &mut value)?;
            reader.tags()?;
            Ok((topic, partitions))
        })?;
        Ok(Self::arrange(topics))
    }
}

/// An array of partitions.
pub(super) fn partitions<T, const MIN: usize>(
    reader: &mut Reader<'_>,
    value: &mut impl FnMut(&mut Reader<'_>) -> Result<Option<T>, ReadError>,
) -> Result<Vec<(Partition, T)>, ReadError> {
    reader.sift::<_, MIN>("partitions", |reader| {
        let partition = Partition(reader.int32("partition")?);
        Ok(value(reader)?.map(|value| (partition, value)))
    })
}

impl<'a, T> IntoIterator for &'a Topics<T> {
    type Item = &'a (TopicName, Vec<(Partition, T)>);
    type IntoIter = std::slice::Iter<'a, (TopicName, Vec<(Partition, T)>)>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}
