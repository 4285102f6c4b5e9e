//! One group and its partitions.

use std::ops::Range;

use ratatui::style::Modifier;
use ratatui::text::Line;

use super::Around;
use super::List;
use super::foot;
use super::trouble;
use super::wrapped;
use crate::cli::top::picture::Group;
use crate::cli::top::picture::Opened;
use crate::cli::top::rows;
use crate::cli::top::state::Open;
use crate::cli::top::state::State;
use crate::cli::top::words;
use crate::report::printable;

pub(super) fn look<'a>(state: &'a State, open: &'a Open, room: usize) -> (Around, Option<List<'a>>) {
    let mut head = title(open, room);
    let mut foot = foot::note(state, room);
    let mut list = None;
    match &open.seen {
        None => head.extend(wrapped("waiting for the first answer", room)),
        Some(Opened::Gone) => head.extend(trouble("the group is not there any more", room)),
        Some(Opened::Found(group)) => {
            head.extend(wrapped(&words::of_group(&group.figures), room));
            if group.partitions.is_empty() {
                head.extend(wrapped(
                    "it has no commit on any partition, and no partition is assigned",
                    room,
                ));
            } else {
                list = Some(partitions(open, group));
            }
            // A command that is to be selected has the whole foot.
            if state.note.is_none() {
                let chosen = group.partitions.get(open.cursor.at());
                foot.extend(
                    chosen
                        .into_iter()
                        .flat_map(|it| wrapped(&words::of_partition(it), room)),
                );
            }
        }
    }
    let cluster = state.picture.iter().flat_map(|picture| &picture.clusters);
    let cluster = cluster.filter(|it| it.health.cluster == open.key.cluster).cloned();
    let troubles = words::troubles(&cluster.collect::<Vec<_>>());
    head.extend(troubles.iter().flat_map(|it| trouble(it, room)));
    foot.extend(state.problem.iter().flat_map(|problem| trouble(problem, room)));
    (Around { head, foot }, list)
}

fn title(open: &Open, room: usize) -> Vec<Line<'static>> {
    let text = format!(
        "{} · cluster {} · by {}",
        printable(&open.key.group),
        printable(&open.key.cluster),
        open.order.as_str()
    );
    let lines = wrapped(&text, room).into_iter();
    lines.map(|line| line.style(Modifier::BOLD)).collect()
}

fn partitions<'a>(open: &Open, group: &'a Group) -> List<'a> {
    List {
        len: group.partitions.len(),
        chosen: open.cursor.at(),
        sheet: Box::new(|range: Range<usize>| rows::partitions(&group.partitions[range])),
    }
}
