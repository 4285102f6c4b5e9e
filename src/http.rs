//! The listeners: accept loop with limits and graceful drain ([`Server`]), and what the scrape listener serves ([`Scrape`]).
//!
//! | route | answer |
//! |---|---|
//! | `/metrics` | the text format, gzip when asked for |
//! | `/-/healthy` | 200 while the process lives |
//! | `/-/ready` | 200 after the first cycle that read something, of any cluster; 503 before |
//! | `/` | a page for people: the clusters and their groups, the worst first |
//! | `/clusters/{cluster}/groups/{group}` | one group, for people |
//! | `/api/v1/clusters` | the clusters and how reading them goes |
//! | `/api/v1/clusters/{cluster}/groups` | its groups; `status`, `q`, `sort`, `limit`, `offset`, `after` |
//! | `/api/v1/clusters/{cluster}/groups/{group}` | one group, whole |
//!
//! All of them are read by GET and HEAD; nothing on this listener changes anything. Path segments are percent-decoded exactly once, as
//! bytes: group ids are bytes.

mod activity;
pub mod admin;
mod api;
mod body;
mod connections;
mod guard;
mod negotiate;
mod page;
mod path;
mod query;
pub mod respond;
mod scrape;
mod server;
mod state;
mod tag;
mod tls;

pub use body::Body;
pub use guard::Gate;
pub use guard::Guarded;
pub use page::PageSettings;
pub use path::Segments;
pub use scrape::Latest;
pub use scrape::Scrape;
pub use server::Certificate;
pub use server::Drained;
pub use server::Handler;
pub use server::Limits;
pub use server::Peer;
pub use server::Server;
pub use state::Feed;
pub use state::Published;
pub use state::State;
pub use tls::Tls;
pub use tls::TlsError;

#[cfg(test)]
mod tests;
