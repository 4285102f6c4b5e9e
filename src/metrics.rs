//! Snapshot → text format. The lag families are written straight from the snapshot, one deflated chunk per family and cluster, once per
//! cycle ([`Packer`]); a scrape joins what is ready ([`Exposition`]). Pure but for the process's own figures, which are read at the scrape.

mod catalog;
mod compat;
mod deflate;
mod exposition;
mod label;
mod limit;
mod number;
mod own;
mod pack;
mod reloads;
mod render;
mod resets;

pub use catalog::Family;
pub use catalog::Kind;
pub use catalog::families;
pub use catalog::reference;
pub use exposition::Exposition;
pub use exposition::PlainText;
pub use exposition::Text;
pub use limit::LeftOut;
pub use pack::Packed;
pub use pack::Packer;
pub use reloads::Reloads;
pub use resets::ResetCounters;
pub use resets::ResetResult;

#[cfg(test)]
pub(crate) mod fixture;
#[cfg(test)]
mod tests;
