//! What other tools do not show, on a real broker: it is what Kafka's own tools print.

mod consumer;
mod share;
mod streams;
mod table;
mod transactions;
