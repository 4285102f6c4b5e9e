//! The least that a survey can cost: every question of a cycle, pipelined on one connection, the answers read and thrown away.

use kafka_protocol::messages::BrokerId;
use kafka_protocol::messages::DescribeGroupsRequest;
use kafka_protocol::messages::ListGroupsRequest;
use kafka_protocol::messages::ListOffsetsRequest;
use kafka_protocol::messages::MetadataRequest;
use kafka_protocol::messages::OffsetFetchRequest;
use kafka_protocol::messages::list_offsets_request::ListOffsetsPartition;
use kafka_protocol::messages::list_offsets_request::ListOffsetsTopic;
use kafka_protocol::messages::offset_fetch_request::OffsetFetchRequestGroup;

use crate::it::support::admin::metadata_topic;
use crate::it::support::admin::topic_name;
use crate::it::support::groups::group_id;
use crate::it::support::wire::Wire;
use crate::load::Load;

/// Groups a request: of those tried, the fastest.
const TOGETHER: usize = 500;

/// Asks everything and waits for every answer.
pub(crate) fn run(port: u16, load: &Load) {
    survey(port, load).expect("the broker answers");
}

fn survey(port: u16, load: &Load) -> std::io::Result<()> {
    let mut wire = Wire::to(port)?;
    let mut asked = 3;
    wire.send(&MetadataRequest::default().with_topics(Some(Vec::new())), 12)?;
    wire.send(&ListGroupsRequest::default(), 5)?;
    for groups in load.groups.chunks(TOGETHER) {
        wire.send(
            &DescribeGroupsRequest::default().with_groups(groups.iter().map(|g| group_id(g)).collect()),
            5,
        )?;
        let all = |group: &String| {
            OffsetFetchRequestGroup::default()
                .with_group_id(group_id(group))
                .with_topics(None)
        };
        wire.send(
            &OffsetFetchRequest::default().with_groups(groups.iter().map(all).collect()),
            8,
        )?;
        asked += 2;
    }
    let topics = load.topics.iter().map(|topic| metadata_topic(topic)).collect();
    wire.send(
        &MetadataRequest::default()
            .with_topics(Some(topics))
            .with_allow_auto_topic_creation(false),
        12,
    )?;
    // The ends, the ends of what is committed, the starts.
    for (timestamp, isolation) in [(-1, 0), (-1, 1), (-2, 0)] {
        wire.send(&offsets(load, timestamp).with_isolation_level(isolation), 7)?;
        asked += 1;
    }
    (0..asked).try_for_each(|_| wire.receive().map(drop))
}

fn offsets(load: &Load, timestamp: i64) -> ListOffsetsRequest {
    let place = |partition| {
        let place = ListOffsetsPartition::default()
            .with_partition_index(partition)
            .with_timestamp(timestamp);
        place.with_current_leader_epoch(-1)
    };
    let topic = |name: &String| {
        let places = (0..load.partitions).map(place).collect();
        ListOffsetsTopic::default()
            .with_name(topic_name(name))
            .with_partitions(places)
    };
    ListOffsetsRequest::default()
        .with_replica_id(BrokerId(-1))
        .with_topics(load.topics.iter().map(topic).collect())
}
