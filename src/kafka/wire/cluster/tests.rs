mod replaced;

use std::net::Ipv4Addr;

use tokio::net::TcpListener;

use super::*;
use crate::config::Material;
use crate::config::PasswordLogin;
use crate::config::PasswordMechanism;
use crate::config::Sasl;
use crate::kafka::Survey;
use crate::kafka::wire::Client;
use crate::kafka::wire::testing::SHORT;
use crate::kafka::wire::testing::client;
use crate::kafka::wire::testing::client_within;
use crate::kafka::wire::testing::config;
use crate::kafka::wire::testing::listed;
use crate::kafka::wire::testing::model;
use crate::kafka::wire::testing::pause;
use crate::kafka::wire::testing::soon;
use crate::kafka::wire::testing::start;
use crate::observation::Calls;
use crate::sim;
use crate::sim::ApiKey;
use crate::sim::Fault;
use crate::sim::Versions;
use crate::sim::When;

/// Accepts connections, or rather lets the system do it, and answers nothing.
async fn deaf() -> (TcpListener, String) {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
    let address = listener.local_addr().unwrap().to_string();
    (listener, address)
}

/// An address that nobody listens on.
async fn dead() -> String {
    deaf().await.1
}

fn errors(calls: &Calls) -> Vec<(Api, Cause, u64)> {
    let mut errors: Vec<_> = calls
        .errors
        .iter()
        .map(|((api, cause), count)| (*api, *cause, *count))
        .collect();
    errors.sort_unstable();
    errors
}

#[tokio::test]
async fn a_deaf_or_dead_first_server_does_not_cost_the_cycle() {
    let cluster = start(model(2));
    let (_listener, deaf) = deaf().await;
    for first in [deaf, dead().await, "nowhere.invalid:9092".to_owned()] {
        let bootstrap = format!("{first},{}", cluster.bootstrap());
        let mut client = Client::new(Arc::new(config(&bootstrap, Duration::from_secs(20))));
        let begun = Instant::now();
        assert_eq!(client.brokers(soon()).await.map(|brokers| brokers.len()), Ok(2));
        assert!(
            begun.elapsed() < Duration::from_secs(10),
            "{first}: {:?}",
            begun.elapsed()
        );
    }
}

#[tokio::test]
async fn where_nobody_answers_the_failure_says_why_and_in_time() {
    let (_listener, deaf) = deaf().await;
    let mut client = Client::new(Arc::new(config(&deaf, SHORT)));
    let begun = Instant::now();
    let failure = client.brokers(soon()).await.unwrap_err();
    assert_eq!((failure.api, failure.cause), (Api::Metadata, Cause::TimedOut));
    assert!(begun.elapsed() < Duration::from_secs(10));
    let mut client = Client::new(Arc::new(config(&dead().await, SHORT)));
    let failure = client.brokers(soon()).await.unwrap_err();
    assert_eq!(failure.cause, Cause::Disconnected);
    assert!(failure.to_string().contains("refused"), "{failure}");
}

#[tokio::test]
async fn a_call_returns_by_its_deadline_though_a_request_might_take_longer() {
    let cluster = start(model(1));
    let mut client = client(&cluster);
    listed(&mut client).await;
    cluster.fault(When::api(ApiKey::ListGroups), Fault::Silence);
    let begun = Instant::now();
    let lists = client.list_groups(Instant::now() + SHORT).await;
    assert_eq!(lists.missing[0].1.cause, Cause::TimedOut);
    assert!(begun.elapsed() < Duration::from_secs(10), "{:?}", begun.elapsed());
}

#[tokio::test]
async fn a_bootstrap_server_that_is_a_broker_keeps_its_one_connection() {
    let cluster = start(model(2));
    let mut client = client(&cluster);
    for _ in 0..3 {
        listed(&mut client).await;
    }
    let connections: std::collections::BTreeSet<_> = cluster.trace().iter().map(|asked| asked.connection).collect();
    assert_eq!(connections.len(), 2);
    assert_eq!(cluster.count(ApiKey::ApiVersions), 2);
    let calls = client.cluster.tally().take();
    assert_eq!(calls.requests[&Api::ApiVersions], 2);
    assert_eq!(calls.requests[&Api::ListGroups], 6);
    assert_eq!(calls.requests[&Api::Metadata], 3);
    assert!(calls.errors.is_empty());
}

#[tokio::test]
async fn a_broker_that_knows_only_old_versions_of_api_versions_is_understood() {
    let mut model = model(1);
    model.set_versions(&Versions::kafka_2_1());
    let cluster = start(model);
    let mut client = client(&cluster);
    assert!(client.brokers(soon()).await.is_ok());
    let calls = client.take_calls();
    assert_eq!(calls.requests[&Api::ApiVersions], 2, "v3 was refused, v0 was not");
    assert!(calls.errors.is_empty(), "that is no failure");
}

#[tokio::test]
async fn a_call_that_the_broker_does_not_speak_is_not_sent() {
    let mut model = model(1);
    model.set_versions(&Versions::kafka_4().without(ApiKey::ListGroups));
    let cluster = start(model);
    let mut client = client(&cluster);
    client.brokers(soon()).await.unwrap();
    let lists = client.list_groups(soon()).await;
    assert_eq!(lists.missing[0].1.cause, Cause::Unsupported);
    assert_eq!(cluster.count(ApiKey::ListGroups), 0);
    let calls = client.cluster.tally().take();
    assert_eq!(errors(&calls), [(Api::ListGroups, Cause::Unsupported, 1)]);
}

#[tokio::test]
async fn a_broker_that_comes_back_is_used_by_the_next_call() {
    let mut cluster = start(model(2));
    let mut client = client(&cluster);
    listed(&mut client).await;
    cluster.close(2).await.unwrap();
    let lists = client.list_groups(soon()).await;
    assert_eq!(lists.missing.len(), 1);
    assert_eq!(lists.missing[0].1.cause, Cause::Disconnected);
    cluster.open(2).unwrap();
    pause().await;
    assert!(client.list_groups(soon()).await.missing.is_empty());
}

#[tokio::test]
async fn when_every_known_broker_is_gone_the_bootstrap_names_lead_on() {
    let mut old = start(model(1));
    let new = start(model(3));
    // The old cluster's broker is known by its address; the configuration names both.
    let bootstrap = format!("{},{}", old.bootstrap(), new.bootstrap());
    let mut client = Client::new(Arc::new(config(&bootstrap, Duration::from_secs(5))));
    assert_eq!(client.brokers(soon()).await.map(|brokers| brokers.len()), Ok(1));
    old.close(1).await.unwrap();
    assert_eq!(client.brokers(soon()).await.map(|brokers| brokers.len()), Ok(3));
}

#[tokio::test]
async fn a_request_lost_with_a_connection_from_earlier_is_sent_once_more() {
    let cluster = start(model(1));
    let mut client = client(&cluster);
    listed(&mut client).await;
    cluster.fault(When::api(ApiKey::ListGroups).once(), Fault::Close);
    assert!(client.list_groups(soon()).await.missing.is_empty());
    cluster.fault(When::api(ApiKey::ListGroups), Fault::Close);
    let lists = client.list_groups(soon()).await;
    assert_eq!(lists.missing[0].1.cause, Cause::Disconnected);
    assert_eq!(cluster.count(ApiKey::ListGroups), 1 + 2 + 2);
}

#[tokio::test]
async fn every_way_to_spoil_an_answer_spoils_that_request_and_the_next_is_fine() {
    let mut model = model(1);
    model.commit("g", "t", 0, 1);
    let cluster = start(model);
    let mut client = client_within(&cluster, SHORT);
    listed(&mut client).await;
    let faults = [
        (Fault::Silence, Cause::TimedOut),
        (Fault::Half(sim::Then::Silence), Cause::TimedOut),
        (Fault::Half(sim::Then::Close), Cause::Disconnected),
        (Fault::Garbage, Cause::Malformed),
        (Fault::FrameLength(-1), Cause::Malformed),
        (Fault::FrameLength(i32::MAX), Cause::Malformed),
        (Fault::ArrayLength(i32::MAX), Cause::Malformed),
        (Fault::Correlation(1), Cause::Malformed),
        (
            Fault::Error(-1),
            Cause::Code(crate::failure::ErrorCode::new(-1).unwrap()),
        ),
        (
            Fault::Error(31_000),
            Cause::Code(crate::failure::ErrorCode::new(31_000).unwrap()),
        ),
    ];
    for (fault, cause) in faults {
        let what = format!("{fault:?}");
        client.cluster.tally().take();
        let id = cluster.fault(When::api(ApiKey::ListGroups), fault);
        let lists = client.list_groups(soon()).await;
        assert_eq!(
            lists.missing.first().map(|missing| missing.1.cause),
            Some(cause),
            "{what}"
        );
        let calls = client.cluster.tally().take();
        assert!(calls.errors[&(Api::ListGroups, cause)] >= 1, "{what}: {calls:?}");
        cluster.mend(id);
        pause().await;
        let lists = client.list_groups(soon()).await;
        assert!(lists.missing.is_empty(), "{what}: {:?}", lists.missing);
    }
}

#[tokio::test]
async fn a_silent_broker_is_waited_for_once_and_not_by_every_stage() {
    let mut model = model(2);
    for group in ["a", "b", "c", "d"] {
        model.commit(group, "t", 0, 1);
    }
    let cluster = start(model);
    let mut client = client_within(&cluster, SHORT);
    let mut groups = listed(&mut client).await;
    cluster.fault(When::broker(2), Fault::Silence);
    let begun = Instant::now();
    client.list_groups(soon()).await;
    let waited = begun.elapsed();
    client.describe(&mut groups, soon()).await;
    Survey::commits(&mut client, &mut groups, soon()).await;
    assert!(
        begun.elapsed() < waited + SHORT,
        "{waited:?}, then {:?}",
        begun.elapsed()
    );
}

fn login(mechanism: PasswordMechanism, password: &str) -> Sasl {
    by(mechanism, Material::inline("sasl.password", password))
}

fn by(mechanism: PasswordMechanism, password: Material) -> Sasl {
    Sasl::Password(PasswordLogin {
        mechanism,
        username: "ann".to_owned(),
        password,
    })
}

#[tokio::test]
async fn who_logs_in_is_let_in_and_who_does_not_is_told_what_is_wrong() {
    let mut model = model(1);
    model.sasl = Some(sim::model::Sasl {
        user: "ann".to_owned(),
        password: "hunter2".to_owned(),
    });
    let cluster = start(model);
    let client = |sasl| {
        let bare = config(&cluster.bootstrap(), Duration::from_secs(5));
        Client::new(Arc::new(config::Cluster { sasl, ..bare }))
    };
    let mut good = client(Some(login(PasswordMechanism::Plain, "hunter2")));
    assert!(good.brokers(soon()).await.is_ok());
    let failed = async |sasl| client(sasl).brokers(soon()).await.unwrap_err();

    let wrong = failed(Some(login(PasswordMechanism::Plain, "hunter3"))).await;
    assert_eq!(wrong.cause, Cause::Authentication);
    assert!(wrong.to_string().contains("SASL_AUTHENTICATION_FAILED"), "{wrong}");
    assert!(!wrong.to_string().contains("hunter3"));
    let other = failed(Some(login(PasswordMechanism::ScramSha512, "hunter2"))).await;
    assert_eq!(other.cause, Cause::Authentication);
    assert!(
        other.to_string().contains("does not offer SCRAM-SHA-512, only PLAIN"),
        "{other}"
    );
    let none = failed(None).await;
    assert_eq!(none.cause, Cause::Disconnected);
    assert!(none.to_string().contains("does this listener want SASL?"), "{none}");
}

#[tokio::test]
async fn a_password_file_is_read_anew_for_every_connection() {
    let mut model = model(1);
    model.sasl = Some(sim::model::Sasl {
        user: "ann".to_owned(),
        password: "new".to_owned(),
    });
    let cluster = start(model);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("password");
    std::fs::write(&file, "old\n").unwrap();
    let sasl = Some(by(
        PasswordMechanism::Plain,
        Material::file("sasl.password_file", file.clone()),
    ));
    let bare = config(&cluster.bootstrap(), Duration::from_secs(5));
    let mut client = Client::new(Arc::new(config::Cluster { sasl, ..bare }));
    assert_eq!(client.brokers(soon()).await.unwrap_err().cause, Cause::Authentication);
    std::fs::write(&file, "new\n").unwrap();
    pause().await;
    assert!(client.brokers(soon()).await.is_ok());
    std::fs::remove_file(&file).unwrap();
    let sasl = Some(by(PasswordMechanism::Plain, Material::file("sasl.password_file", file)));
    let bare = config(&cluster.bootstrap(), Duration::from_secs(5));
    let mut client = Client::new(Arc::new(config::Cluster { sasl, ..bare }));
    let failure = client.brokers(soon()).await.unwrap_err();
    assert!(failure.to_string().contains("sasl.password_file"), "{failure}");
}

#[tokio::test]
async fn a_client_that_is_dropped_closes_its_connections() {
    let cluster = start(model(2));
    let (_listener, deaf) = deaf().await;
    let bootstrap = format!("{},{deaf}", cluster.bootstrap());
    let mut client = Client::new(Arc::new(config(&bootstrap, Duration::from_secs(20))));
    listed(&mut client).await;
    cluster.fault(When::any(), Fault::Silence);
    let begun = Instant::now();
    let asking = tokio::spawn(async move { client.list_groups(soon()).await });
    while cluster.count(ApiKey::ListGroups) < 4 {
        tokio::task::yield_now().await;
    }
    asking.abort();
    assert!(asking.await.unwrap_err().is_cancelled());
    assert!(begun.elapsed() < Duration::from_secs(10));
}
