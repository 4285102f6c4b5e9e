//! How the page looks: on a phone and on a wide screen, light and dark, to somebody who sees little; and the pictures of the README.

use std::env;
use std::path::Path;

use crate::support::Browser;
use crate::support::Demo;
use crate::support::axe;

const PAGES: [&str; 6] = [
    "/",
    "/?q=nothing-is-called-so",
    "/?status=stalled&sort=group&dormant=1",
    "/clusters/main/groups/payments",
    "/clusters/main/groups/email-workers",
    "/clusters/main/groups/nope",
];

const TOKEN: &str = "0123456789abcdef0123456789abcdef";

#[test]
fn no_width_makes_the_page_scroll_sideways() {
    let Some(browser) = Browser::start() else { return };
    let demo = Demo::start(&[]).told();
    for page in PAGES {
        for width in [360, 768, 1600] {
            browser.resize(width, 900);
            browser.go(&demo.url(page));
            let widest = browser.eval("document.documentElement.scrollWidth");
            assert!(
                widest.as_u64() <= Some(width.into()),
                "{page} is {widest} wide at {width}"
            );
        }
    }
    browser.resize(360, 900);
    browser.go(&demo.url("/"));
    let cells = "[...document.querySelector('table.groups tbody tr').querySelectorAll('td.n')].map(it => it.getBoundingClientRect().top)";
    let tops = browser.eval(cells);
    assert!(
        tops.as_array().expect("a list").windows(2).all(|two| two[0] == two[1]),
        "figures side by side: {tops}"
    );
}

#[test]
fn it_is_light_or_dark_as_the_reader_prefers() {
    let Some(browser) = Browser::start() else { return };
    let demo = Demo::start(&[]).told();
    let light = "(c => c[0] + c[1] + c[2])(getComputedStyle(document.body).backgroundColor.match(/\\d+/g).map(Number))";
    for (scheme, bright) in [("light", true), ("dark", false)] {
        browser.prefer(scheme);
        browser.go(&demo.url("/"));
        let sum = browser.eval(light).as_u64().expect("a number");
        assert_eq!(sum > 380, bright, "{scheme}: {sum}");
    }
}

#[test]
fn the_accessibility_checker_finds_nothing() {
    let Some(browser) = Browser::start() else { return };
    let Some(script) = axe::script() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let token = folder.path().join("token");
    std::fs::write(&token, TOKEN).expect("a file");
    let audit = folder.path().join("audit.jsonl");
    let demo = Demo::start(&[
        ("TIDEMARK__ADMIN__LISTEN", "127.0.0.1:0"),
        ("TIDEMARK__ADMIN__TOKEN_FILE", token.to_str().expect("UTF-8")),
        ("TIDEMARK__ADMIN__AUDIT_LOG", audit.to_str().expect("UTF-8")),
        ("TIDEMARK__ADMIN__ALLOW__0__CLUSTER", "main"),
        ("TIDEMARK__ADMIN__ALLOW__0__GROUPS__0", "payments"),
    ])
    .told();
    for page in PAGES {
        for (scheme, width) in [("light", 1280), ("dark", 1280), ("light", 360)] {
            browser.prefer(scheme);
            browser.resize(width, 900);
            browser.go(&demo.url(page));
            browser.eval("(document.querySelectorAll('details').forEach(it => it.open = true), true)");
            let found = axe::violations(&browser, &script);
            assert_eq!(found, Vec::<String>::new(), "{page}, {scheme}, {width}");
        }
    }
    browser.go(&demo.url("/clusters/main/groups/payments"));
    browser.click(".cure summary");
    browser.click(".cure button[data-copy]");
    browser.until("document.getElementById('notice').innerText !== ''");
    let selected = browser.eval("getSelection().toString()");
    let selected = selected.as_str().expect("a text");
    assert!(
        selected.starts_with("tidemark reset plan --cluster main --group payments --committed"),
        "{selected}"
    );
}

/// The README's pictures, written anew when asked for; at other times they are made all the same, and thrown away.
#[test]
fn pictures_of_the_overview_and_of_a_group_can_be_taken() {
    let Some(browser) = Browser::start() else { return };
    let demo = Demo::start(&[]).told();
    let scratch = tempfile::tempdir().expect("a folder");
    let folder = match env::var_os("TIDEMARK_TESTS_PICTURES") {
        Some(_) => Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/images"),
        None => scratch.path().to_owned(),
    };
    for (file, page, scheme, size) in [
        ("overview.png", "/", "light", (1280, 960)),
        ("overview-dark.png", "/", "dark", (1280, 960)),
        ("group.png", "/clusters/main/groups/payments", "light", (1280, 960)),
        ("phone.png", "/", "light", (360, 780)),
    ] {
        browser.prefer(scheme);
        browser.resize(size.0, size.1);
        browser.go(&demo.url(page));
        let file = folder.join(file);
        browser.screenshot(&file);
        assert!(
            std::fs::metadata(&file).expect("a file").len() > 10_000,
            "{}",
            file.display()
        );
    }
}
