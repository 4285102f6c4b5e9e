//! One group for a reset: fresh facts about it, and the commit itself.

mod facts;
#[cfg(test)]
mod tests;
mod write;

pub use write::Writer;
