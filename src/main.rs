//! Runs the command line and exits with its code.

fn main() {}
