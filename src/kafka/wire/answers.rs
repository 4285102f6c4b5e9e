//! Kafka's answers, one file per API: each `read` takes the body of an answer (what follows its header) and the version that was asked
//! for, and hands out the fields tidemark uses, in the words of the model. An answer that cannot be understood is a [`ReadError`] as a
//! whole; an error code in it stays with the group, topic or partition that it stands beside.
//!
//! What holds for all of them: names are bytes; null is read as empty where text may be missing, and refused for names; lists come out
//! sorted by what identifies an element, each once, and of several with the same identity the last in the answer counts.
//!
//! [`ReadError`]: super::ReadError

pub mod api_versions;
pub mod consumer_group_describe;
pub mod describe_configs;
pub mod describe_groups;
pub mod describe_share_group_offsets;
pub mod find_coordinator;
pub mod header;
pub mod list_groups;
pub mod list_offsets;
pub mod metadata;
pub mod offset_commit;
pub mod offset_delete;
pub mod offset_fetch;
pub mod sasl_authenticate;
pub mod sasl_handshake;
pub mod share_group_describe;
pub mod streams_group_describe;

mod assignment;
mod groups;
mod members;
mod names;
mod sorted;
mod topics;
mod versions;

#[cfg(test)]
mod tests;

pub use groups::Groups;
pub use names::Names;
pub use topics::Topics;
pub use versions::versions;
