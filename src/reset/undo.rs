//! The way back from a plan: a plan request that is ready to send. Pure.

use std::collections::HashMap;

use super::document::Key;
use super::document::NotUndoable;
use super::document::Plan;
use super::document::Row;
use super::facts::Commits;
use super::request::Asked;
use super::request::KeyOffset;
use super::request::To;
use crate::model::Offset;
use crate::observation::PartitionLog;

/// The undo of a plan, and the rows that it would not bring back as they were.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Undo {
    /// The request. It clamps, so that what retention takes in the meantime does not stand in the way of everything else.
    pub request: Asked,
    /// Rows that it would clamp, or whose group may be gone by then.
    pub not_undoable: Vec<NotUndoable>,
}

/// The undo of a plan that is about to be executed; `logs` as fresh as they are known, the plan's own limits where they are not.
pub fn undo(plan: &Plan, commits: &Commits, logs: &HashMap<Key, PartitionLog>) -> Undo {
    let offsets = plan.partitions.iter().map(|row| KeyOffset {
        topic: row.topic.clone(),
        partition: row.partition,
        offset: row.from,
    });
    let because = plan
        .reason
        .as_ref()
        .map_or_else(String::new, |reason| format!(" ({reason})"));
    let request = Asked {
        scope: None,
        to: To::Offsets(offsets.collect()),
        clamp: true,
        // A row that had no commit, or has none after the reset, is new to the group when it is undone.
        allow_new_partitions: plan.partitions.iter().any(|row| row.from.is_none() || row.to.is_none()),
        reason: Some(format!("undo of the reset planned at {}{because}", plan.created)),
    };
    let last = forgets_everything(plan, commits);
    let not_undoable = plan.partitions.iter().filter_map(|row| {
        let why = clamped(row, logs.get(&row.key())).or_else(|| last.then(|| vanished(row)).flatten())?;
        Some(NotUndoable {
            topic: row.topic.clone(),
            partition: row.partition,
            from: row.from,
            why,
        })
    });
    Undo {
        request,
        not_undoable: not_undoable.collect(),
    }
}

fn clamped(row: &Row, log: Option<&PartitionLog>) -> Option<String> {
    let from = row.from?;
    let start = log.and_then(|log| log.start.ok()).unwrap_or(row.start);
    let end = log.and_then(|log| log.end.ok()).unwrap_or(row.end);
    let nearest = |limit: Offset| format!("{from} is outside the log, from {start} to {end}: the undo goes to {limit}");
    if from < start {
        return Some(nearest(start));
    }
    (from > end).then(|| nearest(end))
}

/// True when the group has no commit left after the plan.
fn forgets_everything(plan: &Plan, commits: &Commits) -> bool {
    let forgotten: std::collections::HashSet<_> = plan
        .partitions
        .iter()
        .filter(|row| row.to.is_none())
        .map(Row::key)
        .collect();
    !forgotten.is_empty()
        && commits.keys().all(|key| forgotten.contains(key))
        && plan.partitions.iter().all(|row| row.to.is_none())
}

fn vanished(row: &Row) -> Option<String> {
    row.from.map(|_| {
        "the group has no commit left, so that Kafka drops it before long, and a reset does not create groups: undo at once, or commit \
         by other means"
            .to_owned()
    })
}
