//! Lists of groups and limits of logs.

use kafka_protocol::messages::ListGroupsResponse;
use kafka_protocol::messages::ListOffsetsResponse;
use kafka_protocol::messages::list_groups_response as groups;
use kafka_protocol::messages::list_offsets_response as offsets;

use super::list_offsets::Listed;
use super::*;
use crate::model::BrokerId;
use crate::model::GroupState;
use crate::model::UnixMillis;
use crate::observation::ListedGroup;

fn groups(draw: &mut Draw<'_>, version: i16) -> ListGroupsResponse {
    ListGroupsResponse::default()
        .with_throttle_time_ms(draw.int32())
        .with_error_code(draw.error())
        .with_groups(draw.list(|draw| {
            let mut group = groups::ListedGroup::default()
                .with_group_id(draw.text().into())
                .with_protocol_type(draw.one_of(&["consumer", "connect", ""]))
                .with_unknown_tagged_fields(draw.tags());
            if version >= 4 {
                group = group.with_group_state(draw.one_of(&["Stable", "empty", ""]));
            }
            if version >= 5 {
                group = group.with_group_type(draw.one_of(&["Classic", "consumer", ""]));
            }
            group
        }))
        .with_unknown_tagged_fields(draw.tags())
}

fn listed(group: &groups::ListedGroup) -> ListedGroup {
    let word = |text: &StrBytes| (!text.is_empty()).then(|| name(text));
    ListedGroup {
        id: name(&group.group_id),
        coordinators: vec![BrokerId(7)],
        protocol_type: name(&group.protocol_type),
        group_type: word(&group.group_type),
        state: word(&group.group_state).map(|state| GroupState::parse(&state)),
    }
}

#[test]
fn the_groups_of_a_broker_are_read_in_every_version() {
    hold(
        Api::ListGroups,
        groups,
        |body, version| list_groups::read(body, version, BrokerId(7), &mut Names::new()),
        |answer, _| {
            let groups = sorted(answer.groups.iter().map(listed).map(|group| (group.id.clone(), group)));
            heard(answer.error_code, groups.into_iter().map(|(_, group)| group).collect())
        },
    );
}

fn offsets(draw: &mut Draw<'_>, version: i16) -> ListOffsetsResponse {
    ListOffsetsResponse::default()
        .with_throttle_time_ms(draw.int32())
        .with_topics(draw.list(|draw| {
            offsets::ListOffsetsTopicResponse::default()
                .with_name(draw.text().into())
                .with_partitions(draw.list(|draw| {
                    offsets::ListOffsetsPartitionResponse::default()
                        .with_partition_index(draw.int32())
                        .with_error_code(draw.error())
                        .with_timestamp(draw.int64())
                        .with_offset(draw.int64())
                        .with_leader_epoch(if version >= 4 { draw.int32() } else { -1 })
                        .with_unknown_tagged_fields(draw.tags())
                }))
                .with_unknown_tagged_fields(draw.tags())
        }))
        .with_unknown_tagged_fields(draw.tags())
}

fn listed_offset(partition: &offsets::ListOffsetsPartitionResponse) -> Heard<Listed> {
    Ok(Listed {
        offset: offset(partition.error_code, partition.offset)?,
        time: (partition.timestamp != -1).then_some(UnixMillis(partition.timestamp)),
        leader_epoch: (partition.leader_epoch >= 0).then_some(partition.leader_epoch),
    })
}

#[test]
fn the_limits_of_logs_are_read_in_every_version() {
    hold(
        Api::ListOffsets,
        offsets,
        |body, version| list_offsets::read(body, version, &mut Names::new()).map(Topics::into_vec),
        |answer, _| {
            by_topic(answer.topics.iter().map(|topic| {
                let partitions = topic.partitions.iter();
                let partitions = partitions.map(|partition| (partition.partition_index, listed_offset(partition)));
                (name(&topic.name), partitions.collect())
            }))
        },
    );
}

#[test]
fn single_partitions_are_found_by_topic_and_index() {
    let partition = |index, offset| {
        offsets::ListOffsetsPartitionResponse::default()
            .with_partition_index(index)
            .with_offset(offset)
    };
    let topic = |topic: &'static str, partitions| {
        offsets::ListOffsetsTopicResponse::default()
            .with_name(StrBytes::from(topic).into())
            .with_partitions(partitions)
    };
    let answer = ListOffsetsResponse::default().with_topics(vec![
        topic("b", vec![partition(3, 30), partition(1, 10)]),
        topic("a", vec![partition(0, 5)]),
        topic("b", vec![partition(3, 31)]),
    ]);
    let mut body = Vec::new();
    answer.encode(&mut body, 6).unwrap();
    let topics = list_offsets::read(&body, 6, &mut Names::new()).unwrap();
    let offset = |topic, index| {
        let listed = topics.get(&TopicName::from(topic), Partition(index))?;
        listed.unwrap().offset.map(Offset::get)
    };
    assert_eq!(offset("a", 0), Some(5));
    assert_eq!(offset("b", 1), Some(10));
    assert_eq!(offset("b", 3), Some(31), "the last one in the answer counts");
    assert_eq!(offset("b", 2), None);
    assert_eq!(offset("c", 0), None);
}

#[test]
fn many_groups_of_which_next_to_nothing_is_told_are_not_too_many() {
    let group = |number| {
        let id = StrBytes::from_string(format!("{number:04x}"));
        groups::ListedGroup::default().with_group_id(id.into())
    };
    let mut body = Vec::new();
    let answer = ListGroupsResponse::default().with_groups((0..30_000).map(group).collect());
    answer.encode(&mut body, 3).unwrap();
    let groups = list_groups::read(&body, 3, BrokerId(7), &mut Names::new());
    assert_eq!(groups.map(|groups| groups.map(|groups| groups.len())), Ok(Ok(30_000)));
}
