//! What is looked at, as a state machine: what comes in changes it and may ask for something. Pure: it knows no terminal and no clock.

mod group;
mod keys;
mod overview;

pub(super) use group::Open;
pub(super) use overview::Dormant;
pub(super) use overview::Overview;
pub(super) use overview::Place;

use super::command::PlanCommand;
use super::picture::Key;
use super::picture::Opened;
use super::picture::Picture;

use ratatui::crossterm::event::KeyEvent;

/// What comes in.
#[derive(Clone, Debug)]
pub(super) enum Input {
    /// A key was pressed.
    Key(KeyEvent),
    /// The terminal has that many rows now, its width being no matter here.
    Rows(u16),
    /// The source was read, or why it could not be.
    Heard(Result<Picture, String>),
    /// The process is to end.
    Stop,
    /// A part of the process has failed.
    Broken(String),
}

/// What is to be done besides drawing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Effect {
    /// Nothing.
    None,
    /// End.
    Quit,
    /// End, having failed.
    Fail(String),
    /// From now on read this group too, or none.
    Open(Option<Key>),
    /// Give it to the clipboard.
    Copy(String),
}

/// A word at the foot of the screen, until the next key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Note {
    /// This command was given to the clipboard.
    Copied(String),
    /// Why there is no command.
    NoCommits(String),
}

/// Everything that decides what is on the screen, but for its size.
#[derive(Clone, Debug)]
pub(super) struct State {
    /// Where the figures come from, to be shown.
    pub(super) origin: String,
    command: PlanCommand,
    /// Absent before the first answer.
    pub(super) picture: Option<Picture>,
    /// Why the latest reading failed; the picture is an earlier one then.
    pub(super) problem: Option<String>,
    pub(super) overview: Overview,
    /// The group that is looked at; absent on the overview.
    pub(super) open: Option<Open>,
    pub(super) note: Option<Note>,
    rows: u16,
}

/// Rows of the screen that are no list.
const AROUND: u16 = 6;

impl State {
    /// Nothing heard yet, nothing pressed. `origin` says where the figures will come from.
    pub(super) fn new(origin: String, command: PlanCommand) -> Self {
        Self {
            origin,
            command,
            picture: None,
            problem: None,
            overview: Overview::default(),
            open: None,
            note: None,
            rows: 24,
        }
    }

    /// Takes what came in.
    pub(super) fn take(&mut self, input: Input) -> Effect {
        match input {
            Input::Key(key) => return self.press(key),
            Input::Rows(rows) => self.rows = rows,
            Input::Heard(Ok(picture)) => self.hear(picture),
            Input::Heard(Err(problem)) => self.problem = Some(problem),
            Input::Stop => return Effect::Quit,
            Input::Broken(problem) => return Effect::Fail(problem),
        }
        Effect::None
    }

    fn hear(&mut self, picture: Picture) {
        self.problem = None;
        if let (Some(open), Some((key, opened))) = (&mut self.open, &picture.opened)
            && open.key == *key
        {
            open.hear(opened.clone());
        }
        self.picture = Some(picture);
        self.arrange();
    }

    fn arrange(&mut self) {
        if let Some(picture) = &self.picture {
            self.overview.arrange(&picture.clusters);
        }
    }

    /// Rows of a list that are seen at once.
    fn page(&self) -> usize {
        usize::from(self.rows.saturating_sub(AROUND))
    }

    /// Opens the chosen group.
    fn enter(&mut self) -> Effect {
        let chosen = self.picture.as_ref().and_then(|it| self.overview.chosen(&it.clusters));
        match chosen {
            Some((key, _)) => {
                self.open = Some(Open::new(key.clone()));
                Effect::Open(Some(key))
            }
            None => Effect::None,
        }
    }

    /// Back to the overview.
    fn leave(&mut self) -> Effect {
        self.open = None;
        Effect::Open(None)
    }

    /// The command that plans a reset of the group that is looked at.
    fn copy(&mut self) -> Effect {
        let opened = match &self.open {
            Some(Open {
                key,
                seen: Some(Opened::Found(group)),
                ..
            }) => Some((key.clone(), &group.figures)),
            Some(_) => None,
            None => self.picture.as_ref().and_then(|it| self.overview.chosen(&it.clusters)),
        };
        let Some((key, group)) = opened else {
            return Effect::None;
        };
        if !group.commits_offsets() {
            self.note = Some(Note::NoCommits(key.group));
            return Effect::None;
        }
        let command = self.command.of(&key.cluster, &group.id());
        self.note = Some(Note::Copied(command.clone()));
        Effect::Copy(command)
    }
}

#[cfg(test)]
mod tests;
