//! The demo's stories, found and told right, without a word of complaint from the browser.

use crate::support::Browser;
use crate::support::Demo;

/// Group, status, and words of its row.
const TOLD: [(&str, &str, &str); 15] = [
    ("payments", "stalled", "Stuck"),
    ("invoice-mailer", "stopped", "Stopped"),
    ("audit-archiver", "lost", "Lost"),
    ("fraud-check", "uncommitted", "never committed"),
    ("stock-sync", "ahead", ""),
    ("clickstream-enricher", "behind", ""),
    ("notifications", "", ""),
    ("checkout", "ok", ""),
    ("search-indexer", "ok", "consumer · Stable"),
    ("shipping", "ok", ""),
    ("flink-savepoints", "ok", "simple · Empty"),
    ("settlement", "ok", "waits at an open transaction"),
    ("thumbnails", "ok", ""),
    ("one-off-import", "ok", "nothing is unread"),
    ("email-workers", "ok", "share · Stable"),
];

fn row(group: &str) -> String {
    format!("tr[data-key='clusters/main/groups/{group}']")
}

#[test]
fn every_story_is_found_and_told() {
    let Some(browser) = Browser::start() else { return };
    let demo = Demo::start(&[]);
    browser.go(&demo.url("/"));
    assert_eq!(browser.count("table.groups tbody tr"), TOLD.len() as u64);
    for (group, status, words) in TOLD {
        let row = browser.text(&row(group));
        assert!(row.contains(status) && row.contains(words), "{group}: {row}");
    }
    assert!(
        browser.text("table.groups tbody tr").starts_with("payments"),
        "the worst first"
    );
    assert!(browser.text(".fold").contains("1 dormant group"));
    browser.click(".fold a");
    browser.until("document.querySelectorAll('table.groups tbody tr').length === 16");
    assert!(browser.address().ends_with("/?dormant=1"));

    browser.click(&format!("{} a", row("payments")));
    browser.until("document.querySelector('h1').innerText.startsWith('payments')");
    assert!(browser.address().ends_with("/clusters/main/groups/payments"));
    let verdict = browser.text(".verdict");
    assert!(
        verdict.starts_with("Stuck") && verdict.contains("client payments-") && verdict.contains("transfers"),
        "{verdict}"
    );
    assert!(
        browser.text(".needed").starts_with("Ok once"),
        "{}",
        browser.text(".needed")
    );
    assert!(
        browser.text(".events").contains("ok became stalled"),
        "{}",
        browser.text(".events")
    );
    assert_eq!(browser.count(".figures .spark"), 1);
    let worst = browser.text(".partitions tbody tr");
    assert!(worst.contains("transfers 7") && worst.contains("stalled"), "{worst}");
    assert!(worst.contains("payments-"), "its owner: {worst}");
    assert_eq!(browser.count(".partitions tbody tr"), 12);
    assert_eq!(browser.count("section[aria-labelledby=members] tbody tr"), 3);
    browser.go(&demo.url("/clusters/main/groups/shipping"));
    assert!(
        browser
            .text("section[aria-labelledby=topics]")
            .contains("does not exist any more")
    );
    browser.go(&demo.url("/clusters/main/groups/audit-archiver"));
    assert!(browser.text(".partitions tbody tr").contains(" lost"));
    browser.go(&demo.url("/clusters/main/groups/old-dashboard"));
    let cure = browser.text("#command-cure-0");
    assert!(
        cure.starts_with("kafka-consumer-groups") && cure.ends_with("old-dashboard"),
        "{cure}"
    );
    assert_eq!(browser.console(), Vec::<String>::new());
}

#[test]
fn what_is_searched_filtered_and_sorted_is_an_address_that_can_be_shared() {
    let Some(browser) = Browser::start() else { return };
    let demo = Demo::start(&[]);
    browser.go(&demo.url("/"));
    browser.eval("window.stayed = true");
    browser.press("/");
    browser.press("MAIL");
    browser.until("document.querySelectorAll('table.groups tbody tr').length === 2");
    assert_eq!(browser.eval("window.stayed"), true, "without loading anew");
    assert_eq!(
        browser.eval("document.activeElement.id"),
        "q",
        "the field keeps the focus"
    );
    assert!(browser.address().ends_with("/?q=MAIL"), "{}", browser.address());
    let names = browser.texts("table.groups tbody th a");
    assert_eq!(names, ["invoice-mailer", "email-workers"]);

    browser.click(".chips a[href*='status=stopped']");
    browser.until("document.querySelectorAll('table.groups tbody tr').length === 1");
    let shared = browser.address();
    assert!(shared.ends_with("/?q=MAIL&status=stopped"), "{shared}");
    browser.go(&demo.url("/"));
    browser.go(&shared);
    assert_eq!(browser.texts("table.groups tbody th a"), ["invoice-mailer"]);
    assert_eq!(browser.eval("document.getElementById('q').value"), "MAIL");
    assert_eq!(browser.text(".chips [aria-current]"), "stopped 1");

    browser.go(&demo.url("/"));
    browser.click("thead a[href='?sort=lag_records']");
    browser.until("location.search === '?sort=lag_records'");
    assert_eq!(browser.text("table.groups tbody th a"), "clickstream-enricher");
    assert_eq!(
        browser.text("[aria-sort=descending]").trim_end_matches([' ', '↓']),
        "Lag, records"
    );
    assert_eq!(browser.console(), Vec::<String>::new());
}

#[test]
fn the_page_follows_what_happens_and_disturbs_nobody() {
    let Some(browser) = Browser::start() else { return };
    let demo = Demo::start(&[]);
    browser.go(&demo.url("/clusters/main/groups/clickstream-enricher"));
    browser.eval("(window.stayed = document.querySelector('.partitions tbody tr'), document.querySelector('thead a').focus(), true)");
    let lag = "document.querySelector('.figures dd').innerText";
    let before = browser.eval(lag);
    browser.until(&format!("{lag} !== {before}"));
    assert_eq!(
        browser.eval("document.contains(window.stayed)"),
        true,
        "rows are changed, not replaced"
    );
    assert_eq!(
        browser.eval("document.activeElement.closest('thead') !== null"),
        true,
        "the focus stays"
    );
    browser.until("document.querySelector('time[data-ago]') === null || document.querySelector('time[data-ago]').innerText.endsWith('ago')");
    drop(demo);
    browser.until("document.getElementById('notice').innerText.startsWith('tidemark does not answer.')");
    assert!(browser.text("#notice").contains("ago"));
    assert!(browser.text(".figures").contains("Lag"), "what was read last stands");
}

#[test]
fn without_a_script_the_page_is_a_table_all_the_same() {
    let Some(browser) = Browser::start() else { return };
    let demo = Demo::start(&[]);
    browser.scripts(false);
    browser.go(&demo.url("/?status=stalled"));
    let source = browser.source();
    assert!(
        source.contains("<bdi>payments</bdi>") && !source.contains("<bdi>checkout</bdi>"),
        "{source}"
    );
    browser.click("tbody th a");
    assert!(browser.address().ends_with("/clusters/main/groups/payments"));
    assert!(browser.source().contains("transfers"));
}
