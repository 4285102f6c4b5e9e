//! Stories for `tidemark demo`: what happens to groups in the world, each with a group of its own and the truths that must be seen of it.
//! They have a past when the cluster starts, so that the numbers say something within seconds.

mod build;
mod kinds;
mod losses;
mod progress;
mod standstill;
mod truth;

pub use truth::Truth;

use std::io;

use thiserror::Error;

use crate::clock::Clock;

use super::cluster::Cluster;
use super::model::Model;
use super::model::NoSuch;

/// How many brokers the stories play on.
const BROKERS: u16 = 3;

/// One story.
#[derive(Clone, Copy, Debug)]
pub struct Story {
    /// Its name, for `--scenario`.
    pub name: &'static str,
    /// The group it is about.
    pub group: &'static str,
    /// What to look at, in one sentence.
    pub look_at: &'static str,
    /// What must be seen of the group from a few polls after the start on.
    pub truths: &'static [Truth],
    tell: fn(&mut Model) -> Result<(), NoSuch>,
}

/// Why a story cannot be started.
#[derive(Debug, Error)]
pub enum StoryError {
    /// There is no story of this name.
    #[error("no scenario {name:?}; there are {}", names().join(", "))]
    Unknown {
        /// What was asked for.
        name: String,
    },
    /// No ports for the brokers.
    #[error("the simulated brokers cannot listen on loopback")]
    Listen(#[from] io::Error),
    /// The story is about something it did not make: a mistake in it.
    #[error("the story {name:?} does not hold together")]
    Broken {
        /// The story.
        name: &'static str,
        /// What it did not make.
        source: NoSuch,
    },
}

/// Every story, in the order in which to read them.
pub fn all() -> &'static [Story] {
    &ALL
}

/// The names of all stories.
pub fn names() -> Vec<&'static str> {
    ALL.iter().map(|story| story.name).collect()
}

/// The model of one story, or of all at once, with its past up to the clock's present.
///
/// # Errors
///
/// When there is no story of this name.
pub fn model(scenario: Option<&str>, clock: &Clock, seed: u64) -> Result<Model, StoryError> {
    let told: Vec<&Story> = match scenario {
        None => ALL.iter().collect(),
        Some(name) => vec![find(name)?],
    };
    let mut model = Model::new(BROKERS, seed);
    model.set_now(clock.now().wall.0);
    for story in told {
        let broken = |source| StoryError::Broken {
            name: story.name,
            source,
        };
        (story.tell)(&mut model).map_err(broken)?;
    }
    Ok(model)
}

/// Starts a cluster of three brokers that plays one story, or all at once. Has to be called within a tokio runtime.
///
/// # Errors
///
/// When there is no story of this name, or no port to listen on.
pub fn start(scenario: Option<&str>, clock: Clock, seed: u64) -> Result<Cluster, StoryError> {
    let model = model(scenario, &clock, seed)?;
    Ok(Cluster::start(model, clock)?)
}

fn find(name: &str) -> Result<&'static Story, StoryError> {
    let unknown = || StoryError::Unknown { name: name.to_owned() };
    ALL.iter().find(|story| story.name == name).ok_or_else(unknown)
}

static ALL: [Story; 16] = [
    progress::STEADY,
    progress::FALLING_BEHIND,
    standstill::STUCK_PARTITION,
    standstill::STOPPED,
    progress::REBALANCING,
    losses::LOST_RECORDS,
    losses::DELETED_TOPIC,
    losses::MADE_ANEW,
    standstill::NEVER_COMMITTED,
    standstill::HANGING_TRANSACTION,
    progress::IDLE_MEMBERS,
    standstill::EMPTY,
    standstill::DORMANT,
    kinds::KIP_848,
    kinds::SIMPLE,
    kinds::SHARE,
];

#[cfg(test)]
mod tests;
