//! Ten thousand groups.

use std::io;
use std::io::Write as _;
use std::time::Duration;

use tidemark::clock::Clock;
use tidemark::sim::Cluster;
use tidemark::sim::scale;
use tidemark::sim::scale::Size;
use tokio::runtime::Runtime;

use crate::support::Browser;
use crate::support::Tidemark;
use crate::support::wait::eventually;

const GROUPS: i32 = 10_000;
/// From asking for the page to its table on the screen; a program without optimisation on a busy machine has it too.
const FIRST_TABLE: f64 = 5_000.0;

#[test]
fn ten_thousand_groups_are_there_at_once_and_nothing_stutters() {
    let Some(browser) = Browser::start() else { return };
    let clock = Clock::system();
    let size = Size {
        groups: GROUPS,
        partitions_per_group: 1,
        partitions: 100,
    };
    let model = scale::model(size, clock.now().wall.0, 1);
    let runtime = Runtime::new().expect("a runtime");
    let cluster = runtime
        .block_on(async { Cluster::start(model, clock) })
        .expect("loopback has ports");
    cluster.trace_counts_only();
    let tidemark = Tidemark::of(&cluster.bootstrap())
        .set("poll_interval", "5s")
        .cluster("request_timeout", "10s")
        .set("max_staleness", "5m")
        .start();
    eventually("all groups were read", Duration::from_secs(120), || {
        (tidemark.api("/clusters")["clusters"][0]["groups"] == GROUPS).then_some(())
    });
    browser.go(&format!("http://{}/", tidemark.address()));
    assert!(
        browser.text("caption").contains("1 to 100 of 10,000 groups"),
        "{}",
        browser.text("caption")
    );
    assert!(browser.eval("document.querySelectorAll('*').length").as_u64() < Some(5_000));
    let painted = browser.eval("performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0");
    let loaded = browser.eval("performance.getEntriesByType('navigation')[0].domContentLoadedEventEnd");
    let first = painted.as_f64().unwrap_or(0.0).max(loaded.as_f64().unwrap_or(f64::MAX));
    let _ = writeln!(
        io::stderr(),
        "time to the first table of {GROUPS} groups: {first:.0} ms"
    );
    assert!(first < FIRST_TABLE, "{first} ms");

    browser.press("/");
    browser.press("group-00999");
    browser.until("document.querySelectorAll('table.groups tbody tr').length === 10");
    let took = browser.eval(
        "Math.max(...performance.getEntriesByType('resource').filter(it => it.initiatorType === 'fetch').map(it => it.duration))",
    );
    let _ = writeln!(
        io::stderr(),
        "time to search {GROUPS} groups: {took:.0} ms",
        took = took.as_f64().unwrap_or(0.0)
    );
    browser.go(&format!("http://{}/?offset=9900", tidemark.address()));
    assert_eq!(browser.count("table.groups tbody tr"), 100);
    assert_eq!(browser.count("a[rel=next]"), 0);
    browser.click("a[rel=prev]");
    browser.until("location.search === '?offset=9800'");
    assert_eq!(browser.console(), Vec::<String>::new());
}
