//! What the checks stand on: one broker, real or simulated, and what has to be done differently on each.

use std::time::SystemTime;
use std::time::UNIX_EPOCH;

use kafka_protocol::messages::CreateTopicsRequest;
use kafka_protocol::messages::DeleteRecordsRequest;
use kafka_protocol::messages::DescribeGroupsRequest;
use kafka_protocol::messages::FindCoordinatorRequest;
use kafka_protocol::messages::GroupId;
use kafka_protocol::messages::TopicName;
use kafka_protocol::messages::create_topics_request::CreatableTopic;
use kafka_protocol::messages::delete_records_request::DeleteRecordsPartition;
use kafka_protocol::messages::delete_records_request::DeleteRecordsTopic;
use kafka_protocol::protocol::Request;
use kafka_protocol::protocol::StrBytes;
use rdkafka::ClientConfig;
use rdkafka::producer::BaseProducer;
use rdkafka::producer::BaseRecord;
use rdkafka::producer::Producer;
use tidemark::clock::Clock;
use tidemark::model::GroupType;
use tidemark::sim::Cluster;
use tidemark::sim::Member;
use tidemark::sim::Model;

use crate::sim::running::Running;
use crate::support::Joining;
use crate::support::Kafka;
use crate::support::unique;
use crate::support::until;
use crate::support::wait::PATIENCE;
use crate::support::wire::Wire;

/// A cluster of one broker.
pub(super) enum Ground {
    Real(&'static Kafka),
    Simulated(Box<Running>),
}

impl Ground {
    pub(super) fn real() -> Option<Self> {
        Some(Self::Real(Kafka::shared()?))
    }

    pub(super) fn simulated() -> Self {
        let start = || Cluster::start(Model::new(1, 1), Clock::system());
        Self::Simulated(Box::new(Running::new(start)))
    }

    pub(super) fn bootstrap(&self) -> String {
        match self {
            Self::Real(kafka) => kafka.bootstrap(),
            Self::Simulated(simulated) => simulated.bootstrap(),
        }
    }

    /// Asks the broker on a connection of its own.
    pub(super) fn ask<R: Request>(&self, request: &R, version: i16) -> R::Response {
        let port = match self {
            Self::Real(kafka) => kafka.port(0),
            Self::Simulated(simulated) => simulated.address(1).expect("broker 1").port(),
        };
        let answer = Wire::to(port).and_then(|mut wire| wire.call(request, version));
        answer.unwrap_or_else(|error| panic!("call {} v{version}: {error}", R::KEY))
    }

    /// Makes a topic; its name.
    pub(super) fn topic(&self, partitions: i32) -> TopicName {
        let name = topic_name(&unique("topic"));
        let topic = CreatableTopic::default()
            .with_name(name.clone())
            .with_num_partitions(partitions)
            .with_replication_factor(1);
        let request = CreateTopicsRequest::default()
            .with_topics(vec![topic])
            .with_timeout_ms(10_000);
        assert_eq!(self.ask(&request, 5).topics[0].error_code, 0);
        until("the topic is led", || {
            self.ask(&super::topics::metadata(&[&name]), 9).topics[0].error_code == 0
                && super::logs::end(self, &name, 0).is_ok()
        });
        name
    }

    /// Produces one record after the other with these times.
    pub(super) fn produce(&self, topic: &TopicName, times: &[i64]) {
        let producer: BaseProducer = self.client().create().expect("a producer");
        for time in times {
            let record = BaseRecord::<(), _>::to(topic)
                .partition(0)
                .payload("x")
                .timestamp(*time);
            producer
                .send(record)
                .map_err(|(error, _)| error)
                .expect("room for a record");
            producer.flush(PATIENCE).expect("it is delivered");
        }
    }

    /// Deletes the records of partition 0 below an offset.
    pub(super) fn delete_below(&self, topic: &TopicName, offset: i64) {
        let partition = DeleteRecordsPartition::default().with_offset(offset);
        let topic = DeleteRecordsTopic::default()
            .with_name(topic.clone())
            .with_partitions(vec![partition]);
        let request = DeleteRecordsRequest::default()
            .with_topics(vec![topic])
            .with_timeout_ms(10_000);
        let answer = self.ask(&request, 2);
        let deleted = &answer.topics[0].partitions[0];
        assert_eq!((deleted.error_code, deleted.low_watermark), (0, offset));
    }

    /// Lets one member join a new group by `protocol` (`classic` or `consumer`); how to let it leave.
    pub(super) fn join(&self, topic: &TopicName, protocol: &'static str) -> (GroupId, Box<dyn FnOnce() + '_>) {
        let group = self.group();
        match self {
            Self::Real(kafka) => {
                let joining = Joining {
                    protocol,
                    members: 1,
                    commits: false,
                };
                let members = kafka.join(&group, &[topic], joining);
                (group, Box::new(|| drop(members)))
            }
            Self::Simulated(simulated) => {
                let id = group.to_string();
                simulated.edit(|model| {
                    if protocol == "consumer" {
                        model.create_group(&id, GroupType::Consumer);
                    }
                    model.join(&id, Member::new("client").subscribed(&[topic]));
                });
                let leave = move || {
                    simulated
                        .edit(|model| model.leave(&id, "client"))
                        .expect("it is a member");
                };
                (group, Box::new(leave))
            }
        }
    }

    /// A new group's id, its coordinator ready.
    pub(super) fn group(&self) -> GroupId {
        let id = unique("group");
        let find = FindCoordinatorRequest::default().with_key(text(&id));
        let describe = DescribeGroupsRequest::default().with_groups(vec![GroupId(text(&id))]);
        // A new broker names itself before it is ready.
        until("the group has a coordinator", || {
            self.ask(&find, 2).error_code == 0 && self.ask(&describe, 5).groups[0].error_code == 0
        });
        GroupId(text(&id))
    }

    /// Three records in a transaction that stays open; how to commit it.
    pub(super) fn open_transaction(&self, topic: &TopicName) -> Box<dyn FnOnce() + '_> {
        match self {
            Self::Real(kafka) => {
                let transaction = kafka.transaction();
                transaction.produce(topic, 0, 3);
                Box::new(|| transaction.commit())
            }
            Self::Simulated(simulated) => {
                let cluster: &Cluster = simulated;
                let txn = cluster.edit(|model| {
                    let txn = model.begin_transaction(topic, 0)?;
                    model.append_in(&txn, 3).map(|()| txn)
                });
                let txn = txn.expect("the topic was made");
                Box::new(move || {
                    cluster
                        .edit(|model| model.end_transaction(&txn, true))
                        .expect("it is open");
                })
            }
        }
    }

    pub(super) fn client(&self) -> ClientConfig {
        let mut config = ClientConfig::new();
        config
            .set("bootstrap.servers", self.bootstrap())
            .set_log_level(rdkafka::config::RDKafkaLogLevel::Emerg);
        config
    }
}

/// Now, in milliseconds since 1970: Kafka refuses records dated far ahead.
pub(super) fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).expect("after 1970");
    i64::try_from(since.as_millis()).expect("before the year 292 million")
}

pub(super) fn text(text: &str) -> StrBytes {
    StrBytes::from_string(text.to_owned())
}

pub(super) fn topic_name(name: &str) -> TopicName {
    TopicName(text(name))
}
