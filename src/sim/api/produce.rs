//! Produce v3-12: how many records came and when; what is in them is not kept.

use bytes::Bytes;
use kafka_protocol::error::ResponseError;
use kafka_protocol::messages::ProduceRequest;
use kafka_protocol::messages::ProduceResponse;
use kafka_protocol::messages::TopicName;
use kafka_protocol::messages::produce_response::PartitionProduceResponse;
use kafka_protocol::messages::produce_response::TopicProduceResponse;
use kafka_protocol::records::RecordBatchDecoder;

use super::Call;

pub(super) fn answer(call: &mut Call<'_>, request: ProduceRequest) -> ProduceResponse {
    let topics = request.topic_data.into_iter().map(|topic| {
        let partitions = topic.partition_data.into_iter().map(|data| {
            let answer = PartitionProduceResponse::default().with_index(data.index);
            match append(call, &topic.name, data.index, data.records.unwrap_or_default()) {
                Ok(offset) => answer.with_base_offset(offset).with_log_append_time_ms(-1),
                Err(error) => answer.with_error_code(error.code()).with_base_offset(-1),
            }
        });
        let partitions = partitions.collect();
        TopicProduceResponse::default()
            .with_name(topic.name.clone())
            .with_partition_responses(partitions)
    });
    ProduceResponse::default().with_responses(topics.collect())
}

fn append(call: &mut Call<'_>, topic: &TopicName, partition: i32, mut records: Bytes) -> Result<i64, ResponseError> {
    let now = call.model.now();
    let offset = call.led(topic, partition, -1)?.log.end(now);
    // The codec was built without compression, and nothing the simulation is for needs it.
    let batches =
        RecordBatchDecoder::decode_all(&mut records).map_err(|_| ResponseError::UnsupportedCompressionType)?;
    let times: Vec<i64> = batches
        .iter()
        .flat_map(|batch| &batch.records)
        .map(|record| record.timestamp)
        .collect();
    let missing = |_| ResponseError::UnknownTopicOrPartition;
    call.model.append_at(topic, partition, &times).map_err(missing)?;
    Ok(offset)
}
