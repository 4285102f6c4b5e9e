//! The calls a broker answers, one file each, by Kafka's own rules.

mod api_versions;
mod consumer_group_describe;
mod delete_groups;
mod describe_configs;
mod describe_groups;
mod describe_share_group_offsets;
pub(super) mod fetch;
mod find_coordinator;
mod list_groups;
mod list_offsets;
mod metadata;
mod offset_commit;
mod offset_delete;
mod offset_fetch;
mod produce;
mod sasl;
mod share_group_describe;
mod topics;

use std::collections::BTreeMap;

use kafka_protocol::error::ResponseError;
use kafka_protocol::messages::BrokerId;
use kafka_protocol::messages::GroupId;
use kafka_protocol::messages::RequestKind;
use kafka_protocol::messages::ResponseKind;
use kafka_protocol::messages::TopicName;
use kafka_protocol::protocol::StrBytes;
use uuid::Uuid;

use super::model::Model;
use super::model::PartitionState;

pub(super) use api_versions::unsupported as unsupported_api_versions;
pub(super) use sasl::Login;

/// No error, on the wire.
const NONE: i16 = 0;

/// The host every broker advertises.
const HOST: StrBytes = StrBytes::from_static_str("127.0.0.1");

/// One request at one broker: all an answer may depend on.
pub(super) struct Call<'a> {
    pub(super) model: &'a mut Model,
    pub(super) broker: BrokerId,
    pub(super) version: i16,
    /// Ports of the brokers by id.
    pub(super) ports: &'a BTreeMap<i32, u16>,
    pub(super) login: &'a mut Login,
    /// What a script refuses, so that a refused write writes nothing.
    pub(super) refusal: &'a dyn Fn(&Subject<'_>) -> Option<i16>,
}

/// What an error code can belong to.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Subject<'a> {
    pub(super) group: Option<&'a str>,
    pub(super) topic: Option<&'a str>,
    pub(super) partition: Option<i32>,
}

impl Call<'_> {
    /// The port a broker advertises.
    fn port(&self, broker: BrokerId) -> i32 {
        self.ports.get(&broker.0).copied().map_or(-1, i32::from)
    }

    /// NOT_COORDINATOR unless this broker answers for the group.
    fn coordinates(&self, group: &GroupId) -> Result<(), ResponseError> {
        match self.model.coordinates(self.broker, group) {
            true => Ok(()),
            false => Err(ResponseError::NotCoordinator),
        }
    }

    /// A partition this broker leads in the epoch the client believes in (-1: in any).
    fn led(&self, topic: &TopicName, partition: i32, epoch: i32) -> Result<&PartitionState, ResponseError> {
        let found = self.model.partition(topic, partition);
        let state = found.ok_or(ResponseError::UnknownTopicOrPartition)?;
        if state.leader != Some(self.broker) {
            return Err(ResponseError::NotLeaderOrFollower);
        }
        match epoch {
            -1 => Ok(state),
            older if older < state.epoch => Err(ResponseError::FencedLeaderEpoch),
            newer if newer > state.epoch => Err(ResponseError::UnknownLeaderEpoch),
            _ => Ok(state),
        }
    }

    /// The topic a request names, or means by an id.
    fn named(&self, name: &TopicName, id: Uuid) -> Result<TopicName, ResponseError> {
        if id.is_nil() {
            return Ok(name.clone());
        }
        let found = self.model.topic_by_id(id).cloned();
        found.ok_or(ResponseError::UnknownTopicId)
    }
}

/// Answers a request; `None` for one the simulation does not speak, or one that wants no answer.
pub(super) fn answer(call: &mut Call<'_>, request: RequestKind) -> Option<ResponseKind> {
    use RequestKind as Q;
    use ResponseKind as A;
    Some(match request {
        Q::ApiVersions(_) => A::ApiVersions(api_versions::answer(call)),
        Q::Metadata(q) => A::Metadata(metadata::answer(call, q)),
        Q::FindCoordinator(q) => A::FindCoordinator(find_coordinator::answer(call, q)),
        Q::ListGroups(q) => A::ListGroups(list_groups::answer(call, &q)),
        Q::DescribeGroups(q) => A::DescribeGroups(describe_groups::answer(call, q)),
        Q::ConsumerGroupDescribe(q) => A::ConsumerGroupDescribe(consumer_group_describe::answer(call, q)),
        Q::ShareGroupDescribe(q) => A::ShareGroupDescribe(share_group_describe::answer(call, q)),
        Q::OffsetFetch(q) => A::OffsetFetch(offset_fetch::answer(call, q)),
        Q::OffsetCommit(q) => A::OffsetCommit(offset_commit::answer(call, q)),
        Q::OffsetDelete(q) => A::OffsetDelete(offset_delete::answer(call, q)),
        Q::DeleteGroups(q) => A::DeleteGroups(delete_groups::answer(call, q)),
        Q::ListOffsets(q) => A::ListOffsets(list_offsets::answer(call, q)),
        Q::DescribeConfigs(q) => A::DescribeConfigs(describe_configs::answer(call, q)),
        Q::DescribeShareGroupOffsets(q) => A::DescribeShareGroupOffsets(describe_share_group_offsets::answer(call, q)),
        Q::Fetch(q) => A::Fetch(fetch::answer(call, q)),
        Q::Produce(q) => {
            let silent = q.acks == 0;
            let answer = produce::answer(call, q);
            return (!silent).then_some(A::Produce(answer));
        }
        Q::SaslHandshake(q) => A::SaslHandshake(sasl::handshake(call, &q)),
        Q::SaslAuthenticate(q) => A::SaslAuthenticate(sasl::authenticate(call, &q)),
        Q::CreateTopics(q) => A::CreateTopics(topics::create(call, q)),
        Q::DeleteTopics(q) => A::DeleteTopics(topics::delete(call, q)),
        Q::DeleteRecords(q) => A::DeleteRecords(topics::delete_records(call, q)),
        Q::CreatePartitions(q) => A::CreatePartitions(topics::create_partitions(call, q)),
        _ => return None,
    })
}

/// The code on the wire: 0 for `Ok`.
fn code<T>(result: &Result<T, ResponseError>) -> i16 {
    result.as_ref().err().map_or(NONE, ResponseError::code)
}

/// A text as the codec has it.
fn text(text: &str) -> StrBytes {
    StrBytes::from_string(text.to_owned())
}
