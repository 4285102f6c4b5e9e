//! Tests of the command line as typed.
