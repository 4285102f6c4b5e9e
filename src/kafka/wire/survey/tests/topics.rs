use super::*;
use crate::sim::ApiKey;

const UNKNOWN: Cause = Cause::Code(ErrorCode::UNKNOWN_TOPIC_OR_PARTITION);

#[tokio::test]
async fn no_generation_of_brokers_is_made_to_create_a_topic() {
    let before_0_11 = Versions::kafka_2_1().with(ApiKey::Metadata, 0..=3);
    let first = Versions::kafka_2_1().with(ApiKey::Metadata, 0..=0);
    let older = [("0.10", before_0_11), ("0.9", first)];
    for (name, versions) in generations().into_iter().chain(older) {
        let mut model = model(2);
        model.auto_create = true;
        model.set_versions(&versions);
        let cluster = start(model);
        let mut client = client(&cluster);
        client.brokers(soon()).await.unwrap();
        for _ in 0..2 {
            let heard = Survey::topics(&mut client, &[topic("gone"), topic("t")], soon()).await;
            assert_eq!(heard[0], Err(UNKNOWN), "{name}");
            assert_eq!(heard[1].as_ref().map(|meta| meta.partitions.len()), Ok(3), "{name}");
        }
        let topics = cluster.edit(|model| model.topic_names().len());
        assert_eq!(topics, 1, "{name}: a topic was created");
        assert!(client.take_calls().errors.is_empty(), "{name}: an answer is no failure");
    }
}

#[tokio::test]
async fn one_other_broker_has_to_agree_that_a_topic_is_unknown() {
    let cluster = start(model(3));
    let mut client = client(&cluster);
    client.brokers(soon()).await.unwrap();
    cluster.take_trace();
    cluster.fault(When::api(ApiKey::Metadata).topic("t").once(), Fault::Error(3));
    let heard = Survey::topics(&mut client, &[topic("t")], soon()).await;
    assert!(heard[0].is_ok(), "{heard:?}");
    let trace = cluster.take_trace();
    let asked: Vec<_> = trace.iter().filter(|asked| asked.api == ApiKey::Metadata).collect();
    assert_eq!(asked.len(), 2);
    assert_ne!(asked[0].broker, asked[1].broker);

    let heard = Survey::topics(&mut client, &[topic("gone")], soon()).await;
    assert_eq!(heard, [Err(UNKNOWN)]);
    assert_eq!(cluster.take_trace().len(), 2, "two brokers, no more");
}

#[tokio::test]
async fn an_error_of_one_topic_stays_with_it() {
    let mut model = model(1);
    model.create_topic("u", 1);
    let cluster = start(model);
    let mut client = client(&cluster);
    client.brokers(soon()).await.unwrap();
    for raw in [5, 29, 17, 31_000] {
        let fault = cluster.fault(When::api(ApiKey::Metadata).topic("u"), Fault::Error(raw));
        client.take_calls();
        let heard = Survey::topics(&mut client, &[topic("t"), topic("u")], soon()).await;
        assert!(heard[0].is_ok());
        assert_eq!(heard[1], Err(code(raw)));
        assert_eq!(client.take_calls().errors, [((Api::Metadata, code(raw)), 1)].into());
        cluster.mend(fault);
    }
}

#[tokio::test]
async fn many_topics_are_asked_for_in_a_few_requests() {
    let mut model = model(2);
    let names: Vec<_> = (0..5_000).map(|index| format!("topic-{index}")).collect();
    for name in &names {
        model.create_topic(name, 1);
    }
    let cluster = start(model);
    let mut client = client(&cluster);
    client.brokers(soon()).await.unwrap();
    client.take_calls();
    let topics: Vec<_> = names.iter().map(|name| topic(name)).collect();
    let heard = Survey::topics(&mut client, &topics, soon()).await;
    assert!(heard.iter().all(Result::is_ok));
    assert_eq!(client.take_calls().requests[&Api::Metadata], 3);
    let configs = client.configs(&topics, soon()).await;
    assert!(configs.iter().all(Result::is_ok));
    assert_eq!(client.take_calls().requests[&Api::DescribeConfigs], 5);
}

#[tokio::test]
async fn settings_are_read_and_an_error_stays_with_its_topic() {
    let mut model = model(1);
    model.create_topic("u", 1);
    model.set_config("t", "retention.ms", Some("60000")).unwrap();
    model.set_config("t", "retention.bytes", Some("1000")).unwrap();
    model.set_config("t", "cleanup.policy", Some("compact,delete")).unwrap();
    let cluster = start(model);
    cluster.fault(When::api(ApiKey::DescribeConfigs).topic("u"), Fault::Error(29));
    let mut client = client(&cluster);
    let heard = client
        .configs(&[topic("t"), topic("u"), TopicName::from(&b"\xff"[..])], soon())
        .await;
    let config = heard[0].as_ref().unwrap();
    assert_eq!(config.cleanup_policy.to_string(), "compact,delete");
    assert_eq!(config.retention, Some(Duration::from_secs(60)));
    assert_eq!(config.retention_bytes, Some(1_000));
    assert_eq!(heard[1..], [Err(code(29)), Err(Cause::Unaskable)]);
}

#[tokio::test]
async fn where_no_broker_can_be_asked_every_topic_has_failed() {
    let mut cluster = start(model(2));
    let mut client = client_within(&cluster, SHORT);
    client.brokers(soon()).await.unwrap();
    cluster.close(1).await.unwrap();
    let heard = Survey::topics(&mut client, &[topic("t")], soon()).await;
    assert!(heard[0].is_ok(), "the other broker knows: {heard:?}");
    cluster.close(2).await.unwrap();
    let heard = Survey::topics(&mut client, &[topic("t")], soon()).await;
    assert_eq!(heard, [Err(Cause::Disconnected)]);
}
