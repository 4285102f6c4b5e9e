//! Fetch v4-17: batches made up from the model, without sessions.

use bytes::Bytes;
use bytes::BytesMut;
use kafka_protocol::error::ResponseError;
use kafka_protocol::messages::FetchRequest;
use kafka_protocol::messages::FetchResponse;
use kafka_protocol::messages::ProducerId;
use kafka_protocol::messages::TopicName;
use kafka_protocol::messages::fetch_request::FetchPartition;
use kafka_protocol::messages::fetch_response::AbortedTransaction;
use kafka_protocol::messages::fetch_response::FetchableTopicResponse;
use kafka_protocol::messages::fetch_response::PartitionData;
use kafka_protocol::records::Compression;
use kafka_protocol::records::NO_PRODUCER_EPOCH;
use kafka_protocol::records::NO_PRODUCER_ID;
use kafka_protocol::records::Record;
use kafka_protocol::records::RecordBatchEncoder;
use kafka_protocol::records::RecordEncodeOptions;
use kafka_protocol::records::TimestampType;

use super::Call;
use crate::sim::model::Kind;
use crate::sim::model::PartitionState;
use crate::sim::model::Run;

const READ_COMMITTED: i8 = 1;

/// Bytes a record of the simulation takes in a batch, about.
const RECORD_BYTES: i64 = 32;

/// Records in one answer at most, whatever the client would take.
const MAX_RECORDS: i64 = 100;

pub(super) fn answer(call: &Call<'_>, request: FetchRequest) -> FetchResponse {
    let mut room = i64::from(request.max_bytes) / RECORD_BYTES;
    let topics = request.topics.into_iter().map(|topic| {
        let name = call.named(&topic.topic, topic.topic_id);
        let partitions = topic.partitions.iter().map(|asked| {
            let data = match &name {
                Ok(name) => one(call, name, asked, request.isolation_level, &mut room),
                Err(error) => Err(*error),
            };
            data.unwrap_or_else(failed).with_partition_index(asked.partition)
        });
        let partitions = partitions.collect();
        FetchableTopicResponse::default()
            .with_topic(topic.topic.clone())
            .with_topic_id(topic.topic_id)
            .with_partitions(partitions)
    });
    FetchResponse::default().with_responses(topics.collect())
}

/// True when an answer brings neither a record nor an error, so that a broker would wait for more.
pub(crate) fn is_empty(answer: &FetchResponse) -> bool {
    let mut partitions = answer.responses.iter().flat_map(|topic| &topic.partitions);
    partitions.all(|data| data.error_code == 0 && data.records.as_ref().is_none_or(Bytes::is_empty))
}

fn failed(error: ResponseError) -> PartitionData {
    PartitionData::default()
        .with_error_code(error.code())
        .with_high_watermark(-1)
        .with_records(Some(Bytes::new()))
}

fn one(
    call: &Call<'_>,
    topic: &TopicName,
    asked: &FetchPartition,
    isolation: i8,
    room: &mut i64,
) -> Result<PartitionData, ResponseError> {
    let now = call.model.now();
    let state = call.led(topic, asked.partition, asked.current_leader_epoch)?;
    let (start, end, stable) = (state.log.start(now), state.log.end(now), state.log.stable(now));
    let from = asked.fetch_offset;
    if from < start || from > end {
        return Err(ResponseError::OffsetOutOfRange);
    }
    let committed = isolation == READ_COMMITTED;
    let limit = if committed { stable } else { end };
    let share = (i64::from(asked.partition_max_bytes) / RECORD_BYTES).min(*room);
    let records = records(state, (from, limit), share.clamp(1, MAX_RECORDS), now);
    *room -= i64::try_from(records.len()).unwrap_or(i64::MAX);
    let aborted = committed.then(|| aborted(state, from, now));
    Ok(PartitionData::default()
        .with_high_watermark(end)
        .with_last_stable_offset(stable)
        .with_log_start_offset(start)
        .with_aborted_transactions(aborted)
        .with_records(Some(batches(&records)?)))
}

fn aborted(state: &PartitionState, from: i64, now: i64) -> Vec<AbortedTransaction> {
    let transactions = state.log.aborted(from, now).into_iter();
    transactions
        .map(|aborted| {
            AbortedTransaction::default()
                .with_producer_id(ProducerId(i64::from(aborted.producer)))
                .with_first_offset(aborted.first)
        })
        .collect()
}

fn records(state: &PartitionState, (from, limit): (i64, i64), most: i64, now: i64) -> Vec<Record> {
    let mut records = Vec::new();
    let mut left = most;
    for (first, run) in state.log.from(from, now) {
        let end = run.end.min(limit).min(first.saturating_add(left));
        records.extend((first..end).map(|offset| record(state, &run, offset)));
        left -= (end - first).max(0);
        if left <= 0 || run.end >= limit {
            break;
        }
    }
    records
}

fn record(state: &PartitionState, run: &Run, offset: i64) -> Record {
    let (producer, marker) = match run.kind {
        Kind::Data => (NO_PRODUCER_ID, None),
        Kind::Transactional(producer) => (i64::from(producer), None),
        Kind::Marker { producer, committed } => (i64::from(producer), Some(committed)),
    };
    let (key, value) = match marker {
        // KIP-98: version 0 and the type; version 0 and the coordinator's epoch.
        Some(committed) => (
            Some(Bytes::copy_from_slice(&[0, 0, 0, u8::from(committed)])),
            Bytes::from_static(&[0; 6]),
        ),
        None => (None, Bytes::from(format!("record {offset}"))),
    };
    Record {
        transactional: run.kind != Kind::Data,
        control: marker.is_some(),
        delete_horizon: false,
        partition_leader_epoch: state.epoch_at(offset),
        producer_id: producer,
        producer_epoch: if producer == NO_PRODUCER_ID {
            NO_PRODUCER_EPOCH
        } else {
            0
        },
        timestamp_type: TimestampType::Creation,
        offset,
        // Counting along with the offset keeps the encoder from making a batch of every record.
        sequence: sequence(offset),
        timestamp: run.time(offset),
        key,
        value: Some(value),
        headers: Default::default(),
    }
}

#[expect(clippy::cast_possible_truncation, reason = "sequence numbers wrap, by the protocol")]
fn sequence(offset: i64) -> i32 {
    offset as i32
}

fn batches(records: &[Record]) -> Result<Bytes, ResponseError> {
    if records.is_empty() {
        return Ok(Bytes::new());
    }
    let options = RecordEncodeOptions {
        version: 2,
        compression: Compression::None,
    };
    let mut bytes = BytesMut::new();
    RecordBatchEncoder::encode(&mut bytes, records, &options).map_err(|_| ResponseError::UnknownServerError)?;
    Ok(bytes.freeze())
}
