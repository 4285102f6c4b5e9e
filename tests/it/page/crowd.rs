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
/// Milliseconds for which nothing moves: no browser that draws a hundred rows needs it, however busy its machine is.
const STUTTER: f64 = 1_000.0;

/// A running tidemark that has read them all, and what it reads from.
fn crowd() -> (Tidemark, Cluster, Runtime) {
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
    (tidemark, cluster, runtime)
}

/// Shows a figure, measured in milliseconds by the page's own clock, and holds it to a limit.
fn measured(browser: &Browser, what: &str, expression: &str, limit: f64) {
    let took = browser.eval(expression).as_f64().expect("a number");
    let _ = writeln!(io::stderr(), "{what}, {GROUPS} groups: {took:.0} ms");
    assert!(took < limit, "{what}: {took} ms");
}

#[test]
fn ten_thousand_groups_are_there_at_once_and_nothing_stutters() {
    let Some(browser) = Browser::start() else { return };
    let (tidemark, _cluster, _runtime) = crowd();
    browser.go(&format!("http://{}/", tidemark.address()));
    let caption = browser.text("caption");
    assert!(caption.contains("1 to 100 of 10,000 groups"), "{caption}");
    assert!(browser.eval("document.querySelectorAll('*').length").as_u64() < Some(5_000));
    let first = "Math.max(performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0, \
        performance.getEntriesByType('navigation')[0].domContentLoadedEventEnd)";
    measured(&browser, "time to the first table", first, FIRST_TABLE);

    browser.eval(
        "(window.long = new PerformanceObserver(list => \
            window.longest = Math.max(window.longest ?? 0, ...list.getEntries().map(it => it.duration))), \
         window.long.observe({type: 'longtask', buffered: true}), true)",
    );
    browser.press("/");
    browser.press("group-00999");
    browser.until("document.querySelectorAll('table.groups tbody tr').length === 10");
    let fetched = "Math.max(...performance.getEntriesByType('resource')\
        .filter(it => it.initiatorType === 'fetch').map(it => it.duration))";
    measured(&browser, "time to search", fetched, FIRST_TABLE);
    measured(&browser, "longest time without a frame", "window.longest ?? 0", STUTTER);
    browser.go(&format!("http://{}/?offset=9900", tidemark.address()));
    assert_eq!(browser.count("table.groups tbody tr"), 100);
    assert_eq!(browser.count("a[rel=next]"), 0);
    browser.click("a[rel=prev]");
    browser.until("location.search === '?offset=9800'");
    assert_eq!(browser.console(), Vec::<String>::new());
}
