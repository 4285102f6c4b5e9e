//! State and members of groups.

mod classic;
mod newer;
