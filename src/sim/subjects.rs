//! What a request is about: groups, topics, partitions.

use kafka_protocol::messages::RequestKind;

use super::model::Model;

/// What a request names of a kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Mentioned<T> {
    /// It is about all there are, or none in particular.
    All,
    /// It names these.
    These(Vec<T>),
}

/// The groups a request is about.
pub(super) fn groups(request: &RequestKind) -> Mentioned<&str> {
    use RequestKind as Q;
    Mentioned::These(match request {
        Q::DescribeGroups(q) => q.groups.iter().map(|id| id.as_str()).collect(),
        Q::ConsumerGroupDescribe(q) => q.group_ids.iter().map(|id| id.as_str()).collect(),
        Q::ShareGroupDescribe(q) => q.group_ids.iter().map(|id| id.as_str()).collect(),
        Q::DeleteGroups(q) => q.groups_names.iter().map(|id| id.as_str()).collect(),
        Q::OffsetFetch(q) if q.groups.is_empty() => vec![q.group_id.as_str()],
        Q::OffsetFetch(q) => q.groups.iter().map(|group| group.group_id.as_str()).collect(),
        Q::OffsetCommit(q) => vec![q.group_id.as_str()],
        Q::OffsetDelete(q) => vec![q.group_id.as_str()],
        Q::DescribeShareGroupOffsets(q) => q.groups.iter().map(|group| group.group_id.as_str()).collect(),
        Q::FindCoordinator(q) if q.coordinator_keys.is_empty() => vec![q.key.as_str()],
        Q::FindCoordinator(q) => q.coordinator_keys.iter().map(|key| key.as_str()).collect(),
        _ => return Mentioned::All,
    })
}

/// The topics a request names, with the partitions where it names them.
pub(super) fn topics(request: &RequestKind) -> Mentioned<(&str, Vec<i32>)> {
    use RequestKind as Q;
    macro_rules! listed {
        ($topics:expr, $name:ident, $partitions:ident, $index:ident) => {
            $topics
                .iter()
                .map(|topic| {
                    let indexes = topic
                        .$partitions
                        .iter()
                        .map(|partition| partition.$index)
                        .collect();
                    (topic.$name.as_str(), indexes)
                })
                .collect()
        };
    }
    Mentioned::These(match request {
        Q::Metadata(q) => match &q.topics {
            Some(topics) => topics
                .iter()
                .filter_map(|topic| Some((topic.name.as_ref()?.as_str(), Vec::new())))
                .collect(),
            None => return Mentioned::All,
        },
        Q::ListOffsets(q) => listed!(q.topics, name, partitions, partition_index),
        Q::OffsetCommit(q) => listed!(q.topics, name, partitions, partition_index),
        Q::OffsetDelete(q) => listed!(q.topics, name, partitions, partition_index),
        Q::Fetch(q) => listed!(q.topics, topic, partitions, partition),
        Q::Produce(q) => listed!(q.topic_data, name, partition_data, index),
        Q::DescribeConfigs(q) => {
            let names = q.resources.iter().map(|resource| resource.resource_name.as_str());
            names.map(|name| (name, Vec::new())).collect()
        }
        Q::OffsetFetch(q) => return fetched(q),
        _ => return Mentioned::All,
    })
}

fn fetched(request: &kafka_protocol::messages::OffsetFetchRequest) -> Mentioned<(&str, Vec<i32>)> {
    let mut found = Vec::new();
    if request.groups.is_empty() {
        let Some(topics) = &request.topics else {
            return Mentioned::All;
        };
        let named = topics
            .iter()
            .map(|topic| (topic.name.as_str(), topic.partition_indexes.clone()));
        found.extend(named);
    }
    for group in &request.groups {
        let Some(topics) = &group.topics else {
            return Mentioned::All;
        };
        let named = topics
            .iter()
            .map(|topic| (topic.name.as_str(), topic.partition_indexes.clone()));
        found.extend(named);
    }
    Mentioned::These(found)
}

/// Writes the names of topics into requests that give their ids.
pub(super) fn resolve(request: &mut RequestKind, model: &Model) {
    match request {
        RequestKind::Fetch(fetch) => {
            for topic in &mut fetch.topics {
                if let Some(name) = model.topic_by_id(topic.topic_id) {
                    topic.topic = name.clone();
                }
            }
        }
        RequestKind::Metadata(metadata) => {
            for topic in metadata.topics.iter_mut().flatten() {
                if let Some(name) = model.topic_by_id(topic.topic_id) {
                    topic.name = Some(name.clone());
                }
            }
        }
        _ => {}
    }
}
