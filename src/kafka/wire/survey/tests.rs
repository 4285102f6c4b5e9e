//! The survey against a simulated cluster: what is there is read, and what goes wrong stays where it belongs.

mod groups;
mod logs;
mod topics;

use std::time::Duration;

use super::*;
use crate::failure::ErrorCode;
use crate::kafka::wire::testing::NOW;
use crate::kafka::wire::testing::SHORT;
use crate::kafka::wire::testing::client;
use crate::kafka::wire::testing::client_within;
use crate::kafka::wire::testing::listed;
use crate::kafka::wire::testing::model;
use crate::kafka::wire::testing::offset;
use crate::kafka::wire::testing::pause;
use crate::kafka::wire::testing::soon;
use crate::kafka::wire::testing::start;
use crate::kafka::wire::testing::topic;
use crate::kafka::wire::testing::with_meta;
use crate::model::BrokerId;
use crate::model::GroupState;
use crate::model::GroupType;
use crate::observation::Assignment;
use crate::sim::ApiKey;
use crate::sim::Cluster as Sim;
use crate::sim::Fault;
use crate::sim::Member;
use crate::sim::Versions;
use crate::sim::When;

fn code(raw: i16) -> Cause {
    Cause::Code(ErrorCode::new(raw).expect("not zero"))
}

fn generations() -> [(&'static str, Versions); 3] {
    [
        ("4", Versions::kafka_4()),
        ("3.0", Versions::kafka_3_0()),
        ("2.1", Versions::kafka_2_1()),
    ]
}

#[tokio::test]
async fn brokers_of_every_generation_are_read_alike() {
    for (name, versions) in generations() {
        let mut model = model(3);
        for index in 0..40 {
            model.commit(&format!("g{index:02}"), "t", index % 3, i64::from(index % 10));
        }
        model.join("g00", Member::new("c").assigned("t", &[0, 2]));
        model.set_versions(&versions);
        let cluster = start(model);
        let mut client = client(&cluster);
        let mut groups = listed(&mut client).await;
        assert_eq!(groups.len(), 40, "{name}");
        let described = client.describe(&mut groups, soon()).await;
        let members: Vec<_> = described
            .iter()
            .map(|one| one.as_ref().map(|one| one.members.len()))
            .collect();
        assert_eq!(members[0], Ok(1), "{name}");
        assert!(
            members[1..].iter().all(|members| *members == Ok(0)),
            "{name}: {members:?}"
        );
        let commits = Survey::commits(&mut client, &mut groups, soon()).await;
        for (index, commits) in (0..).zip(&commits) {
            let commits = commits.as_ref().expect("commits");
            assert_eq!(
                commits[0].partitions,
                [(Partition(index % 3), Ok(offset(i64::from(index) % 10)))]
            );
        }
        let meta = with_meta(&mut client, "t").await;
        let logs = Survey::logs(&mut client, &[meta], soon()).await;
        assert!(
            logs[0]
                .iter()
                .all(|log| log.end == Ok(offset(10)) && log.stable == Some(Ok(offset(10)))),
            "{name}"
        );
        let calls = client.take_calls();
        assert!(calls.errors.is_empty(), "{name}: {:?}", calls.errors);
        for (api, key) in [
            (Api::OffsetFetch, ApiKey::OffsetFetch),
            (Api::ListOffsets, ApiKey::ListOffsets),
        ] {
            assert_eq!(calls.requests[&api], cluster.count(key), "{name}");
        }
    }
}

#[tokio::test]
async fn a_cycle_takes_few_requests_whatever_the_number_of_groups() {
    let mut model = model(3);
    for index in 0..2_000 {
        model.commit(&format!("g{index}"), "t", 0, 1);
    }
    let cluster = start(model);
    let mut client = client(&cluster);
    let mut groups = listed(&mut client).await;
    client.describe(&mut groups, soon()).await;
    Survey::commits(&mut client, &mut groups, soon()).await;
    let meta = with_meta(&mut client, "t").await;
    Survey::logs(&mut client, &[meta], soon()).await;
    let calls = client.take_calls();
    let requests: u64 = calls.requests.values().sum();
    assert!(requests <= 60, "{requests} requests: {:?}", calls.requests);
    assert!(calls.errors.is_empty());
}

#[tokio::test]
async fn a_survey_that_is_given_up_leaves_the_client_in_order() {
    let mut model = model(2);
    for index in 0..20 {
        model.commit(&format!("g{index}"), "t", 0, 1);
    }
    let cluster = start(model);
    let mut client = client(&cluster);
    let mut groups = listed(&mut client).await;
    for _ in 0..20 {
        let delay = cluster.fault(When::any(), Fault::Delay(Duration::from_millis(3)));
        for patience in 0..4 {
            let asking = Survey::commits(&mut client, &mut groups, soon());
            let _ = tokio::time::timeout(Duration::from_millis(patience), asking).await;
        }
        cluster.mend(delay);
        let commits = Survey::commits(&mut client, &mut groups, soon()).await;
        assert!(commits.iter().all(Result::is_ok), "{commits:?}");
    }
}
