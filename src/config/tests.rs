//! Tests of the whole way in.

mod bad;
mod environment;
mod printed;
mod support;
mod web;
