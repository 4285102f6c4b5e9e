//! An hour in the life of the demo's groups, on a clock that is stepped through it: what the page tells afterwards, and the README's
//! pictures of it.

use std::env;
use std::net::SocketAddr;
use std::path::Path;
use std::path::PathBuf;
use std::time::Duration;

use serde_json::Value;
use tempfile::TempDir;
use tidemark::app::App;
use tidemark::clock::Clock;
use tidemark::config::Config;
use tidemark::config::Flag;
use tidemark::config::Source;
use tidemark::config::load;
use tidemark::model::UnixMillis;
use tidemark::sim::Cluster;
use tidemark::sim::Member;
use tidemark::sim::model::Pace;
use tidemark::sim::story;
use tokio::runtime::Runtime;

use crate::support::Browser;
use crate::support::http;
use crate::support::wait::PATIENCE;
use crate::support::wait::eventually;

/// 2026-03-12, 01:14 UTC.
const BEGIN: UnixMillis = UnixMillis(1_773_278_040_000);
const POLL: Duration = Duration::from_secs(15);
/// Pictures larger than this are no pleasure in a repository.
const LARGEST: u64 = 200_000;

/// tidemark, and the cluster that it watches, in this process.
struct Hour {
    clock: Clock,
    cluster: Cluster,
    address: SocketAddr,
    cycles: u64,
    /// Ends both when it is dropped.
    _runtime: Runtime,
}

impl Hour {
    /// Everybody is well that can be; payments, too.
    fn begin() -> Self {
        let clock = Clock::stepped(BEGIN);
        let runtime = Runtime::new().expect("a runtime");
        let (cluster, app) = runtime.block_on(async {
            let cluster = story::start(None, clock.clone(), 1).expect("the stories");
            cluster
                .edit(|model| {
                    let retention = (3 * 60 + 14) * 60 * 1000;
                    model.set_config("transfers", "retention.ms", Some(&retention.to_string()))?;
                    model.read("payments", "transfers", &[7], pace())
                })
                .expect("the story of payments");
            let app = App::build(&config(&cluster.bootstrap()), clock.clone()).await;
            (cluster, app.expect("loopback has ports"))
        });
        let address = app.address();
        runtime.spawn(app.run(std::future::pending()));
        let mut hour = Self {
            clock,
            cluster,
            address,
            cycles: 0,
            _runtime: runtime,
        };
        hour.cycle();
        hour
    }

    /// Waits for the cycle of the clock's present.
    fn cycle(&mut self) {
        self.cycles += 1;
        eventually("a cycle has ended", PATIENCE, || {
            let answer = http::get(self.address, "/api/v1/clusters", &[]).ok()?;
            let document: Value = serde_json::from_slice(&answer.body).ok()?;
            let cycles = &document["clusters"][0]["cycles_total"];
            let ended = cycles["ok"].as_u64()? + cycles["partial"].as_u64()?;
            (ended == self.cycles).then_some(())
        });
    }

    fn pass(&mut self, minutes: u32) {
        for _ in 0..minutes * 4 {
            self.clock.step(POLL);
            self.cycle();
        }
    }

    fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }
}

fn config(bootstrap: &str) -> Config {
    let flag = |key, value: &str| Flag {
        name: "test",
        key,
        value: value.to_owned(),
    };
    let flags = [flag("listen", "127.0.0.1:0"), flag("clusters.0.request_timeout", "5s")];
    load(&Source::Brokers(bootstrap.to_owned()), &flags, [])
        .expect("a configuration")
        .config
}

fn pace() -> Pace {
    Pace::keeping_up(Duration::from_millis(500))
}

/// Where the pictures go: into the repository when asked for, and away at other times.
fn folder(scratch: &TempDir) -> PathBuf {
    match env::var_os("TIDEMARK_TESTS_PICTURES") {
        Some(_) => Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/images"),
        None => scratch.path().to_owned(),
    }
}

#[test]
fn an_hour_is_told_as_it_was_and_looks_as_the_readme_shows() {
    let Some(browser) = Browser::start() else { return };
    let mut hour = Hour::begin();
    hour.pass(25);
    let all: Vec<i32> = (0..6).collect();
    hour.cluster
        .edit(|model| model.stop_reading("checkout"))
        .expect("there");
    hour.pass(6);
    hour.cluster
        .edit(|model| model.read("checkout", "orders", &all, pace().at_most(100, Duration::from_secs(1))))
        .expect("there");
    hour.pass(10);
    hour.cluster
        .edit(|model| model.leave("payments", "payments-2"))
        .expect("there");
    hour.pass(1);
    let again = Member::new("payments-2").subscribed(&["transfers"]).on("10.0.1.12");
    hour.cluster.edit(|model| model.join("payments", again));
    hour.pass(18);
    // The commit that is stored now is the last one.
    let stuck = hour
        .cluster
        .edit(|model| model.offset_of("transfers", 7, Duration::ZERO))
        .expect("there");
    hour.cluster
        .edit(|model| model.commit("payments", "transfers", 7, stuck));
    hour.pass(13);

    browser.go(&hour.url("/clusters/main/groups/payments"));
    let verdict = browser.text(".verdict");
    assert!(
        verdict
            .starts_with("Stuck since 02:14 UTC: client payments-2 on host 10.0.1.12 holds partition 7 of transfers"),
        "{verdict}"
    );
    for words in [
        "has not moved for 12 min",
        "the other 11 of 12 partitions are fine",
        "3 h 1 min until retention takes unread records",
    ] {
        assert!(verdict.contains(words), "{verdict}");
    }
    let events = browser.texts(".events li");
    let told = [
        "ago: commits stopped: ok became stalled, partition 7 of transfers, no commit since 02:14 UTC",
        "ago: rebalanced 2 times",
        "ago: client payments-2 on host 10.0.1.12 joined",
        "ago: client payments-2 on host 10.0.1.12 left",
    ];
    assert_eq!(events.len(), told.len(), "{events:?}");
    for (event, words) in events.iter().zip(told) {
        assert!(event.ends_with(words), "{events:?}");
    }
    assert!(browser.text(".figures").contains("Lag, last hour"));
    browser.go(&hour.url("/"));
    assert_eq!(browser.text("thead .sp"), "Lag, last hour");
    assert_eq!(browser.count("table.groups .spark"), 13);
    take_pictures(&browser, &hour);
    assert_eq!(browser.console(), Vec::<String>::new());
}

fn take_pictures(browser: &Browser, hour: &Hour) {
    let scratch = tempfile::tempdir().expect("a folder");
    let folder = folder(&scratch);
    for (file, page, scheme) in [
        ("overview.png", "/", "light"),
        ("group.png", "/clusters/main/groups/payments", "dark"),
    ] {
        browser.prefer(scheme);
        browser.resize(1200, 900);
        browser.go(&hour.url(page));
        let file = folder.join(file);
        browser.screenshot(&file);
        let length = std::fs::metadata(&file).expect("a file").len();
        assert!(
            (10_000..LARGEST).contains(&length),
            "{}: {length} bytes",
            file.display()
        );
    }
}
