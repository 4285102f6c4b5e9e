//! The harness itself: what it does to a real Kafka is what Kafka then says.

use crate::support::Joining;
use crate::support::Kafka;
use crate::support::unique;
use crate::support::until;

#[test]
fn what_the_harness_does_is_what_kafka_says() {
    let Some(kafka) = Kafka::shared() else { return };
    let topic = kafka.topic(2);
    kafka.produce(&topic, 0, 30);
    kafka.delete_records(&topic, 0, 4);
    kafka.add_partitions(&topic, 3);
    assert_eq!((kafka.log(&topic, 0), kafka.log(&topic, 2)), ((4, 30), (0, 0)));

    let group = unique("group");
    kafka.commit(&group, &[(&topic, 0, 12), (&topic, 1, 0)]);
    assert_eq!(
        kafka.committed(&group),
        [((topic.clone(), 0), 12), ((topic.clone(), 1), 0)].into()
    );
    kafka.forget(&group, &topic, &[1]);
    assert_eq!(kafka.committed(&group), [((topic.clone(), 0), 12)].into());
    assert!(kafka.groups().contains_key(&group));
    kafka.delete_group(&group);
    assert!(!kafka.groups().contains_key(&group));

    let kept = kafka.topic_with(&unique("kept"), 1, &[("retention.ms", "86400000")]);
    kafka.delete_topics(&[&topic]);
    assert!(!kafka.topics().contains(&topic) && kafka.topics().contains(&kept));
}

#[test]
fn members_join_read_commit_and_leave_by_both_protocols() {
    let Some(kafka) = Kafka::shared() else { return };
    for protocol in ["classic", "consumer"] {
        let (topic, group) = (kafka.topic(3), unique(protocol));
        kafka.produce(&topic, 0, 5);
        let members = kafka.join(
            &group,
            &[&topic],
            Joining {
                protocol,
                members: 2,
                commits: true,
            },
        );
        until("what was read is committed", || {
            kafka.committed(&group).get(&(topic.clone(), 0)) == Some(&5)
        });
        drop(members);
        until("the members have left", || {
            kafka.describe(&group).is_some_and(|g| g.state == "Empty")
        });
    }
}

#[test]
fn an_open_transaction_holds_the_stable_offset() {
    let Some(kafka) = Kafka::shared() else { return };
    let topic = kafka.topic(1);
    let transaction = kafka.transaction();
    transaction.produce(&topic, 0, 5);
    assert_eq!((kafka.log(&topic, 0), kafka.stable(&topic, 0)), ((0, 5), 0));
    transaction.abort();
    until("the marker is written", || kafka.stable(&topic, 0) == 6);
    let transaction = kafka.transaction();
    transaction.produce(&topic, 0, 1);
    transaction.commit();
    until("the marker is written", || kafka.stable(&topic, 0) == 8);
}

#[test]
fn brokers_can_be_killed_paused_and_brought_back() {
    let Some(kafka) = Kafka::with().brokers(3).start() else {
        return;
    };
    let topic = kafka.topic_on(&[&[0, 1, 2], &[1, 2, 0]]);
    let group = kafka.group_on(1);
    kafka.commit(&group, &[(&topic, 0, 0)]);
    kafka.move_leader(&topic, 0, &[2, 0, 1]);
    kafka.move_coordinator(&group, &[0, 1, 2]);
    kafka.kill_broker(2);
    until("another leads", || {
        kafka
            .leaders(&topic)
            .first()
            .is_some_and(|leader| matches!(leader, Some(0 | 1)))
    });
    kafka.start_broker(2);
    kafka.pause(1);
    assert_eq!(kafka.serving().collect::<Vec<_>>(), [0, 2]);
    kafka.resume(1);
    until("it answers again", || kafka.metadata(1, Some(&[])).is_some());
}
