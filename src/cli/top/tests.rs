//! Tests of `top` as typed.

use std::ffi::OsString;

use super::super::run;
use super::*;

/// One run: its status, and stdout or what is said of an error.
fn top(line: &[&str]) -> (ExitStatus, String) {
    let arguments = ["tidemark", "top"].iter().chain(line).map(OsString::from);
    let mut out = Vec::new();
    match run(arguments, Vec::new(), &mut out) {
        Ok(status) => (status, String::from_utf8(out).unwrap()),
        Err(error) => (error.status(), error.to_string()),
    }
}

#[test]
fn there_is_one_source() {
    for other in [["--brokers", "kafka:9092"], ["-c", "tidemark.yaml"]] {
        let (status, said) = top(&[&["--once", "--url", "http://127.0.0.1:1"][..], &other].concat());
        assert_eq!(status, ExitStatus::Usage);
        assert_eq!(
            said,
            "--url asks a running tidemark: leave out --config and --brokers, or leave out --url"
        );
    }
}

#[test]
fn an_address_that_is_none_is_refused() {
    let (status, said) = top(&["--once", "--url", "localhost:9640"]);
    assert_eq!(status, ExitStatus::Usage);
    assert_eq!(
        said,
        "--url \"localhost:9640\" is no address like http://127.0.0.1:9640 or https://host:port"
    );
}

#[test]
fn an_interval_of_less_than_a_second_is_refused() {
    for every in ["0s", "999ms", "5", "soon"] {
        assert_eq!(top(&["--every", every]).0, ExitStatus::Usage, "{every}");
    }
}

#[test]
fn a_cluster_that_is_not_configured_is_refused() {
    let (status, said) = top(&["--once", "--brokers", "127.0.0.1:1", "--cluster", "other"]);
    assert_eq!(
        (status, said.as_str()),
        (ExitStatus::Usage, "there is no cluster \"other\"; configured: main")
    );
}

#[test]
fn nobody_at_the_address_is_a_failure_and_prints_nothing() {
    let free = std::net::TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap();
    let (status, printed) = top(&["--once", "--url", &format!("http://{free}")]);
    assert_eq!((status, printed.as_str()), (ExitStatus::Failed, ""));
}
