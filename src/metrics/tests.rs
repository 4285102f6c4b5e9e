use std::collections::BTreeMap;
use std::io::Read as _;
use std::io::Write as _;
use std::process::Command;
use std::process::Stdio;
use std::sync::Arc;

use super::fixture;
use super::fixture::NOW;
use super::*;
use crate::config::Cluster;
use crate::config::Granularity;
use crate::model::GroupType;
use crate::model::Status;
use crate::snapshot::Snapshot;

mod laws;
mod parser;

use parser::Scraped;

fn packer(cluster: Cluster) -> Packer {
    Packer::new(Arc::new(cluster), "kafka_cluster".into(), fixture::objectives())
}

fn pack(cluster: Cluster, snapshot: &Snapshot) -> Arc<Packed> {
    Arc::new(packer(cluster).pack(snapshot))
}

fn exposition() -> Exposition {
    Exposition::new("kafka_cluster".into(), None)
}

fn plain(exposition: &Exposition, clusters: &[Arc<Packed>]) -> String {
    let plain = exposition.text(clusters, NOW).plain();
    let promised = plain.left();
    let text: Vec<u8> = plain.flatten().collect();
    assert_eq!(
        u64::try_from(text.len()).expect("small"),
        promised,
        "the length was said before"
    );
    String::from_utf8(text).expect("the format is UTF-8")
}

/// What the clusters say, without the process, whose figures change.
fn lag(clusters: &[Arc<Packed>]) -> String {
    let text = plain(&exposition(), clusters);
    text[..text.find("# HELP process_").expect("the process comes last")].to_owned()
}

fn scrape(cluster: Cluster, snapshot: &Snapshot) -> Scraped {
    Scraped::parse(&plain(&exposition(), &[pack(cluster, snapshot)]))
}

#[test]
fn the_whole_exposition_is_as_it_was_agreed() {
    let clusters = [
        pack(fixture::talkative_cluster("main"), &fixture::motley("main")),
        pack(fixture::cluster("new"), &fixture::blank("new")),
    ];
    insta::assert_snapshot!(lag(&clusters).replace(env!("CARGO_PKG_VERSION"), "VERSION"));
}

#[test]
fn before_the_first_cycle_only_what_is_known_is_said() {
    let seen = scrape(fixture::cluster("main"), &fixture::blank("main"));
    assert_eq!(seen.value("tidemark_up", &[]), Some("0"));
    assert_eq!(seen.count("tidemark_cycles_total"), 4);
    for absent in [
        "tidemark_snapshot_age_seconds",
        "tidemark_last_success_timestamp_seconds",
        "tidemark_groups",
    ] {
        assert_eq!(seen.count(absent), 0, "{absent}");
    }
    assert!(!seen.samples.keys().any(|(name, _)| name.starts_with("kafka_")));
}

#[test]
fn the_age_is_told_at_the_scrape() {
    let seen = scrape(fixture::cluster("main"), &fixture::motley("main"));
    assert_eq!(
        seen.value("tidemark_snapshot_age_seconds", &[("kafka_cluster", "main")]),
        Some("2")
    );
}

#[test]
fn the_cluster_label_can_be_renamed_everywhere() {
    let mut packer = Packer::new(Arc::new(fixture::cluster("main")), "k".into(), fixture::objectives());
    let packed = Arc::new(packer.pack(&fixture::motley("main")));
    let resets = ResetCounters::new(["main".into()]);
    let text = plain(&Exposition::new("k".into(), Some(resets)), &[packed]);
    assert!(!text.contains("kafka_cluster="));
    let seen = Scraped::parse(&text);
    for name in [
        "kafka_group_lag_records",
        "tidemark_snapshot_age_seconds",
        "tidemark_resets_total",
        "tidemark_up",
    ] {
        assert!(!seen.all(name, &[("k", "main")]).is_empty(), "{name}");
    }
}

#[test]
fn resets_are_counted_from_zero_and_only_with_an_admin_listener() {
    let packed = [pack(fixture::cluster("main"), &fixture::blank("main"))];
    assert_eq!(
        Scraped::parse(&plain(&exposition(), &packed)).count("tidemark_resets_total"),
        0
    );
    let resets = ResetCounters::new(["main".into()]);
    resets.clone().count("main", ResetResult::Refused);
    resets.count("stranger", ResetResult::Refused);
    let seen = Scraped::parse(&plain(&Exposition::new("kafka_cluster".into(), Some(resets)), &packed));
    let counts =
        ["planned", "executed", "refused", "failed"].map(|r| seen.value("tidemark_resets_total", &[("result", r)]));
    assert_eq!(counts, [Some("0"), Some("0"), Some("1"), Some("0")]);
    assert_eq!(seen.count("tidemark_resets_total"), 4);
}

#[test]
fn a_group_is_shown_as_finely_as_the_first_pattern_says() {
    let mut cluster = fixture::cluster("main");
    cluster.granularity = vec![
        fixture::granularity("orders", Granularity::Group),
        fixture::granularity("o.*|a(?s:.*)", Granularity::Topic),
    ];
    let seen = scrape(cluster, &fixture::motley("main"));
    let families = |group: &str| seen.families_with("group", group);
    assert!(
        families("orders")
            .iter()
            .all(|name| !name.contains("_topic_") && !name.contains("_partition_"))
    );
    assert!(families("orders").contains("kafka_group_lag_records"));
    let topics = families("a\"b\\c\nd");
    assert!(topics.contains("kafka_group_topic_lag_records"));
    assert!(topics.iter().all(|name| !name.contains("_partition_")));
}

#[test]
fn families_that_are_not_chosen_are_not_served() {
    let seen = scrape(fixture::cluster("main"), &fixture::motley("main"));
    for absent in [
        "kafka_group_partition_stalled_seconds",
        "kafka_group_partition_owner_info",
        "kafka_topic_partition_stable_offset",
    ] {
        assert_eq!(seen.count(absent), 0, "{absent}");
    }
    let mut few = fixture::cluster("main");
    few.partition_families.lag_seconds = false;
    few.partition_families.committed_offset = false;
    let seen = scrape(few, &fixture::motley("main"));
    assert_eq!(seen.count("kafka_group_partition_lag_seconds"), 0);
    assert_eq!(seen.count("kafka_group_partition_committed_offset"), 0);
    assert!(seen.count("kafka_group_partition_lag_records") > 0);
}

#[test]
fn one_hot_families_add_up_to_one() {
    let seen = scrape(fixture::cluster("main"), &fixture::motley("main"));
    let sum = |name, group| {
        seen.all(name, &[("group", group)])
            .iter()
            .map(|v| v.parse::<u32>().expect("0 or 1"))
            .sum::<u32>()
    };
    assert_eq!(sum("kafka_group_state", "orders"), 1);
    assert_eq!(
        seen.value("kafka_group_state", &[("group", "a\"b\\c\nd"), ("state", "Napping")]),
        Some("1")
    );
    assert_eq!(sum("kafka_group_state", "a\"b\\c\nd"), 1);
    assert_eq!(
        seen.all("kafka_group_state", &[("group", "stale")]).len(),
        0,
        "its state is too old to be told"
    );
    for group in ["orders", "stale", "a\"b\\c\nd", "not utf-8 \\xff"] {
        assert_eq!(sum("kafka_group_status", group), 1, "{group}");
        assert_eq!(
            seen.all("kafka_group_status", &[("group", group)]).len(),
            Status::ALL.len()
        );
    }
}

fn wide(cluster: &str, groups: &[(&str, i32)]) -> Snapshot {
    let groups = groups.iter().map(|&(name, partitions)| {
        let partitions = (0..partitions)
            .map(|index| fixture::partition(index, 1, 0, 9))
            .collect();
        fixture::group(name, vec![fixture::topic("t", partitions)])
    });
    fixture::snapshot(cluster, groups.collect())
}

/// Series of partitions by group.
fn shown(packed: &Arc<Packed>) -> BTreeMap<String, usize> {
    let seen = Scraped::parse(&plain(&exposition(), &[Arc::clone(packed)]));
    let mut counts = BTreeMap::new();
    for (name, labels) in seen.samples.keys() {
        if let (true, Some(group)) = (name.starts_with("kafka_group_partition_"), labels.get("group")) {
            *counts.entry(group.clone()).or_default() += 1;
        }
    }
    counts
}

fn series(packed: &Arc<Packed>) -> usize {
    let seen = Scraped::parse(&plain(&exposition(), &[Arc::clone(packed)]));
    seen.samples
        .keys()
        .filter(|(name, _)| name.starts_with("kafka_"))
        .count()
}

#[test]
fn beyond_the_limit_the_largest_groups_lose_their_partitions_and_do_not_flap() {
    let all = series(&pack(
        fixture::cluster("main"),
        &wide("main", &[("a", 100), ("b", 300), ("c", 200)]),
    ));
    let mut cluster = fixture::cluster("main");
    cluster.series_limit = all;
    let mut packer = packer(cluster);
    let mut cycle = |groups: &[(&str, i32)]| Arc::new(packer.pack(&wide("main", groups)));

    let fits = cycle(&[("a", 100), ("b", 300), ("c", 200)]);
    assert_eq!(shown(&fits).len(), 3, "exactly the limit is within it");
    assert_eq!(fits.left_out(), &LeftOut::default());

    let over = cycle(&[("a", 101), ("b", 300), ("c", 200)]);
    assert_eq!(
        shown(&over),
        [("a".into(), 202), ("c".into(), 400)].into(),
        "the largest goes first"
    );
    assert_eq!(over.left_out().groups, ["b".into()]);
    assert_eq!(over.left_out().series, 600);
    assert!(series(&over) <= all - all / 10);

    let back_to_before = cycle(&[("a", 100), ("b", 300), ("c", 200)]);
    assert_eq!(shown(&back_to_before).len(), 2, "at the edge nothing comes back");

    let shrunk = cycle(&[("a", 100), ("b", 200), ("c", 100)]);
    assert_eq!(shown(&shrunk).len(), 3, "a tenth below the limit it does");
    let seen = Scraped::parse(&plain(&exposition(), &[shrunk]));
    assert_eq!(
        seen.value("tidemark_series_dropped_total", &[("why", "series_limit")]),
        Some("1200")
    );
    assert_eq!(
        seen.value("tidemark_series_dropped_total", &[("why", "name_clash")]),
        Some("1")
    );
}

#[test]
fn sums_of_a_group_outlive_its_partitions() {
    let mut cluster = fixture::cluster("main");
    cluster.series_limit = 1;
    let packed = pack(cluster, &fixture::motley("main"));
    assert!(shown(&packed).is_empty());
    let seen = Scraped::parse(&plain(&exposition(), &[packed]));
    assert!(seen.value("kafka_group_lag_records", &[("group", "orders")]).is_some());
    assert!(
        seen.value(
            "kafka_group_topic_lag_records",
            &[("group", "orders"), ("topic", "orders-in")]
        )
        .is_some()
    );
}

#[test]
fn counters_of_commits_are_absent_for_groups_that_make_none() {
    let mut group = fixture::group("s", vec![fixture::topic("t", vec![fixture::partition(0, -1, 0, 9)])]);
    group.kind = GroupType::Share;
    let seen = scrape(fixture::cluster("main"), &fixture::snapshot("main", vec![group]));
    assert_eq!(seen.count("kafka_group_topic_consumed_records_total"), 0);
    assert_eq!(seen.count("kafka_group_topic_rewinds_total"), 0);
}

#[test]
fn the_gzip_form_is_one_member_that_says_the_same() {
    let exposition = exposition();
    let clusters = [
        pack(fixture::talkative_cluster("main"), &fixture::motley("main")),
        pack(fixture::cluster("wide"), &wide("wide", &[("a", 5000), ("b", 3000)])),
    ];
    let packed = exposition.text(&clusters, NOW).gzip().concat();
    let mut member = flate2::bufread::GzDecoder::new(&packed[..]);
    let mut text = String::new();
    member
        .read_to_string(&mut text)
        .expect("whole and with the right checksum");
    assert!(member.into_inner().is_empty(), "nothing follows the one member");
    assert_eq!(
        Scraped::parse(&text).samples.len(),
        Scraped::parse(&plain(&exposition, &clusters)).samples.len()
    );
    assert!(text.starts_with(&lag(&clusters)));
    piped("gzip", &["-t"], &packed);
}

#[test]
fn prometheus_own_linter_has_nothing_to_say() {
    let packed = pack(fixture::talkative_cluster("main"), &fixture::motley("main"));
    let resets = ResetCounters::new(["main".into()]);
    let text = plain(&Exposition::new("kafka_cluster".into(), Some(resets)), &[packed]);
    let Some(told) = piped("promtool", &["check", "metrics"], text.as_bytes()) else {
        return;
    };
    // The name is promised; the linter keeps `_count` for histograms, which this is none of.
    let told: Vec<_> = told
        .lines()
        .filter(|line| !line.starts_with("kafka_topic_partition_count "))
        .collect();
    assert!(told.is_empty(), "{told:#?}");
}

/// What a program says to the input; `None` where it is not installed, which the tests' own setting forbids.
#[expect(clippy::disallowed_methods, reason = "the tests' own switch")]
fn piped(program: &str, arguments: &[&str], input: &[u8]) -> Option<String> {
    let spawned = Command::new(program)
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let mut child = match spawned {
        Ok(child) => child,
        Err(error) => {
            assert!(
                std::env::var("TIDEMARK_TESTS_REQUIRE_ALL").is_err(),
                "{program} is not to be had: {error}"
            );
            eprintln!("skipped: {program} is not installed");
            return None;
        }
    };
    let mut stdin = child.stdin.take().expect("piped");
    let input = input.to_vec();
    let writer = std::thread::spawn(move || stdin.write_all(&input));
    let output = child.wait_with_output().expect("it ends");
    writer.join().expect("no panic").expect("it reads everything");
    let told = [output.stdout, output.stderr].concat();
    let told = String::from_utf8_lossy(&told).into_owned();
    assert!(matches!(output.status.code(), Some(0 | 3)), "{program}: {told}");
    Some(told)
}

#[test]
fn every_family_is_named_once_with_a_help_of_one_line() {
    let mut names: Vec<_> = families().map(|family| family.name).collect();
    let all = names.len();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), all);
    for family in families() {
        assert!(
            !family.help.contains(['\n', '\\']) && family.help.ends_with('.'),
            "{}",
            family.name
        );
    }
}

#[test]
#[expect(clippy::disallowed_methods, reason = "the tests' own switch")]
fn the_reference_is_made_from_the_catalog() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/metrics.md");
    let page = std::fs::read_to_string(path).expect("docs/metrics.md is there");
    let (before, rest) = page
        .split_once("<!-- families -->\n")
        .expect("the mark before the table");
    let (_, after) = rest.split_once("<!-- end -->").expect("the mark after the table");
    let wanted = format!("{before}<!-- families -->\n{}<!-- end -->{after}", reference());
    if std::env::var("TIDEMARK_BLESS").is_ok() {
        std::fs::write(path, &wanted).expect("writable");
    }
    assert!(
        page == wanted,
        "docs/metrics.md is out of date: run this test with TIDEMARK_BLESS=1"
    );
}
