//! Facts and writes against a simulated cluster.

use super::*;
use crate::failure::Api;
use crate::failure::Cause;
use crate::failure::ErrorCode;
use crate::kafka::GroupFacts;
use crate::kafka::Write;
use crate::kafka::Writer as _;
use crate::kafka::wire::testing::SHORT;
use crate::kafka::wire::testing::client;
use crate::kafka::wire::testing::config;
use crate::kafka::wire::testing::model;
use crate::kafka::wire::testing::offset;
use crate::kafka::wire::testing::soon;
use crate::kafka::wire::testing::start;
use crate::kafka::wire::testing::topic;
use crate::model::GroupId;
use crate::model::GroupState;
use crate::model::GroupType;
use crate::model::Partition;
use crate::model::Text;
use crate::model::UnixMillis;
use crate::sim::ApiKey;
use crate::sim::Cluster as Sim;
use crate::sim::Commit;
use crate::sim::Fault;
use crate::sim::Member;
use crate::sim::Then;
use crate::sim::Versions;
use crate::sim::When;
use crate::sim::model::group_id;
use crate::sim::model::topic_name;

fn code(raw: i16) -> Cause {
    Cause::Code(ErrorCode::new(raw).expect("not zero"))
}

fn writer(cluster: &Sim) -> Writer {
    Writer::new(config(&cluster.bootstrap(), SHORT).into())
}

fn g() -> GroupId {
    GroupId::from("g")
}

fn write(partition: i32, to: Option<i64>) -> Write {
    Write {
        topic: topic("t"),
        partition: Partition(partition),
        to: to.map(offset),
        leader_epoch: to.map(|_| 0),
        metadata: "by hand".to_owned(),
    }
}

/// A group with a commit of 1 on every partition of `t`, and no members.
fn empty_group() -> Sim {
    let mut model = model(2);
    for partition in 0..3 {
        model.commit("g", "t", partition, 1);
    }
    start(model)
}

/// What the cluster has committed on `t`.
fn committed(cluster: &Sim) -> Vec<(i32, i64)> {
    cluster.edit(|model| {
        let slots = model
            .group(&group_id("g"))
            .map(|group| group.commits.topic(&topic_name("t")).to_vec());
        slots
            .unwrap_or_default()
            .iter()
            .map(|slot| (slot.partition, slot.offset))
            .collect()
    })
}

#[tokio::test]
async fn every_write_is_answered_in_order_and_carried_out_once() {
    let cluster = empty_group();
    let writes = [write(2, Some(7)), write(0, None), write(1, Some(5))];
    let results = writer(&cluster).write(&g(), &writes, soon()).await;
    assert_eq!(results, Ok(vec![Ok(()); 3]));
    assert_eq!(committed(&cluster), [(1, 5), (2, 7)]);
    let facts = GroupFacts::commits(&mut client(&cluster), &g(), soon()).await.unwrap();
    assert_eq!(facts[0].metadata, "by hand");
    assert_eq!(facts[0].leader_epoch, Some(0));
    for api in [ApiKey::OffsetCommit, ApiKey::OffsetDelete] {
        assert_eq!(cluster.count(api), 1);
    }
}

#[tokio::test]
async fn an_error_of_one_partition_is_told_with_it() {
    let cluster = empty_group();
    let writes = [write(0, Some(7)), write(1, Some(7)), write(2, Some(7))];
    cluster.fault(
        When::api(ApiKey::OffsetCommit).topic("t").partition(1),
        Fault::Error(28),
    );
    let results = writer(&cluster).write(&g(), &writes, soon()).await;
    assert_eq!(results, Ok(vec![Ok(()), Err(code(28)), Ok(())]));
    assert_eq!(committed(&cluster), [(0, 7), (1, 1), (2, 7)]);
}

#[tokio::test]
async fn what_became_of_an_unanswered_write_is_unknown_and_it_is_never_sent_twice() {
    for (fault, cause) in [
        (Fault::Silence, Cause::TimedOut),
        (Fault::Close, Cause::Disconnected),
        (Fault::Half(Then::Close), Cause::Disconnected),
        (Fault::Half(Then::Silence), Cause::TimedOut),
        (Fault::Garbage, Cause::Malformed),
        (Fault::FrameLength(i32::MAX), Cause::Malformed),
        (Fault::Delay(SHORT * 3), Cause::TimedOut),
    ] {
        for (api, to) in [(ApiKey::OffsetCommit, Some(7)), (ApiKey::OffsetDelete, None)] {
            let cluster = empty_group();
            let what = format!("{api:?} {fault:?}");
            let mut writer = writer(&cluster);
            // A connection from earlier tempts to send it again.
            writer.write(&g(), &[write(0, Some(1))], soon()).await.unwrap();
            let before = cluster.count(api);
            cluster.fault(When::api(api), fault.clone());
            let results = writer.write(&g(), &[write(0, to), write(1, to)], soon()).await;
            assert_eq!(results, Ok(vec![Err(cause), Err(cause)]), "{what}");
            assert_eq!(cluster.count(api), before + 1, "{what}");
        }
    }
}

#[tokio::test]
async fn a_partition_that_the_answer_leaves_out_may_or_may_not_have_been_written() {
    let cluster = empty_group();
    cluster.fault(When::api(ApiKey::OffsetCommit).topic("t").partition(1), Fault::LeftOut);
    let results = writer(&cluster)
        .write(&g(), &[write(0, Some(7)), write(1, Some(7))], soon())
        .await;
    assert_eq!(results, Ok(vec![Ok(()), Err(Cause::Malformed)]));
}

#[tokio::test]
async fn nothing_is_forgotten_after_a_commit_that_failed_or_may_have() {
    for fault in [Fault::Error(25), Fault::Close, Fault::LeftOut] {
        let cluster = empty_group();
        cluster.fault(When::api(ApiKey::OffsetCommit).topic("t").partition(1), fault);
        let writes = [write(0, None), write(1, Some(7))];
        let results = writer(&cluster).write(&g(), &writes, soon()).await.unwrap();
        assert!(results.iter().all(Result::is_err), "{results:?}");
        assert_eq!(cluster.count(ApiKey::OffsetDelete), 0);
        assert_eq!(committed(&cluster)[0], (0, 1));
    }
}

#[tokio::test]
async fn a_refusal_of_the_whole_group_is_told_with_every_partition() {
    let cluster = empty_group();
    cluster.fault(When::api(ApiKey::OffsetDelete), Fault::Error(68));
    let results = writer(&cluster)
        .write(&g(), &[write(0, None), write(1, None)], soon())
        .await;
    assert_eq!(results, Ok(vec![Err(code(68)), Err(code(68))]));
}

#[tokio::test]
async fn a_group_with_members_is_not_written() {
    for kind in [GroupType::Classic, GroupType::Consumer] {
        let cluster = empty_group();
        cluster.edit(|model| {
            model.create_group("g", kind.clone());
            model.join("g", Member::new("one").subscribed(&["t"]).assigned("t", &[0]));
        });
        let results = writer(&cluster).write(&g(), &[write(0, Some(7))], soon()).await;
        assert_eq!(results, Ok(vec![Err(code(25))]), "{kind}");
    }
}

#[tokio::test]
async fn what_cannot_be_said_exactly_is_not_sent_at_all() {
    let mut model = model(1);
    model.set_versions(&Versions::kafka_2_1());
    let cluster = start(model);
    let failed = async |group: GroupId, writes: &[Write]| {
        let failure = writer(&cluster).write(&group, writes, soon()).await.unwrap_err();
        (failure.api, failure.cause)
    };
    let mixed = [write(0, Some(7)), write(1, None)];
    assert_eq!(failed(g(), &mixed).await, (Api::OffsetDelete, Cause::Unsupported));
    let foreign = GroupId::from(&b"\xff"[..]);
    assert_eq!(failed(foreign, &[write(0, Some(7))]).await.1, Cause::Unaskable);
    assert_eq!(
        failed(g(), &[write(0, Some(7)), write(0, None)]).await.1,
        Cause::Unaskable
    );
    let past = tokio::time::Instant::now();
    let late = writer(&cluster).write(&g(), &[write(0, Some(7))], past).await;
    assert_eq!(late.unwrap_err().cause, Cause::TimedOut);
    cluster.fault(When::api(ApiKey::FindCoordinator), Fault::Error(15));
    assert_eq!(
        failed(g(), &[write(0, Some(7))]).await,
        (Api::FindCoordinator, code(15))
    );
    assert_eq!(cluster.count(ApiKey::OffsetCommit), 0);
}

#[tokio::test]
async fn older_brokers_are_written_to_as_well() {
    for versions in [Versions::kafka_3_0(), Versions::kafka_2_1()] {
        let cluster = empty_group();
        cluster.edit(|model| model.set_versions(&versions));
        let results = writer(&cluster).write(&g(), &[write(0, Some(7))], soon()).await;
        assert_eq!(results, Ok(vec![Ok(())]));
        assert_eq!(committed(&cluster)[0], (0, 7));
    }
}

#[tokio::test]
async fn every_kind_of_group_is_told_by_its_coordinator() {
    let mut model = model(2);
    for (id, kind) in [
        ("classic", GroupType::Classic),
        ("consumer", GroupType::Consumer),
        ("share", GroupType::Share),
    ] {
        model.create_group(id, kind);
        model.join(id, Member::new("one").subscribed(&["t"]).assigned("t", &[1]));
    }
    model.commit("simple", "t", 0, 3);
    let cluster = start(model);
    let mut client = client(&cluster);
    for (id, kind, state) in [
        ("classic", "Classic", GroupState::Stable),
        ("consumer", "Consumer", GroupState::Stable),
        ("share", "Share", GroupState::Stable),
        ("simple", "Classic", GroupState::Empty),
    ] {
        let (listed, description) = client
            .group(&GroupId::from(id), soon())
            .await
            .unwrap()
            .expect("it is there");
        assert_eq!(listed.group_type, Some(Text::from(kind)), "{id}");
        assert_eq!(listed.state, Some(state.clone()), "{id}");
        assert_eq!(description.state, state, "{id}");
        assert_eq!(description.members.len(), usize::from(id != "simple"), "{id}");
    }
    assert_eq!(client.group(&GroupId::from("nobody"), soon()).await, Ok(None));
    assert_eq!(
        GroupFacts::commits(&mut client, &GroupId::from("nobody"), soon()).await,
        Ok(vec![])
    );
}

#[tokio::test]
async fn facts_that_cannot_be_had_for_certain_are_a_failure() {
    let faults = [
        (ApiKey::FindCoordinator, Fault::Error(15), code(15)),
        (ApiKey::DescribeGroups, Fault::Error(30), code(30)),
        (ApiKey::DescribeGroups, Fault::Silence, Cause::TimedOut),
        (ApiKey::DescribeGroups, Fault::LeftOut, Cause::Malformed),
        (ApiKey::ConsumerGroupDescribe, Fault::Error(14), code(14)),
        (ApiKey::ConsumerGroupDescribe, Fault::Close, Cause::Disconnected),
    ];
    for (api, fault, cause) in faults {
        let cluster = empty_group();
        let what = format!("{api:?} {fault:?}");
        let mut client = crate::kafka::wire::testing::client_within(&cluster, SHORT);
        cluster.fault(When::api(api), fault);
        let failure = client.group(&g(), soon()).await.unwrap_err();
        assert_eq!(failure.cause, cause, "{what}");
    }
    let cluster = empty_group();
    cluster.fault(When::api(ApiKey::OffsetFetch), Fault::Error(14));
    let failure = GroupFacts::commits(&mut client(&cluster), &g(), soon())
        .await
        .unwrap_err();
    assert_eq!((failure.api, failure.cause), (Api::OffsetFetch, code(14)));
    cluster.fault(When::api(ApiKey::Metadata), Fault::Silence);
    let mut client = crate::kafka::wire::testing::client_within(&cluster, SHORT);
    assert_eq!(
        GroupFacts::topics(&mut client, &[topic("t")], soon())
            .await
            .unwrap_err()
            .cause,
        Cause::TimedOut
    );
}

#[tokio::test]
async fn a_cluster_that_does_not_allow_newer_groups_yet_still_tells_of_the_classic_ones() {
    let cluster = empty_group();
    cluster.fault(When::api(ApiKey::ConsumerGroupDescribe), Fault::Error(35));
    cluster.fault(When::api(ApiKey::ShareGroupDescribe), Fault::Error(35));
    let found = client(&cluster).group(&g(), soon()).await.unwrap();
    assert_eq!(found.map(|found| found.1.state), Some(GroupState::Empty));
}

#[tokio::test]
async fn a_commit_that_a_transaction_may_still_change_is_not_told_as_a_fact() {
    let cluster = empty_group();
    cluster.edit(|model| model.set_pending("g", "t", 1, true)).unwrap();
    let facts = GroupFacts::commits(&mut client(&cluster), &g(), soon()).await.unwrap();
    let offsets: Vec<_> = facts.iter().map(|fact| fact.offset).collect();
    assert_eq!(offsets, [Ok(offset(1)), Err(code(88)), Ok(offset(1))]);
}

#[tokio::test]
async fn commits_topics_logs_and_times_are_told() {
    let cluster = empty_group();
    let mark = Commit {
        epoch: 4,
        metadata: "mark".to_owned(),
        ..Commit::at(2)
    };
    cluster.edit(|model| model.commit_with("g", "t", 2, mark));
    let mut client = client(&cluster);
    let facts = GroupFacts::commits(&mut client, &g(), soon()).await.unwrap();
    let last = facts.last().unwrap();
    assert_eq!(
        (last.partition, last.offset, last.leader_epoch),
        (Partition(2), Ok(offset(2)), Some(4))
    );
    assert_eq!(last.metadata, "mark");
    let names = [topic("t"), topic("gone")];
    let topics = GroupFacts::topics(&mut client, &names, soon()).await.unwrap();
    assert_eq!(topics[&names[1]], Err(code(3)));
    let meta = topics[&names[0]].clone().unwrap();
    let logs = GroupFacts::logs(&mut client, &[(topic("t"), meta)], soon()).await;
    assert!(
        logs[0]
            .iter()
            .all(|log| log.end == Ok(offset(10)) && log.stable.is_none())
    );
    let all = [(topic("t"), Partition(0)), (topic("t"), Partition(1))];
    let early = GroupFacts::by_time(&mut client, &all, UnixMillis(0), soon()).await;
    let firsts: Vec<_> = early
        .into_iter()
        .map(|found| found.map(|found| found.map(|(at, _)| at)))
        .collect();
    assert_eq!(firsts, [Ok(Some(offset(0))), Ok(Some(offset(0)))]);
    let late = GroupFacts::by_time(&mut client, &all, UnixMillis(i64::MAX), soon()).await;
    assert_eq!(late, [Ok(None), Ok(None)]);
}
