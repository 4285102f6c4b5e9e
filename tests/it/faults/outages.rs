//! Brokers and clusters that go away, hang or talk nonsense, and what is still true then.

use tidemark::clock::Clock;
use tidemark::sim::ApiKey;
use tidemark::sim::Cluster;
use tidemark::sim::Fault;
use tidemark::sim::Model;
use tidemark::sim::Then;
use tidemark::sim::When;

use super::exporter::BEGIN;
use super::exporter::Exporter;
use super::exporter::World;
use crate::support::Scrape;

const CLUSTER_AUTHORIZATION_FAILED: i16 = 31;

/// Three brokers, a topic with a leader on each, and a group coordinated by each: `g0`, `g1`, `g2`, six records behind per partition.
fn three() -> World {
    World::new(3, |m| {
        m.create_topic("t", 3);
        for partition in 0..3 {
            m.append("t", partition, 10).expect("there");
            m.move_leader("t", partition, Some(partition + 1)).expect("there");
        }
        for broker in 0..3 {
            let group = format!("g{broker}");
            for partition in 0..3 {
                m.commit(&group, "t", partition, 4);
            }
            m.move_coordinator(&group, broker + 1).expect("there");
        }
    })
}

#[tokio::test]
async fn a_dead_broker_costs_only_its_own_and_is_back_within_two_cycles() {
    let mut world = three();
    let mut exporter = world.exporter();
    let before = exporter.cycle().await;
    assert_eq!(["g0", "g1", "g2"].map(|g| before.lag(g)), [Some(18.0); 3]);
    world.cluster.down(3).await.expect("its port");
    world.cluster.edit(|m| m.append("t", 0, 1)).expect("there");
    for _ in 0..3 {
        let seen = exporter.cycle().await;
        assert_eq!(
            seen.lags("g0")[&("t".to_owned(), 0)],
            7.0,
            "a living group on a living leader is read"
        );
        assert_eq!(seen.lags("g0")[&("t".to_owned(), 2)], 6.0, "what cannot be read stands");
        assert_eq!(seen.lag("g2"), Some(18.0));
        assert_eq!(seen.value("tidemark_up", &[]), Some(1.0));
        assert!(seen.failures() > 0.0);
    }
    let seen = exporter.cycles(2).await;
    assert_eq!(seen.lags("g0").len(), 2);
    assert_eq!(
        (seen.lag("g2"), seen.value("kafka_group_members", &[("group", "g2")])),
        (None, None)
    );
    assert_eq!(
        seen.value("kafka_group_status", &[("group", "g2"), ("status", "unreadable")]),
        Some(1.0)
    );
    assert_eq!(seen.series("kafka_group_info", &[("group", "g2")]).count(), 1);
    world.cluster.up(3).expect("its port");
    exporter
        .until(|seen| ["g0", "g1", "g2"].iter().all(|g| seen.lag(g) == Some(19.0)))
        .await;
}

#[tokio::test]
async fn an_exporter_starts_though_the_first_broker_it_is_told_of_is_down() {
    let mut world = three();
    world.cluster.down(1).await.expect("its port");
    let seen = world.exporter().cycle().await;
    assert_eq!(seen.lags("g1").len(), 2);
    assert_eq!(seen.value("tidemark_up", &[]), Some(1.0));
}

#[tokio::test]
async fn a_broker_that_hangs_spoils_nobody_elses_figures() {
    let world = three();
    let mut exporter = world.exporter();
    exporter.cycle().await;
    world.cluster.fault(When::broker(3), Fault::Silence);
    world.cluster.edit(|m| m.append("t", 0, 1)).expect("there");
    let seen = exporter.cycle().await;
    assert_eq!(seen.lags("g0")[&("t".to_owned(), 0)], 7.0);
    assert_eq!(seen.lags("g1")[&("t".to_owned(), 0)], 7.0);
    assert_eq!(seen.lag("g2"), Some(18.0));
    world.cluster.mend_all();
    exporter.until(|seen| seen.lag("g2") == Some(19.0)).await;
}

#[tokio::test]
async fn a_broker_that_talks_nonsense_is_like_one_that_is_down() {
    for fault in [
        Fault::Garbage,
        Fault::Half(Then::Close),
        Fault::FrameLength(i32::MAX),
        Fault::Correlation(7),
        Fault::Close,
    ] {
        let world = three();
        let mut exporter = world.exporter();
        exporter.cycle().await;
        world.cluster.fault(When::broker(2), fault.clone());
        let seen = exporter.cycle().await;
        for group in ["g0", "g1", "g2"] {
            assert_eq!(seen.lag(group), Some(18.0), "{fault:?}");
        }
        assert!(seen.failures() > 0.0, "{fault:?}");
        world.cluster.mend_all();
        let success = |seen: &Scrape| seen.value("tidemark_last_success_timestamp_seconds", &[]);
        let last = success(&seen);
        exporter.until(|seen| success(seen) > last).await;
    }
}

fn says_nothing(seen: &Scrape) -> bool {
    seen.count("kafka_group_") == 0 && seen.value("tidemark_up", &[]) == Some(0.0)
}

#[tokio::test]
async fn a_cluster_that_is_down_at_the_start_is_read_as_soon_as_it_is_up() {
    let mut world = three();
    for broker in 1..=3 {
        world.cluster.close(broker).await.expect("its port");
    }
    let mut exporter = world.exporter();
    for _ in 0..2 {
        assert!(says_nothing(&exporter.cycle().await));
    }
    for broker in 1..=3 {
        world.cluster.open(broker).expect("its port");
    }
    exporter.until(|seen| seen.lag("g0") == Some(18.0)).await;
    for broker in 1..=3 {
        world.cluster.close(broker).await.expect("its port");
    }
    let seen = exporter.cycle().await;
    assert_eq!(
        (seen.lag("g0"), seen.value("tidemark_up", &[])),
        (Some(18.0), Some(0.0))
    );
    let age = seen
        .value("tidemark_snapshot_age_seconds", &[])
        .expect("something was read");
    assert!((15.0..16.0).contains(&age), "{age}");
    assert_eq!(exporter.cycles(3).await.lag("g0"), None);
}

#[tokio::test]
async fn who_may_list_nothing_is_told_so_by_name() {
    let world = three();
    world.cluster.fault(
        When::api(ApiKey::ListGroups),
        Fault::Error(CLUSTER_AUTHORIZATION_FAILED),
    );
    let seen = world.exporter().cycle().await;
    let code = [("api", "ListGroups"), ("code", "CLUSTER_AUTHORIZATION_FAILED")];
    assert_eq!(seen.value("tidemark_kafka_errors_total", &code), Some(3.0));
}

#[tokio::test]
async fn one_clusters_trouble_is_invisible_in_the_others_figures() {
    let world = three();
    let broken = Cluster::start(Model::new(1, 3), Clock::stepped(BEGIN)).expect("a port");
    broken.fault(When::any(), Fault::Silence);
    let mut well = world.exporter();
    let mut ill = Exporter::new(&broken.bootstrap(), world.clock.clone(), &[]);
    let (seen, silent) = tokio::join!(well.cycle(), ill.cycle());
    assert_eq!(seen.lag("g0"), Some(18.0));
    assert_eq!((seen.failures(), silent.value("tidemark_up", &[])), (0.0, Some(0.0)));
}
