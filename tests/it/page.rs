//! The page in a real browser.

mod crowd;
mod hostile;
mod looks;
mod stories;
