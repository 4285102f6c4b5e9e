//! The wire protocol over tokio.

pub mod answers;
mod read;

pub use read::ReadError;
