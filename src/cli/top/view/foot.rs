//! The foot of the screen: what a key has led to, and which keys there are.

use ratatui::style::Modifier;
use ratatui::style::Style;
use ratatui::text::Line;

use super::wrapped;
use crate::cli::top::state::Note;
use crate::cli::top::state::State;
use crate::report::printable;
use crate::report::width;

/// Keys, each with what it is worth where not all fit: the least goes first.
const OVERVIEW: [(&str, u8); 7] = [
    ("↑↓ move", 2),
    ("enter open", 6),
    ("s sort", 4),
    ("/ filter", 5),
    ("d dormant", 3),
    ("y reset command", 1),
    ("q quit", 7),
];
const GROUP: [(&str, u8); 5] = [
    ("↑↓ move", 2),
    ("s sort", 3),
    ("y reset command", 1),
    ("esc back", 4),
    ("q quit", 5),
];
const GAP: &str = "  ";

/// What the last key has led to.
pub(super) fn note(state: &State, room: usize) -> Vec<Line<'static>> {
    match &state.note {
        None => Vec::new(),
        Some(Note::NoCommits(group)) => wrapped(
            &format!(
                "{} has no commits that could be reset: groups of its type keep their place in another way",
                printable(group)
            ),
            room,
        ),
        Some(Note::Copied(command)) => {
            let command = wrapped(command, room).into_iter();
            let mut lines: Vec<_> = command.map(|line| line.style(Modifier::BOLD)).collect();
            lines.extend(wrapped(
                "Given to the clipboard, if the terminal lets it. It changes nothing as it stands: put a target in the place of --to-current.",
                room,
            ));
            lines
        }
    }
}

/// The last line, and the column of the terminal's cursor where a filter is typed.
pub(super) fn keys(state: &State, room: usize) -> (Line<'static>, Option<usize>) {
    if state.overview.typing {
        let typed = format!("/{}", printable(&state.overview.filter));
        let column = width(&typed);
        let help = format!("{typed}{GAP} enter done{GAP}esc clear");
        return (Line::raw(help), Some(column));
    }
    let keys = if state.open.is_some() {
        &GROUP[..]
    } else {
        &OVERVIEW[..]
    };
    (
        Line::styled(fitting(keys, room), Style::new().add_modifier(Modifier::DIM)),
        None,
    )
}

fn fitting(keys: &[(&str, u8)], room: usize) -> String {
    let mut kept = keys.to_vec();
    loop {
        let words: Vec<&str> = kept.iter().map(|(words, _)| *words).collect();
        let text = words.join(GAP);
        if width(&text) <= room || kept.len() <= 1 {
            return text;
        }
        let least = kept.iter().map(|(_, worth)| *worth).min();
        kept.retain(|(_, worth)| Some(*worth) != least);
    }
}
