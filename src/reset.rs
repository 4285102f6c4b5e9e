//! Guarded offset resets: *plan → confirm → execute → audit*, the same for the endpoint and the command line.
//!
//! ```text
//! request ─▶ facts::gather ─▶ plan::draft ─▶ Planned            (changes nothing)
//! Order   ─▶ guard::order ─▶ execute::check ─▶ audit: intent ─▶ execute::write ─▶ audit: outcome
//! ```
//!
//! `plan`, `guard`, `scope` and `undo` are pure; `facts` and `execute` talk to Kafka through the seams; `engine` puts them together with
//! the audit log, one execute at a time.

pub mod audit;
pub mod canonical;
pub mod document;
pub mod engine;
pub mod execute;
pub mod facts;
pub mod file;
pub mod fingerprint;
pub mod guard;
pub mod moment;
pub mod plan;
pub mod refusal;
pub mod replay;
pub mod request;
pub mod scope;
pub mod stages;
pub mod undo;

#[cfg(test)]
pub(crate) mod fake;
#[cfg(test)]
mod model_tests;

pub use document::Executed;
pub use document::Order;
pub use document::Plan;
pub use document::Planned;
pub use engine::Access;
pub use engine::Observer;
pub use engine::Resets;
pub use engine::Stopped;
pub use refusal::Refusal;
pub use request::Asked;
