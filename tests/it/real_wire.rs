//! The wire client against real brokers: what it reads is what Kafka has, and a write does what it says.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use serde_json::json;
use tidemark::config;
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
fn cluster(bootstrap: &str, keys: Value) -> Arc<config::Cluster> {
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
    Client::new(cluster(&kafka.bootstrap(), json!({})))
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
    let logs = Survey::logs(&mut client, &[meta], true, soon()).await;
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

fn write(topic: &str, partition: i32, to: Option<i64>, metadata: &str) -> Write {
    Write {
        topic: TopicName::from(topic),
        partition: Partition(partition),
        to: to.map(offset),
        leader_epoch: to.map(|_| 0),
        metadata: metadata.to_owned(),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_write_reaches_the_named_group_and_says_what_became_of_each_partition() {
    let Some(kafka) = Kafka::shared() else { return };
    let (topic, plain) = (kafka.topic(3), unique("lead"));
    let group = format!(" {plain}");
    kafka.produce(&topic, 0, 10);
    kafka.commit(&group, &[(&topic, 0, 1), (&topic, 1, 0)]);
    let mut writer = wire::Writer::new(cluster(&kafka.bootstrap(), json!({})));
    let writes = [
        write(&topic, 0, Some(5), "by hand"),
        write(&topic, 1, None, ""),
        write(&topic, 2, Some(0), ""),
    ];
    let id = GroupId::from(group.as_str());
    let results = writer.write(&id, &writes, soon()).await.expect("sent");
    assert_eq!(results, [Ok(()), Ok(()), Ok(())]);
    let expected: BTreeMap<_, _> = [((topic.clone(), 0), 5), ((topic.clone(), 2), 0)].into();
    assert_eq!(kafka.committed(&group), expected);
    assert!(kafka.committed(&plain).is_empty(), "another group was written");

    let facts = GroupFacts::commits(&mut client(kafka), &id, soon())
        .await
        .expect("facts");
    assert_eq!(facts[0].metadata, "by hand");
    assert_eq!(facts[0].leader_epoch, Some(0));
    assert_eq!(facts[0].offset, Ok(offset(5)));

    let nowhere = [write(&topic, 0, Some(6), ""), write(&unique("missing"), 0, Some(1), "")];
    let results = writer.write(&id, &nowhere, soon()).await.expect("sent");
    assert_eq!(
        results,
        [Ok(()), Err(Cause::Code(ErrorCode::UNKNOWN_TOPIC_OR_PARTITION))]
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_group_with_members_refuses_every_write() {
    let Some(kafka) = Kafka::shared() else { return };
    for protocol in ["classic", "consumer"] {
        let (topic, group) = (kafka.topic(1), unique("live"));
        let joining = Joining {
            protocol,
            commits: false,
            ..Joining::default()
        };
        let _members = kafka.join(&group, &[&topic], joining);
        let mut writer = wire::Writer::new(cluster(&kafka.bootstrap(), json!({})));
        let writes = [write(&topic, 0, Some(0), "")];
        let results = writer
            .write(&GroupId::from(group.as_str()), &writes, soon())
            .await
            .expect("sent");
        assert_eq!(results, [Err(Cause::Code(ErrorCode::UNKNOWN_MEMBER_ID))], "{protocol}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_group_nobody_knows_is_none_and_has_no_commits() {
    let Some(kafka) = Kafka::shared() else { return };
    // There is a coordinator once some group has committed.
    kafka.commit(&unique("somebody"), &[(&kafka.topic(1), 0, 0)]);
    let mut client = client(kafka);
    let id = GroupId::from(unique("nobody").as_str());
    assert_eq!(client.group(&id, soon()).await, Ok(None));
    assert_eq!(GroupFacts::commits(&mut client, &id, soon()).await, Ok(Vec::new()));
}

#[tokio::test(flavor = "multi_thread")]
async fn every_mechanism_logs_in_over_tls_and_a_wrong_password_is_told_in_the_brokers_words() {
    let Some(kafka) = Kafka::shared() else { return };
    let tls = json!({"ca_file": kafka.secure().authority});
    for mechanism in ["PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"] {
        let sasl = |password: &str| json!({"tls": tls, "sasl": {"mechanism": mechanism, "username": USER, "password": password}});
        let mut client = Client::new(cluster(&kafka.sasl_ssl(), sasl(PASSWORD)));
        assert_eq!(
            client.brokers(soon()).await.map(|brokers| brokers.len()),
            Ok(1),
            "{mechanism}"
        );
        let mut client = Client::new(cluster(&kafka.sasl_ssl(), sasl("not the password")));
        let failure = client.brokers(soon()).await.expect_err("a wrong password");
        assert_eq!(failure.cause, Cause::Authentication, "{failure}");
        assert!(
            failure.to_string().to_lowercase().contains("invalid credentials")
                || failure.to_string().contains("Invalid username or password"),
            "{failure}"
        );
        assert!(!failure.to_string().contains("not the password"));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn who_is_not_trusted_or_brings_no_certificate_is_told_so() {
    let Some(kafka) = Kafka::shared() else { return };
    let secure = kafka.secure();
    let fails = async |address: &str, keys: Value| {
        Client::new(cluster(address, keys))
            .brokers(soon())
            .await
            .expect_err("no way in")
    };
    let strange = fails(&kafka.sasl_ssl(), json!({"tls": {"ca_file": secure.strange_authority}})).await;
    assert_eq!(strange.cause, Cause::Tls);
    assert!(strange.to_string().contains("not trusted"), "{strange}");
    let bare = fails(&kafka.mutual_tls(), json!({"tls": {"ca_file": secure.authority}})).await;
    assert_eq!(bare.cause, Cause::Tls, "{bare}");
    let mutual = json!({"tls": {"ca_file": secure.authority, "cert_file": secure.client_certificate, "key_file": secure.client_key}});
    let mut client = Client::new(cluster(&kafka.mutual_tls(), mutual));
    assert_eq!(client.brokers(soon()).await.map(|brokers| brokers.len()), Ok(1));
    // TLS spoken to a plain listener, and the other way round.
    let plain = fails(&kafka.bootstrap(), json!({"tls": {"ca_file": secure.authority}})).await;
    assert_eq!(plain.cause, Cause::Tls, "{plain}");
    let none = fails(&kafka.sasl_ssl(), json!({})).await;
    assert!(matches!(none.cause, Cause::Malformed | Cause::Disconnected), "{none}");
}

#[tokio::test(flavor = "multi_thread")]
async fn moved_coordinators_and_leaders_are_found_in_the_same_call() {
    let Some(kafka) = Kafka::with().brokers(3).start() else {
        return;
    };
    let topic = kafka.topic_on(&[&[0, 1], &[1, 2]]);
    kafka.produce(&topic, 0, 3);
    let group = kafka.group_on(0);
    kafka.commit(&group, &[(&topic, 0, 2)]);
    let mut client = client(&kafka);
    let mut groups = [listed(&mut client, &group).await];
    let meta = topic_meta(&mut client, &topic).await;

    kafka.move_coordinator(&group, &[1]);
    // The old coordinator answers until it has heard that it is none.
    while groups[0].coordinators != [BrokerId(1)] {
        let described = client.describe(&mut groups, soon()).await;
        assert_eq!(described[0].as_ref().map(|d| d.state.clone()), Ok(GroupState::Empty));
    }
    let commits = Survey::commits(&mut client, &mut groups, soon()).await;
    assert_eq!(commits[0].as_ref().map(Vec::len), Ok(1));

    kafka.move_leader(&topic, 0, &[2, 1]);
    until("the old leader knows", || kafka.leaders(&topic)[0] == Some(2));
    let logs = Survey::logs(&mut client, &[meta.clone()], false, soon()).await;
    assert_eq!(logs[0][0].end, Ok(offset(3)));
    client.take_calls();
    let logs = Survey::logs(&mut client, &[meta], false, soon()).await;
    assert_eq!(logs[0][0].end, Ok(offset(3)));
    assert!(
        client.take_calls().errors.is_empty(),
        "the new leader was not remembered"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_dead_and_a_deaf_broker_cost_only_what_they_hold() {
    let Some(kafka) = Kafka::with().brokers(3).start() else {
        return;
    };
    let topic = kafka.topic_on(&[&[0], &[1], &[2]]);
    let groups: Vec<_> = kafka.ids().map(|broker| kafka.group_on(broker)).collect();
    for group in &groups {
        kafka.commit(group, &[(&topic, 0, 0)]);
    }
    let mut client = Client::new(cluster(&kafka.bootstrap(), json!({"request_timeout": "1s"})));
    let mut all = Vec::new();
    for group in &groups {
        all.push(listed(&mut client, group).await);
    }
    let meta = topic_meta(&mut client, &topic).await;

    kafka.pause(1);
    kafka.kill_broker(2);
    let begun = Instant::now();
    client.brokers(soon()).await.expect("a broker answers");
    let lists = client.list_groups(soon()).await;
    assert!(
        lists
            .missing
            .iter()
            .any(|(broker, failure)| *broker == BrokerId(1) && failure.cause == Cause::TimedOut),
        "{:?}",
        lists.missing
    );
    let described = client.describe(&mut all, soon()).await;
    assert!(
        described[0].is_ok() && described[1].is_err() && described[2].is_err(),
        "{described:?}"
    );
    let logs = Survey::logs(&mut client, &[meta.clone()], false, soon()).await;
    let ends: Vec<_> = logs[0].iter().map(|log| log.end.is_ok()).collect();
    assert_eq!(ends, [true, false, false], "{logs:?}");
    assert!(begun.elapsed() < Duration::from_secs(10), "{:?}", begun.elapsed());

    kafka.resume(1);
    kafka.start_broker(2);
    tokio::time::sleep(Duration::from_secs(1)).await;
    client.brokers(soon()).await.expect("brokers");
    let described = client.describe(&mut all, soon()).await;
    assert!(described.iter().all(Result::is_ok), "{described:?}");
    let logs = Survey::logs(&mut client, &[meta], false, soon()).await;
    assert!(logs[0].iter().all(|log| log.end.is_ok()), "{logs:?}");
}
