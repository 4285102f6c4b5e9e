//! The integration tests, in one binary so that librdkafka and OpenSSL are linked once.
