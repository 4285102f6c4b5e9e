//! The page in a real browser.

mod crowd;
mod cures;
mod hostile;
mod looks;
mod pictures;
mod states;
mod stories;
