//! Kafka's wire protocol over tokio: [`Client`] surveys a cluster and knows the facts about one group, [`Writer`] commits.
//!
//! From the socket upwards: `connection` pipelines requests with deadlines · `dial` makes one ready to be asked (`tls`, `session` with
//! `versions`, `sasl`) · `call` is what can be asked, [`answers`] what is answered · `cluster` knows the brokers and has a link to each ·
//! `survey` asks everybody about everything, `group` one coordinator about one group.

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
mod versions;

pub use group::Writer;
pub use read::ReadError;
pub use survey::Client;
