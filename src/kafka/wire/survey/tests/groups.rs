use super::*;
use crate::model::GroupId;

/// Three brokers and a group on each: `a` on 1, `b` on 2, `c` on 3.
fn three() -> Sim {
    let mut model = model(3);
    for (id, broker) in [("a", 1), ("b", 2), ("c", 3)] {
        model.commit(id, "t", 0, 1);
        model.move_coordinator(id, broker).unwrap();
    }
    start(model)
}

async fn states(client: &mut Client, groups: &mut [ListedGroup]) -> Vec<Heard<GroupState>> {
    let described = client.describe(groups, soon()).await;
    described.into_iter().map(|one| one.map(|one| one.state)).collect()
}

async fn committed(client: &mut Client, groups: &mut [ListedGroup]) -> Vec<Heard<usize>> {
    let commits = Survey::commits(client, groups, soon()).await;
    commits.into_iter().map(|one| one.map(|topics| topics.len())).collect()
}

#[tokio::test]
async fn every_kind_of_group_is_described_by_its_own_call() {
    let mut model = model(2);
    for (id, kind) in [
        ("classic", GroupType::Classic),
        ("consumer", GroupType::Consumer),
        ("share", GroupType::Share),
        ("connect", GroupType::Connect),
    ] {
        model.create_group(id, kind);
        model.join(id, Member::new("one").subscribed(&["t"]).assigned("t", &[1]));
    }
    model.commit("simple", "t", 0, 3);
    for lower in [false, true] {
        let cluster = start({
            let mut model = model.clone();
            model.lower_case_types = lower;
            model
        });
        let mut client = client(&cluster);
        let mut groups = listed(&mut client).await;
        let ids: Vec<_> = groups.iter().map(|group| group.id.to_string()).collect();
        assert_eq!(ids, ["classic", "connect", "consumer", "share", "simple"]);
        let described = client.describe(&mut groups, soon()).await;
        let members: Vec<_> = described
            .iter()
            .map(|one| one.as_ref().unwrap().members.len())
            .collect();
        assert_eq!(members, [1, 1, 1, 1, 0]);
        let assignment = |index: usize| described[index].as_ref().unwrap().members[0].assignment.clone();
        for index in [0, 2, 3] {
            assert_eq!(
                assignment(index),
                Assignment::Partitions(vec![(topic("t"), vec![Partition(1)])])
            );
        }
        assert_eq!(assignment(1), Assignment::Opaque);
        assert!(client.take_calls().errors.is_empty());
    }
}

#[tokio::test]
async fn a_moved_coordinator_is_found_within_the_same_call() {
    let cluster = three();
    let mut client = client(&cluster);
    let mut groups = listed(&mut client).await;
    cluster.edit(|model| model.move_coordinator("a", 3)).unwrap();
    cluster.take_trace();
    assert!(states(&mut client, &mut groups).await.iter().all(Result::is_ok));
    assert_eq!(groups[0].coordinators, [BrokerId(3)]);
    let found = cluster
        .take_trace()
        .iter()
        .filter(|asked| asked.api == ApiKey::FindCoordinator)
        .count();
    assert_eq!(found, 1);
    let calls = client.take_calls();
    assert_eq!(calls.errors, [((Api::DescribeGroups, code(16)), 1)].into());

    cluster.edit(|model| model.move_coordinator("a", 2)).unwrap();
    assert_eq!(committed(&mut client, &mut groups).await, [Ok(1), Ok(1), Ok(1)]);
    assert_eq!(groups[0].coordinators, [BrokerId(2)]);
}

#[tokio::test]
async fn of_two_brokers_that_list_a_group_the_one_that_has_it_is_asked_in_the_end() {
    let cluster = three();
    cluster.edit(|model| model.list_group_on("b", Some(&[1, 2]))).unwrap();
    let mut client = client(&cluster);
    let mut groups = listed(&mut client).await;
    assert_eq!(groups[1].coordinators, [BrokerId(1), BrokerId(2)]);
    assert!(states(&mut client, &mut groups).await.iter().all(Result::is_ok));
    assert_eq!(groups[1].coordinators, [BrokerId(2)]);
    assert_eq!(cluster.count(ApiKey::FindCoordinator), 0, "the lists said it");
}

#[tokio::test]
async fn a_group_that_keeps_moving_has_failed_and_nothing_else_has() {
    let cluster = three();
    let mut client = client(&cluster);
    let mut groups = listed(&mut client).await;
    for api in [ApiKey::DescribeGroups, ApiKey::OffsetFetch] {
        cluster.fault(When::api(api).group("b"), Fault::Error(16));
    }
    let heard = states(&mut client, &mut groups).await;
    assert_eq!(heard, [Ok(GroupState::Empty), Err(code(16)), Ok(GroupState::Empty)]);
    assert_eq!(committed(&mut client, &mut groups).await, [Ok(1), Err(code(16)), Ok(1)]);
}

#[tokio::test]
async fn an_error_of_one_group_stays_with_it_whatever_its_code() {
    let mut model = model(1);
    for id in ["a", "b", "c"] {
        model.commit(id, "t", 0, 1);
    }
    let cluster = start(model);
    let mut client = client(&cluster);
    let mut groups = listed(&mut client).await;
    for raw in [14, 15, 30, 41, 56, -1, 31_000] {
        let describe = cluster.fault(When::api(ApiKey::DescribeGroups).group("b"), Fault::Error(raw));
        let fetch = cluster.fault(When::api(ApiKey::OffsetFetch).group("b"), Fault::Error(raw));
        client.take_calls();
        let heard = states(&mut client, &mut groups).await;
        assert_eq!(heard, [Ok(GroupState::Empty), Err(code(raw)), Ok(GroupState::Empty)]);
        assert_eq!(
            committed(&mut client, &mut groups).await,
            [Ok(1), Err(code(raw)), Ok(1)]
        );
        let calls = client.take_calls();
        let expected = [
            ((Api::DescribeGroups, code(raw)), 1),
            ((Api::OffsetFetch, code(raw)), 1),
        ];
        assert_eq!(calls.errors, expected.into());
        cluster.mend(describe);
        cluster.mend(fetch);
    }
}

#[tokio::test]
async fn an_error_of_one_partition_stays_with_it() {
    let mut model = model(1);
    for partition in 0..3 {
        model.commit("g", "t", partition, 1);
    }
    let cluster = start(model);
    cluster.fault(When::api(ApiKey::OffsetFetch).topic("t").partition(1), Fault::Error(88));
    let mut client = client(&cluster);
    let mut groups = listed(&mut client).await;
    let commits = Survey::commits(&mut client, &mut groups, soon()).await;
    let expected = [
        (Partition(0), Ok(offset(1))),
        (Partition(1), Err(code(88))),
        (Partition(2), Ok(offset(1))),
    ];
    assert_eq!(commits[0].as_ref().unwrap()[0].partitions, expected);
    assert_eq!(client.take_calls().errors, [((Api::OffsetFetch, code(88)), 1)].into());
}

#[tokio::test]
async fn a_group_that_the_answer_leaves_out_has_failed() {
    let cluster = three();
    let mut client = client(&cluster);
    let mut groups = listed(&mut client).await;
    for api in [ApiKey::DescribeGroups, ApiKey::OffsetFetch] {
        cluster.fault(When::api(api).group("b"), Fault::LeftOut);
    }
    let heard = states(&mut client, &mut groups).await;
    assert_eq!(heard[1], Err(Cause::Malformed));
    assert_eq!(committed(&mut client, &mut groups).await[1], Err(Cause::Malformed));
}

#[tokio::test]
async fn a_group_whose_answers_are_garbage_costs_only_itself() {
    for fault in [
        Fault::Garbage,
        Fault::FrameLength(i32::MAX),
        Fault::ArrayLength(i32::MAX),
    ] {
        let mut model = model(1);
        for index in 0..600 {
            model.commit(&format!("g{index:03}"), "t", 0, 1);
        }
        let cluster = start(model);
        let what = format!("{fault:?}");
        let mut client = client(&cluster);
        let mut groups = listed(&mut client).await;
        cluster.fault(When::api(ApiKey::OffsetFetch).group("g321"), fault);
        let heard = committed(&mut client, &mut groups).await;
        for (index, heard) in heard.into_iter().enumerate() {
            let expected = if index == 321 { Err(Cause::Malformed) } else { Ok(1) };
            assert_eq!(heard, expected, "{what}: g{index}");
        }
    }
}

#[tokio::test]
async fn a_dead_coordinator_costs_its_groups_and_no_others() {
    let mut cluster = three();
    let mut client = client_within(&cluster, SHORT);
    let mut groups = listed(&mut client).await;
    cluster.close(2).await.unwrap();
    let heard = states(&mut client, &mut groups).await;
    assert_eq!(
        heard,
        [Ok(GroupState::Empty), Err(Cause::Disconnected), Ok(GroupState::Empty)]
    );
    assert_eq!(
        committed(&mut client, &mut groups).await,
        [Ok(1), Err(Cause::Disconnected), Ok(1)]
    );
    cluster.open(2).unwrap();
    cluster.fault(When::broker(2), Fault::Silence);
    pause().await;
    let heard = states(&mut client, &mut groups).await;
    assert_eq!(
        heard,
        [Ok(GroupState::Empty), Err(Cause::TimedOut), Ok(GroupState::Empty)]
    );
}

#[tokio::test]
async fn a_list_that_is_missing_names_its_broker() {
    let cluster = three();
    let mut client = client(&cluster);
    client.brokers(soon()).await.unwrap();
    for raw in [14, 15, 31] {
        let fault = cluster.fault(When::api(ApiKey::ListGroups).and_broker(2), Fault::Error(raw));
        let lists = client.list_groups(soon()).await;
        let ids: Vec<_> = lists.groups.iter().map(|group| group.id.to_string()).collect();
        assert_eq!(ids, ["a", "c"]);
        let missing: Vec<_> = lists
            .missing
            .iter()
            .map(|(broker, failure)| (*broker, failure.cause))
            .collect();
        assert_eq!(missing, [(BrokerId(2), code(raw))]);
        cluster.mend(fault);
    }
}

#[tokio::test]
async fn what_became_of_a_vanished_group_is_said_by_its_coordinator() {
    for (name, versions) in generations() {
        let cluster = three();
        cluster.edit(|model| model.set_versions(&versions));
        let mut client = client_within(&cluster, SHORT);
        let groups = listed(&mut client).await;
        cluster.edit(|model| model.delete_group("a")).unwrap();
        let verdicts = client.presence(&groups, soon()).await;
        assert!(matches!(verdicts[0], Ok(Presence::Gone)), "{name}: {verdicts:?}");
        for (index, broker) in [(1, 2), (2, 3)] {
            let Ok(Presence::There(there)) = &verdicts[index] else {
                panic!("{name}: {verdicts:?}");
            };
            assert_eq!(there.coordinators, [BrokerId(broker)]);
            assert_eq!(there.state, Some(GroupState::Empty));
        }
        assert!(client.take_calls().errors.is_empty(), "{name}");
    }
}

#[tokio::test]
async fn a_vanished_group_of_which_nobody_can_say_is_not_gone() {
    let mut cluster = three();
    let mut client = client_within(&cluster, SHORT);
    let groups = listed(&mut client).await;
    cluster.close(1).await.unwrap();
    let verdicts = client.presence(&groups[..1], soon()).await;
    assert!(matches!(verdicts[0], Err(Cause::Disconnected)), "{verdicts:?}");
    cluster.open(1).unwrap();
    cluster.edit(|model| model.delete_group("a")).unwrap();
    pause().await;
    for (api, raw) in [
        (ApiKey::FindCoordinator, 15),
        (ApiKey::DescribeGroups, 30),
        (ApiKey::OffsetFetch, 30),
        (ApiKey::OffsetFetch, 14),
    ] {
        let fault = cluster.fault(When::api(api).group("a"), Fault::Error(raw));
        let verdicts = client.presence(&groups[..1], soon()).await;
        assert!(
            matches!(verdicts[0], Err(cause) if cause == code(raw)),
            "{api:?}: {verdicts:?}"
        );
        cluster.mend(fault);
    }
}

#[tokio::test]
async fn vanished_groups_of_the_newer_kinds_are_asked_about_by_their_own_call() {
    let mut model = model(2);
    for (id, kind) in [("consumer", GroupType::Consumer), ("share", GroupType::Share)] {
        model.create_group(id, kind);
        model.join(id, Member::new("one").subscribed(&["t"]).assigned("t", &[1]));
    }
    let cluster = start(model);
    let mut client = client(&cluster);
    let groups = listed(&mut client).await;
    let verdicts = client.presence(&groups, soon()).await;
    assert!(
        verdicts.iter().all(|verdict| matches!(verdict, Ok(Presence::There(_)))),
        "{verdicts:?}"
    );
    cluster.edit(|model| {
        model.delete_group("consumer").unwrap();
        model.delete_group("share").unwrap();
    });
    let verdicts = client.presence(&groups, soon()).await;
    assert!(
        verdicts.iter().all(|verdict| matches!(verdict, Ok(Presence::Gone))),
        "{verdicts:?}"
    );
    assert!(client.take_calls().errors.is_empty());
}

#[tokio::test]
async fn a_group_that_is_dead_though_listed_is_said_to_be_dead() {
    for (name, versions) in generations() {
        let cluster = three();
        cluster.edit(|model| model.set_versions(&versions));
        let mut client = client(&cluster);
        let mut groups = listed(&mut client).await;
        cluster.edit(|model| model.delete_group("b")).unwrap();
        assert_eq!(
            states(&mut client, &mut groups).await[1],
            Ok(GroupState::Dead),
            "{name}"
        );
        assert_eq!(committed(&mut client, &mut groups).await[1], Ok(0), "{name}");
        assert!(client.take_calls().errors.is_empty(), "{name}");
    }
}

#[tokio::test]
async fn a_newer_group_is_known_where_lists_do_not_tell_types_yet() {
    let mut model = model(1);
    model.create_group("consumer", GroupType::Consumer);
    model.join("consumer", Member::new("one").subscribed(&["t"]).assigned("t", &[1]));
    // As Kafka 3.7 has it: the call, but no types in lists.
    model.set_versions(&Versions::kafka_3_0().with(ApiKey::ConsumerGroupDescribe, 0..=0));
    let cluster = start(model);
    let mut client = client(&cluster);
    let mut groups = listed(&mut client).await;
    assert_eq!(groups[0].group_type, None);
    assert_eq!(states(&mut client, &mut groups).await, [Ok(GroupState::Stable)]);
}

#[tokio::test]
async fn a_group_without_a_coordinator_in_the_list_is_looked_for() {
    let cluster = three();
    let mut client = client(&cluster);
    let mut groups = listed(&mut client).await;
    for group in &mut groups {
        group.coordinators.clear();
    }
    assert!(states(&mut client, &mut groups).await.iter().all(Result::is_ok));
    let coordinators: Vec<_> = groups.iter().map(|group| group.coordinators[0].0).collect();
    assert_eq!(coordinators, [1, 2, 3]);
}

#[tokio::test]
async fn a_group_whose_id_is_no_text_cannot_be_asked_about_and_harms_nobody() {
    let mut model = model(1);
    model.commit("good", "t", 0, 1);
    model.commit("ill?", "t", 0, 1);
    let cluster = start(model);
    assert!(cluster.alias("ill?", b"ill\xff"));
    let mut client = client(&cluster);
    let mut groups = listed(&mut client).await;
    assert_eq!(groups[1].id, GroupId::from(&b"ill\xff"[..]));
    assert_eq!(
        states(&mut client, &mut groups).await,
        [Ok(GroupState::Empty), Err(Cause::Unaskable)]
    );
    assert_eq!(
        committed(&mut client, &mut groups).await,
        [Ok(1), Err(Cause::Unaskable)]
    );
    let verdicts = client.presence(&groups, soon()).await;
    assert!(matches!(verdicts[1], Err(Cause::Unaskable)), "{verdicts:?}");
    assert_eq!(client.take_calls().errors[&(Api::DescribeGroups, Cause::Unaskable)], 1);
}

#[tokio::test]
async fn no_list_at_all_is_not_a_cluster_without_groups() {
    let mut cluster = three();
    let mut fresh = client(&cluster);
    assert_eq!(
        fresh.list_groups(soon()).await.groups.len(),
        3,
        "the brokers are looked for"
    );
    for broker in 1..=3 {
        cluster.close(broker).await.unwrap();
    }
    let lists = client(&cluster).list_groups(soon()).await;
    assert_eq!(lists.missing.len(), 1);
    assert_eq!(lists.missing[0].1.cause, Cause::Disconnected);
}
