//! How the page looks: on a phone and on a wide screen, light and dark, and to somebody who sees little.

use std::fs;

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

/// Keys as WebDriver calls them.
const TAB: &str = "\u{e004}";
const ENTER: &str = "\u{e007}";

const TOKEN: &str = "0123456789abcdef0123456789abcdef";

#[test]
fn no_width_makes_the_page_scroll_sideways() {
    let Some(browser) = Browser::start() else { return };
    let demo = Demo::start(&[]);
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
    let demo = Demo::start(&[]);
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
    fs::write(&token, TOKEN).expect("a file");
    let audit = folder.path().join("audit.jsonl");
    let demo = Demo::start(&[
        ("TIDEMARK__ADMIN__LISTEN", "127.0.0.1:0"),
        ("TIDEMARK__ADMIN__TOKEN_FILE", token.to_str().expect("UTF-8")),
        ("TIDEMARK__ADMIN__AUDIT_LOG", audit.to_str().expect("UTF-8")),
        ("TIDEMARK__ADMIN__ALLOW__0__CLUSTER", "main"),
        ("TIDEMARK__ADMIN__ALLOW__0__GROUPS__0", "payments"),
    ]);
    for page in PAGES {
        for (scheme, width) in [("light", 1600), ("dark", 1600), ("light", 360), ("dark", 360)] {
            browser.prefer(scheme);
            browser.resize(width, 900);
            browser.go(&demo.url(page));
            browser.eval("(document.querySelectorAll('details').forEach(it => it.open = true), true)");
            let found = axe::violations(&browser, &script);
            assert_eq!(found, Vec::<String>::new(), "{page}, {scheme}, {width}");
        }
    }
}

#[test]
fn a_keyboard_suffices() {
    let Some(browser) = Browser::start() else { return };
    let demo = Demo::start(&[]);
    browser.go(&demo.url("/"));
    let focused = |what: &str| browser.eval(&format!("document.activeElement.matches({what:?})")) == true;
    browser.press(TAB);
    assert!(focused(".skip"), "the first stop leads to the content");
    assert_eq!(
        browser.eval("document.activeElement.getBoundingClientRect().top >= 0"),
        true,
        "and is seen"
    );
    browser.press(ENTER);
    browser.until("document.activeElement.id === 'main'");
    browser.press(TAB);
    assert!(focused("#q"), "the first stop within it");
    for _ in 0..40 {
        browser.press(TAB);
        let outline = browser.eval("getComputedStyle(document.activeElement).outlineStyle");
        assert_ne!(outline, "none", "whatever has the focus is marked");
        if focused("tbody th a") {
            break;
        }
    }
    browser.press(ENTER);
    browser.until("location.pathname === '/clusters/main/groups/payments'");
    browser.press("/");
    assert_eq!(browser.console(), Vec::<String>::new());
}
