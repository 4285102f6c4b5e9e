//! A real Prometheus and a real Alertmanager next to the demo: every story raises its alerts and no others, every dashboard shows
//! something, and a restart of tidemark changes neither.

use std::collections::BTreeMap;
use std::collections::BTreeSet;
use std::thread::sleep;
use std::time::Duration;
use std::time::Instant;

use tidemark::sim::story;

use super::dashboards;
use super::sheet;
use super::sheet::Of;
use super::stage::Alertmanager;
use super::stage::Demo;
use super::stage::Firing;
use super::stage::names;
use super::stage::waits;
use super::stage::watching;
use crate::support::Browser;
use crate::support::Prometheus;

/// The alerts of each story. A story that is not here must not be.
const RAISED: [(&str, &[&str]); 16] = [
    ("steady", &[]),
    (
        "falling-behind",
        &["KafkaGroupFallingBehind", "KafkaGroupLagAboveObjective"],
    ),
    ("stuck-partition", &["KafkaGroupStalled"]),
    ("stopped", &["KafkaGroupStopped"]),
    ("rebalancing", &["KafkaGroupRebalancing"]),
    ("lost-records", &["KafkaGroupRecordsLost"]),
    ("deleted-topic", &["KafkaGroupLeftoverCommits"]),
    ("made-anew", &["KafkaGroupCommitsAhead"]),
    ("never-committed", &["KafkaGroupNeverCommitted"]),
    // Its alert is the topic's, and waits for longer than a demo does.
    ("hanging-transaction", &[]),
    ("idle-members", &[]),
    ("empty", &[]),
    ("dormant", &[]),
    ("kip-848", &[]),
    ("simple", &[]),
    ("share", &[]),
];
/// What an alert may take beside its `for`: until the condition is seen (statuses, the five minutes of a rate in the demo's own time),
/// evaluation, delivery, and a machine that does other things.
const SLACK: Duration = Duration::from_secs(150);
/// How long after a restart nothing may change: longer than the longest `keep_firing_for` in a hurry.
const AFTER_A_RESTART: Duration = Duration::from_secs(150);

fn expected() -> BTreeSet<Firing> {
    let alerts: BTreeMap<&str, &[&str]> = RAISED.into();
    let stories = story::all().iter();
    let of_story = |story: &story::Story| {
        let alerts = alerts
            .get(story.name)
            .unwrap_or_else(|| panic!("what does {} raise?", story.name));
        let group = story.group.to_owned();
        alerts.iter().map(move |alert| ((*alert).to_owned(), group.clone()))
    };
    stories.flat_map(of_story).collect()
}

/// Watches until everything that is expected fires; when each was first seen.
fn all_raised(alertmanager: &Alertmanager, expected: &BTreeSet<Firing>) -> BTreeMap<Firing, Duration> {
    let began = Instant::now();
    let longest = waits().values().max().copied().unwrap_or_default() + SLACK;
    let mut seen = BTreeMap::new();
    while seen.len() < expected.len() {
        for firing in names(&alertmanager.firing()) {
            assert!(expected.contains(&firing), "{firing:?} is raised");
            seen.entry(firing).or_insert_with(|| began.elapsed());
        }
        let missing: Vec<_> = expected.iter().filter(|it| !seen.contains_key(it)).collect();
        assert!(began.elapsed() < longest, "not raised: {missing:?}");
        sleep(Duration::from_millis(500));
    }
    seen
}

/// The boards as a page; `just pictures` keeps what it looks like.
fn drawn(prometheus: &Prometheus) {
    let Some(browser) = Browser::start() else { return };
    let of = |board| Of {
        board,
        group: "payments",
        topic: "transfers",
    };
    let silent = sheet::drawn(prometheus, &browser, &of("tidemark-overview"));
    assert_eq!(silent, Vec::<String>::new());
    let row = browser
        .eval("[...document.querySelectorAll('tr')].map(it => it.innerText).find(it => it.includes('payments'))");
    let row = row.as_str().unwrap_or_default();
    assert!(row.contains("stalled"), "{row}");
    let silent = sheet::drawn(prometheus, &browser, &of("tidemark-group"));
    for title in [
        "Status",
        "Lag in time",
        "Lag in records",
        "Records a second",
        "Partitions",
    ] {
        assert!(!silent.iter().any(|it| it == title), "{title}");
    }
    assert!(browser.texts("section").iter().any(|text| text.contains("stalled")));
}

#[test]
fn each_story_raises_its_alerts_and_fills_the_dashboards_and_a_restart_changes_nothing() {
    let mut demo = Demo::start();
    let Some((prometheus, alertmanager, _rules)) = watching(&demo) else {
        return;
    };
    let expected = expected();
    let seen = all_raised(&alertmanager, &expected);
    let waits = waits();
    for ((alert, group), took) in &seen {
        println!("{alert} of {group} after {} s", took.as_secs());
        assert!(*took <= waits[alert] + SLACK, "{alert} of {group} after {took:?}");
    }
    let notes = alertmanager.annotations("KafkaGroupStalled");
    assert_eq!(notes["page"], "http://tidemark.example/clusters/main/groups/payments");
    assert_eq!(demo.get("/clusters/main/groups/payments").status, 200);
    assert_eq!(
        notes["facts"],
        "http://tidemark.example/api/v1/clusters/main/groups/payments"
    );

    dashboards::all_say_something(&prometheus);
    drawn(&prometheus);

    let before = alertmanager.firing();
    demo.restart();
    let restarted = Instant::now();
    while restarted.elapsed() < AFTER_A_RESTART {
        assert_eq!(
            alertmanager.firing(),
            before,
            "{:?} after the restart",
            restarted.elapsed()
        );
        sleep(Duration::from_millis(500));
    }
}
