//! A simulated Kafka cluster that lives in the process and speaks the wire protocol on loopback: for `demo`, for tests of every fault there
//! is, and for benches without a fleet. It knows the protocol's codec and the words of [`crate::model`], and nothing of tidemark's own client.
//!
//! A [`Cluster`] runs a [`Model`]; [`Cluster::edit`] changes the model while it runs, [`Cluster::fault`] lets single answers go wrong.

mod alias;
mod api;
mod cluster;
mod fault;
pub mod model;
pub mod scale;
mod server;
pub mod story;
mod subjects;
mod trace;
mod versions;

pub use cluster::Cluster;
pub use fault::Fault;
pub use fault::FaultId;
pub use fault::Mangle;
pub use fault::Then;
pub use fault::When;
pub use model::Commit;
pub use model::Member;
pub use model::Model;
pub use model::NoSuch;
pub use model::Pace;
pub use model::Rebalances;
pub use trace::Asked;
pub use versions::Versions;

pub use kafka_protocol::messages::ApiKey;
