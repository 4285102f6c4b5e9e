//! ListOffsets v1-10: ends, starts, newest records and searches by time.

use std::collections::HashMap;
use std::collections::HashSet;

use kafka_protocol::error::ResponseError;
use kafka_protocol::messages::ListOffsetsRequest;
use kafka_protocol::messages::ListOffsetsResponse;
use kafka_protocol::messages::TopicName;
use kafka_protocol::messages::list_offsets_request::ListOffsetsPartition;
use kafka_protocol::messages::list_offsets_response::ListOffsetsPartitionResponse;
use kafka_protocol::messages::list_offsets_response::ListOffsetsTopicResponse;

use super::Call;
use crate::sim::model::PartitionState;

/// The isolation level that ends at the last stable offset.
const READ_COMMITTED: i8 = 1;

/// Offset, time and leader epoch; -1 where there is none.
type Found = (i64, i64, i32);

const NOTHING: Found = (-1, -1, -1);

pub(super) fn answer(call: &Call<'_>, request: ListOffsetsRequest) -> ListOffsetsResponse {
    let twice = twice(&request);
    let topics = request.topics.into_iter().map(|topic| {
        let repeated = |index: i32| twice.contains(&(topic.name.clone(), index));
        let mut refused = HashSet::new();
        let partitions = topic.partitions.iter().filter_map(|asked| {
            let index = asked.partition_index;
            if !twice.is_empty() && repeated(index) {
                let error = Err(ResponseError::InvalidRequest);
                return refused.insert(index).then(|| shown(call, index, error));
            }
            let found = one(call, &topic.name, asked, request.isolation_level);
            Some(shown(call, index, found))
        });
        let partitions = partitions.collect();
        ListOffsetsTopicResponse::default()
            .with_name(topic.name.clone())
            .with_partitions(partitions)
    });
    ListOffsetsResponse::default().with_topics(topics.collect())
}

/// Partitions that stand in the request more than once: each is refused, once.
fn twice(request: &ListOffsetsRequest) -> Vec<(TopicName, i32)> {
    let mut counts: HashMap<(&TopicName, i32), u32> = HashMap::new();
    for topic in &request.topics {
        for partition in &topic.partitions {
            *counts.entry((&topic.name, partition.partition_index)).or_default() += 1;
        }
    }
    let many = counts.into_iter().filter(|(_, count)| *count > 1);
    many.map(|((topic, partition), _)| (topic.clone(), partition)).collect()
}

fn one(
    call: &Call<'_>,
    topic: &TopicName,
    asked: &ListOffsetsPartition,
    isolation: i8,
) -> Result<Found, ResponseError> {
    let state = call.led(topic, asked.partition_index, asked.current_leader_epoch)?;
    let now = call.model.now();
    let limit = match isolation {
        READ_COMMITTED => state.log.stable(now),
        _ => state.log.end(now),
    };
    match (asked.timestamp, call.version) {
        (-1, _) => Ok((limit, -1, state.epoch)),
        (-2, _) | (-4, 8..) => {
            let start = state.log.start(now);
            Ok((start, -1, state.epoch_at(start)))
        }
        (-3, 7..) => Ok(dated(state, state.log.newest(now))),
        // The newest offset in tiered storage: nothing is.
        (-5, 9..) => Ok(NOTHING),
        (time, _) if time >= 0 => Ok(dated(state, state.log.since(time, limit, now))),
        _ => Err(ResponseError::UnsupportedVersion),
    }
}

fn dated(state: &PartitionState, found: Option<(i64, i64)>) -> Found {
    found.map_or(NOTHING, |(offset, time)| (offset, time, state.epoch_at(offset)))
}

fn shown(call: &Call<'_>, partition: i32, found: Result<Found, ResponseError>) -> ListOffsetsPartitionResponse {
    let shown = ListOffsetsPartitionResponse::default().with_partition_index(partition);
    match found {
        Err(error) => shown.with_error_code(error.code()).with_offset(-1).with_timestamp(-1),
        Ok((offset, time, epoch)) => {
            // There is no place for it before v4.
            let epoch = if call.version >= 4 { epoch } else { -1 };
            shown.with_offset(offset).with_timestamp(time).with_leader_epoch(epoch)
        }
    }
}
