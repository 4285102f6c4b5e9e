//! tidemark: the lag of Apache Kafka consumer groups, in records and in time, as Prometheus metrics, JSON and a page.

pub mod app;
pub mod cli;
pub mod clock;
pub mod collect;
pub mod config;
pub mod failure;
pub mod http;
pub mod kafka;
pub mod lag;
pub mod metrics;
pub mod model;
pub mod observation;
pub mod report;
pub mod reset;
pub mod sim;
pub mod snapshot;
pub mod time;
pub mod verdict;
