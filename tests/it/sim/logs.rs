//! Topics and logs as clients see them.

use std::time::Duration;

use kafka_protocol::messages::ApiVersionsRequest;
use kafka_protocol::messages::DescribeConfigsRequest;
use kafka_protocol::messages::ListOffsetsRequest;
use kafka_protocol::messages::MetadataRequest;
use kafka_protocol::messages::describe_configs_request::DescribeConfigsResource;
use kafka_protocol::messages::list_offsets_request::ListOffsetsPartition;
use kafka_protocol::messages::list_offsets_request::ListOffsetsTopic;
use kafka_protocol::messages::metadata_request::MetadataRequestTopic;
use tidemark::clock::Clock;
use tidemark::model::UnixMillis;
use tidemark::sim::ApiKey;
use tidemark::sim::Cluster;
use tidemark::sim::Model;
use tidemark::sim::Versions;
use tidemark::sim::model::topic_name;

use super::raw::Raw;
use super::raw::key;

const START: i64 = 1_700_000_000_000;

fn one_broker() -> Cluster {
    let mut model = Model::new(1, 1);
    model.set_now(START);
    model.create_topic("t", 2);
    Cluster::start(model, Clock::stepped(UnixMillis(START))).expect("loopback has ports")
}

async fn connect(cluster: &Cluster) -> Raw {
    Raw::connect(cluster.address(1).expect("broker 1")).await
}

fn asking(topic: &str, partition: i32, timestamp: i64) -> ListOffsetsRequest {
    let partition = ListOffsetsPartition::default()
        .with_partition_index(partition)
        .with_current_leader_epoch(-1)
        .with_timestamp(timestamp);
    ListOffsetsRequest::default()
        .with_replica_id((-1).into())
        .with_topics(vec![
            ListOffsetsTopic::default()
                .with_name(topic_name(topic))
                .with_partitions(vec![partition]),
        ])
}

/// Error, offset and time.
async fn offset(raw: &mut Raw, request: &ListOffsetsRequest, version: i16) -> (i16, i64, i64) {
    let answer = raw.ask(request, version).await;
    let one = &answer.topics[0].partitions[0];
    (one.error_code, one.offset, one.timestamp)
}

fn metadata(topics: &[&str]) -> MetadataRequest {
    let named = topics
        .iter()
        .map(|name| MetadataRequestTopic::default().with_name(Some(topic_name(name))));
    MetadataRequest::default().with_topics(Some(named.collect()))
}

#[tokio::test]
async fn every_version_of_every_reading_call_is_answered_readably() {
    let cluster = one_broker();
    cluster.edit(|model| model.append("t", 0, 5)).unwrap();
    let mut raw = connect(&cluster).await;
    for version in 0..=4 {
        let answer = raw.ask(&ApiVersionsRequest::default(), version).await;
        assert!(answer.api_keys.iter().any(|api| api.api_key == key(ApiKey::Produce)));
    }
    for version in 0..=12 {
        let answer = raw.ask(&metadata(&["t"]), version).await;
        assert_eq!(answer.topics[0].partitions.len(), 2, "v{version}");
    }
    for version in 1..=10 {
        assert_eq!(
            offset(&mut raw, &asking("t", 0, -1), version).await,
            (0, 5, -1),
            "v{version}"
        );
    }
}

#[tokio::test]
async fn offsets_of_every_kind_are_what_the_log_says() {
    let cluster = one_broker();
    cluster.edit(|model| {
        model
            .append_at("t", 0, &[START - 3_000, START - 1_000, START - 2_000])
            .unwrap();
        model.delete_records("t", 0, 1).unwrap();
    });
    let mut raw = connect(&cluster).await;
    for (kind, expected) in [
        (-1, (0, 3, -1)),
        (-2, (0, 1, -1)),
        (-3, (0, 1, START - 1_000)),
        (-4, (0, 1, -1)),
        (START - 2_500, (0, 1, START - 1_000)),
        (START, (0, -1, -1)),
        (-7, (35, -1, -1)),
    ] {
        assert_eq!(offset(&mut raw, &asking("t", 0, kind), 10).await, expected, "{kind}");
    }
    assert_eq!(offset(&mut raw, &asking("t", 1, -3), 10).await, (0, -1, -1));
    assert_eq!(offset(&mut raw, &asking("t", 9, -1), 10).await, (3, -1, -1));
    assert_eq!(offset(&mut raw, &asking("none", 0, -1), 10).await, (3, -1, -1));
}

#[tokio::test]
async fn a_partition_asked_twice_and_a_stale_epoch_are_refused() {
    let cluster = one_broker();
    let mut raw = connect(&cluster).await;
    let mut twice = asking("t", 0, -1);
    let again = twice.topics[0].partitions[0].clone();
    twice.topics[0].partitions.push(again);
    let answer = raw.ask(&twice, 10).await;
    let codes: Vec<i16> = answer.topics[0].partitions.iter().map(|one| one.error_code).collect();
    assert_eq!(codes, [42]);

    cluster.edit(|model| model.move_leader("t", 0, Some(1))).unwrap();
    for (epoch, code) in [(0, 74), (1, 0), (2, 75)] {
        let mut request = asking("t", 0, -1);
        request.topics[0].partitions[0].current_leader_epoch = epoch;
        assert_eq!(offset(&mut raw, &request, 10).await.0, code, "epoch {epoch}");
    }
    cluster.edit(|model| model.move_leader("t", 0, None)).unwrap();
    assert_eq!(offset(&mut raw, &asking("t", 0, -1), 10).await.0, 6);
    let answer = raw.ask(&metadata(&["t"]), 12).await;
    let partition = &answer.topics[0].partitions[0];
    assert_eq!((partition.error_code, partition.leader_id.0), (5, -1));
}

#[tokio::test]
async fn the_last_stable_offset_waits_for_an_open_transaction() {
    let cluster = one_broker();
    let txn = cluster.edit(|model| {
        model.append("t", 0, 4).unwrap();
        let txn = model.begin_transaction("t", 0).unwrap();
        model.append_in(&txn, 2).unwrap();
        txn
    });
    let mut raw = connect(&cluster).await;
    let committed = asking("t", 0, -1).with_isolation_level(1);
    assert_eq!(offset(&mut raw, &committed, 10).await.1, 4);
    assert_eq!(offset(&mut raw, &asking("t", 0, -1), 10).await.1, 6);
    cluster.edit(|model| model.end_transaction(&txn, true)).unwrap();
    assert_eq!(offset(&mut raw, &committed, 10).await.1, 7);
}

#[tokio::test]
async fn metadata_makes_a_topic_only_where_the_cluster_and_the_request_allow_it() {
    let cluster = one_broker();
    let mut raw = connect(&cluster).await;
    assert_eq!(raw.ask(&metadata(&["new"]), 12).await.topics[0].error_code, 3);
    cluster.edit(|model| model.auto_create = true);
    let careful = metadata(&["new"]).with_allow_auto_topic_creation(false);
    assert_eq!(raw.ask(&careful, 12).await.topics[0].error_code, 3);
    assert_eq!(raw.ask(&metadata(&["new"]), 12).await.topics[0].error_code, 5);
    assert_eq!(raw.ask(&careful, 12).await.topics[0].error_code, 0);
    assert_eq!(raw.ask(&metadata(&["a b"]), 12).await.topics[0].error_code, 17);
}

#[tokio::test]
async fn a_topic_made_anew_has_another_id_and_its_old_id_is_unknown() {
    let cluster = one_broker();
    let mut raw = connect(&cluster).await;
    let old = raw.ask(&metadata(&["t"]), 12).await.topics[0].topic_id;
    cluster.edit(|model| model.create_topic("t", 1));
    let new = raw.ask(&metadata(&["t"]), 12).await;
    assert_ne!(new.topics[0].topic_id, old);
    assert_eq!(new.topics[0].partitions.len(), 1);
    let by_id = MetadataRequest::default().with_topics(Some(vec![MetadataRequestTopic::default().with_topic_id(old)]));
    assert_eq!(raw.ask(&by_id, 12).await.topics[0].error_code, 100);
}

#[tokio::test]
async fn the_clock_alone_moves_producers_and_retention() {
    let clock = Clock::stepped(UnixMillis(START));
    let mut model = Model::new(1, 1);
    model.set_now(START);
    model.create_topic("t", 1);
    model.set_config("t", "retention.ms", Some("60000")).unwrap();
    model.produce("t", 0, 10, Duration::from_secs(1)).unwrap();
    let cluster = Cluster::start(model, clock.clone()).unwrap();
    let mut raw = connect(&cluster).await;
    assert_eq!(offset(&mut raw, &asking("t", 0, -1), 10).await.1, 1);
    clock.step(Duration::from_secs(100));
    assert_eq!(offset(&mut raw, &asking("t", 0, -1), 10).await.1, 1_001);
    assert_eq!(offset(&mut raw, &asking("t", 0, -2), 10).await.1, 400);
    assert_eq!(
        offset(&mut raw, &asking("t", 0, START + 50_050), 10).await,
        (0, 501, START + 50_100)
    );
    // The machine's wall clock is not the cluster's.
    clock.jump(UnixMillis(0));
    assert_eq!(offset(&mut raw, &asking("t", 0, -1), 10).await.1, 1_001);
}

#[tokio::test]
async fn settings_of_topics_say_whether_they_were_set() {
    let cluster = one_broker();
    cluster
        .edit(|model| model.set_config("t", "retention.ms", Some("1000")))
        .unwrap();
    let mut raw = connect(&cluster).await;
    let resource = DescribeConfigsResource::default()
        .with_resource_type(2)
        .with_configuration_keys(Some(vec![
            "retention.ms".to_owned().into(),
            "cleanup.policy".to_owned().into(),
        ]));
    let request = DescribeConfigsRequest::default().with_resources(vec![
        resource.clone().with_resource_name("t".to_owned().into()),
        resource.with_resource_name("none".to_owned().into()),
    ]);
    for version in 1..=4 {
        let answer = raw.ask(&request, version).await;
        let found: Vec<_> = answer.results[0]
            .configs
            .iter()
            .map(|config| {
                (
                    config.name.to_string(),
                    config.value.clone().unwrap().to_string(),
                    config.config_source,
                )
            })
            .collect();
        assert!(
            found.contains(&("retention.ms".to_owned(), "1000".to_owned(), 1)),
            "{found:?}"
        );
        assert!(
            found.contains(&("cleanup.policy".to_owned(), "delete".to_owned(), 5)),
            "{found:?}"
        );
        assert_eq!(answer.results[1].error_code, 3);
    }
}

#[tokio::test]
async fn an_old_broker_closes_the_connection_on_a_version_it_does_not_speak() {
    let mut model = Model::new(1, 1);
    model.set_versions(&Versions::kafka_2_1());
    let cluster = Cluster::start(model, Clock::stepped(UnixMillis(START))).unwrap();
    let mut raw = connect(&cluster).await;
    raw.send(&ApiVersionsRequest::default(), 4).await;
    // v0 by Kafka's rule: 35 and the table.
    let frame = raw.frame().await.unwrap();
    assert_eq!(frame[4..6], [0, 35]);
    raw.send(&metadata(&["t"]), 12).await;
    assert!(raw.frame().await.is_err());
}
