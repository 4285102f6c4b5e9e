//! Every error code to every call, and every way to answer wrongly: never a crash, never an invented value, always counted.

use std::collections::BTreeMap;

use tidemark::model::GroupType;
use tidemark::sim::ApiKey;
use tidemark::sim::Fault;
use tidemark::sim::Member;
use tidemark::sim::Then;
use tidemark::sim::When;

use super::exporter::Exporter;
use super::exporter::World;
use crate::support::Scrape;

const CALLS: [ApiKey; 8] = [
    ApiKey::Metadata,
    ApiKey::FindCoordinator,
    ApiKey::ListGroups,
    ApiKey::DescribeGroups,
    ApiKey::ConsumerGroupDescribe,
    ApiKey::OffsetFetch,
    ApiKey::ListOffsets,
    ApiKey::DescribeConfigs,
];

/// Kafka's codes, and some that nobody knows.
fn codes() -> impl Iterator<Item = i16> {
    (-1..=133)
        .filter(|code| *code != 0)
        .chain([-2, 999, i16::MIN, i16::MAX])
}

/// Two brokers; groups with and without members, of both protocols, on two topics. Nothing in it moves.
fn world() -> World {
    World::new(2, |m| {
        m.create_topic("t", 3);
        m.create_topic("u", 1);
        for partition in 0..3 {
            m.append("t", partition, 10).expect("there");
        }
        m.create_group("modern", GroupType::Consumer);
        for group in ["classic", "modern"] {
            m.join(group, Member::new("c").assigned("t", &[0, 1, 2]));
        }
        for group in ["classic", "modern", "simple"] {
            for partition in 0..3 {
                m.commit(group, "t", partition, 4);
            }
            m.commit(group, "u", 0, 0);
        }
    })
}

/// The figures that must be these or absent.
fn figures(seen: &Scrape) -> BTreeMap<String, String> {
    let told = |line: &&str| {
        line.starts_with("kafka_")
            && !line.contains("_seconds")
            && !line.starts_with("kafka_group_rebalances")
            && !line.starts_with("kafka_group_status")
            && !line.starts_with("kafka_group_partition_status")
            && !line.starts_with("kafka_group_topic_unreadable_partitions")
    };
    let split = |line: &str| {
        line.rsplit_once(' ')
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
    };
    seen.text.lines().filter(told).filter_map(split).collect()
}

/// One faulty cycle: what is shown is what was shown before or nothing; it is counted; afterwards all is as before.
async fn survive(exporter: &mut Exporter, world: &World, when: When, fault: Fault, what: &str) {
    let before = exporter.scrape();
    let asked = world.cluster.fault(when, fault);
    let seen = exporter.cycle().await;
    world.cluster.mend(asked);
    let (good, shown) = (figures(&before), figures(&seen));
    for (name, value) in shown.iter().filter(|_| !is_the_groups_end(what)) {
        assert_eq!(good.get(name), Some(value), "{what}: {name}");
    }
    assert!(seen.value("tidemark_up", &[]).is_some(), "{what}");
    if figures(&exporter.cycle().await) != good {
        exporter.until(|seen| figures(seen) == good).await;
    }
}

/// GROUP_ID_NOT_FOUND of a group that was just listed is an answer: it was deleted in between, and is shown so.
fn is_the_groups_end(what: &str) -> bool {
    what.ends_with(" 69")
}

async fn sweep_codes(api: ApiKey) {
    let world = world();
    let mut exporter = world.exporter();
    exporter.cycles(2).await;
    if api == ApiKey::FindCoordinator {
        // Who is on no list is looked for in every cycle.
        world
            .cluster
            .edit(|m| m.list_group_on("simple", Some(&[])))
            .expect("there");
        exporter.cycle().await;
    }
    for code in codes() {
        let failures = exporter.scrape().total("tidemark_kafka_errors_total", &[]);
        let calls = world.cluster.count(api);
        survive(
            &mut exporter,
            &world,
            When::api(api),
            Fault::Error(code),
            &format!("{api:?} {code}"),
        )
        .await;
        let was_called = world.cluster.count(api) > calls;
        let counted = exporter.scrape().total("tidemark_kafka_errors_total", &[]) > failures;
        // Kafka's word that a topic does not exist is an answer, and so is that a group has none.
        let is_answer = (api == ApiKey::Metadata && matches!(code, 3)) || code == 69;
        assert!(
            counted || !was_called || is_answer || api == ApiKey::DescribeConfigs,
            "{api:?} {code} was not counted"
        );
    }
}

macro_rules! sweeps {
    ($($name:ident: $api:ident,)*) => {
        $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
        async fn $name() {
            sweep_codes(ApiKey::$api).await;
        })*
    };
}

sweeps! {
    no_code_to_metadata_makes_a_value_up: Metadata,
    no_code_to_find_coordinator_makes_a_value_up: FindCoordinator,
    no_code_to_list_groups_makes_a_value_up: ListGroups,
    no_code_to_describe_groups_makes_a_value_up: DescribeGroups,
    no_code_to_consumer_group_describe_makes_a_value_up: ConsumerGroupDescribe,
    no_code_to_offset_fetch_makes_a_value_up: OffsetFetch,
    no_code_to_list_offsets_makes_a_value_up: ListOffsets,
    no_code_to_describe_configs_makes_a_value_up: DescribeConfigs,
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_broken_answer_makes_a_value_up() {
    let broken = [
        Fault::Half(Then::Close),
        Fault::Garbage,
        Fault::Close,
        Fault::FrameLength(-1),
        Fault::FrameLength(i32::MAX),
        Fault::ArrayLength(i32::MAX),
        Fault::Correlation(1),
        Fault::LeftOut,
    ];
    for api in CALLS {
        let world = world();
        let mut exporter = world.exporter();
        exporter.cycles(2).await;
        for fault in &broken {
            // What is left out of a list of topics or groups is gone, as far as anybody can tell: an answer.
            if matches!(fault, Fault::LeftOut) {
                continue;
            }
            survive(
                &mut exporter,
                &world,
                When::api(api),
                fault.clone(),
                &format!("{api:?} {fault:?}"),
            )
            .await;
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_silence_makes_a_value_up() {
    for api in CALLS {
        for fault in [Fault::Silence, Fault::Half(Then::Silence)] {
            let world = world();
            let mut exporter = world.exporter();
            exporter.cycles(2).await;
            survive(
                &mut exporter,
                &world,
                When::api(api),
                fault.clone(),
                &format!("{api:?} {fault:?}"),
            )
            .await;
        }
    }
}
