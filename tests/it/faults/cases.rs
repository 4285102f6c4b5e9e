//! What operators reported against other exporters, and what is shown here instead.

use std::time::Duration;

use tidemark::model::GroupType;
use tidemark::sim::ApiKey;
use tidemark::sim::Commit;
use tidemark::sim::Fault;
use tidemark::sim::Member;
use tidemark::sim::NoSuch;
use tidemark::sim::When;

use super::exporter::World;

const UNSTABLE_OFFSET_COMMIT: i16 = 88;
const COORDINATOR_LOAD_IN_PROGRESS: i16 = 14;

fn lag(topic: &str, partition: i32, lag: f64) -> ((String, i32), f64) {
    ((topic.to_owned(), partition), lag)
}

#[tokio::test]
async fn a_commit_ahead_of_the_end_takes_nothing_off_the_sum_and_ends_are_asked_after_commits() {
    let world = World::new(1, |m| {
        m.create_topic("t", 2);
        m.append("t", 0, 100).expect("there");
        m.append("t", 1, 100).expect("there");
        m.commit("g", "t", 0, 105);
        m.commit("g", "t", 1, 50);
    });
    let seen = world.exporter().cycle().await;
    assert_eq!(seen.lags("g"), [lag("t", 0, 0.0), lag("t", 1, 50.0)].into());
    assert_eq!(seen.lag("g"), Some(50.0));
    let ahead = |p| seen.value("kafka_group_partition_commit_ahead_records", &[("partition", p)]);
    assert_eq!((ahead("0"), ahead("1")), (Some(5.0), None));
    let trace = world.cluster.take_trace();
    let last_commit = trace
        .iter()
        .rposition(|asked| asked.api == ApiKey::OffsetFetch)
        .expect("asked");
    let first_end = trace
        .iter()
        .position(|asked| asked.api == ApiKey::ListOffsets)
        .expect("asked");
    assert!(last_commit < first_end);
}

#[tokio::test]
async fn partitions_without_a_commit_are_counted_and_no_number_is_made_up_for_them() {
    let world = World::new(1, |m| {
        m.create_topic("t", 3);
        m.append("t", 0, 3083).expect("there");
        m.append("t", 2, 4388).expect("there");
        m.commit("g", "t", 2, 4388);
    });
    let seen = world.exporter().cycle().await;
    assert_eq!(seen.lags("g"), [lag("t", 2, 0.0)].into());
    let value = |name| seen.value(name, &[("group", "g")]);
    assert_eq!(value("kafka_group_topic_uncommitted_partitions"), Some(2.0));
    assert_eq!(value("kafka_group_topic_uncommitted_records"), Some(3083.0));
    assert_eq!(value("kafka_group_topic_lag_records"), Some(0.0));
    assert_eq!(value("kafka_group_partition_committed_offset"), Some(4388.0));
}

#[tokio::test]
async fn records_that_retention_took_are_lost_and_no_lag() {
    let world = World::new(1, |m| {
        m.create_topic("t", 1);
        m.append("t", 0, 1000).expect("there");
        m.delete_records("t", 0, 1000).expect("there");
        m.commit("g", "t", 0, 10);
    });
    let mut exporter = world.exporter();
    let seen = exporter.cycle().await;
    let lost = |seen: &crate::support::Scrape| seen.value("kafka_group_partition_lost_records", &[("group", "g")]);
    assert_eq!((seen.lag("g"), lost(&seen)), (Some(0.0), Some(990.0)));
    world.cluster.edit(|m| m.append("t", 0, 200)).expect("there");
    let seen = exporter.cycle().await;
    assert_eq!((seen.lag("g"), lost(&seen)), (Some(200.0), Some(990.0)));
}

#[tokio::test]
async fn a_commit_below_the_start_is_read_twice_before_anything_is_said_to_be_lost() {
    let world = World::new(1, |m| {
        m.create_topic("t", 1);
        m.append("t", 0, 1000).expect("there");
        m.commit("g", "t", 0, 500);
    });
    let mut exporter = world.exporter();
    exporter.cycle().await;
    assert_eq!(world.cluster.count(ApiKey::OffsetFetch), 1);
    world.cluster.edit(|m| m.delete_records("t", 0, 600)).expect("there");
    exporter.cycle().await;
    assert_eq!(world.cluster.count(ApiKey::OffsetFetch), 3);
}

#[tokio::test]
async fn commits_left_over_on_a_deleted_topic_are_counted_and_are_no_failure() {
    let world = World::new(2, |m| {
        m.create_topic("a", 1);
        m.create_topic("b", 1);
        m.append("b", 0, 20).expect("there");
        m.commit("g", "a", 0, 5);
        m.commit("g", "b", 0, 10);
        m.delete_topic_leaving_commits("a").expect("there");
    });
    let seen = world.exporter().cycles(2).await;
    assert_eq!(seen.lags("g"), [lag("b", 0, 10.0)].into());
    assert_eq!(seen.value("kafka_group_topic_lag_records", &[("topic", "a")]), None);
    let unreadable = [("topic", "a"), ("reason", "unknown_topic")];
    assert_eq!(
        seen.value("kafka_group_topic_unreadable_partitions", &unreadable),
        Some(1.0)
    );
    assert_eq!(
        seen.value("kafka_group_partition_committed_offset", &[("topic", "a")]),
        Some(5.0)
    );
    assert_eq!((seen.lag("g"), seen.failures()), (Some(10.0), 0.0));
}

#[tokio::test]
async fn a_partition_without_a_leader_costs_only_itself() {
    let world = World::new(1, |m| {
        for topic in ["t", "u"] {
            m.create_topic(topic, 2);
            for partition in 0..2 {
                m.append(topic, partition, 10).expect("there");
                m.commit("g", topic, partition, 3);
            }
        }
        m.move_leader("t", 1, None).expect("there");
    });
    let seen = world.exporter().cycle().await;
    assert_eq!(
        seen.lags("g"),
        [lag("t", 0, 7.0), lag("u", 0, 7.0), lag("u", 1, 7.0)].into()
    );
    let unreadable = [("topic", "t"), ("reason", "no_leader")];
    assert_eq!(
        seen.value("kafka_group_topic_unreadable_partitions", &unreadable),
        Some(1.0)
    );
    assert_eq!(seen.value("kafka_group_topic_lag_records", &[("topic", "t")]), None);
    assert_eq!(seen.lag("g"), None);
    assert_eq!(seen.value("kafka_group_readable_lag_records", &[]), Some(21.0));
}

#[tokio::test]
async fn a_group_that_stops_keeps_its_series() {
    let world = World::new(1, |m| {
        m.create_topic("t", 2);
        for member in ["a", "b"] {
            m.join("g", Member::new(member).assigned("t", &[i32::from(member == "b")]));
        }
        m.commit("g", "t", 0, 0);
        m.commit("g", "t", 1, 0);
    });
    let mut exporter = world.exporter();
    let running = exporter.cycle().await;
    assert_eq!(running.value("kafka_group_members", &[]), Some(2.0));
    world
        .cluster
        .edit(|m| m.leave_all("g").and_then(|()| m.append("t", 0, 100)))
        .expect("there");
    let stopped = exporter.cycle().await;
    assert_eq!(stopped.value("kafka_group_members", &[]), Some(0.0));
    assert_eq!(stopped.value("kafka_group_state", &[("state", "Empty")]), Some(1.0));
    assert_eq!(stopped.lag("g"), Some(100.0));
    let labels = |seen: &crate::support::Scrape| {
        seen.series("kafka_group_partition_lag_records", &[])
            .map(|(labels, _)| labels.clone())
            .collect::<Vec<_>>()
    };
    assert_eq!(labels(&running), labels(&stopped));
}

#[tokio::test]
async fn a_group_that_is_gone_leaves_nothing_behind_and_a_failed_list_removes_nothing() {
    let world = World::new(1, |m| {
        m.create_topic("t", 1);
        m.commit("g", "t", 0, 0);
        m.commit("stays", "t", 0, 0);
    });
    let mut exporter = world.exporter();
    let before = exporter.cycle().await;
    let broken = world.cluster.fault(
        When::api(ApiKey::ListGroups),
        Fault::Error(COORDINATOR_LOAD_IN_PROGRESS),
    );
    let seen = exporter.cycle().await;
    assert_eq!(seen.of_group("g"), before.of_group("g"));
    assert!(seen.failures() > 0.0);
    world.cluster.mend(broken);
    world.cluster.edit(|m| m.delete_group("g")).expect("there");
    let seen = exporter.cycle().await;
    assert!(seen.of_group("g").is_empty());
    assert_eq!(seen.of_group("stays"), before.of_group("stays"));
}

#[tokio::test]
async fn a_deleted_commit_takes_its_series_with_it() {
    let world = World::new(1, |m| {
        m.create_topic("t", 1);
        m.create_topic("u", 1);
        m.commit("g", "t", 0, 0);
        m.commit("g", "u", 0, 0);
    });
    let mut exporter = world.exporter();
    assert_eq!(exporter.cycle().await.lags("g").len(), 2);
    world.cluster.edit(|m| m.forget("g", "t", 0)).expect("there");
    let seen = exporter.cycle().await;
    assert_eq!(seen.lags("g"), [lag("u", 0, 0.0)].into());
    assert_eq!(
        seen.count("kafka_topic_partition_end_offset"),
        1,
        "nobody reads t any more"
    );
}

#[tokio::test]
async fn a_group_of_the_consumer_protocol_has_its_members() {
    let world = World::new(1, |m| {
        m.create_topic("t", 7);
        m.create_group("g", GroupType::Consumer);
        for partition in 0..7 {
            m.join("g", Member::new(&format!("c{partition}")).assigned("t", &[partition]));
            m.commit("g", "t", partition, 0);
        }
    });
    let seen = world.exporter().cycle().await;
    assert_eq!(seen.value("kafka_group_members", &[("group", "g")]), Some(7.0));
    assert_eq!(seen.value("kafka_group_state", &[("state", "Stable")]), Some(1.0));
    assert_eq!(seen.value("kafka_group_info", &[("type", "consumer")]), Some(1.0));
    assert_eq!(seen.value("kafka_group_topic_assigned_partitions", &[]), Some(7.0));
    assert_eq!(seen.failures(), 0.0);
}

#[tokio::test]
async fn the_lag_in_seconds_is_right_in_the_first_cycle_and_grows_with_the_clock() {
    let hour = 3_600_000;
    let world = World::new(1, |m| {
        m.create_topic("t", 1);
        let now = m.now();
        m.append_at("t", 0, &[now - 3 * hour, now - 2 * hour]).expect("there");
        m.commit("level", "t", 0, 2);
        m.commit("behind", "t", 0, 1);
    });
    for restart in 0..2 {
        let mut exporter = world.exporter_with(&[]);
        let first = seconds(&exporter.cycle().await, "behind");
        let since = f64::from(15 + restart * 30);
        assert!((first - 7200.0 - since).abs() < 1.0, "{first}");
        let seen = exporter.cycle().await;
        assert!((seconds(&seen, "behind") - first - 15.0).abs() < 1.0);
        assert_eq!(seconds(&seen, "level"), 0.0);
    }
}

fn seconds(seen: &crate::support::Scrape, group: &str) -> f64 {
    seen.value("kafka_group_lag_seconds", &[("group", group)])
        .expect("told")
}

#[tokio::test]
async fn excluded_groups_and_topics_cost_no_request() {
    let world = World::new(1, |m| {
        for topic in ["kept", "dropped"] {
            m.create_topic(topic, 1);
            m.commit("team-a", topic, 0, 0);
            m.commit("other", topic, 0, 0);
        }
    });
    let mut exporter = world.exporter_with(&[
        ("clusters.0.groups.include", "team-.*"),
        ("clusters.0.topics.exclude", "drop.*"),
    ]);
    let seen = exporter.cycle().await;
    assert_eq!(seen.lags("team-a"), [lag("kept", 0, 0.0)].into());
    assert_eq!(seen.value("tidemark_groups", &[("result", "excluded")]), Some(1.0));
    for asked in world.cluster.take_trace() {
        assert!(
            asked.groups().is_none_or(|groups| !groups.contains(&"other")),
            "{asked:?}"
        );
        let topics = asked.topics().unwrap_or_default();
        assert!(topics.iter().all(|(topic, _)| *topic != "dropped"), "{asked:?}");
    }
}

#[tokio::test]
async fn log_ends_are_asked_once_whatever_the_number_of_groups() {
    let build = |groups: i32| {
        World::new(3, move |m| {
            m.create_topic("t", 12);
            for group in 0..groups {
                for partition in 0..12 {
                    m.commit(&format!("g{group}"), "t", partition, 0);
                }
            }
        })
    };
    let mut asked = Vec::new();
    for groups in [1, 200] {
        let world = build(groups);
        world.exporter().cycle().await;
        asked.push(world.cluster.count(ApiKey::ListOffsets));
    }
    assert_eq!(asked[0], asked[1]);
    assert!(asked[0] <= 9, "a start, an end and a stable end per leader: {asked:?}");
}

#[tokio::test]
async fn a_pending_transactional_commit_keeps_the_group() {
    let world = World::new(1, |m| {
        m.create_topic("t", 2);
        m.append("t", 0, 10).expect("there");
        m.commit("g", "t", 0, 4);
        m.commit("g", "t", 1, 0);
    });
    let mut exporter = world.exporter();
    let before = exporter.cycle().await;
    let fault = When::api(ApiKey::OffsetFetch).topic("t").partition(0);
    world.cluster.fault(fault, Fault::Error(UNSTABLE_OFFSET_COMMIT));
    let seen = exporter.cycle().await;
    assert_eq!(seen.lags("g"), before.lags("g"), "the last good reading stands");
    let seen = exporter.cycles(4).await;
    assert_eq!(seen.lags("g"), [lag("t", 1, 0.0)].into());
    let unstable = [("group", "g"), ("reason", "unstable")];
    assert_eq!(
        seen.value("kafka_group_topic_unreadable_partitions", &unstable),
        Some(1.0)
    );
}

#[tokio::test]
async fn one_groups_error_loses_no_other_group() {
    for api in [ApiKey::DescribeGroups, ApiKey::OffsetFetch] {
        let world = World::new(1, |m| {
            m.create_topic("t", 1);
            for group in ["a", "b", "c"] {
                m.append("t", 0, 1).expect("there");
                m.commit(group, "t", 0, 0);
            }
        });
        let mut exporter = world.exporter();
        let before = exporter.cycle().await;
        world
            .cluster
            .fault(When::api(api).group("b"), Fault::Error(COORDINATOR_LOAD_IN_PROGRESS));
        world.cluster.edit(|m| m.append("t", 0, 2)).expect("there");
        let seen = exporter.cycle().await;
        assert_eq!((seen.lag("a"), seen.lag("c")), (Some(5.0), Some(5.0)), "{api:?}");
        assert!(seen.of_group("b").is_superset(&before.of_group("b")), "{api:?}");
        let code = [("code", "COORDINATOR_LOAD_IN_PROGRESS")];
        assert_eq!(seen.total("tidemark_kafka_errors_total", &code), 1.0, "{api:?}");
    }
}

#[tokio::test]
async fn new_topics_and_partitions_are_seen_in_the_next_cycle() {
    let world = World::new(1, |m| {
        m.create_topic("t", 3);
        m.commit("g", "t", 0, 0);
    });
    let mut exporter = world.exporter();
    exporter.cycle().await;
    world
        .cluster
        .edit(|m| {
            m.add_partitions("t", 6)?;
            m.append("t", 5, 11)?;
            m.create_topic("new", 1);
            m.append("new", 0, 3)?;
            m.commit("g", "new", 0, 1);
            Ok::<_, NoSuch>(())
        })
        .expect("there");
    let seen = exporter.cycle().await;
    assert_eq!(seen.lags("g"), [lag("new", 0, 2.0), lag("t", 0, 0.0)].into());
    assert_eq!(
        seen.value("kafka_group_topic_uncommitted_partitions", &[("topic", "t")]),
        Some(5.0)
    );
    assert_eq!(
        seen.value("kafka_group_topic_uncommitted_records", &[("topic", "t")]),
        Some(11.0)
    );
}

#[tokio::test]
async fn members_that_come_and_go_make_no_new_series() {
    let world = World::new(1, |m| {
        m.create_topic("t", 1);
        m.commit("g", "t", 0, 0);
        m.join("g", Member::new("first").assigned("t", &[0]));
    });
    let mut exporter = world.exporter();
    let before = exporter.cycles(2).await.count("kafka_");
    for round in 0..50 {
        world
            .cluster
            .edit(|m| {
                m.leave_all("g")?;
                m.join("g", Member::new(&format!("client-{round}")).assigned("t", &[0]));
                Ok::<_, NoSuch>(())
            })
            .expect("there");
        exporter.cycle().await;
    }
    assert_eq!(exporter.scrape().count("kafka_"), before);
}

#[tokio::test]
async fn read_committed_counts_to_the_stable_offset_and_the_default_to_the_end() {
    let world = World::new(1, |m| {
        m.create_topic("t", 1);
        m.append("t", 0, 10).expect("there");
        m.begin_transaction("t", 0).expect("there");
        m.append("t", 0, 5).expect("there");
        m.commit_with("g", "t", 0, Commit::at(8));
    });
    let all = world.exporter().cycle().await;
    assert_eq!(all.lag("g"), Some(7.0));
    assert_eq!(all.count("kafka_topic_partition_stable_offset"), 0);
    let mut committed = world.exporter_with(&[
        ("clusters.0.isolation", "read_committed"),
        ("clusters.0.record_time.read", "false"),
    ]);
    let seen = committed.cycle().await;
    assert_eq!(seen.lag("g"), Some(2.0));
    assert_eq!(seen.value("kafka_topic_partition_stable_offset", &[]), Some(10.0));
    assert_eq!(seen.value("kafka_topic_partition_end_offset", &[]), Some(15.0));
}

#[tokio::test]
async fn offsets_near_the_end_of_64_bits_are_exact() {
    let end = i64::MAX - 1;
    let world = World::new(1, |m| {
        m.create_topic("t", 2);
        for partition in 0..2 {
            m.skip_offsets("t", partition, end).expect("there");
            m.delete_records("t", partition, 0).expect("there");
            m.commit("g", "t", partition, 0);
        }
    });
    let seen = world.exporter().cycle().await;
    let each = format!(
        "kafka_group_partition_lag_records{{kafka_cluster=\"main\",group=\"g\",topic=\"t\",partition=\"0\"}} {end}\n"
    );
    assert!(seen.text.contains(&each), "{}", seen.text);
    let sum = format!(
        "kafka_group_lag_records{{kafka_cluster=\"main\",group=\"g\"}} {}\n",
        2 * i128::from(end)
    );
    assert!(seen.text.contains(&sum));
}

#[tokio::test]
async fn a_topic_made_anew_is_no_rewind_and_its_old_commit_is_ahead() {
    let world = World::new(1, |m| {
        m.create_topic("t", 1);
        m.append("t", 0, 100).expect("there");
        m.commit("g", "t", 0, 90);
    });
    let mut exporter = world.exporter();
    exporter.cycle().await;
    world
        .cluster
        .edit(|m| {
            m.create_topic("t", 3);
            m.append("t", 0, 5)
        })
        .expect("there");
    let seen = exporter.cycle().await;
    assert_eq!(seen.lags("g"), [lag("t", 0, 0.0)].into());
    assert_eq!(
        seen.value("kafka_group_partition_commit_ahead_records", &[]),
        Some(85.0)
    );
    assert_eq!(seen.value("kafka_group_topic_rewinds_total", &[]), Some(0.0));
    assert_eq!(seen.value("kafka_group_topic_uncommitted_partitions", &[]), Some(2.0));
}

#[tokio::test]
async fn a_coordinator_that_moves_costs_at_most_two_cycles_and_no_series() {
    let world = World::new(3, |m| {
        m.create_topic("t", 1);
        m.append("t", 0, 10).expect("there");
        m.commit("g", "t", 0, 4);
    });
    let mut exporter = world.exporter();
    let before = exporter.cycle().await;
    for broker in [1, 2, 3, 1] {
        world
            .cluster
            .edit(|m| {
                m.move_coordinator("g", broker)?;
                m.append("t", 0, 1)
            })
            .expect("there");
        let seen = exporter.cycle().await;
        assert!(seen.lags("g").keys().eq(before.lags("g").keys()));
        let again = exporter.cycle().await;
        assert_eq!(again.value("kafka_group_coordinator_id", &[]), Some(f64::from(broker)));
    }
    assert_eq!(exporter.scrape().lag("g"), Some(10.0));
}

#[tokio::test]
async fn a_group_on_two_lists_or_on_none_is_shown_once_and_stays() {
    let world = World::new(3, |m| {
        m.create_topic("t", 1);
        m.append("t", 0, 10).expect("there");
        m.commit("g", "t", 0, 4);
    });
    let mut exporter = world.exporter();
    let before = exporter.cycle().await;
    for lists in [Some(&[1, 2, 3][..]), Some(&[][..])] {
        world.cluster.edit(|m| m.list_group_on("g", lists)).expect("there");
        let seen = exporter.cycle().await;
        assert_eq!(seen.lags("g"), before.lags("g"), "{lists:?}");
        assert_eq!(seen.of_group("g"), before.of_group("g"), "{lists:?}");
    }
}

#[tokio::test]
async fn a_leader_that_moves_costs_no_cycle() {
    let world = World::new(3, |m| {
        m.create_topic("t", 3);
        for partition in 0..3 {
            m.append("t", partition, 10).expect("there");
            m.commit("g", "t", partition, 4);
        }
    });
    let mut exporter = world.exporter();
    exporter.cycle().await;
    for broker in [1, 2, 3] {
        world
            .cluster
            .edit(|m| m.move_leader("t", 0, Some(broker)))
            .expect("there");
        let seen = exporter.cycle().await;
        assert_eq!(seen.lag("g"), Some(18.0));
    }
}

#[tokio::test]
async fn a_rebalance_is_counted_once_and_stays_counted() {
    let world = World::new(1, |m| {
        m.create_topic("t", 2);
        m.join("g", Member::new("a").assigned("t", &[0, 1]));
    });
    let mut exporter = world.exporter();
    let count = |seen: &crate::support::Scrape| seen.value("kafka_group_rebalances_total", &[]);
    assert_eq!(count(&exporter.cycle().await), Some(0.0));
    world
        .cluster
        .edit(|m| {
            m.leave_all("g")?;
            m.join("g", Member::new("a").assigned("t", &[0]));
            m.join("g", Member::new("b").assigned("t", &[1]));
            Ok::<_, NoSuch>(())
        })
        .expect("there");
    assert_eq!(count(&exporter.cycle().await), Some(1.0));
    world.clock.step(Duration::from_secs(60));
    assert_eq!(count(&exporter.cycle().await), Some(1.0));
}

#[tokio::test]
async fn partitions_without_an_owner_are_counted_while_the_group_reads_others_of_the_topic() {
    let world = World::new(1, |m| {
        m.create_topic("t", 7);
        m.create_topic("left", 3);
        m.create_group("g", GroupType::Consumer);
        m.join("g", Member::new("c").assigned("t", &[0, 1, 2, 3, 5]));
        m.commit("g", "t", 0, 0);
        m.commit("g", "left", 0, 0);
    });
    let seen = world.exporter().cycle().await;
    let family = "kafka_group_topic_unowned_partitions";
    assert_eq!(seen.value(family, &[("topic", "t")]), Some(2.0));
    assert_eq!(seen.count(family), 1, "nobody reads `left`: nothing of it is left out");
}
