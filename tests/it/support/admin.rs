//! What the tests ask and change of topics, records and leaders.

use std::collections::BTreeMap;
use std::collections::BTreeSet;

use kafka_protocol::messages::AlterPartitionReassignmentsRequest;
use kafka_protocol::messages::BrokerId;
use kafka_protocol::messages::CreatePartitionsRequest;
use kafka_protocol::messages::CreateTopicsRequest;
use kafka_protocol::messages::DeleteRecordsRequest;
use kafka_protocol::messages::DeleteTopicsRequest;
use kafka_protocol::messages::ElectLeadersRequest;
use kafka_protocol::messages::ListOffsetsRequest;
use kafka_protocol::messages::TopicName;
use kafka_protocol::messages::alter_partition_reassignments_request::ReassignablePartition;
use kafka_protocol::messages::alter_partition_reassignments_request::ReassignableTopic;
use kafka_protocol::messages::create_partitions_request::CreatePartitionsTopic;
use kafka_protocol::messages::create_topics_request::CreatableReplicaAssignment;
use kafka_protocol::messages::create_topics_request::CreatableTopic;
use kafka_protocol::messages::create_topics_request::CreatableTopicConfig;
use kafka_protocol::messages::delete_records_request::DeleteRecordsPartition;
use kafka_protocol::messages::delete_records_request::DeleteRecordsTopic;
use kafka_protocol::messages::delete_topics_request::DeleteTopicState;
use kafka_protocol::messages::elect_leaders_request::TopicPartitions;
use kafka_protocol::messages::list_offsets_request::ListOffsetsPartition;
use kafka_protocol::messages::list_offsets_request::ListOffsetsTopic;
use kafka_protocol::messages::metadata_request::MetadataRequestTopic;
use kafka_protocol::protocol::StrBytes;

use super::kafka::Kafka;
use super::wait::PATIENCE;
use super::wait::eventually;
use super::wait::unique;
use super::wait::until;

/// Milliseconds that Kafka may take for a change.
const TIMEOUT: i32 = 30_000;

impl Kafka {
    /// Makes a topic, replicated to three brokers where there are three; its name.
    pub(crate) fn topic(&self, partitions: i32) -> String {
        self.create(
            new_topic(&unique("topic"))
                .with_num_partitions(partitions)
                .with_replication_factor(self.replicas()),
        )
    }

    /// Makes a topic with settings of its own.
    pub(crate) fn topic_with(&self, name: &str, partitions: i32, settings: &[(&str, &str)]) -> String {
        let topic = new_topic(name)
            .with_num_partitions(partitions)
            .with_replication_factor(self.replicas());
        self.create(topic.with_configs(settings.iter().map(|(key, value)| setting(key, value)).collect()))
    }

    /// Makes a topic whose partition `i` lives on the brokers `on[i]`, the first its leader.
    pub(crate) fn topic_on(&self, on: &[&[i32]]) -> String {
        let place = |(index, brokers): (usize, &&[i32])| {
            CreatableReplicaAssignment::default()
                .with_partition_index(i32::try_from(index).expect("few partitions"))
                .with_broker_ids(brokers.iter().copied().map(BrokerId).collect())
        };
        let topic = new_topic(&unique("topic"))
            .with_num_partitions(-1)
            .with_replication_factor(-1);
        self.create(topic.with_assignments(on.iter().enumerate().map(place).collect()))
    }

    fn replicas(&self) -> i16 {
        i16::try_from(self.ids().count().min(3)).expect("few brokers")
    }

    /// Without retention unless it is asked for: records that a test dates long ago are to stay.
    fn create(&self, mut topic: CreatableTopic) -> String {
        let retention = setting("retention.ms", "-1");
        if !topic.configs.iter().any(|config| config.name == retention.name) {
            topic.configs.push(retention);
        }
        let name = topic.name.to_string();
        let partitions = usize::try_from(topic.num_partitions).unwrap_or(topic.assignments.len());
        let request = CreateTopicsRequest::default()
            .with_topics(vec![topic])
            .with_timeout_ms(TIMEOUT);
        let answer = self.ask_any(&request, 5).expect("an answer to CreateTopics");
        let result = &answer.topics[0];
        assert_eq!(
            result.error_code, 0,
            "topic {name} was not created: {:?}",
            result.error_message
        );
        self.await_leaders(&name, partitions);
        name
    }

    /// Until every broker that serves knows a leader for every partition.
    fn await_leaders(&self, topic: &str, partitions: usize) {
        let led = |broker| self.leaders_by(broker, topic).iter().flatten().count();
        until("every partition has a leader", || {
            self.serving().all(|broker| led(broker) == partitions)
        });
    }

    /// The leader of each partition; empty where there is no such topic.
    pub(crate) fn leaders(&self, topic: &str) -> Vec<Option<i32>> {
        self.serving()
            .next()
            .map(|broker| self.leaders_by(broker, topic))
            .unwrap_or_default()
    }

    fn leaders_by(&self, broker: i32, topic: &str) -> Vec<Option<i32>> {
        let Some(metadata) = self.metadata(broker, Some(&[topic])) else {
            return Vec::new();
        };
        let leader = |p: &kafka_protocol::messages::metadata_response::MetadataResponsePartition| {
            (p.partition_index, (p.leader_id.0 >= 0).then_some(p.leader_id.0))
        };
        let partitions = metadata
            .topics
            .iter()
            .filter(|t| t.error_code == 0)
            .flat_map(|t| &t.partitions);
        partitions
            .map(leader)
            .collect::<BTreeMap<_, _>>()
            .into_values()
            .collect()
    }

    /// The names of all topics, Kafka's own left out.
    pub(crate) fn topics(&self) -> BTreeSet<String> {
        let metadata = self
            .serving()
            .find_map(|broker| self.metadata(broker, None))
            .expect("metadata");
        let shown = metadata.topics.iter().filter(|topic| !topic.is_internal);
        shown
            .filter_map(|topic| Some(topic.name.as_ref()?.to_string()))
            .collect()
    }

    /// Makes a topic grow to `total` partitions.
    pub(crate) fn add_partitions(&self, topic: &str, total: i32) {
        let wanted = CreatePartitionsTopic::default()
            .with_name(topic_name(topic))
            .with_count(total)
            .with_assignments(None);
        let request = CreatePartitionsRequest::default()
            .with_topics(vec![wanted])
            .with_timeout_ms(TIMEOUT);
        let answer = self.ask_any(&request, 2).expect("an answer to CreatePartitions");
        assert_eq!(answer.results[0].error_code, 0, "{:?}", answer.results[0].error_message);
        self.await_leaders(topic, usize::try_from(total).expect("not negative"));
    }

    /// Deletes topics, and returns when no broker that serves knows them.
    pub(crate) fn delete_topics(&self, topics: &[&str]) {
        let wanted = topics
            .iter()
            .map(|name| DeleteTopicState::default().with_name(Some(topic_name(name))))
            .collect();
        let request = DeleteTopicsRequest::default()
            .with_topics(wanted)
            .with_timeout_ms(TIMEOUT);
        let answer = self.ask_any(&request, 6).expect("an answer to DeleteTopics");
        assert!(answer.responses.iter().all(|topic| topic.error_code == 0), "{answer:?}");
        let gone = |broker, topic: &&str| self.leaders_by(broker, topic).is_empty();
        until("the topics are gone", || {
            self.serving()
                .all(|broker| topics.iter().all(|topic| gone(broker, topic)))
        });
    }

    /// Retention, at once: the log of the partition starts at `before` from now on.
    pub(crate) fn delete_records(&self, topic: &str, partition: i32, before: i64) {
        let cut = DeleteRecordsPartition::default()
            .with_partition_index(partition)
            .with_offset(before);
        let wanted = DeleteRecordsTopic::default()
            .with_name(topic_name(topic))
            .with_partitions(vec![cut]);
        let request = DeleteRecordsRequest::default()
            .with_topics(vec![wanted])
            .with_timeout_ms(TIMEOUT);
        let answer = self
            .ask(self.leader(topic, partition), &request, 2)
            .expect("an answer to DeleteRecords");
        assert_eq!(answer.topics[0].partitions[0].error_code, 0, "{answer:?}");
    }

    /// Log start and high watermark of a partition.
    pub(crate) fn log(&self, topic: &str, partition: i32) -> (i64, i64) {
        (
            self.list_offset(topic, partition, -2, 0),
            self.list_offset(topic, partition, -1, 0),
        )
    }

    /// Last stable offset of a partition.
    pub(crate) fn stable(&self, topic: &str, partition: i32) -> i64 {
        self.list_offset(topic, partition, -1, 1)
    }

    fn list_offset(&self, topic: &str, partition: i32, timestamp: i64, isolation: i8) -> i64 {
        let place = ListOffsetsPartition::default()
            .with_partition_index(partition)
            .with_current_leader_epoch(-1)
            .with_timestamp(timestamp);
        let wanted = ListOffsetsTopic::default()
            .with_name(topic_name(topic))
            .with_partitions(vec![place]);
        let request = ListOffsetsRequest::default()
            .with_replica_id(BrokerId(-1))
            .with_isolation_level(isolation)
            .with_topics(vec![wanted]);
        let answer = self
            .ask(self.leader(topic, partition), &request, 6)
            .expect("an answer to ListOffsets");
        let found = &answer.topics[0].partitions[0];
        assert_eq!(found.error_code, 0, "{topic}/{partition}");
        found.offset
    }

    fn leader(&self, topic: &str, partition: i32) -> i32 {
        let index = usize::try_from(partition).expect("not negative");
        eventually("the partition has a leader", PATIENCE, || {
            self.leaders(topic).get(index).copied().flatten()
        })
    }

    /// Moves the leader of a partition to the first of `brokers`, which become its replicas; returns when it leads.
    pub(crate) fn move_leader(&self, topic: &str, partition: i32, brokers: &[i32]) {
        let replicas = brokers.iter().copied().map(BrokerId).collect();
        let place = ReassignablePartition::default()
            .with_partition_index(partition)
            .with_replicas(Some(replicas));
        let wanted = ReassignableTopic::default()
            .with_name(topic_name(topic))
            .with_partitions(vec![place]);
        let request = AlterPartitionReassignmentsRequest::default()
            .with_topics(vec![wanted])
            .with_timeout_ms(TIMEOUT);
        let answer = self
            .ask_any(&request, 0)
            .expect("an answer to AlterPartitionReassignments");
        assert_eq!(answer.error_code, 0, "{answer:?}");
        let preferred = TopicPartitions::default()
            .with_topic(topic_name(topic))
            .with_partitions(vec![partition]);
        let election = ElectLeadersRequest::default()
            .with_topic_partitions(Some(vec![preferred]))
            .with_timeout_ms(TIMEOUT);
        until("the partition has moved", || {
            // Refused until the new replicas have caught up, and not needed when the reassignment has moved it already.
            let _ = self.ask_any(&election, 2);
            self.leader(topic, partition) == brokers[0]
        });
    }
}

fn setting(key: &str, value: &str) -> CreatableTopicConfig {
    CreatableTopicConfig::default()
        .with_name(text(key))
        .with_value(Some(text(value)))
}

fn new_topic(name: &str) -> CreatableTopic {
    CreatableTopic::default().with_name(topic_name(name))
}

/// A topic of a metadata request.
pub(crate) fn metadata_topic(name: &str) -> MetadataRequestTopic {
    MetadataRequestTopic::default().with_name(Some(topic_name(name)))
}

/// A string as the protocol's crate wants it.
pub(crate) fn text(value: &str) -> StrBytes {
    StrBytes::from_string(value.to_owned())
}

/// A topic's name as the protocol's crate wants it.
pub(crate) fn topic_name(value: &str) -> TopicName {
    TopicName(text(value))
}
