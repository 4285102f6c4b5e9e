//! Lists and descriptions of groups.

use bytes::Buf;
use kafka_protocol::messages::ConsumerGroupDescribeRequest;
use kafka_protocol::messages::ConsumerProtocolAssignment;
use kafka_protocol::messages::DeleteGroupsRequest;
use kafka_protocol::messages::DescribeGroupsRequest;
use kafka_protocol::messages::FindCoordinatorRequest;
use kafka_protocol::messages::GroupId;
use kafka_protocol::messages::ListGroupsRequest;
use kafka_protocol::messages::ShareGroupDescribeRequest;
use kafka_protocol::messages::consumer_group_describe_response::DescribedGroup as Newer;
use kafka_protocol::messages::describe_groups_response::DescribedGroup as Classic;
use kafka_protocol::messages::list_groups_response::ListedGroup;
use kafka_protocol::protocol::Decodable;

use super::commits::commit;
use super::commits::fetched;
use super::commits::forget;
use super::ground::Ground;
use crate::support::until;

pub(super) fn listed(ground: &Ground, group: &GroupId, version: i16) -> Option<ListedGroup> {
    let answer = ground.ask(&ListGroupsRequest::default(), version);
    answer.groups.into_iter().find(|listed| listed.group_id == *group)
}

fn classic(ground: &Ground, group: &GroupId, version: i16) -> Classic {
    let request = DescribeGroupsRequest::default().with_groups(vec![group.clone()]);
    ground.ask(&request, version).groups.remove(0)
}

fn newer(ground: &Ground, group: &GroupId, version: i16) -> Newer {
    let request = ConsumerGroupDescribeRequest::default().with_group_ids(vec![group.clone()]);
    ground.ask(&request, version).groups.remove(0)
}

fn delete(ground: &Ground, group: &GroupId) -> i16 {
    let request = DeleteGroupsRequest::default().with_groups_names(vec![group.clone()]);
    ground.ask(&request, 2).results[0].error_code
}

pub(super) fn an_unknown_group_in_every_call(ground: &Ground) {
    let (group, topic) = (ground.group(), ground.topic(1));
    for version in 0..=6 {
        let said = classic(ground, &group, version);
        let error = if version == 6 { 69 } else { 0 };
        assert_eq!((said.error_code, &*said.group_state), (error, "Dead"), "v{version}");
        assert_eq!(said.error_message.is_some(), version == 6);
    }
    for version in 0..=1 {
        assert_eq!(newer(ground, &group, version).error_code, 69);
    }
    let share = ShareGroupDescribeRequest::default().with_group_ids(vec![group.clone()]);
    assert_eq!(ground.ask(&share, 1).groups[0].error_code, 69);
    for version in 0..=5 {
        assert_eq!(listed(ground, &group, version), None);
    }
    assert_eq!(fetched(ground, &group, None, 9), (0, vec![]));
    assert_eq!(
        fetched(ground, &group, Some((&topic, &[0])), 9),
        (0, vec![(0, -1, -1, 0)])
    );
    assert_eq!(forget(ground, &group, &topic), Err(69));
    assert_eq!(delete(ground, &group), 69);
    let find = FindCoordinatorRequest::default().with_coordinator_keys(vec![group.0]);
    for version in 4..=6 {
        assert_eq!(ground.ask(&find, version).coordinators[0].error_code, 0);
    }
}

pub(super) fn a_classic_group_alive_and_empty(ground: &Ground) {
    let topic = ground.topic(3);
    let (group, leave) = ground.join(&topic, "classic");
    for version in 0..=6 {
        let said = classic(ground, &group, version);
        let summary = (
            said.error_code,
            &*said.group_state,
            &*said.protocol_type,
            &*said.protocol_data,
        );
        assert_eq!(summary, (0, "Stable", "consumer", "range"), "v{version}");
        let mut bytes = said.members[0].member_assignment.clone();
        let format = bytes.get_i16();
        let assigned = ConsumerProtocolAssignment::decode(&mut bytes, format).expect("an assignment");
        assert_eq!(assigned.assigned_partitions.len(), 1);
        assert_eq!(assigned.assigned_partitions[0].topic, topic);
        assert_eq!(assigned.assigned_partitions[0].partitions, [0, 1, 2]);
        assert_eq!(&*said.members[0].client_host, "/127.0.0.1");
    }
    let said = newer(ground, &group, 0);
    assert_eq!((said.error_code, said.members.len()), (69, 0));
    let list = listed(ground, &group, 5).expect("it is listed");
    assert_eq!((&*list.protocol_type, &*list.group_state), ("consumer", "Stable"));
    assert!(list.group_type.eq_ignore_ascii_case("classic"));
    assert_eq!(commit(ground, &group, &topic, 0, 9), 25);
    assert_eq!(forget(ground, &group, &topic), Ok(86));
    assert_eq!(delete(ground, &group), 68);

    leave();
    until("nobody is in it", || {
        &*classic(ground, &group, 5).group_state == "Empty"
    });
    let said = classic(ground, &group, 6);
    let summary = (
        said.error_code,
        &*said.protocol_type,
        &*said.protocol_data,
        said.members.len(),
    );
    assert_eq!(summary, (0, "consumer", "", 0));
    assert_eq!(commit(ground, &group, &topic, 0, 9), 0);
    assert_eq!(forget(ground, &group, &topic), Ok(0));
    assert_eq!(delete(ground, &group), 0);
}

pub(super) fn a_kip_848_group_alive_and_empty(ground: &Ground) {
    let topic = ground.topic(3);
    let (group, leave) = ground.join(&topic, "consumer");
    for version in 0..=1 {
        let said = newer(ground, &group, version);
        let summary = (said.error_code, &*said.group_state, &*said.assignor_name);
        assert_eq!(summary, (0, "Stable", "uniform"), "v{version}");
        assert!(said.group_epoch > 0 && said.assignment_epoch == said.group_epoch);
        let member = &said.members[0];
        for assigned in [&member.assignment, &member.target_assignment] {
            let mut partitions = assigned.topic_partitions[0].partitions.clone();
            partitions.sort_unstable();
            assert_eq!(
                (&assigned.topic_partitions[0].topic_name, &*partitions),
                (&topic, &[0, 1, 2][..])
            );
        }
        assert_eq!(member.subscribed_topic_names, std::slice::from_ref(&topic));
        assert_eq!(member.member_epoch, said.group_epoch);
        assert_eq!(member.member_type, if version == 1 { 1 } else { -1 });
    }
    for version in [0, 5, 6] {
        let said = classic(ground, &group, version);
        assert_eq!(
            (said.error_code, &*said.group_state),
            (if version == 6 { 69 } else { 0 }, "Dead")
        );
    }
    let list = listed(ground, &group, 5).expect("it is listed");
    assert_eq!((&*list.protocol_type, &*list.group_state), ("consumer", "Stable"));
    assert!(list.group_type.eq_ignore_ascii_case("consumer"));
    assert_eq!(commit(ground, &group, &topic, 0, 9), 25);
    assert_eq!(forget(ground, &group, &topic), Ok(86));
    assert_eq!(delete(ground, &group), 68);

    leave();
    until("nobody is in it", || &*newer(ground, &group, 1).group_state == "Empty");
    assert_eq!(commit(ground, &group, &topic, 0, 9), 0);
    assert_eq!(delete(ground, &group), 0);
    assert_eq!(newer(ground, &group, 1).error_code, 69);
}
