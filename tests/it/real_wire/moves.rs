//! Coordinators and leaders that move, brokers that die or fall silent.

use super::*;

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
    let logs = Survey::logs(&mut client, std::slice::from_ref(&meta), soon()).await;
    assert_eq!(logs[0][0].end, Ok(offset(3)));
    client.take_calls();
    let logs = Survey::logs(&mut client, &[meta], soon()).await;
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
    let mut client = Client::new(cluster(&kafka.bootstrap(), &json!({"request_timeout": "1s"})));
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
    let logs = Survey::logs(&mut client, std::slice::from_ref(&meta), soon()).await;
    let ends: Vec<_> = logs[0].iter().map(|log| log.end.is_ok()).collect();
    assert_eq!(ends, [true, false, false], "{logs:?}");
    assert!(begun.elapsed() < Duration::from_secs(10), "{:?}", begun.elapsed());

    kafka.resume(1);
    kafka.start_broker(2);
    tokio::time::sleep(Duration::from_secs(1)).await;
    client.brokers(soon()).await.expect("brokers");
    let described = client.describe(&mut all, soon()).await;
    assert!(described.iter().all(Result::is_ok), "{described:?}");
    let logs = Survey::logs(&mut client, &[meta], soon()).await;
    assert!(logs[0].iter().all(|log| log.end.is_ok()), "{logs:?}");
}
