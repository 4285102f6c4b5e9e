//! Brokers, topics and leaders.

use kafka_protocol::messages::BrokerId as WireBroker;
use kafka_protocol::messages::MetadataResponse;
use kafka_protocol::messages::TopicName as WireTopic;
use kafka_protocol::messages::metadata_response::MetadataResponseBroker;
use kafka_protocol::messages::metadata_response::MetadataResponsePartition;
use kafka_protocol::messages::metadata_response::MetadataResponseTopic;

use super::super::metadata::Answer;
use super::super::metadata::read;
use super::*;
use crate::model::BrokerId;
use crate::model::TopicId;
use crate::observation::Broker;
use crate::observation::PartitionMeta;
use crate::observation::TopicMeta;

fn answer(draw: &mut Draw<'_>, version: i16) -> MetadataResponse {
    let mut answer = MetadataResponse::default()
        .with_throttle_time_ms(draw.int32())
        .with_brokers(draw.list(|draw| broker(draw, version)))
        .with_topics(draw.list(|draw| topic(draw, version)))
        .with_unknown_tagged_fields(draw.tags());
    if version >= 1 {
        answer = answer.with_controller_id(WireBroker(draw.int32()));
    }
    if version >= 2 {
        answer = answer.with_cluster_id(draw.option(Draw::text));
    }
    if (8..=10).contains(&version) {
        answer = answer.with_cluster_authorized_operations(draw.int32());
    }
    answer
}

fn broker(draw: &mut Draw<'_>, version: i16) -> MetadataResponseBroker {
    MetadataResponseBroker::default()
        .with_node_id(WireBroker(draw.int32()))
        .with_host(draw.text())
        .with_port(i32::from(draw.int16().cast_unsigned()))
        .with_rack(if version >= 1 { draw.option(Draw::text) } else { None })
        .with_unknown_tagged_fields(draw.tags())
}

fn topic(draw: &mut Draw<'_>, version: i16) -> MetadataResponseTopic {
    let topic = draw.text();
    let mut topic = MetadataResponseTopic::default()
        .with_error_code(draw.error())
        .with_name(Some(WireTopic(topic)))
        .with_partitions(draw.list(|draw| partition(draw, version)))
        .with_unknown_tagged_fields(draw.tags());
    if version >= 1 {
        topic = topic.with_is_internal(draw.flag());
    }
    if version >= 8 {
        topic = topic.with_topic_authorized_operations(draw.int32());
    }
    if version >= 10 {
        topic = topic.with_topic_id(draw.uuid());
    }
    if version >= 12 && draw.byte() > 200 {
        topic = topic.with_name(None);
    }
    topic
}

fn partition(draw: &mut Draw<'_>, version: i16) -> MetadataResponsePartition {
    let replicas = |draw: &mut Draw<'_>| draw.list(|draw| WireBroker(draw.int32()));
    let mut partition = MetadataResponsePartition::default()
        .with_error_code(draw.error())
        .with_partition_index(draw.int32())
        .with_leader_id(WireBroker(draw.int32()))
        .with_replica_nodes(replicas(draw))
        .with_isr_nodes(replicas(draw))
        .with_unknown_tagged_fields(draw.tags());
    if version >= 5 {
        partition = partition.with_offline_replicas(replicas(draw));
    }
    if version >= 7 {
        partition = partition.with_leader_epoch(draw.int32());
    }
    partition
}

fn expect(answer: &MetadataResponse) -> Answer {
    let brokers = answer.brokers.iter().map(|broker| {
        let id = BrokerId(broker.node_id.0);
        let port = u16::try_from(broker.port).unwrap();
        let host = name(&broker.host);
        (id, Broker { id, host, port })
    });
    let topics = answer.topics.iter().filter_map(|topic| {
        let meta = TopicMeta {
            id: TopicId::new(*topic.topic_id.as_bytes()),
            internal: topic.is_internal,
            partitions: partitions(&topic.partitions),
        };
        Some((name(topic.name.as_ref()?), heard(topic.error_code, meta)))
    });
    Answer {
        brokers: sorted(brokers).into_iter().map(|(_, broker)| broker).collect(),
        topics: sorted(topics),
    }
}

fn partitions(partitions: &[MetadataResponsePartition]) -> Vec<PartitionMeta> {
    let not_negative = |number| (number >= 0).then_some(number);
    let partitions = partitions.iter().map(|meta| {
        let partition = Partition(meta.partition_index);
        let meta = PartitionMeta {
            partition,
            leader: not_negative(meta.leader_id.0).map(BrokerId),
            leader_epoch: not_negative(meta.leader_epoch),
            replicas: u16::try_from(meta.replica_nodes.len()).unwrap(),
            in_sync: u16::try_from(meta.isr_nodes.len()).unwrap(),
        };
        (partition, meta)
    });
    sorted(partitions).into_iter().map(|(_, meta)| meta).collect()
}

#[test]
fn brokers_topics_and_leaders_are_read_in_every_version() {
    hold(
        Api::Metadata,
        answer,
        |body, version| read(body, version, &mut Names::new()),
        |answer, _| expect(answer),
    );
}

#[test]
fn a_port_that_cannot_be_one_makes_the_answer_unreadable() {
    let mut body = Vec::new();
    let broker = MetadataResponseBroker::default().with_port(70_000);
    MetadataResponse::default()
        .with_brokers(vec![broker])
        .encode(&mut body, 9)
        .unwrap();
    let error = read(&body, 9, &mut Names::new()).unwrap_err();
    assert_eq!(error.to_string(), "port at byte 14 is 70000");
}

#[test]
fn a_topic_without_a_name_is_refused_where_it_has_to_have_one() {
    let null_name = b"\0\0\0\0\0\0\0\0\0\0\0\x01\0\0\xff\xff\0\0\0\0\0";
    let error = read(&null_name[..], 1, &mut Names::new()).unwrap_err();
    assert!(matches!(error, ReadError::Null { what: "topic name", .. }), "{error}");
}
