//! The wire client against real brokers: what it reads is what Kafka has, and a write does what it says.

mod moves;
mod secure;
pub(crate) mod streams;
mod writes;

use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use serde_json::json;
use tidemark::config;
use tidemark::failure::Api;
use tidemark::failure::Cause;
use tidemark::failure::ErrorCode;
use tidemark::kafka::GroupFacts;
use tidemark::kafka::Presence;
use tidemark::kafka::Survey;
use tidemark::kafka::Write;
use tidemark::kafka::Writer;
use tidemark::kafka::wire;
use tidemark::kafka::wire::Client;
use tidemark::model::BrokerId;
use tidemark::model::GroupId;
use tidemark::model::GroupState;
use tidemark::model::Offset;
use tidemark::model::Partition;
use tidemark::model::TopicName;
use tidemark::observation::Assignment;
use tidemark::observation::ListedGroup;
use tidemark::observation::TopicMeta;
use tokio::time::Instant;

use crate::support::Joining;
use crate::support::Kafka;
use crate::support::PASSWORD;
use crate::support::USER;
use crate::support::unique;
use crate::support::until;

/// The cluster of a configuration with these keys and bootstrap servers.
fn cluster(bootstrap: &str, keys: &Value) -> Arc<config::Cluster> {
    let mut cluster =
        json!({"name": "test", "bootstrap_servers": bootstrap.split(',').collect::<Vec<_>>(), "request_timeout": "5s"});
    let own = cluster.as_object_mut().expect("an object");
    own.extend(keys.as_object().cloned().unwrap_or_default());
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("tidemark.json");
    std::fs::write(&file, json!({"clusters": [cluster]}).to_string()).expect("a file");
    let loaded = config::load(&config::Source::File(file), &[], []).expect("a good configuration");
    Arc::clone(&loaded.config.clusters[0])
}

fn client(kafka: &Kafka) -> Client {
    Client::new(cluster(&kafka.bootstrap(), &json!({})))
}

fn soon() -> Instant {
    Instant::now() + Duration::from_secs(20)
}

fn offset(raw: i64) -> Offset {
    Offset::new(raw).expect("not negative")
}

async fn listed(client: &mut Client, group: &str) -> ListedGroup {
    client.brokers(soon()).await.expect("brokers");
    let lists = client.list_groups(soon()).await;
    assert!(lists.missing.is_empty(), "{:?}", lists.missing);
    let id = GroupId::from(group);
    lists
        .groups
        .into_iter()
        .find(|listed| listed.id == id)
        .expect("the group is listed")
}

async fn topic_meta(client: &mut Client, topic: &str) -> (TopicName, TopicMeta) {
    let name = TopicName::from(topic);
    let metas = Survey::topics(client, std::slice::from_ref(&name), soon()).await;
    (name, metas.into_iter().next().expect("one").expect("the topic exists"))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_survey_reads_what_kafka_has() {
    let Some(kafka) = Kafka::shared() else { return };
    let (topic, group) = (kafka.topic(3), unique("group"));
    kafka.produce(&topic, 0, 10);
    kafka.produce(&topic, 2, 7);
    kafka.delete_records(&topic, 0, 4);
    kafka.commit(&group, &[(&topic, 0, 6), (&topic, 2, 7)]);
    let mut client = client(kafka);

    let mut groups = vec![listed(&mut client, &group).await];
    assert_eq!(groups[0].coordinators, [BrokerId(0)]);
    assert_eq!(groups[0].state, Some(GroupState::Empty));
    let described = client.describe(&mut groups, soon()).await;
    let description = described[0].as_ref().expect("described");
    assert_eq!(description.state, GroupState::Empty);
    assert!(description.members.is_empty());

    let commits = Survey::commits(&mut client, &mut groups, soon()).await;
    let commits = commits[0].as_ref().expect("commits");
    assert_eq!(commits.len(), 1);
    assert_eq!(commits[0].topic, TopicName::from(topic.as_str()));
    assert_eq!(
        commits[0].partitions,
        [(Partition(0), Ok(offset(6))), (Partition(2), Ok(offset(7)))]
    );

    let meta = topic_meta(&mut client, &topic).await;
    assert!(meta.1.id.is_some());
    let logs = Survey::logs(&mut client, &[meta], soon()).await;
    let limits: Vec<_> = logs[0].iter().map(|log| (log.start, log.end, log.stable)).collect();
    let expect = |start, end| (Ok(offset(start)), Ok(offset(end)), Some(Ok(offset(end))));
    assert_eq!(limits, [expect(4, 10), expect(0, 0), expect(0, 7)]);

    let calls = client.take_calls();
    assert!(calls.errors.is_empty(), "{:?}", calls.errors);
}

#[tokio::test(flavor = "multi_thread")]
async fn members_of_both_protocols_are_described_with_their_partitions() {
    let Some(kafka) = Kafka::shared() else { return };
    for protocol in ["classic", "consumer"] {
        let (topic, group) = (kafka.topic(4), unique("group"));
        let joining = Joining {
            protocol,
            members: 2,
            ..Joining::default()
        };
        let _members = kafka.join(&group, &[&topic], joining);
        let mut client = client(kafka);
        let mut groups = [listed(&mut client, &group).await];
        let described = client.describe(&mut groups, soon()).await;
        let description = described[0].as_ref().expect("described");
        assert_eq!(description.state, GroupState::Stable, "{protocol}");
        assert_eq!(description.members.len(), 2, "{protocol}");
        assert_eq!(description.epochs.is_some(), protocol == "consumer");
        let partitions = description.members.iter().map(|member| match &member.assignment {
            Assignment::Partitions(topics) => topics.iter().map(|topic| topic.1.len()).sum::<usize>(),
            Assignment::Opaque => panic!("partitions are assigned"),
        });
        assert_eq!(partitions.sum::<usize>(), 4, "{protocol}");

        let facts = client
            .group(&GroupId::from(group.as_str()), soon())
            .await
            .expect("facts");
        let (listed, fact) = facts.expect("the group is there");
        assert_eq!(fact.members.len(), 2);
        let kind = if protocol == "classic" { "Classic" } else { "Consumer" };
        assert_eq!(listed.group_type.map(|kind| kind.to_string()).as_deref(), Some(kind));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_group_that_vanished_is_gone_and_one_that_did_not_is_there() {
    let Some(kafka) = Kafka::shared() else { return };
    let (topic, stays, goes) = (kafka.topic(1), unique("stays"), unique("goes"));
    kafka.commit(&stays, &[(&topic, 0, 0)]);
    kafka.commit(&goes, &[(&topic, 0, 0)]);
    let mut client = client(kafka);
    let groups = [listed(&mut client, &stays).await, listed(&mut client, &goes).await];
    kafka.delete_group(&goes);
    let verdicts = client.presence(&groups, soon()).await;
    assert!(
        matches!(&verdicts[0], Ok(Presence::There(there)) if there.id == groups[0].id),
        "{verdicts:?}"
    );
    assert!(matches!(verdicts[1], Ok(Presence::Gone)), "{verdicts:?}");
    assert!(client.take_calls().errors.is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_topic_that_is_not_there_is_unknown_and_stays_so() {
    let Some(kafka) = Kafka::shared() else { return };
    let (real, missing) = (kafka.topic(1), unique("missing"));
    let mut client = client(kafka);
    client.brokers(soon()).await.expect("brokers");
    let names = [
        TopicName::from(missing.as_str()),
        TopicName::from(real.as_str()),
        TopicName::from(&b"\xff"[..]),
    ];
    for _ in 0..3 {
        let metas = Survey::topics(&mut client, &names, soon()).await;
        assert_eq!(metas[0], Err(Cause::Code(ErrorCode::UNKNOWN_TOPIC_OR_PARTITION)));
        assert_eq!(metas[1].as_ref().map(|meta| meta.partitions.len()), Ok(1));
        assert_eq!(metas[2], Err(Cause::Unaskable));
    }
    assert!(!kafka.topics().contains(&missing), "it was created");
}

#[tokio::test(flavor = "multi_thread")]
async fn settings_newest_records_and_dated_offsets_are_read() {
    let Some(kafka) = Kafka::shared() else { return };
    let topic = kafka.topic_with(
        &unique("topic"),
        1,
        &[("retention.ms", "3600000"), ("retention.bytes", "-1")],
    );
    for at in [1_000_000, 2_000_000, 3_000_000] {
        kafka.produce_to(&[(&topic, 0)], 1, Some(at));
    }
    let mut client = client(kafka);
    client.brokers(soon()).await.expect("brokers");
    let (name, partition) = (TopicName::from(topic.as_str()), Partition(0));
    let configs = client.configs(std::slice::from_ref(&name), soon()).await;
    let config = configs[0].as_ref().expect("settings");
    assert_eq!(config.cleanup_policy.to_string(), "delete");
    assert_eq!(config.retention, Some(Duration::from_secs(3_600)));
    assert_eq!(config.retention_bytes, None);

    let newest = client.newest(&[(name.clone(), partition)], soon()).await;
    assert_eq!(newest, [Ok(Some((offset(2), tidemark::model::UnixMillis(3_000_000))))]);
    let times = [1_500_000, 2_000_000, 9_000_000].map(|at| (name.clone(), partition, tidemark::model::UnixMillis(at)));
    let dated = Survey::by_time(&mut client, &times, soon()).await;
    let at = |raw, time| Ok(Some((offset(raw), tidemark::model::UnixMillis(time))));
    assert_eq!(dated, [at(1, 2_000_000), at(1, 2_000_000), Ok(None)]);
    assert!(client.take_calls().errors.is_empty());
}
