//! Tests of the command line as typed.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt as _;
use std::time::Duration;

use clap::CommandFactory as _;
use clap::Parser;
use clap::error::ErrorKind;

use super::*;
use crate::model::GroupId;
use crate::model::Offset;
use crate::model::Partition;
use crate::model::TopicName;

mod clusters;
mod commands;
mod lag;
mod plans;

const SECRET: &str = "hunter2-secret";

/// One run: status and stdout, or what is said of an error.
fn tidemark(line: &[&str], environment: &[(&str, &str)]) -> (ExitStatus, String) {
    let arguments = std::iter::once("tidemark")
        .chain(line.iter().copied())
        .map(OsString::from);
    let environment = environment
        .iter()
        .map(|(name, value)| (name.into(), value.into()))
        .collect();
    let mut out = Vec::new();
    match run(arguments, environment, &mut out) {
        Ok(status) => (status, String::from_utf8(out).unwrap()),
        Err(error) => (error.status(), error.to_string()),
    }
}

/// A command that is not wired in yet, parsed alone.
#[derive(Debug, Parser)]
struct Alone<A: clap::Args> {
    #[command(flatten)]
    args: A,
}

fn parsed<A: clap::Args>(line: &[&str]) -> Result<A, ErrorKind> {
    let words = std::iter::once("tidemark").chain(line.iter().copied());
    Alone::<A>::try_parse_from(words)
        .map(|alone| alone.args)
        .map_err(|error| error.kind())
}

fn plan(line: &[&str]) -> Result<PlanArgs, ErrorKind> {
    parsed(&[&["--group", "g"], line].concat())
}
