//! The wire protocol over tokio.

pub mod answers;
mod call;
mod cluster;
mod connection;
mod dial;
mod group;
mod race;
mod read;
mod sasl;
mod session;
mod survey;
mod tally;
#[cfg(test)]
mod testing;
mod tls;
mod trouble;
mod versions;

pub use group::Writer;
pub use read::ReadError;
pub use survey::Client;
