use super::*;

/// Three brokers that lead one partition of `t` each: partition 0 on 1, 1 on 2, 2 on 3.
fn three() -> Sim {
    let mut model = model(3);
    for (partition, leader) in [(0, 1), (1, 2), (2, 3)] {
        model.move_leader("t", partition, Some(leader)).unwrap();
    }
    start(model)
}

async fn ends(client: &mut Client, meta: &(TopicName, TopicMeta)) -> Vec<Heard<i64>> {
    let logs = Survey::logs(client, std::slice::from_ref(meta), soon()).await;
    logs[0].iter().map(|log| log.end.map(Offset::get)).collect()
}

#[tokio::test]
async fn starts_and_ends_are_asked_once_per_leader_and_kind() {
    let mut model = model(3);
    model.create_topic("u", 30);
    model.delete_records("t", 1, 4).unwrap();
    let cluster = start(model);
    let mut client = client(&cluster);
    client.brokers(soon()).await.unwrap();
    let topics = [with_meta(&mut client, "t").await, with_meta(&mut client, "u").await];
    client.take_calls();
    cluster.take_trace();
    let logs = Survey::logs(&mut client, &topics, soon()).await;
    assert_eq!((logs[0].len(), logs[1].len()), (3, 30));
    let limits: Vec<_> = logs[0].iter().map(|log| (log.start, log.end, log.stable)).collect();
    let expected = |start| (Ok(offset(start)), Ok(offset(10)), Some(Ok(offset(10))));
    assert_eq!(limits, [expected(0), expected(4), expected(0)]);
    assert_eq!(client.take_calls().requests[&Api::ListOffsets], 9);
    let mut asked = std::collections::BTreeSet::new();
    for request in cluster.take_trace() {
        let isolation = match &*request.request {
            kafka_protocol::messages::RequestKind::ListOffsets(request) => request.isolation_level,
            _ => 0,
        };
        for (topic, partitions) in request.topics().unwrap_or_default() {
            for partition in partitions {
                let key = (topic.to_owned(), partition, request.timestamps(), isolation);
                assert!(asked.insert(key), "{topic}/{partition} twice");
            }
        }
    }
    assert_eq!(asked.len(), 3 * 33);
}

#[tokio::test]
async fn the_last_stable_offset_is_told_apart_from_the_end() {
    let cluster = start({
        let mut model = model(1);
        let txn = model.begin_transaction("t", 0).unwrap();
        model.append_in(&txn, 5).unwrap();
        model
    });
    let mut client = client(&cluster);
    client.brokers(soon()).await.unwrap();
    let meta = with_meta(&mut client, "t").await;
    let logs = Survey::logs(&mut client, &[meta], soon()).await;
    assert_eq!(logs[0][0].end, Ok(offset(15)));
    assert_eq!(logs[0][0].stable, Some(Ok(offset(10))));
}

#[tokio::test]
async fn a_leader_that_moved_is_asked_in_the_same_call_and_remembered() {
    let cluster = three();
    let mut client = client(&cluster);
    client.brokers(soon()).await.unwrap();
    let meta = with_meta(&mut client, "t").await;
    cluster.edit(|model| model.move_leader("t", 1, Some(3))).unwrap();
    assert_eq!(ends(&mut client, &meta).await, [Ok(10), Ok(10), Ok(10)]);
    assert!(!client.take_calls().errors.is_empty());
    assert_eq!(ends(&mut client, &meta).await, [Ok(10), Ok(10), Ok(10)]);
    assert!(client.take_calls().errors.is_empty());
    // What the caller hears of topics later comes before what was remembered.
    cluster.edit(|model| model.move_leader("t", 1, Some(1))).unwrap();
    let meta = with_meta(&mut client, "t").await;
    assert_eq!(ends(&mut client, &meta).await, [Ok(10), Ok(10), Ok(10)]);
    assert!(client.take_calls().errors.is_empty());
}

#[tokio::test]
async fn a_partition_without_a_leader_is_told_at_once_and_costs_only_itself() {
    let cluster = three();
    cluster.edit(|model| model.move_leader("t", 1, None)).unwrap();
    let mut client = client(&cluster);
    client.brokers(soon()).await.unwrap();
    let meta = with_meta(&mut client, "t").await;
    client.take_calls();
    assert_eq!(ends(&mut client, &meta).await, [Ok(10), Err(Cause::NoLeader), Ok(10)]);
    let calls = client.take_calls();
    assert_eq!(calls.requests.get(&Api::Metadata), None);
    assert_eq!(calls.errors, [((Api::ListOffsets, Cause::NoLeader), 3)].into());
}

#[tokio::test]
async fn a_dead_leader_costs_its_partitions_until_another_leads_them() {
    let mut cluster = three();
    let mut client = client_within(&cluster, SHORT);
    client.brokers(soon()).await.unwrap();
    let meta = with_meta(&mut client, "t").await;
    cluster.close(2).await.unwrap();
    assert_eq!(
        ends(&mut client, &meta).await,
        [Ok(10), Err(Cause::Disconnected), Ok(10)]
    );
    cluster.edit(|model| model.lose_broker(2)).unwrap();
    assert_eq!(ends(&mut client, &meta).await, [Ok(10), Err(Cause::NoLeader), Ok(10)]);
    cluster.edit(|model| model.fail_over(2)).unwrap();
    let meta = with_meta(&mut client, "t").await;
    assert_eq!(ends(&mut client, &meta).await, [Ok(10), Ok(10), Ok(10)]);
}

#[tokio::test]
async fn a_slow_leader_costs_only_its_partitions() {
    let cluster = three();
    let mut client = client_within(&cluster, SHORT);
    client.brokers(soon()).await.unwrap();
    let meta = with_meta(&mut client, "t").await;
    cluster.fault(When::api(ApiKey::ListOffsets).and_broker(2), Fault::Silence);
    assert_eq!(ends(&mut client, &meta).await, [Ok(10), Err(Cause::TimedOut), Ok(10)]);
}

#[tokio::test]
async fn an_error_of_one_partition_stays_with_it_whatever_its_code() {
    let cluster = start(model(1));
    let mut client = client(&cluster);
    client.brokers(soon()).await.unwrap();
    let meta = with_meta(&mut client, "t").await;
    for raw in [3, 5, 6, 29, 56, 74, 75, 78, -1, 31_000] {
        let when = When::api(ApiKey::ListOffsets).topic("t").partition(1);
        let fault = cluster.fault(when, Fault::Error(raw));
        assert_eq!(
            ends(&mut client, &meta).await,
            [Ok(10), Err(code(raw)), Ok(10)],
            "{raw}"
        );
        cluster.mend(fault);
        let once = When::api(ApiKey::ListOffsets).topic("t").partition(1).nth(0..2);
        let fault = cluster.fault(once, Fault::Error(raw));
        let heard = ends(&mut client, &meta).await;
        let mends = [3, 5, 6, 56, 74, 75].contains(&raw);
        assert_eq!(heard[1].is_ok(), mends, "{raw}: {heard:?}");
        cluster.mend(fault);
    }
}

#[tokio::test]
async fn a_topic_that_was_deleted_meanwhile_is_unknown() {
    let cluster = three();
    let mut client = client(&cluster);
    client.brokers(soon()).await.unwrap();
    let meta = with_meta(&mut client, "t").await;
    cluster.edit(|model| model.delete_topic("t")).unwrap();
    assert_eq!(ends(&mut client, &meta).await, [Err(code(3)); 3]);
}

#[tokio::test]
async fn a_partition_that_the_answer_leaves_out_has_failed() {
    let cluster = start(model(1));
    let mut client = client(&cluster);
    client.brokers(soon()).await.unwrap();
    let meta = with_meta(&mut client, "t").await;
    cluster.fault(When::api(ApiKey::ListOffsets).topic("t").partition(2), Fault::LeftOut);
    assert_eq!(ends(&mut client, &meta).await, [Ok(10), Ok(10), Err(Cause::Malformed)]);
}

#[tokio::test]
async fn dated_offsets_are_read_for_a_partition_that_is_asked_about_often() {
    let mut model = model(2);
    model.create_topic("u", 1);
    model.append_at("u", 0, &[1_000, 2_000, 3_000]).unwrap();
    let cluster = start(model);
    let mut client = client(&cluster);
    client.brokers(soon()).await.unwrap();
    let ask = |time| (topic("u"), Partition(0), UnixMillis(time));
    let heard = Survey::by_time(&mut client, &[ask(1_500), ask(500), ask(3_000), ask(3_001)], soon()).await;
    let found = |at, time| Ok(Some((offset(at), UnixMillis(time))));
    assert_eq!(heard, [found(1, 2_000), found(0, 1_000), found(2, 3_000), Ok(None)]);
    let unknown = [
        (topic("gone"), Partition(0), UnixMillis(0)),
        (topic("u"), Partition(7), UnixMillis(0)),
    ];
    let heard = Survey::by_time(&mut client, &unknown, soon()).await;
    assert_eq!(heard, [Err(code(3)), Err(code(3))]);
}

#[tokio::test]
async fn the_newest_record_is_told_where_brokers_can_and_none_where_there_is_none() {
    let mut model = model(1);
    model.create_topic("empty", 1);
    let cluster = start(model.clone());
    let partitions = [(topic("t"), Partition(0)), (topic("empty"), Partition(0))];
    let mut new = client(&cluster);
    let heard = new.newest(&partitions, soon()).await;
    assert_eq!(
        heard[0],
        Ok(Some((offset(0), UnixMillis(NOW)))),
        "the first of those dated alike"
    );
    assert_eq!(heard[1], Ok(None));
    model.set_versions(&Versions::kafka_2_1());
    let cluster = start(model);
    let heard = client(&cluster).newest(&partitions, soon()).await;
    assert_eq!(heard, [Err(Cause::Unsupported), Err(Cause::Unsupported)]);
}
