//! Ports, logins, traces and names that are not UTF-8.

use std::io::ErrorKind;
use std::time::Duration;

use kafka_protocol::messages::ListGroupsRequest;
use kafka_protocol::messages::MetadataRequest;
use kafka_protocol::messages::OffsetFetchRequest;
use kafka_protocol::messages::SaslAuthenticateRequest;
use kafka_protocol::messages::SaslHandshakeRequest;
use kafka_protocol::messages::offset_fetch_request::OffsetFetchRequestGroup;
use tidemark::clock::Clock;
use tidemark::model::UnixMillis;
use tidemark::sim::ApiKey;
use tidemark::sim::Cluster;
use tidemark::sim::Model;
use tidemark::sim::model::Sasl;
use tidemark::sim::model::group_id;
use tokio::net::TcpStream;

use super::raw::Raw;

fn start(model: Model) -> Cluster {
    Cluster::start(model, Clock::stepped(UnixMillis(1_700_000_000_000))).expect("loopback has ports")
}

#[tokio::test]
async fn a_broker_goes_down_and_comes_back_on_its_port() {
    let mut model = Model::new(3, 1);
    model.create_topic("t", 3);
    let mut cluster = start(model);
    let address = cluster.address(2).unwrap();
    let mut on_it = Raw::connect(address).await;
    on_it.ask(&ListGroupsRequest::default(), 5).await;
    cluster.down(2).await.unwrap();
    assert!(on_it.frame().await.is_err());
    let refused = TcpStream::connect(address).await.unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::ConnectionRefused);
    let mut other = Raw::connect(cluster.address(1).unwrap()).await;
    let all = MetadataRequest::default().with_topics(None);
    let seen = other.ask(&all, 12).await;
    assert_eq!(seen.brokers.len(), 2);
    assert!(seen.topics[0].partitions.iter().any(|one| one.error_code == 5));
    cluster.up(2).unwrap();
    Raw::connect(address).await.ask(&ListGroupsRequest::default(), 5).await;
    let seen = other.ask(&all, 12).await;
    assert_eq!(seen.brokers.len(), 3);
    assert!(seen.topics[0].partitions.iter().all(|one| one.error_code == 0));
}

#[tokio::test]
async fn what_a_lost_broker_led_can_move_to_others() {
    let mut model = Model::new(3, 1);
    model.create_topic("t", 6);
    let mut cluster = start(model);
    cluster.down(3).await.unwrap();
    cluster.edit(|model| model.fail_over(3)).unwrap();
    let mut raw = Raw::connect(cluster.address(1).unwrap()).await;
    let seen = raw.ask(&MetadataRequest::default().with_topics(None), 12).await;
    let leaders: Vec<i32> = seen.topics[0].partitions.iter().map(|one| one.leader_id.0).collect();
    assert!(leaders.iter().all(|leader| [1, 2].contains(leader)), "{leaders:?}");
}

#[tokio::test]
async fn nothing_but_a_login_is_answered_before_it() {
    let mut model = Model::new(1, 1);
    model.sasl = Some(Sasl {
        user: "ann".to_owned(),
        password: "pw".to_owned(),
    });
    let cluster = start(model);
    let address = cluster.address(1).unwrap();
    let mut raw = Raw::connect(address).await;
    raw.send(&ListGroupsRequest::default(), 5).await;
    assert!(raw.frame().await.is_err());

    let mut raw = Raw::connect(address).await;
    let handshake = |mechanism: &str| SaslHandshakeRequest::default().with_mechanism(mechanism.to_owned().into());
    assert_eq!(raw.ask(&handshake("GSSAPI"), 1).await.error_code, 33);
    assert_eq!(raw.ask(&handshake("PLAIN"), 1).await.error_code, 0);
    let login = |token: &'static [u8]| SaslAuthenticateRequest::default().with_auth_bytes(token.into());
    assert_eq!(raw.ask(&login(b"\0ann\0no"), 2).await.error_code, 58);
    assert_eq!(raw.ask(&login(b"\0ann\0pw"), 2).await.error_code, 0);
    raw.ask(&ListGroupsRequest::default(), 5).await;
}

#[tokio::test]
async fn a_name_that_is_not_utf8_goes_out_and_comes_in_as_bytes() {
    let mut model = Model::new(1, 1);
    model.create_topic("t", 1);
    model.commit("gr__e", "t", 0, 9);
    let cluster = start(model);
    assert!(!cluster.alias("gr__e", b"too long for it"));
    assert!(cluster.alias("gr__e", b"gr\xfc\xdfe"));
    let mut raw = Raw::connect(cluster.address(1).unwrap()).await;
    raw.send(&ListGroupsRequest::default(), 5).await;
    let frame = raw.frame().await.unwrap();
    assert!(frame.windows(5).any(|bytes| bytes == b"gr\xfc\xdfe"));
    assert!(!frame.windows(5).any(|bytes| bytes == b"gr__e"));
}

#[tokio::test]
async fn the_trace_has_every_request_in_order_with_what_it_asks() {
    let mut model = Model::new(2, 1);
    model.commit("g", "t", 0, 1);
    let cluster = start(model);
    let mut raw = Raw::connect(cluster.address(2).unwrap()).await;
    raw.ask(&ListGroupsRequest::default(), 5).await;
    let group = OffsetFetchRequestGroup::default()
        .with_group_id(group_id("g"))
        .with_topics(None);
    raw.ask(&OffsetFetchRequest::default().with_groups(vec![group]), 9)
        .await;
    let trace = cluster.take_trace();
    let apis: Vec<ApiKey> = trace.iter().map(|asked| asked.api).collect();
    assert_eq!(apis, [ApiKey::ListGroups, ApiKey::OffsetFetch]);
    assert_eq!(trace[1].groups(), Some(vec!["g"]));
    assert_eq!((trace[1].broker, trace[1].version), (2, 9));
    assert_eq!(trace[1].client_id.as_deref(), Some("raw"));
    assert!(cluster.trace().is_empty());
    assert_eq!(cluster.count(ApiKey::OffsetFetch), 1);
    assert_eq!(cluster.count_at(1, ApiKey::OffsetFetch), 0);
}

#[tokio::test]
async fn a_dropped_cluster_closes_its_ports() {
    let cluster = start(Model::new(1, 1));
    let address = cluster.address(1).unwrap();
    let mut raw = Raw::connect(address).await;
    drop(cluster);
    let closed = tokio::time::timeout(Duration::from_secs(5), raw.frame()).await;
    assert!(closed.expect("the connection ends").is_err());
}
