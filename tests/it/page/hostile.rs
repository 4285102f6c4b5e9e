//! Names that would do harm: shown as text, linked right, and nothing of them runs.

use std::time::Duration;

use serde_json::json;
use tidemark::clock::Clock;
use tidemark::sim::Cluster;
use tidemark::sim::Member;
use tidemark::sim::Model;
use tokio::runtime::Runtime;

use crate::support::Browser;
use crate::support::Tidemark;

/// A group whose id is no UTF-8 on the wire.
const FOREIGN: &str = "foreign-??";
/// A group whose client's id is none.
const PLAIN: &str = "plain";
/// Ids, and how the page shows them.
const NAMES: [(&str, &str); 18] = [
    ("<script>window.ran=1</script>", "<script>window.ran=1</script>"),
    (
        "\"><img src=x onerror='window.ran=1'>",
        "\"><img src=x onerror='window.ran=1'>",
    ),
    (
        "' onfocus='window.ran=1' autofocus='",
        "' onfocus='window.ran=1' autofocus='",
    ),
    ("javascript:window.ran=1", "javascript:window.ran=1"),
    ("&lt;b&gt;", "&lt;b&gt;"),
    ("line\nbreak\ttab", "line\\nbreak\\ttab"),
    ("\u{202e}txet", "\\u{202e}txet"),
    (
        "\u{627}\u{644}\u{633}\u{644}\u{627}\u{645}",
        "\u{627}\u{644}\u{633}\u{644}\u{627}\u{645}",
    ),
    ("Gr\u{fc}\u{df}e-\u{6d88}\u{8d39}", "Gr\u{fc}\u{df}e-\u{6d88}\u{8d39}"),
    ("%2Fz", "%2Fz"),
    ("/z", "/z"),
    ("x#y?z=1&w;v", "x#y?z=1&w;v"),
    ("a\\b|c", "a\\b|c"),
    ("two  blanks", "two  blanks"),
    (PLAIN, "plain"),
    ("..", ".."),
    (".", "."),
    (FOREIGN, "foreign-\\xff\\xfe"),
];

fn cluster() -> Cluster {
    let clock = Clock::system();
    let mut model = Model::new(1, 1);
    model.set_now(clock.now().wall.0);
    model.create_topic("t", 1);
    model
        .fill("t", 0, (0, 100), Duration::from_secs(3600))
        .expect("a topic");
    for (name, _) in NAMES {
        let client = if name == PLAIN { "client-??" } else { name };
        let member = Member::new(client)
            .subscribed(&["t"])
            .on("<script>window.ran=1</script>");
        model.join(name, member);
        model.commit(name, "t", 0, 40);
    }
    let cluster = Cluster::start(model, clock).expect("loopback has ports");
    assert!(cluster.alias(FOREIGN, b"foreign-\xff\xfe"));
    assert!(cluster.alias("client-??", b"client-\xff\xfe"));
    cluster
}

#[test]
fn every_name_is_shown_as_it_is_linked_to_its_group_and_runs_nothing() {
    let Some(browser) = Browser::start() else { return };
    let runtime = Runtime::new().expect("a runtime");
    let cluster = runtime.block_on(async { cluster() });
    let tidemark = Tidemark::of(&cluster.bootstrap()).start();
    let home = format!("http://{}/", tidemark.address());
    browser.go(&home);
    let mut shown = browser.texts("table.groups tbody th a");
    let mut expected: Vec<String> = NAMES.iter().map(|(_, shown)| (*shown).to_owned()).collect();
    shown.sort();
    expected.sort();
    assert_eq!(shown, expected);
    for (id, name) in NAMES {
        let link = format!(
            "[...document.querySelectorAll('table.groups tbody th a')].find(it => it.innerText === {})",
            json!(name)
        );
        browser.eval(&format!("({link}.click(), true)"));
        browser.until(&format!(
            "document.querySelector('h1 bdi')?.innerText === {}",
            json!(name)
        ));
        let members = browser.text("section[aria-labelledby=members]");
        let told = match id {
            // Kafka's protocol cannot be asked about it.
            FOREIGN => "The members are not known",
            PLAIN => "client-\\xff\\xfe",
            _ => name,
        };
        assert!(members.contains(told), "{name}: {members}");
        assert_eq!(browser.eval("window.ran === undefined"), true, "{name}");
        // What a refresh puts into place is no more alive than what was loaded.
        browser.eval("document.getElementById('main').dataset.now = '', true");
        browser.until("document.getElementById('main').dataset.now !== ''");
        assert_eq!(
            browser.eval("window.ran === undefined"),
            true,
            "{name}, after a refresh"
        );
        assert_eq!(
            browser.count("main script, main img, main [onfocus], main [onerror]"),
            0,
            "{name}"
        );
        browser.click(".path a");
        browser.until("document.querySelector('table.groups') !== null");
    }
    browser.go(&format!("{home}?q=%3Cscript%3Ewindow.ran%3D1%3C/script%3E"));
    assert_eq!(
        browser.texts("table.groups tbody th a"),
        ["<script>window.ran=1</script>"]
    );
    assert_eq!(browser.console(), Vec::<String>::new());
}
