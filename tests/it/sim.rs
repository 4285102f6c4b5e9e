//! The simulated cluster, over real sockets.

mod faults;
mod groups;
mod logs;
mod network;
mod raw;
pub(crate) mod running;
mod stories;
mod tools;
