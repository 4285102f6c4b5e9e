//! OffsetFetch v1-9: one group up to v7, many from v8 on; all topics or named ones.

use kafka_protocol::error::ResponseError;
use kafka_protocol::messages::GroupId;
use kafka_protocol::messages::OffsetFetchRequest;
use kafka_protocol::messages::OffsetFetchResponse;
use kafka_protocol::messages::TopicName;
use kafka_protocol::messages::offset_fetch_response::OffsetFetchResponseGroup;
use kafka_protocol::messages::offset_fetch_response::OffsetFetchResponsePartition;
use kafka_protocol::messages::offset_fetch_response::OffsetFetchResponsePartitions;
use kafka_protocol::messages::offset_fetch_response::OffsetFetchResponseTopic;
use kafka_protocol::messages::offset_fetch_response::OffsetFetchResponseTopics;
use kafka_protocol::protocol::StrBytes;

use super::Call;
use super::NONE;
use super::code;
use super::text;
use crate::model::GroupType;
use crate::sim::model::Group;

/// Topics with partitions; `None`: all.
type Wanted = Option<Vec<(TopicName, Vec<i32>)>>;

pub(super) fn answer(call: &Call<'_>, request: OffsetFetchRequest) -> OffsetFetchResponse {
    let stable = request.require_stable;
    if call.version < 8 {
        let wanted = request.topics.map(|topics| {
            let pairs = topics.into_iter().map(|topic| (topic.name, topic.partition_indexes));
            pairs.collect()
        });
        return single(call, one(call, &request.group_id, wanted, stable));
    }
    let groups = request.groups.into_iter().map(|group| {
        let wanted = group.topics.map(|topics| {
            let pairs = topics.into_iter().map(|topic| (topic.name, topic.partition_indexes));
            pairs.collect()
        });
        one(call, &group.group_id, wanted, stable)
    });
    OffsetFetchResponse::default().with_groups(groups.collect())
}

fn one(call: &Call<'_>, id: &GroupId, wanted: Wanted, stable: bool) -> OffsetFetchResponseGroup {
    let answer = OffsetFetchResponseGroup::default().with_group_id(id.clone());
    let found = call.coordinates(id);
    if found.is_err() {
        return answer.with_error_code(code(&found));
    }
    // A share group has start offsets where others have commits; OffsetFetch does not know them.
    let group = call.model.group(id).filter(|group| group.kind != GroupType::Share);
    let Some(group) = group else {
        let none = wanted.unwrap_or_default().into_iter();
        return answer.with_topics(none.map(|(name, indexes)| uncommitted(name, &indexes)).collect());
    };
    let topics = match wanted {
        None => everything(call, id, group, stable),
        Some(wanted) => wanted
            .into_iter()
            .map(|(name, indexes)| named(call, (id, group), name, &indexes, stable))
            .collect(),
    };
    answer.with_topics(topics)
}

fn everything(call: &Call<'_>, id: &GroupId, group: &Group, stable: bool) -> Vec<OffsetFetchResponseTopics> {
    let topics = group.commits.topics().iter();
    topics
        .map(|(name, slots)| {
            let partitions = slots.iter().map(|slot| {
                if stable && group.commits.is_pending(name, slot.partition) {
                    return unstable(slot.partition);
                }
                let (offset, epoch) = call.model.committed(id, name, slot);
                OffsetFetchResponsePartitions::default()
                    .with_partition_index(slot.partition)
                    .with_committed_offset(offset)
                    .with_committed_leader_epoch(epoch)
                    .with_metadata(Some(text(group.commits.metadata(name, slot.partition))))
            });
            OffsetFetchResponseTopics::default()
                .with_name(name.clone())
                .with_partitions(partitions.collect())
        })
        .collect()
}

fn named(
    call: &Call<'_>,
    (id, group): (&GroupId, &Group),
    name: TopicName,
    indexes: &[i32],
    stable: bool,
) -> OffsetFetchResponseTopics {
    let slots = group.commits.topic(&name);
    let partitions = indexes.iter().map(|index| {
        if stable && group.commits.is_pending(&name, *index) {
            return unstable(*index);
        }
        let Ok(at) = slots.binary_search_by_key(index, |slot| slot.partition) else {
            return none(*index);
        };
        let (offset, epoch) = call.model.committed(id, &name, &slots[at]);
        none(*index)
            .with_committed_offset(offset)
            .with_committed_leader_epoch(epoch)
            .with_metadata(Some(text(group.commits.metadata(&name, *index))))
    });
    let partitions = partitions.collect();
    OffsetFetchResponseTopics::default()
        .with_name(name)
        .with_partitions(partitions)
}

fn uncommitted(name: TopicName, indexes: &[i32]) -> OffsetFetchResponseTopics {
    OffsetFetchResponseTopics::default()
        .with_name(name)
        .with_partitions(indexes.iter().map(|index| none(*index)).collect())
}

fn none(index: i32) -> OffsetFetchResponsePartitions {
    OffsetFetchResponsePartitions::default()
        .with_partition_index(index)
        .with_committed_offset(-1)
        .with_committed_leader_epoch(-1)
        .with_metadata(Some(StrBytes::new()))
}

fn unstable(index: i32) -> OffsetFetchResponsePartitions {
    none(index).with_error_code(ResponseError::UnstableOffsetCommit.code())
}

/// The answer of the time when a request was about one group.
fn single(call: &Call<'_>, group: OffsetFetchResponseGroup) -> OffsetFetchResponse {
    let topics = group.topics.into_iter().map(|topic| {
        let partitions = topic.partitions.into_iter().map(|partition| {
            // Before v2 there was no place for the group's error but the partitions.
            let error = if call.version < 2 { group.error_code } else { NONE };
            let epoch = if call.version < 5 {
                -1
            } else {
                partition.committed_leader_epoch
            };
            OffsetFetchResponsePartition::default()
                .with_partition_index(partition.partition_index)
                .with_committed_offset(partition.committed_offset)
                .with_committed_leader_epoch(epoch)
                .with_metadata(partition.metadata)
                .with_error_code(partition.error_code.max(error))
        });
        OffsetFetchResponseTopic::default()
            .with_name(topic.name)
            .with_partitions(partitions.collect())
    });
    OffsetFetchResponse::default()
        .with_topics(topics.collect())
        .with_error_code(group.error_code)
}
