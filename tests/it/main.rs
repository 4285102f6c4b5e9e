//! The integration tests, in one binary so that librdkafka and OpenSSL are linked once.

#![allow(clippy::unwrap_used, reason = "a test that fails says where")]

mod sim;
