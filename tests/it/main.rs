//! The integration tests, in one binary so that librdkafka and OpenSSL are linked once.
#![expect(
    clippy::disallowed_methods,
    reason = "tests live in real time and read what CI tells them"
)]

mod real_kafka;
mod support;
