//! Every fault does to an answer what it says, and to no other.

use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use kafka_protocol::messages::DescribeGroupsRequest;
use kafka_protocol::messages::ListGroupsRequest;
use kafka_protocol::messages::ListOffsetsRequest;
use kafka_protocol::messages::MetadataRequest;
use kafka_protocol::messages::OffsetCommitRequest;
use kafka_protocol::messages::OffsetFetchRequest;
use kafka_protocol::messages::list_offsets_request::ListOffsetsPartition;
use kafka_protocol::messages::list_offsets_request::ListOffsetsTopic;
use kafka_protocol::messages::offset_commit_request::OffsetCommitRequestPartition;
use kafka_protocol::messages::offset_commit_request::OffsetCommitRequestTopic;
use kafka_protocol::messages::offset_fetch_request::OffsetFetchRequestGroup;
use tidemark::clock::Clock;
use tidemark::model::UnixMillis;
use tidemark::sim::ApiKey;
use tidemark::sim::Cluster;
use tidemark::sim::Fault;
use tidemark::sim::Mangle;
use tidemark::sim::Model;
use tidemark::sim::Then;
use tidemark::sim::When;
use tidemark::sim::model::group_id;
use tidemark::sim::model::topic_name;

use super::raw::Raw;

const START: i64 = 1_700_000_000_000;

/// Long enough for a loopback answer on a busy machine.
const PATIENCE: Duration = Duration::from_millis(300);

async fn cluster() -> (Cluster, Clock, Raw) {
    let clock = Clock::stepped(UnixMillis(START));
    let mut model = Model::new(1, 1);
    model.set_now(START);
    for topic in ["t", "u"] {
        model.create_topic(topic, 2);
        for partition in 0..2 {
            model.append(topic, partition, 10).expect("the topic was made");
            model.commit("g", topic, partition, 5);
            model.commit("h", topic, partition, 6);
        }
    }
    let cluster = Cluster::start(model, clock.clone()).expect("loopback has ports");
    let raw = Raw::connect(cluster.address(1).expect("broker 1")).await;
    (cluster, clock, raw)
}

fn ends() -> ListOffsetsRequest {
    let partitions: Vec<_> = (0..2)
        .map(|index| {
            ListOffsetsPartition::default()
                .with_partition_index(index)
                .with_current_leader_epoch(-1)
                .with_timestamp(-1)
        })
        .collect();
    let topics = ["t", "u"].map(|name| {
        ListOffsetsTopic::default()
            .with_name(topic_name(name))
            .with_partitions(partitions.clone())
    });
    ListOffsetsRequest::default().with_topics(topics.to_vec())
}

fn commits() -> OffsetFetchRequest {
    let groups = ["g", "h"].map(|id| {
        OffsetFetchRequestGroup::default()
            .with_group_id(group_id(id))
            .with_topics(None)
    });
    OffsetFetchRequest::default().with_groups(groups.to_vec())
}

/// Error code and offset of t/0, t/1, u/0, u/1.
async fn ends_now(raw: &mut Raw) -> Vec<(i16, i64)> {
    let answer = raw.ask(&ends(), 7).await;
    let partitions = answer.topics.iter().flat_map(|topic| &topic.partitions);
    partitions.map(|one| (one.error_code, one.offset)).collect()
}

#[tokio::test]
async fn a_code_hits_one_partition_a_topic_or_all_and_replaces_or_accompanies_the_value() {
    let (cluster, _, mut raw) = cluster().await;
    let list = || When::api(ApiKey::ListOffsets);
    for (when, fault, expected) in [
        (
            list().topic("t").partition(1),
            Fault::Error(6),
            [(0, 10), (6, -1), (0, 10), (0, 10)],
        ),
        (
            list().topic("u"),
            Fault::ErrorBeside(777),
            [(0, 10), (0, 10), (777, 10), (777, 10)],
        ),
        (
            list().partition(0),
            Fault::Error(-1),
            [(-1, -1), (0, 10), (-1, -1), (0, 10)],
        ),
        (list(), Fault::Error(29), [(29, -1); 4]),
    ] {
        let id = cluster.fault(when.clone(), fault);
        assert_eq!(ends_now(&mut raw).await, expected, "{when:?}");
        cluster.mend(id);
        assert_eq!(ends_now(&mut raw).await, [(0, 10); 4]);
    }
}

#[tokio::test]
async fn a_code_hits_one_group_and_spares_the_others() {
    let (cluster, _, mut raw) = cluster().await;
    cluster.fault(When::any().group("g"), Fault::Error(14));
    let answer = raw.ask(&commits(), 9).await;
    assert_eq!((answer.groups[0].error_code, answer.groups[0].topics.len()), (14, 0));
    assert_eq!((answer.groups[1].error_code, answer.groups[1].topics.len()), (0, 2));
    let describe = DescribeGroupsRequest::default().with_groups(vec![group_id("g"), group_id("h")]);
    let answer = raw.ask(&describe, 6).await;
    assert_eq!((answer.groups[0].error_code, answer.groups[1].error_code), (14, 0));
    let old = OffsetFetchRequest::default()
        .with_group_id(group_id("g"))
        .with_topics(None);
    assert_eq!(raw.ask(&old, 7).await.error_code, 14);
    cluster.mend_all();
    cluster.fault(When::any().group("h").topic("t").partition(0), Fault::Error(88));
    let answer = raw.ask(&commits(), 9).await;
    let codes: Vec<i16> = answer.groups[1]
        .topics
        .iter()
        .flat_map(|topic| &topic.partitions)
        .map(|one| one.error_code)
        .collect();
    assert_eq!(codes, [88, 0, 0, 0]);
}

#[tokio::test]
async fn what_is_left_out_is_not_in_the_answer() {
    let (cluster, _, mut raw) = cluster().await;
    cluster.fault(When::api(ApiKey::ListGroups).group("g"), Fault::LeftOut);
    let listed = raw.ask(&ListGroupsRequest::default(), 5).await;
    assert_eq!(listed.groups.len(), 1);
    cluster.fault(When::api(ApiKey::Metadata).topic("t"), Fault::LeftOut);
    let seen = raw.ask(&MetadataRequest::default().with_topics(None), 12).await;
    assert_eq!(seen.topics.len(), 1);
    cluster.fault(When::api(ApiKey::OffsetFetch).topic("t"), Fault::LeftOut);
    let fetched = raw.ask(&commits(), 9).await;
    assert_eq!(fetched.groups[0].topics.len(), 1);
}

#[tokio::test]
async fn a_refused_commit_is_not_stored_and_an_unanswered_one_is() {
    let (cluster, _, mut raw) = cluster().await;
    let partitions = (0..2).map(|index| {
        OffsetCommitRequestPartition::default()
            .with_partition_index(index)
            .with_committed_offset(9)
    });
    let topic = OffsetCommitRequestTopic::default()
        .with_name(topic_name("t"))
        .with_partitions(partitions.collect());
    let request = OffsetCommitRequest::default()
        .with_group_id(group_id("g"))
        .with_generation_id_or_member_epoch(-1)
        .with_topics(vec![topic]);
    cluster.fault(
        When::api(ApiKey::OffsetCommit).topic("t").partition(1),
        Fault::Error(29),
    );
    cluster.fault(When::api(ApiKey::OffsetCommit).nth(1..2), Fault::Silence);
    let answer = raw.ask(&request, 9).await;
    let codes: Vec<i16> = answer.topics[0].partitions.iter().map(|one| one.error_code).collect();
    assert_eq!(codes, [0, 29]);
    cluster.edit(|model| model.commit("g", "t", 0, 1));
    raw.send(&request, 9).await;
    let mut other = Raw::connect(cluster.address(1).unwrap()).await;
    while cluster.count(ApiKey::OffsetCommit) < 2 {
        tokio::task::yield_now().await;
    }
    let fetched = other.ask(&commits(), 9).await;
    let offsets: Vec<i64> = fetched.groups[0].topics[0]
        .partitions
        .iter()
        .map(|one| one.committed_offset)
        .collect();
    assert_eq!(offsets, [9, 5]);
    assert!(tokio::time::timeout(PATIENCE, raw.frame()).await.is_err());
}

#[tokio::test]
async fn faults_come_by_number_and_by_time() {
    let (cluster, clock, mut raw) = cluster().await;
    cluster.fault(When::api(ApiKey::ListOffsets).nth(1..2), Fault::Error(7));
    let codes = [
        ends_now(&mut raw).await[0].0,
        ends_now(&mut raw).await[0].0,
        ends_now(&mut raw).await[0].0,
    ];
    assert_eq!(codes, [0, 7, 0]);
    cluster.mend_all();
    let minute: Range<Duration> = Duration::from_secs(60)..Duration::from_secs(120);
    cluster.fault(When::any().during(minute), Fault::Error(7));
    assert_eq!(ends_now(&mut raw).await[0].0, 0);
    clock.step(Duration::from_secs(60));
    assert_eq!(ends_now(&mut raw).await[0].0, 7);
    clock.step(Duration::from_secs(60));
    assert_eq!(ends_now(&mut raw).await[0].0, 0);
}

#[tokio::test]
async fn an_answer_can_be_late_cut_or_missing() {
    let (cluster, _, mut raw) = cluster().await;
    let once = || When::api(ApiKey::ListOffsets).once();
    cluster.fault(once(), Fault::Delay(PATIENCE));
    let before = tokio::time::Instant::now();
    ends_now(&mut raw).await;
    assert!(before.elapsed() >= PATIENCE);

    cluster.fault(once(), Fault::Half(Then::Silence));
    raw.send(&ends(), 7).await;
    assert!(tokio::time::timeout(PATIENCE, raw.frame()).await.is_err());

    let mut raw = Raw::connect(cluster.address(1).unwrap()).await;
    cluster.fault(once(), Fault::Half(Then::Close));
    raw.send(&ends(), 7).await;
    assert!(raw.frame().await.is_err());

    let mut raw = Raw::connect(cluster.address(1).unwrap()).await;
    cluster.fault(once(), Fault::Close);
    raw.send(&ends(), 7).await;
    assert!(raw.frame().await.is_err());
}

#[tokio::test]
async fn an_answers_bytes_can_be_anything() {
    let (cluster, _, mut raw) = cluster().await;
    let once = || When::any().once();
    raw.send(&ends(), 7).await;
    let good = raw.frame().await.unwrap();

    cluster.fault(once(), Fault::Garbage);
    raw.send(&ends(), 7).await;
    let garbage = raw.frame().await.unwrap();
    assert_eq!(garbage.len(), good.len());
    assert_ne!(garbage[4..], good[4..]);

    cluster.fault(once(), Fault::Correlation(1));
    raw.send(&ends(), 7).await;
    assert_eq!(raw.frame().await.unwrap()[..4], 4_i32.to_be_bytes());

    cluster.fault(once(), Fault::Mangle(Mangle(Arc::new(|frame| frame[9] = 0xee))));
    raw.send(&ends(), 7).await;
    assert_eq!(raw.frame().await.unwrap()[5], 0xee);

    cluster.fault(once(), Fault::FrameLength(i32::MAX));
    raw.send(&ends(), 7).await;
    let mut length = [0; 4];
    tokio::io::AsyncReadExt::read_exact(&mut raw.stream, &mut length)
        .await
        .unwrap();
    assert_eq!(i32::from_be_bytes(length), i32::MAX);
}

#[tokio::test]
async fn the_first_list_can_claim_to_be_of_any_length() {
    let (cluster, _, mut raw) = cluster().await;
    cluster.fault(When::any(), Fault::ArrayLength(i32::MAX));
    // v2 has a throttle time, then a list counted in four bytes.
    raw.send(&ends(), 2).await;
    assert_eq!(raw.frame().await.unwrap()[8..12], i32::MAX.to_be_bytes());
    // v7 is compact: correlation id, tags, throttle time, then 2^31 as a variable-length number.
    raw.send(&ends(), 7).await;
    assert_eq!(raw.frame().await.unwrap()[9..14], [0x80, 0x80, 0x80, 0x80, 0x08]);
    raw.send(&ListGroupsRequest::default(), 5).await;
    assert_eq!(raw.frame().await.unwrap()[11..16], [0x80, 0x80, 0x80, 0x80, 0x08]);
}
