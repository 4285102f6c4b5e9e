//! The groups of every cluster.

use std::ops::Range;

use ratatui::style::Modifier;
use ratatui::text::Line;

use super::Around;
use super::List;
use super::foot;
use super::trouble;
use super::wrapped;
use crate::cli::top::rows;
use crate::cli::top::state::Dormant;
use crate::cli::top::state::Overview;
use crate::cli::top::state::State;
use crate::cli::top::words;
use crate::cli::top::words::Reader;
use crate::report::printable;

/// Clusters in trouble that are named.
const TROUBLES: usize = 3;

pub(super) fn look(state: &State, room: usize) -> (Around, Option<List<'_>>) {
    let mut head = title(state, room);
    let mut foot = foot::note(state, room);
    foot.extend(state.problem.iter().flat_map(|problem| trouble(problem, room)));
    let Some(picture) = &state.picture else {
        head.extend(wrapped("waiting for the first answer", room));
        return (Around { head, foot }, None);
    };
    let read_at = words::read_at(picture).map(|at| format!(" · read {}", words::clock(at)));
    let counts = words::counts(picture);
    head.extend(wrapped(&format!("{counts}{}", read_at.unwrap_or_default()), room));
    let troubles = words::troubles(&picture.clusters);
    head.extend(troubles.iter().take(TROUBLES).flat_map(|it| trouble(it, room)));
    if troubles.len() > TROUBLES {
        head.extend(trouble(
            &format!("and {} clusters more", troubles.len() - TROUBLES),
            room,
        ));
    }
    let overview = &state.overview;
    head.extend(nothing(overview).iter().flat_map(|text| wrapped(text, room)));
    let list = (!overview.shown.is_empty()).then(|| List {
        len: overview.shown.len(),
        chosen: overview.cursor.at(),
        sheet: Box::new(|range: Range<usize>| rows::groups(&picture.clusters, &overview.shown[range], Reader::Person)),
    });
    (Around { head, foot }, list)
}

fn title(state: &State, room: usize) -> Vec<Line<'static>> {
    let overview = &state.overview;
    let mut facts = vec!["tidemark top".to_owned(), format!("by {}", overview.order.as_str())];
    if overview.dormant == Dormant::Hidden {
        facts.push(format!("{} dormant hidden", overview.hidden));
    }
    if !overview.filter.is_empty() && !overview.typing {
        facts.push(format!("only {}", printable(&overview.filter)));
    }
    facts.push(printable(&state.origin));
    let lines = wrapped(&facts.join(" · "), room).into_iter();
    lines.map(|line| line.style(Modifier::BOLD)).collect()
}

/// Why no group is shown, where none is.
fn nothing(overview: &Overview) -> Option<String> {
    if !overview.shown.is_empty() {
        return None;
    }
    Some(match (overview.filter.as_str(), overview.hidden) {
        ("", 0) => "there is no group".to_owned(),
        (filter, 0) => format!("no group has {:?} in its name, or as its status", printable(filter)),
        ("", _) => "all groups are dormant and hidden: d shows them".to_owned(),
        (_, _) => "all groups that match are dormant and hidden: d shows them".to_owned(),
    })
}
