//! Snapshot → documents: what JSON, page and terminal show, with one set of field names, the metrics' own last words. Pure: a document
//! depends on the snapshot alone, never on the moment it is asked for, so that it can be told by a tag whether it has changed.
//!
//! A figure that cannot be told is `null`, and `absent` names it with the reason.

mod absent;
mod cluster;
mod group;
mod json;
mod list;
mod member;
mod partition;
mod past;
mod share;
mod shell;
mod table;
mod why;
pub mod words;

pub use absent::Absent;
pub use absent::Why;
pub use cluster::Clusters;
pub use group::Group;
pub use group::absent_of_group;
pub use group::absent_of_topic;
pub use list::Groups;
pub use list::Query;
pub use list::Sort;
pub use partition::absent_of_partition;
pub use shell::shell_word;
pub use table::Look;
pub use table::Side;
pub use table::cut;
pub use table::elapsed;
pub use table::grouped;
pub use table::pad;
pub use table::printable;
pub use table::table;
pub use table::width;
pub use why::holds_when;
pub use words::Cure;
pub use words::Words;

use serde::Serialize;

use self::json::Date;
use crate::config::Objective;
use crate::snapshot::GroupView;
use crate::snapshot::Snapshot;

/// One cluster's snapshot, and what the configuration adds to it.
#[derive(Clone, Copy, Debug)]
pub struct Source<'a> {
    /// What is told.
    pub snapshot: &'a Snapshot,
    /// What [`GroupView::objective`] indexes.
    pub objectives: &'a [Objective],
}

/// Whole groups of one cluster: what `tidemark lag` prints.
#[derive(Debug, Serialize)]
pub struct Lag<'a> {
    cluster: &'a str,
    read_at: Option<Date>,
    brokers: Option<u32>,
    groups: Vec<Group<'a>>,
}

impl<'a> Source<'a> {
    /// The groups that `wanted` names, whole.
    pub fn lag(self, wanted: impl Fn(&GroupView) -> bool) -> Lag<'a> {
        let groups = self.snapshot.groups.iter().filter(|group| wanted(group));
        Lag {
            cluster: &self.snapshot.cluster,
            read_at: self.snapshot.read_at.map(Date::from),
            brokers: self.snapshot.brokers,
            groups: groups.map(|group| self.group(group)).collect(),
        }
    }

    /// The group of that name: its bytes as Kafka has them, or the text that stands for them where they are not UTF-8.
    pub fn find(self, name: &[u8]) -> Option<&'a GroupView> {
        let mut groups = self.snapshot.groups.iter();
        let exact = groups.find(|group| group.id.bytes() == name);
        let shown = || self.snapshot.groups.iter().find(|group| group.name.as_bytes() == name);
        exact.or_else(shown).map(AsRef::as_ref)
    }

    /// Tells two snapshots apart, within this process and across restarts.
    pub fn tag(self) -> String {
        let totals = &self.snapshot.totals;
        let cycles = totals.cycles_ok + totals.cycles_partial + totals.cycles_failed + totals.cycles_skipped;
        let ended = self.snapshot.cycle.as_ref().map_or(0, |cycle| cycle.finished.wall.0);
        format!("{ended:x}-{cycles:x}")
    }
}

#[cfg(test)]
mod tests;
