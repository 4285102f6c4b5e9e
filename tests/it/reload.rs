//! The configuration changes while the process runs: what comes, what goes, and what is not touched.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use serde_json::json;
use tidemark::clock::Clock;
use tidemark::sim::Cluster;
use tidemark::sim::scale;

use crate::sim::running::Running;
use crate::support::Scrape;
use crate::support::Tidemark;
use crate::support::until;

const TAKEN: &str = "tidemark_config_last_reload_successful";
const TAKEN_AT: &str = "tidemark_config_last_reload_success_timestamp_seconds";

/// Twenty groups on a hundred partitions that are written to all the time.
fn cluster(seed: u64) -> Running {
    let size = scale::Size {
        groups: 20,
        partitions_per_group: 10,
        partitions: 100,
    };
    let clock = Clock::system();
    Running::new(|| Cluster::start(scale::model(size, clock.now().wall.0, seed), clock.clone()))
}

/// What of a cluster must never go back or vanish while another one is changed.
#[derive(Debug, PartialEq, PartialOrd)]
struct Kept {
    series: usize,
    consumed: f64,
    cycles: f64,
}

fn kept(seen: &Scrape, cluster: &str) -> Kept {
    let of = [("kafka_cluster", cluster)];
    Kept {
        series: seen.series("kafka_group_lag_records", &of).count(),
        consumed: seen.total("kafka_group_topic_consumed_records_total", &of),
        cycles: seen.total("tidemark_cycles_total", &of),
    }
}

/// Waits until something was consumed, so that a counter that begins anew is seen to.
fn settled(tidemark: &Tidemark, cluster: &str) -> Kept {
    let seen = tidemark.scrape_until("records are consumed", |seen| kept(seen, cluster).consumed > 100.0);
    kept(&seen, cluster)
}

fn groups(seen: &Scrape, cluster: &str) -> usize {
    kept(seen, cluster).series
}

#[test]
fn clusters_come_and_go_by_the_file_alone_and_the_others_go_on() {
    let (first, second) = (cluster(1), cluster(2));
    let tidemark = Tidemark::of(&first.bootstrap()).start();
    let mut before = settled(&tidemark, "main");
    assert_eq!(before.series, 20);
    let bootstrap = second.bootstrap();
    tidemark.rewrite(|config| {
        let added = json!({"name": "second", "bootstrap_servers": bootstrap});
        config["clusters"].as_array_mut().expect("a list").insert(0, added);
    });
    let seen = tidemark.scrape_until("the new cluster is read", |seen| groups(seen, "second") == 20);
    assert!(
        kept(&seen, "main") >= before,
        "{:?} after {before:?}",
        kept(&seen, "main")
    );
    before = kept(&seen, "main");
    assert_eq!(
        tidemark.api("/clusters")["clusters"][0]["cluster"],
        "second",
        "in the order of the file"
    );

    tidemark.rewrite(|config| config["clusters"][0]["groups"] = json!({"exclude": ["group-00001."]}));
    let seen = tidemark.scrape_until("half of its groups are left out", |seen| groups(seen, "second") == 10);
    assert!(
        kept(&seen, "main") >= before,
        "{:?} after {before:?}",
        kept(&seen, "main")
    );
    before = kept(&seen, "main");

    tidemark.rewrite(|config| drop(config["clusters"].as_array_mut().expect("a list").remove(0)));
    let seen = tidemark.scrape_until("the cluster is gone", |seen| {
        seen.series("tidemark_up", &[("kafka_cluster", "second")]).count() == 0
    });
    assert!(!seen.text.contains("\"second\""), "nothing is left of it");
    assert!(
        kept(&seen, "main") >= before,
        "{:?} after {before:?}",
        kept(&seen, "main")
    );
    assert_eq!(
        tidemark
            .get("/api/v1/clusters/second/groups", &[])
            .expect("an answer")
            .status,
        404
    );
    assert_eq!(seen.value(TAKEN, &[]), Some(1.0));
}

#[test]
fn a_cluster_that_changes_keeps_what_is_known_of_it() {
    let cluster = cluster(3);
    let tidemark = Tidemark::of(&cluster.bootstrap()).start();
    let before = settled(&tidemark, "main");
    let one = |seen: &Scrape| seen.total("kafka_group_topic_consumed_records_total", &[("group", "group-000003")]);
    let consumed = one(&tidemark.scrape());
    tidemark.rewrite(|config| {
        config["objectives"] = json!([{"groups": "group-000003", "lag": "77s", "labels": {"team": "blue"}}]);
        config["poll_interval"] = json!("700ms");
        config["clusters"][0]["topics"] = json!({"exclude": ["none-such"]});
        config["clusters"][0]["granularity"] = json!("topic");
    });
    let seen = tidemark.scrape_until("the objective is served", |seen| {
        seen.value("kafka_group_lag_objective_seconds", &[]) == Some(77.0)
            && seen.series("kafka_group_partition_lag_records", &[]).count() == 0
    });
    assert!(
        kept(&seen, "main") >= before,
        "{:?} after {before:?}",
        kept(&seen, "main")
    );
    assert!(
        one(&seen) >= consumed && consumed > 0.0,
        "{} after {consumed}",
        one(&seen)
    );
    tidemark.rewrite(|config| {
        config["objectives"] = json!([{"groups": "group-00000[23]", "lag": "5m"}]);
        config["clusters"][0]["topics"] = json!({"exclude": [".*"]});
    });
    let seen = tidemark.scrape_until("nothing is left of the topics", |seen| {
        seen.series("kafka_group_topic_consumed_records_total", &[]).count() == 0
    });
    let objectives: Vec<f64> = seen
        .series("kafka_group_lag_objective_seconds", &[])
        .map(|(_, value)| value)
        .collect();
    assert_eq!((groups(&seen, "main"), objectives), (0, vec![300.0, 300.0]));
    assert_eq!(
        seen.series("kafka_group_info", &[]).count(),
        20,
        "the groups are still there"
    );
}

#[test]
fn a_wrong_file_changes_nothing_and_everything_wrong_with_it_is_said() {
    let cluster = cluster(4);
    let tidemark = Tidemark::of(&cluster.bootstrap()).start();
    let before = settled(&tidemark, "main");
    let first = tidemark.scrape().value(TAKEN_AT, &[]).expect("read at the start");
    let good = fs::read_to_string(tidemark.config()).expect("its file");
    tidemark.rewrite(|config| {
        config["poll_interval"] = json!(15);
        config["listenn"] = json!("x");
        config["clusters"] = json!([]);
    });
    let seen = tidemark.scrape_until("the failure is told", |seen| seen.value(TAKEN, &[]) == Some(0.0));
    assert_eq!(seen.value(TAKEN_AT, &[]), Some(first));
    assert!(kept(&seen, "main") >= before);
    let log = tidemark.log();
    for problem in [
        "poll_interval: must be a duration with its unit, as in 15s",
        "listenn: unknown key; did you mean `listen`?",
        "clusters: must not be empty",
        "the one before stays in force",
    ] {
        assert!(log.contains(problem), "no {problem:?} in {log}");
    }
    tidemark.write("{not: [closed");
    until("the next failure is logged", || {
        tidemark.log().contains("not valid YAML")
    });
    tidemark.write(&good);
    let seen = tidemark.scrape_until("all is well", |seen| seen.value(TAKEN, &[]) == Some(1.0));
    assert!(seen.value(TAKEN_AT, &[]) > Some(first));
    assert!(kept(&seen, "main") >= before);
}

#[test]
fn a_signal_reads_at_once_and_what_waits_for_a_restart_is_named() {
    let cluster = cluster(5);
    let tidemark = Tidemark::of(&cluster.bootstrap()).start();
    let first = tidemark.scrape().value(TAKEN_AT, &[]);
    tidemark.signal("HUP");
    tidemark.scrape_until("it was read again", |seen| seen.value(TAKEN_AT, &[]) > first);
    assert!(!tidemark.log().contains("has another configuration"), "nothing changed");
    tidemark.rewrite(|config| {
        config["listen"] = json!("127.0.0.1:1");
        config["log"] = json!({"level": "debug", "format": "json"});
    });
    until("the keys are named", || {
        let log = tidemark.log();
        ["\"listen\"", "\"log.format\""].iter().all(|key| {
            log.lines()
                .any(|line| line.contains("waits for a restart") && line.contains(key))
        })
    });
    until("the level is taken at once", || tidemark.log().contains("DEBUG"));
    assert_eq!(tidemark.scrape().value(TAKEN, &[]), Some(1.0));
}

/// As Kubernetes does: the file leads to `..data/tidemark.yaml`, and `..data` to a folder that is replaced as a whole.
#[test]
fn a_mounted_config_map_that_is_swapped_is_seen() {
    let cluster = cluster(6);
    let tidemark = Tidemark::of(&cluster.bootstrap()).start();
    let config = tidemark.config();
    let folder = config.parent().expect("a folder");
    let version = |name: &str, text: &str| {
        fs::create_dir(folder.join(name)).expect("a folder");
        fs::write(folder.join(name).join("tidemark.yaml"), text).expect("a file");
        lead(folder, name, "..data");
    };
    let text = fs::read_to_string(&config).expect("its file");
    version("..2026_1", &text);
    lead(folder, "..data/tidemark.yaml", "tidemark.yaml");
    version(
        "..2026_2",
        &text.replacen("{", r#"{"objectives":[{"groups":".*","lag":"9s"}],"#, 1),
    );
    tidemark.scrape_until("the new version is in force", |seen| {
        seen.series("kafka_group_lag_objective_seconds", &[]).count() == 20
    });
}

fn lead(folder: &Path, to: &str, name: &str) {
    symlink(to, folder.join("link")).expect("a link");
    fs::rename(folder.join("link"), folder.join(name)).expect("renamed");
}
