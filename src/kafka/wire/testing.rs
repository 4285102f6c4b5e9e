//! What the tests of the wire client stand on: a simulated cluster, and a client of it.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use super::Client;
use super::cluster::LONGEST_PAUSE;
use crate::clock::Clock;
use crate::config;
use crate::kafka::Survey;
use crate::model::Offset;
use crate::model::TopicName;
use crate::model::UnixMillis;
use crate::observation::ListedGroup;
use crate::observation::TopicMeta;
use crate::sim;
use crate::sim::Model;

/// The present of every simulated cluster.
pub(super) const NOW: i64 = 1_700_000_000_000;

/// How long a request may take where silence is waited out.
pub(super) const SHORT: Duration = Duration::from_millis(500);

/// A cluster of `brokers` with the topic `t` of three partitions, each with 10 records.
pub(super) fn model(brokers: u16) -> Model {
    let mut model = Model::new(brokers, 1);
    model.set_now(NOW);
    model.create_topic("t", 3);
    for partition in 0..3 {
        model.append("t", partition, 10).expect("the topic was made");
    }
    model
}

/// Starts it.
pub(super) fn start(model: Model) -> sim::Cluster {
    sim::Cluster::start(model, Clock::stepped(UnixMillis(NOW))).expect("loopback has ports")
}

/// The configuration of a cluster with these bootstrap servers.
pub(super) fn config(bootstrap: &str, request_timeout: Duration) -> config::Cluster {
    let loaded = config::load(&config::Source::Brokers(bootstrap.to_owned()), &[], []).expect("good addresses");
    let cluster = loaded.config.clusters.first().expect("one cluster");
    config::Cluster {
        request_timeout,
        ..(**cluster).clone()
    }
}

/// A client that gives every request a long time.
pub(super) fn client(cluster: &sim::Cluster) -> Client {
    client_within(cluster, Duration::from_secs(20))
}

/// A client that gives every request this time.
pub(super) fn client_within(cluster: &sim::Cluster, request_timeout: Duration) -> Client {
    Client::new(Arc::new(config(&cluster.bootstrap(), request_timeout)))
}

/// A deadline that nothing should run into.
pub(super) fn soon() -> Instant {
    Instant::now() + Duration::from_secs(30)
}

/// Returns when a broker that failed may be tried again.
pub(super) async fn pause() {
    tokio::time::sleep(LONGEST_PAUSE).await;
}

pub(super) fn offset(raw: i64) -> Offset {
    Offset::new(raw).expect("not negative")
}

pub(super) fn topic(name: &str) -> TopicName {
    TopicName::from(name)
}

/// The groups as the cluster lists them, after a look at its brokers.
pub(super) async fn listed(client: &mut Client) -> Vec<ListedGroup> {
    client.brokers(soon()).await.expect("brokers");
    let lists = client.list_groups(soon()).await;
    assert!(lists.missing.is_empty(), "{:?}", lists.missing);
    lists.groups
}

/// A topic with its metadata.
pub(super) async fn with_meta(client: &mut Client, name: &str) -> (TopicName, TopicMeta) {
    let heard = client.metadata(&[topic(name)], soon()).await;
    let meta = heard.into_iter().next().expect("one answer");
    (topic(name), meta.expect("the topic exists"))
}
