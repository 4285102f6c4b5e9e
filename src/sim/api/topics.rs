//! CreateTopics, DeleteTopics, CreatePartitions and DeleteRecords, so that one set-up serves the simulated and a real cluster.

use kafka_protocol::error::ResponseError;
use kafka_protocol::messages::CreatePartitionsRequest;
use kafka_protocol::messages::CreatePartitionsResponse;
use kafka_protocol::messages::CreateTopicsRequest;
use kafka_protocol::messages::CreateTopicsResponse;
use kafka_protocol::messages::DeleteRecordsRequest;
use kafka_protocol::messages::DeleteRecordsResponse;
use kafka_protocol::messages::DeleteTopicsRequest;
use kafka_protocol::messages::DeleteTopicsResponse;
use kafka_protocol::messages::TopicName;
use kafka_protocol::messages::create_partitions_response::CreatePartitionsTopicResult;
use kafka_protocol::messages::create_topics_request::CreatableTopic;
use kafka_protocol::messages::create_topics_response::CreatableTopicResult;
use kafka_protocol::messages::delete_records_response::DeleteRecordsPartitionResult;
use kafka_protocol::messages::delete_records_response::DeleteRecordsTopicResult;
use kafka_protocol::messages::delete_topics_response::DeletableTopicResult;
use uuid::Uuid;

use super::Call;
use super::code;

pub(super) fn create(call: &mut Call<'_>, request: CreateTopicsRequest) -> CreateTopicsResponse {
    let topics = request.topics.into_iter().map(|topic| {
        let made = create_one(call, &topic);
        let result = CreatableTopicResult::default().with_error_code(code(&made));
        let result = match (made, call.version) {
            (Ok(id), 7..) => result.with_topic_id(id).with_num_partitions(topic.num_partitions),
            (Ok(_), 5..) => result.with_num_partitions(topic.num_partitions),
            _ => result,
        };
        result.with_name(topic.name)
    });
    CreateTopicsResponse::default().with_topics(topics.collect())
}

fn create_one(call: &mut Call<'_>, topic: &CreatableTopic) -> Result<Uuid, ResponseError> {
    if call.model.topic(&topic.name).is_some() {
        return Err(ResponseError::TopicAlreadyExists);
    }
    // -1 leaves the number to the broker, which has it as 1.
    let partitions = if topic.num_partitions == -1 {
        1
    } else {
        topic.num_partitions
    };
    if partitions < 1 {
        return Err(ResponseError::InvalidPartitions);
    }
    call.model.create_topic(&topic.name, partitions);
    for config in &topic.configs {
        // The topic was made above.
        let _ = call
            .model
            .set_config(&topic.name, &config.name, config.value.as_deref());
    }
    let made = call.model.topic(&topic.name).map(|topic| topic.id);
    made.ok_or(ResponseError::UnknownServerError)
}

pub(super) fn delete(call: &mut Call<'_>, request: DeleteTopicsRequest) -> DeleteTopicsResponse {
    let named = request.topic_names.into_iter().map(|name| (name, Uuid::nil()));
    let either = request
        .topics
        .into_iter()
        .map(|topic| (topic.name.unwrap_or_default(), topic.topic_id));
    let asked: Vec<(TopicName, Uuid)> = named.chain(either).collect();
    let responses = asked.into_iter().map(|(name, id)| {
        let gone = call.named(&name, id).and_then(|name| {
            let missing = |_| ResponseError::UnknownTopicOrPartition;
            call.model.delete_topic(&name).map_err(missing)
        });
        DeletableTopicResult::default()
            .with_name(Some(name))
            .with_topic_id(id)
            .with_error_code(code(&gone))
    });
    DeleteTopicsResponse::default().with_responses(responses.collect())
}

pub(super) fn create_partitions(call: &mut Call<'_>, request: CreatePartitionsRequest) -> CreatePartitionsResponse {
    let results = request.topics.into_iter().map(|topic| {
        let missing = |_| ResponseError::UnknownTopicOrPartition;
        let grown = call.model.add_partitions(&topic.name, topic.count).map_err(missing);
        CreatePartitionsTopicResult::default()
            .with_name(topic.name)
            .with_error_code(code(&grown))
    });
    CreatePartitionsResponse::default().with_results(results.collect())
}

pub(super) fn delete_records(call: &mut Call<'_>, request: DeleteRecordsRequest) -> DeleteRecordsResponse {
    let topics = request.topics.into_iter().map(|topic| {
        let partitions = topic.partitions.iter().map(|asked| {
            let deleted = delete_in(call, &topic.name, asked.partition_index, asked.offset);
            DeleteRecordsPartitionResult::default()
                .with_partition_index(asked.partition_index)
                .with_error_code(code(&deleted))
                .with_low_watermark(deleted.unwrap_or(-1))
        });
        let partitions = partitions.collect();
        DeleteRecordsTopicResult::default()
            .with_name(topic.name.clone())
            .with_partitions(partitions)
    });
    DeleteRecordsResponse::default().with_topics(topics.collect())
}

fn delete_in(call: &mut Call<'_>, topic: &TopicName, partition: i32, offset: i64) -> Result<i64, ResponseError> {
    let now = call.model.now();
    let end = call.led(topic, partition, -1)?.log.end(now);
    // -1 stands for all there is.
    let before = if offset == -1 { end } else { offset };
    if !(0..=end).contains(&before) {
        return Err(ResponseError::OffsetOutOfRange);
    }
    let missing = |_| ResponseError::UnknownTopicOrPartition;
    call.model.delete_records(topic, partition, before).map_err(missing)?;
    Ok(call.led(topic, partition, -1)?.log.start(now))
}
