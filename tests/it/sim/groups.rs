//! Groups and commits as clients see them.

use std::time::Duration;

use bytes::Buf;
use kafka_protocol::messages::ConsumerGroupDescribeRequest;
use kafka_protocol::messages::ConsumerProtocolAssignment;
use kafka_protocol::messages::DeleteGroupsRequest;
use kafka_protocol::messages::DescribeGroupsRequest;
use kafka_protocol::messages::DescribeShareGroupOffsetsRequest;
use kafka_protocol::messages::FindCoordinatorRequest;
use kafka_protocol::messages::ListGroupsRequest;
use kafka_protocol::messages::OffsetCommitRequest;
use kafka_protocol::messages::OffsetDeleteRequest;
use kafka_protocol::messages::OffsetFetchRequest;
use kafka_protocol::messages::ShareGroupDescribeRequest;
use kafka_protocol::messages::describe_share_group_offsets_request::DescribeShareGroupOffsetsRequestGroup;
use kafka_protocol::messages::offset_commit_request::OffsetCommitRequestPartition;
use kafka_protocol::messages::offset_commit_request::OffsetCommitRequestTopic;
use kafka_protocol::messages::offset_delete_request::OffsetDeleteRequestPartition;
use kafka_protocol::messages::offset_delete_request::OffsetDeleteRequestTopic;
use kafka_protocol::messages::offset_fetch_request::OffsetFetchRequestGroup;
use kafka_protocol::messages::offset_fetch_request::OffsetFetchRequestTopic;
use kafka_protocol::protocol::Decodable;
use tidemark::clock::Clock;
use tidemark::model::GroupState;
use tidemark::model::GroupType;
use tidemark::model::UnixMillis;
use tidemark::sim::Cluster;
use tidemark::sim::Commit;
use tidemark::sim::Member;
use tidemark::sim::Model;
use tidemark::sim::Pace;
use tidemark::sim::model::group_id;
use tidemark::sim::model::topic_name;

use super::raw::Raw;

const START: i64 = 1_700_000_000_000;

fn cluster(brokers: u16) -> (Cluster, Clock) {
    let clock = Clock::stepped(UnixMillis(START));
    let mut model = Model::new(brokers, 1);
    model.set_now(START);
    model.create_topic("t", 3);
    (Cluster::start(model, clock.clone()).expect("loopback has ports"), clock)
}

async fn connect(cluster: &Cluster) -> Raw {
    Raw::connect(cluster.address(1).expect("broker 1")).await
}

fn of(group: &str) -> OffsetFetchRequest {
    OffsetFetchRequest::default().with_groups(vec![
        OffsetFetchRequestGroup::default()
            .with_group_id(group_id(group))
            .with_topics(None),
    ])
}

fn committing(group: &str, offset: i64) -> OffsetCommitRequest {
    let partition = OffsetCommitRequestPartition::default()
        .with_partition_index(0)
        .with_committed_offset(offset)
        .with_committed_metadata(Some("why".to_owned().into()));
    OffsetCommitRequest::default()
        .with_group_id(group_id(group))
        .with_generation_id_or_member_epoch(-1)
        .with_topics(vec![
            OffsetCommitRequestTopic::default()
                .with_name(topic_name("t"))
                .with_partitions(vec![partition]),
        ])
}

#[tokio::test]
async fn lists_have_types_and_states_and_their_filters_ignore_case() {
    let (cluster, _) = cluster(1);
    cluster.edit(|model| {
        model.join("classic", Member::new("a").subscribed(&["t"]));
        model.create_group("next", GroupType::Consumer);
        model.commit("simple", "t", 0, 1);
        model.create_group("connect", GroupType::Connect);
        model.create_group("share", GroupType::Share);
    });
    let mut raw = connect(&cluster).await;
    for version in 0..=5 {
        assert_eq!(raw.ask(&ListGroupsRequest::default(), version).await.groups.len(), 5);
    }
    let answer = raw.ask(&ListGroupsRequest::default(), 5).await;
    let found: Vec<_> = answer
        .groups
        .iter()
        .map(|g| {
            format!(
                "{} {:?} {} {}",
                g.group_id.as_str(),
                g.protocol_type.as_str(),
                g.group_state,
                g.group_type
            )
        })
        .collect();
    assert_eq!(
        found,
        [
            "classic \"consumer\" Stable Classic",
            "connect \"connect\" Empty Classic",
            "next \"consumer\" Empty Consumer",
            "share \"share\" Empty Share",
            "simple \"\" Empty Classic",
        ]
    );
    let filtered = ListGroupsRequest::default()
        .with_states_filter(vec!["sTABLE".to_owned().into()])
        .with_types_filter(vec!["classic".to_owned().into()]);
    assert_eq!(raw.ask(&filtered, 5).await.groups.len(), 1);
    cluster.edit(|model| model.lower_case_types = true);
    assert_eq!(&*raw.ask(&filtered, 5).await.groups[0].group_type, "classic");
}

#[tokio::test]
async fn a_classic_member_shows_its_assignment_only_while_the_group_is_stable() {
    let (cluster, _) = cluster(1);
    cluster.edit(|model| model.join("g", Member::new("a").subscribed(&["t"]).instance("i-1")));
    let mut raw = connect(&cluster).await;
    let request = DescribeGroupsRequest::default().with_groups(vec![group_id("g")]);
    for version in 0..=6 {
        let answer = raw.ask(&request, version).await;
        let member = &answer.groups[0].members[0];
        let mut bytes = member.member_assignment.clone();
        let assigned = ConsumerProtocolAssignment::decode(&mut bytes.clone().split_off(2), bytes.get_i16()).unwrap();
        assert_eq!(assigned.assigned_partitions[0].partitions, [0, 1, 2]);
        assert_eq!(member.group_instance_id.is_some(), version >= 4);
    }
    cluster
        .edit(|model| model.set_state("g", GroupState::PreparingRebalance))
        .unwrap();
    let answer = raw.ask(&request, 6).await;
    assert_eq!(&*answer.groups[0].group_state, "PreparingRebalance");
    assert!(answer.groups[0].members[0].member_assignment.is_empty());
}

#[tokio::test]
async fn an_unknown_group_is_dead_up_to_v5_and_an_error_from_v6() {
    let (cluster, _) = cluster(1);
    cluster.edit(|model| {
        model.create_group("next", GroupType::Consumer);
    });
    let mut raw = connect(&cluster).await;
    let request = DescribeGroupsRequest::default().with_groups(vec![group_id("none"), group_id("next")]);
    let old = raw.ask(&request, 5).await;
    let new = raw.ask(&request, 6).await;
    for (old, new) in old.groups.iter().zip(&new.groups) {
        assert_eq!((old.error_code, &*old.group_state), (0, "Dead"));
        assert_eq!((new.error_code, &*new.group_state), (69, "Dead"));
    }
    let describe = ConsumerGroupDescribeRequest::default().with_group_ids(vec![group_id("none"), group_id("next")]);
    let answer = raw.ask(&describe, 0).await;
    assert_eq!(answer.groups[0].error_code, 69);
    assert_eq!(
        (answer.groups[1].error_code, &*answer.groups[1].group_state),
        (0, "Empty")
    );
}

#[tokio::test]
async fn newer_groups_are_described_by_calls_of_their_own() {
    let (cluster, _) = cluster(1);
    cluster.edit(|model| {
        model.create_group("next", GroupType::Consumer);
        model.create_group("share", GroupType::Share);
        for id in ["a", "b"] {
            model.join("next", Member::new(id).subscribed(&["t"]));
            model.join("share", Member::new(id).assigned("t", &[0, 1, 2]));
        }
        model.commit("share", "t", 1, 17);
    });
    let mut raw = connect(&cluster).await;
    let describe = ConsumerGroupDescribeRequest::default().with_group_ids(vec![group_id("next")]);
    for version in 0..=1 {
        let group = &raw.ask(&describe, version).await.groups[0];
        assert_eq!(
            (&*group.group_state, group.group_epoch, group.assignment_epoch),
            ("Stable", 2, 2)
        );
        assert_eq!(group.members[0].assignment.topic_partitions[0].partitions, [0, 1]);
        assert_eq!(group.members[1].target_assignment.topic_partitions[0].partitions, [2]);
    }
    let describe = ShareGroupDescribeRequest::default().with_group_ids(vec![group_id("share")]);
    let group = &raw.ask(&describe, 1).await.groups[0];
    assert_eq!(group.members[1].assignment.topic_partitions[0].partitions, [0, 1, 2]);
    let offsets = DescribeShareGroupOffsetsRequest::default().with_groups(vec![
        DescribeShareGroupOffsetsRequestGroup::default()
            .with_group_id(group_id("share"))
            .with_topics(None),
    ]);
    let group = &raw.ask(&offsets, 0).await.groups[0];
    assert_eq!(group.topics[0].partitions[0].start_offset, 17);
    assert!(raw.ask(&of("share"), 9).await.groups[0].topics.is_empty());
}

#[tokio::test]
async fn commits_are_answered_by_every_version_named_or_all() {
    let (cluster, _) = cluster(1);
    cluster.edit(|model| {
        let commit = Commit {
            offset: 42,
            epoch: 3,
            metadata: "m".to_owned(),
        };
        model.commit_with("g", "t", 1, commit);
    });
    let mut raw = connect(&cluster).await;
    let named = OffsetFetchRequest::default()
        .with_group_id(group_id("g"))
        .with_topics(Some(vec![
            OffsetFetchRequestTopic::default()
                .with_name(topic_name("t"))
                .with_partition_indexes(vec![0, 1]),
        ]));
    for version in 1..=7 {
        let answer = raw.ask(&named, version).await;
        let offsets: Vec<i64> = answer.topics[0]
            .partitions
            .iter()
            .map(|one| one.committed_offset)
            .collect();
        assert_eq!(offsets, [-1, 42], "v{version}");
    }
    let all = OffsetFetchRequest::default()
        .with_group_id(group_id("g"))
        .with_topics(None);
    for version in 2..=7 {
        let answer = raw.ask(&all, version).await;
        assert_eq!(answer.topics[0].partitions.len(), 1);
    }
    for version in 8..=9 {
        let answer = raw.ask(&of("g"), version).await;
        let one = &answer.groups[0].topics[0].partitions[0];
        assert_eq!(
            (one.partition_index, one.committed_offset, one.committed_leader_epoch),
            (1, 42, 3)
        );
        assert_eq!(one.metadata.as_deref(), Some("m"));
        let none = raw.ask(&of("none"), version).await;
        assert_eq!((none.groups[0].error_code, none.groups[0].topics.len()), (0, 0));
    }
}

#[tokio::test]
async fn a_pending_transactional_commit_is_unstable_for_who_asks_for_stable_ones() {
    let (cluster, _) = cluster(1);
    cluster.edit(|model| {
        model.commit("g", "t", 0, 5);
        model.set_pending("g", "t", 0, true).unwrap();
    });
    let mut raw = connect(&cluster).await;
    let stable = raw.ask(&of("g").with_require_stable(true), 9).await;
    let one = &stable.groups[0].topics[0].partitions[0];
    assert_eq!((one.error_code, one.committed_offset), (88, -1));
    let last = raw.ask(&of("g"), 9).await;
    assert_eq!(last.groups[0].topics[0].partitions[0].committed_offset, 5);
}

#[tokio::test]
async fn only_a_group_without_members_takes_a_commit_from_outside() {
    let (cluster, _) = cluster(1);
    cluster.edit(|model| {
        model.join("live", Member::new("a").subscribed(&["t"]));
        model.create_group("next", GroupType::Consumer);
        model.join("next", Member::new("a").subscribed(&["t"]));
    });
    let mut raw = connect(&cluster).await;
    for version in 2..=9 {
        for (group, code) in [("live", 25), ("next", 25), ("made", 0)] {
            let answer = raw.ask(&committing(group, 7), version).await;
            assert_eq!(answer.topics[0].partitions[0].error_code, code, "{group} v{version}");
        }
    }
    let made = raw.ask(&of("made"), 9).await;
    let one = &made.groups[0].topics[0].partitions[0];
    assert_eq!((one.committed_offset, one.metadata.as_deref()), (7, Some("why")));
    let member = committing("live", 9)
        .with_generation_id_or_member_epoch(1)
        .with_member_id("a".to_owned().into());
    assert_eq!(raw.ask(&member, 9).await.topics[0].partitions[0].error_code, 0);
    let mut elsewhere = committing("made", 1);
    elsewhere.topics[0].partitions[0].partition_index = 99;
    assert_eq!(raw.ask(&elsewhere, 9).await.topics[0].partitions[0].error_code, 3);
}

#[tokio::test]
async fn commits_are_forgotten_but_not_under_a_subscriber() {
    let (cluster, _) = cluster(1);
    cluster.edit(|model| {
        model.commit("idle", "t", 0, 5);
        model.join("live", Member::new("a").subscribed(&["t"]));
        model.commit("live", "t", 0, 5);
    });
    let mut raw = connect(&cluster).await;
    let forget = |group: &str| {
        OffsetDeleteRequest::default()
            .with_group_id(group_id(group))
            .with_topics(vec![
                OffsetDeleteRequestTopic::default()
                    .with_name(topic_name("t"))
                    .with_partitions(vec![OffsetDeleteRequestPartition::default().with_partition_index(0)]),
            ])
    };
    assert_eq!(raw.ask(&forget("none"), 0).await.error_code, 69);
    assert_eq!(raw.ask(&forget("live"), 0).await.topics[0].partitions[0].error_code, 86);
    assert_eq!(raw.ask(&forget("idle"), 0).await.topics[0].partitions[0].error_code, 0);
    assert!(raw.ask(&of("idle"), 9).await.groups[0].topics.is_empty());
    let delete = DeleteGroupsRequest::default().with_groups_names(["idle", "live", "none"].map(group_id).to_vec());
    let codes: Vec<i16> = raw
        .ask(&delete, 2)
        .await
        .results
        .iter()
        .map(|one| one.error_code)
        .collect();
    assert_eq!(codes, [0, 68, 69]);
}

#[tokio::test]
async fn only_the_coordinator_answers_for_a_group() {
    let (cluster, _) = cluster(3);
    cluster.edit(|model| {
        model.commit("g", "t", 0, 5);
        model.move_coordinator("g", 2).unwrap();
    });
    let mut raw = connect(&cluster).await;
    assert_eq!(raw.ask(&of("g"), 9).await.groups[0].error_code, 16);
    let describe = DescribeGroupsRequest::default().with_groups(vec![group_id("g")]);
    assert_eq!(raw.ask(&describe, 6).await.groups[0].error_code, 16);
    assert!(raw.ask(&ListGroupsRequest::default(), 5).await.groups.is_empty());
    let old = FindCoordinatorRequest::default().with_key("g".to_owned().into());
    for version in 0..=3 {
        assert_eq!(raw.ask(&old, version).await.node_id.0, 2);
    }
    let many = FindCoordinatorRequest::default().with_coordinator_keys(vec!["g".to_owned().into()]);
    for version in 4..=6 {
        let found = &raw.ask(&many, version).await.coordinators[0];
        let address = cluster.address(2).unwrap();
        assert_eq!((found.node_id.0, found.port), (2, i32::from(address.port())));
    }
    cluster.edit(|model| model.list_group_on("g", Some(&[1, 3]))).unwrap();
    assert_eq!(raw.ask(&ListGroupsRequest::default(), 5).await.groups.len(), 1);
    cluster.edit(|model| model.lose_broker(2)).unwrap();
    assert_eq!(raw.ask(&many, 4).await.coordinators[0].error_code, 15);
}

#[tokio::test]
async fn the_clock_moves_readers_and_who_leaves_stands_still() {
    let (cluster, clock) = cluster(1);
    cluster.edit(|model| {
        model.produce("t", 0, 10, Duration::from_secs(1)).unwrap();
        model.join("g", Member::new("a").subscribed(&["t"]));
        model
            .read("g", "t", &[0], Pace::keeping_up(Duration::from_secs(1)))
            .unwrap();
    });
    let mut raw = connect(&cluster).await;
    clock.step(Duration::from_secs(30));
    let committed = async |raw: &mut Raw| raw.ask(&of("g"), 9).await.groups[0].topics[0].partitions[0].committed_offset;
    assert_eq!(committed(&mut raw).await, 301);
    cluster.edit(|model| model.leave("g", "a")).unwrap();
    clock.step(Duration::from_secs(30));
    assert_eq!(committed(&mut raw).await, 301);
}

#[tokio::test]
async fn a_deleted_topic_takes_its_commits_along_unless_the_coordinator_is_late() {
    let (cluster, _) = cluster(1);
    cluster.edit(|model| {
        model.create_topic("u", 1);
        model.commit("g", "t", 0, 5);
        model.commit("g", "u", 0, 5);
        model.delete_topic("t").unwrap();
        model.delete_topic_leaving_commits("u").unwrap();
    });
    let mut raw = connect(&cluster).await;
    let answer = raw.ask(&of("g"), 9).await;
    let names: Vec<&str> = answer.groups[0]
        .topics
        .iter()
        .map(|topic| topic.name.as_str())
        .collect();
    assert_eq!(names, ["u"]);
}
