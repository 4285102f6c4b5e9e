//! The integration tests, in one binary so that librdkafka and OpenSSL are linked once.
#![expect(
    clippy::disallowed_methods,
    reason = "tests live in real time and read what CI tells them"
)]

mod cli_config;
mod deploy;
mod faithful;
mod faults;
mod judging;
mod layers;
mod listeners;
mod page;
mod readme;
mod real_acls;
mod real_ages;
mod real_churn;
mod real_cli;
mod real_faults;
mod real_kafka;
mod real_kinds;
mod real_oldest;
mod real_records;
mod real_resets;
mod real_secure;
mod real_security;
mod real_serve;
mod real_wire;
mod reload;
mod reset;
mod sim;
mod soak;
mod support;
mod suspended;
mod top;
mod trace_ages;
mod trace_costs;
mod trace_statuses;
mod web_config;
