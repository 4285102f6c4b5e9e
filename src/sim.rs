//! A simulated Kafka cluster that speaks the wire protocol on loopback.
