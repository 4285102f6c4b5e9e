//! The commit itself, and the facts before it.

use std::collections::BTreeMap;

use super::*;

pub(super) fn write(topic: &str, partition: i32, to: Option<i64>, metadata: &str) -> Write {
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
    let mut writer = wire::Writer::new(cluster(&kafka.bootstrap(), &json!({})));
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
        let mut writer = wire::Writer::new(cluster(&kafka.bootstrap(), &json!({})));
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
