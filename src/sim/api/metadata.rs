//! Metadata v0-12.

use kafka_protocol::error::ResponseError;
use kafka_protocol::messages::BrokerId;
use kafka_protocol::messages::MetadataRequest;
use kafka_protocol::messages::MetadataResponse;
use kafka_protocol::messages::TopicName;
use kafka_protocol::messages::metadata_request::MetadataRequestTopic;
use kafka_protocol::messages::metadata_response::MetadataResponseBroker;
use kafka_protocol::messages::metadata_response::MetadataResponsePartition;
use kafka_protocol::messages::metadata_response::MetadataResponseTopic;

use super::Call;
use super::HOST;
use super::NONE;
use super::text;
use crate::sim::model::PartitionState;

/// Partitions of a topic that Metadata makes by itself.
const AUTO_CREATED_PARTITIONS: i32 = 1;

pub(super) fn answer(call: &mut Call<'_>, request: MetadataRequest) -> MetadataResponse {
    let creates = request.allow_auto_topic_creation && call.model.auto_create;
    let topics = match request.topics {
        // In v0 an empty list stood for all.
        Some(asked) if call.version > 0 || !asked.is_empty() => {
            asked.into_iter().map(|topic| one(call, topic, creates)).collect()
        }
        _ => {
            let names = call.model.topic_names();
            names.into_iter().map(|name| described(call, &name)).collect()
        }
    };
    let brokers = call.model.alive().map(|(id, broker)| {
        MetadataResponseBroker::default()
            .with_node_id(id)
            .with_host(HOST)
            .with_port(call.port(id))
            .with_rack(broker.rack.as_deref().map(text))
    });
    let controller = call.model.alive().next().map_or(BrokerId(-1), |(id, _)| id);
    MetadataResponse::default()
        .with_brokers(brokers.collect())
        .with_cluster_id(Some(text(call.model.cluster_id())))
        .with_controller_id(controller)
        .with_topics(topics)
}

fn one(call: &mut Call<'_>, asked: MetadataRequestTopic, creates: bool) -> MetadataResponseTopic {
    let name = asked.name.unwrap_or_default();
    let failed = |error: ResponseError, name: TopicName| {
        MetadataResponseTopic::default()
            .with_error_code(error.code())
            .with_topic_id(asked.topic_id)
            .with_name(Some(name))
    };
    let name = match call.named(&name, asked.topic_id) {
        Ok(name) => name,
        Err(error) => return failed(error, name),
    };
    if !is_valid(&name) {
        return failed(ResponseError::InvalidTopicException, name);
    }
    if call.model.topic(&name).is_none() {
        if !creates {
            return failed(ResponseError::UnknownTopicOrPartition, name);
        }
        call.model.create_topic(&name, AUTO_CREATED_PARTITIONS);
        return failed(ResponseError::LeaderNotAvailable, name);
    }
    described(call, &name)
}

fn described(call: &Call<'_>, name: &TopicName) -> MetadataResponseTopic {
    let Some(topic) = call.model.topic(name) else {
        return MetadataResponseTopic::default();
    };
    let partitions = (0..).zip(&topic.partitions);
    MetadataResponseTopic::default()
        .with_name(Some(name.clone()))
        .with_topic_id(topic.id)
        .with_is_internal(topic.internal)
        .with_partitions(partitions.map(|(index, state)| partition(call, index, state)).collect())
}

fn partition(call: &Call<'_>, index: i32, state: &PartitionState) -> MetadataResponsePartition {
    let offline = state.replicas.iter().copied().filter(|id| !call.model.is_alive(*id));
    let error = match state.leader {
        Some(_) => NONE,
        None => ResponseError::LeaderNotAvailable.code(),
    };
    MetadataResponsePartition::default()
        .with_error_code(error)
        .with_partition_index(index)
        .with_leader_id(state.leader.unwrap_or(BrokerId(-1)))
        .with_leader_epoch(state.epoch)
        .with_replica_nodes(state.replicas.clone())
        .with_isr_nodes(state.in_sync.clone())
        .with_offline_replicas(offline.collect())
}

/// Kafka's rule for names of topics.
fn is_valid(name: &str) -> bool {
    let legal = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
    (1..=249).contains(&name.len()) && name != "." && name != ".." && name.bytes().all(legal)
}
