//! Metadata and DescribeConfigs.

use kafka_protocol::messages::DeleteTopicsRequest;
use kafka_protocol::messages::DescribeConfigsRequest;
use kafka_protocol::messages::MetadataRequest;
use kafka_protocol::messages::TopicName;
use kafka_protocol::messages::delete_topics_request::DeleteTopicState;
use kafka_protocol::messages::describe_configs_request::DescribeConfigsResource;
use kafka_protocol::messages::metadata_request::MetadataRequestTopic;

use super::ground::Ground;
use super::ground::text;
use super::ground::topic_name;
use crate::support::until;

pub(super) fn metadata(topics: &[&TopicName]) -> MetadataRequest {
    let named = topics
        .iter()
        .map(|name| MetadataRequestTopic::default().with_name(Some((*name).clone())));
    MetadataRequest::default()
        .with_topics(Some(named.collect()))
        .with_allow_auto_topic_creation(false)
}

pub(super) fn topics_by_name_and_id(ground: &Ground) {
    let topic = ground.topic(3);
    for version in 4..=12 {
        let answer = ground.ask(
            &metadata(&[&topic, &topic_name("not-there"), &topic_name("not a name")]),
            version,
        );
        let found = &answer.topics[0];
        assert_eq!(
            (found.error_code, found.partitions.len(), found.is_internal),
            (0, 3, false)
        );
        let partition = &found.partitions[0];
        let epoch = if version >= 7 { 0 } else { -1 };
        assert_eq!((partition.error_code, partition.leader_epoch), (0, epoch), "v{version}");
        assert_eq!((partition.replica_nodes.len(), partition.isr_nodes.len()), (1, 1));
        let codes: Vec<i16> = answer.topics.iter().map(|topic| topic.error_code).collect();
        assert_eq!(codes, [0, 3, 17], "v{version}");
        assert!(answer.topics[1].partitions.is_empty());
        assert_eq!(found.topic_id.is_nil(), version < 10);
    }
    let id = ground.ask(&metadata(&[&topic]), 12).topics[0].topic_id;
    let by_id = MetadataRequest::default()
        .with_topics(Some(vec![MetadataRequestTopic::default().with_topic_id(id)]))
        .with_allow_auto_topic_creation(false);
    let found = ground.ask(&by_id, 12);
    assert_eq!(found.topics[0].name.as_ref(), Some(&topic));
    let delete = DeleteTopicsRequest::default()
        .with_topics(vec![DeleteTopicState::default().with_topic_id(id)])
        .with_timeout_ms(10_000);
    assert_eq!(ground.ask(&delete, 6).responses[0].error_code, 0);
    until("the topic is gone", || {
        ground.ask(&by_id, 12).topics[0].error_code == 100
    });
    assert_eq!(ground.ask(&metadata(&[&topic]), 12).topics[0].error_code, 3);
}

pub(super) fn settings_of_topics(ground: &Ground) {
    let topic = ground.topic(1);
    let resource = DescribeConfigsResource::default()
        .with_resource_type(2)
        .with_configuration_keys(Some(vec![
            text("retention.ms"),
            text("retention.bytes"),
            text("cleanup.policy"),
        ]));
    let request = DescribeConfigsRequest::default().with_resources(vec![
        resource.clone().with_resource_name(topic.0.clone()),
        resource.with_resource_name(text("not-there")),
    ]);
    for version in 1..=4 {
        let answer = ground.ask(&request, version);
        let mut found: Vec<(&str, Option<&str>)> = answer.results[0]
            .configs
            .iter()
            .map(|config| (config.name.as_str(), config.value.as_deref()))
            .collect();
        found.sort_unstable();
        let expected = [
            ("cleanup.policy", Some("delete")),
            ("retention.bytes", Some("-1")),
            ("retention.ms", Some("604800000")),
        ];
        assert_eq!(found, expected, "v{version}");
        assert!(answer.results[0].configs.iter().all(|config| config.config_source == 5));
        assert_eq!((answer.results[1].error_code, answer.results[1].configs.len()), (3, 0));
    }
}
