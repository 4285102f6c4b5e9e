//! Keeps each name once, however often it is answered.

use std::borrow::Borrow;
use std::collections::HashMap;
use std::collections::HashSet;
use std::hash::Hash;

use crate::model::GroupState;
use crate::model::Text;
use crate::model::TopicName;

/// The names seen so far: a million commits on a thousand topics share a thousand names. It only grows, so make one per cycle. Ids of
/// groups are not in it, as an answer has each once, and finding them would cost more than it saves.
#[derive(Debug, Default)]
pub struct Names {
    topics: HashSet<TopicName>,
    texts: HashSet<Text>,
    states: HashMap<Text, GroupState>,
}

impl Names {
    /// No names yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// The topic of that name.
    pub fn topic(&mut self, name: &[u8]) -> TopicName {
        kept(&mut self.topics, name)
    }

    /// That text; empty for null.
    pub(super) fn text(&mut self, text: Option<&[u8]>) -> Text {
        kept(&mut self.texts, text.unwrap_or_default())
    }

    /// The state of that name.
    pub(super) fn state(&mut self, name: Option<&[u8]>) -> GroupState {
        let name = name.unwrap_or_default();
        if let Some(known) = self.states.get(name) {
            return known.clone();
        }
        let text = self.text(Some(name));
        let state = GroupState::parse(&text);
        self.states.insert(text, state.clone());
        state
    }
}

fn kept<N>(names: &mut HashSet<N>, bytes: &[u8]) -> N
where
    N: Clone + Eq + Hash + Borrow<[u8]> + for<'a> From<&'a [u8]>,
{
    if let Some(known) = names.get(bytes) {
        return known.clone();
    }
    let name = N::from(bytes);
    names.insert(name.clone());
    name
}
