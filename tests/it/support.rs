//! What the tests stand on: real Kafka brokers, the binary itself, a strict reader of what it serves, and Prometheus. Whatever is
//! started here ends with the test, and with the test process however that ends.

pub(crate) mod admin;
pub(crate) mod axe;
mod browser;
mod clients;
mod cluster;
mod demo;
pub(crate) mod groups;
pub(crate) mod http;
pub(crate) mod jars;
mod kafka;
pub(crate) mod oldest;
pub(crate) mod ports;
pub(crate) mod process;
mod prometheus;
mod scrape;
mod secure;
mod strangers;
mod tidemark;
mod tmux;
mod tokens;
pub(crate) mod wait;
pub(crate) mod wire;

pub(crate) use browser::Browser;
pub(crate) use clients::Joining;
pub(crate) use clients::Member;
pub(crate) use demo::Demo;
pub(crate) use kafka::Kafka;
pub(crate) use prometheus::Prometheus;
pub(crate) use prometheus::promtool_check_metrics;
pub(crate) use scrape::Scrape;
pub(crate) use secure::Authority;
pub(crate) use secure::PASSWORD;
pub(crate) use secure::Secure;
pub(crate) use secure::USER;
pub(crate) use strangers::Manner;
pub(crate) use strangers::Stranger;
pub(crate) use tidemark::BINARY;
pub(crate) use tidemark::Tidemark;
pub(crate) use tidemark::cli;
pub(crate) use tmux::Tmux;
pub(crate) use tokens::CLIENT_SECRET;
pub(crate) use tokens::TokenEndpoint;
pub(crate) use tokens::web_token;
pub(crate) use tokens::written;
pub(crate) use wait::unique;
pub(crate) use wait::until;

use std::env;
use std::io;
use std::io::Write;

/// Whether every tool is on the PATH. A test that lacks one says so and is skipped; where `TIDEMARK_TESTS_REQUIRE_ALL` is set, as in
/// CI, it fails instead.
pub(crate) fn have(tools: &[&str]) -> bool {
    let path = env::var_os("PATH").unwrap_or_default();
    let missing: Vec<&str> = tools
        .iter()
        .copied()
        .filter(|tool| !env::split_paths(&path).any(|folder| folder.join(tool).is_file()))
        .collect();
    if missing.is_empty() {
        return true;
    }
    let may_lack = env::var("TIDEMARK_TESTS_MAY_LACK").unwrap_or_default();
    let excused = missing
        .iter()
        .all(|tool| may_lack.split(',').any(|named| named == *tool));
    let missing = missing.join("/");
    assert!(
        excused || env::var_os("TIDEMARK_TESTS_REQUIRE_ALL").is_none(),
        "no {missing} on the PATH, and TIDEMARK_TESTS_REQUIRE_ALL is set"
    );
    let test = std::thread::current().name().unwrap_or("a test").to_owned();
    // Not by `eprintln`, which the test harness swallows when a test passes.
    let _ = writeln!(io::stderr(), "skipped: no {missing} ({test})");
    false
}
