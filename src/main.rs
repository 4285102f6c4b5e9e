//! Runs the command line and exits with its code.

use std::error::Error;
use std::process::ExitCode;

fn main() -> ExitCode {
    let done = tidemark::cli::run(
        std::env::args_os(),
        tidemark::config::environment(),
        &mut std::io::stdout(),
    );
    let status = done.unwrap_or_else(|error| {
        eprint!("tidemark: {error}");
        let mut cause = error.source();
        while let Some(error) = cause {
            eprint!(": {error}");
            cause = error.source();
        }
        eprintln!();
        error.status()
    });
    status.into()
}
