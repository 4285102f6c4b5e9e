//! The verdict on a group in plain words: what is the matter, since when and with whom, what would have to change, and what cures it.
//! Pure: the same snapshot gives the same words. Times of day are UTC.

mod cure;
mod event;
mod needed;
mod scene;
mod speech;
mod verdict;

pub use cure::Cure;
pub use event::event;

use super::Source;
use crate::snapshot::GroupView;

use scene::Scene;

/// A group in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Words {
    /// What is the matter: one sentence without a full stop.
    pub verdict: String,
    /// What would have to change for it to be ok; `None` where it is.
    pub to_be_ok: Option<String>,
    /// Commands that cure leftovers; none of them is run by tidemark.
    pub cures: Vec<Cure>,
}

impl Source<'_> {
    /// What is to be said of a group.
    pub fn words(self, group: &GroupView) -> Words {
        let scene = Scene::of(self, group);
        Words {
            verdict: verdict::sentence(&scene),
            to_be_ok: needed::to_be_ok(&scene),
            cures: cure::cures(&scene),
        }
    }
}

#[cfg(test)]
mod tests;
