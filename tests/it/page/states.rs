//! What the page says when there is little to say: nothing read yet, nothing there, nothing to be reached any more.

use std::net::TcpListener;

use tidemark::clock::Clock;
use tidemark::sim::Cluster;
use tidemark::sim::Member;
use tidemark::sim::Model;
use tokio::runtime::Runtime;

use crate::support::Browser;
use crate::support::Tidemark;
use crate::support::axe;

/// Holds the page that is open to what every page has to be, in both schemes and widths.
fn sound(browser: &Browser, script: Option<&str>) {
    for (scheme, width) in [("dark", 360), ("light", 1600)] {
        browser.prefer(scheme);
        browser.resize(width, 900);
        let widest = browser.eval("document.documentElement.scrollWidth");
        assert!(widest.as_u64() <= Some(width.into()), "{widest} wide at {width}");
        if let Some(script) = script {
            assert_eq!(
                axe::violations(browser, script),
                Vec::<String>::new(),
                "{scheme}, {width}"
            );
        }
    }
}

fn holds(browser: &Browser, words: &str) {
    browser.until(&format!(
        "document.getElementById('main').innerText.includes('{words}')"
    ));
}

#[test]
fn nothing_is_to_be_reached_and_the_page_says_so() {
    let Some(browser) = Browser::start() else { return };
    let script = axe::script();
    // Who connects is never answered.
    let silent = TcpListener::bind("127.0.0.1:0").expect("loopback has ports");
    let address = silent.local_addr().expect("an address").to_string();
    let tidemark = Tidemark::of(&address).unready().start();
    browser.go(&format!("http://{}/", tidemark.address()));
    holds(&browser, "The first cycle is under way");
    holds(&browser, "Nothing was read yet.");
    sound(&browser, script.as_deref());
    holds(&browser, "cannot be reached");
    holds(&browser, "Nothing could be read yet.");
    sound(&browser, script.as_deref());
    assert_eq!(browser.console(), Vec::<String>::new());
}

#[test]
fn a_cluster_without_groups_is_empty_and_one_that_goes_away_leaves_what_was_read_until_that_is_too_old() {
    let Some(browser) = Browser::start() else { return };
    let script = axe::script();
    let runtime = Runtime::new().expect("a runtime");
    let clock = Clock::system();
    let mut model = Model::new(1, 1);
    model.set_now(clock.now().wall.0);
    model.create_topic("t", 1);
    model.append("t", 0, 100).expect("a topic");
    let cluster = runtime
        .block_on(async { Cluster::start(model, clock) })
        .expect("loopback has ports");
    let tidemark = Tidemark::of(&cluster.bootstrap())
        .cluster("request_timeout", "1s")
        .set("max_staleness", "8s")
        .start();
    let home = format!("http://{}/", tidemark.address());
    browser.go(&home);
    holds(&browser, "There are no groups");
    sound(&browser, script.as_deref());

    cluster.edit(|model| {
        model.commit("g", "t", 0, 40);
        model.join("g", Member::new("c").subscribed(&["t"]));
    });
    browser.until("document.querySelector('table.groups') !== null");
    drop(cluster);
    drop(runtime);
    holds(&browser, "What is shown was read");
    assert!(
        browser.text("table.groups tbody tr").contains("60"),
        "the last figures stand"
    );
    sound(&browser, script.as_deref());
    browser.until("document.querySelector('table.groups .badge').innerText.includes('unreadable')");
    let row = browser.text("table.groups tbody tr");
    assert!(!row.contains("60"), "too old: {row}");
    sound(&browser, script.as_deref());
    browser.click("table.groups tbody th a");
    holds(&browser, "unreadable");
    assert!(browser.text(".alarm").contains("What is shown was read"));
    sound(&browser, script.as_deref());
    assert_eq!(browser.console(), Vec::<String>::new());
}
