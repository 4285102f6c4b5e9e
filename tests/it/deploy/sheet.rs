//! Dashboards drawn: what each expression of a board finds in a real Prometheus, on one page, so that people can see that it says
//! something. Grafana has no part in it; places, names and units are the board's own.

use std::env;
use std::fs;
use std::path::PathBuf;
use std::time::SystemTime;
use std::time::UNIX_EPOCH;

use serde_json::Value;
use serde_json::json;

use super::dashboards::board;
use super::dashboards::filled;
use super::path;
use super::text;
use crate::support::Browser;
use crate::support::Prometheus;

/// What stands for the data in the page.
const DATA: &str = "/*DATA*/";
/// How far back the curves go: to when all statuses had been told, and no further.
const SECONDS: u64 = 120;
/// Points of a curve.
const POINTS: u64 = 60;
/// A picture that shows too much is looked at by nobody: its height, in CSS pixels, ends there.
const HEIGHT: u64 = 1300;

/// Which group and topic stand for the variables of a board.
pub(super) struct Of {
    pub(super) board: &'static str,
    pub(super) group: &'static str,
    pub(super) topic: &'static str,
}

/// Draws a board; the titles of the panels that say nothing. The picture goes to the documentation where the environment asks for
/// it, and to a scratch folder otherwise.
pub(super) fn drawn(prometheus: &Prometheus, browser: &Browser, of: &Of) -> Vec<String> {
    let scratch = tempfile::tempdir().expect("a folder");
    let page = scratch.path().join("sheet.html");
    fs::write(&page, html(prometheus, of)).expect("a file");
    browser.resize(1280, 900);
    browser.go(&format!("file://{}", page.display()));
    let tall = browser.eval("document.documentElement.scrollHeight").as_u64();
    let tall = tall.expect("a height").min(HEIGHT);
    browser.resize(1280, u32::try_from(tall).expect("a height"));
    browser.until("document.querySelectorAll('section').length > 10");
    assert_eq!(browser.console(), Vec::<String>::new(), "{}", of.board);
    let folder = env::var_os("TIDEMARK_TESTS_PICTURES").map_or_else(|| scratch.path().to_owned(), |_| images());
    browser.screenshot(&folder.join(format!("{}.png", of.board.replace("tidemark-", "dashboard-"))));
    browser.texts("section[data-says=nothing] h2")
}

fn images() -> PathBuf {
    path("docs/images")
}

fn html(prometheus: &Prometheus, of: &Of) -> String {
    let board = board(of.board);
    let found = board["panels"].as_array().expect("panels").iter().map(|panel| {
        let targets = panel["targets"].as_array().cloned().unwrap_or_default();
        targets
            .iter()
            .map(|target| results(prometheus, target, of))
            .collect::<Value>()
    });
    let found: Vec<_> = found.collect();
    let data = json!({"title": board["title"], "board": board, "found": found});
    // A name must not end the script.
    text("tests/it/deploy/sheet.html").replace(DATA, &data.to_string().replace('<', "\\u003c"))
}

/// What one expression finds: labels and points of each series; the last alone where the panel asks for no more.
fn results(prometheus: &Prometheus, target: &Value, of: &Of) -> Value {
    let expression = filled(target["expr"].as_str().expect("an expression"), of.group, of.topic);
    let now = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .expect("after 1970")
        .as_secs();
    let from = if target["instant"] == true { now } else { now - SECONDS };
    let series = prometheus.range(&expression, (from, now), SECONDS / POINTS);
    let series = series.unwrap_or_else(|| panic!("no answer: {expression}"));
    let series = series.into_iter().map(|(mut labels, points)| {
        labels.remove("__name__");
        json!({"labels": labels, "points": points})
    });
    series.collect()
}
