//! `tidemark lag` as text: a heading per group, a line per partition.

mod cell;

pub use self::cell::Side;
pub use self::cell::cut;
pub use self::cell::elapsed;
pub use self::cell::grouped;
pub use self::cell::pad;
pub use self::cell::printable;
pub use self::cell::width;

use std::fmt::Write as _;

use super::Lag;
use super::group::Group;
use super::partition::Partition;
use super::share::SharePartition;

/// Where the text goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Look {
    /// A file or another program: nothing is cut, coloured or grouped.
    Plain,
    /// A terminal of that many columns, with or without colour.
    Terminal {
        /// Columns.
        width: usize,
        /// Whether statuses are coloured.
        colour: bool,
    },
}

const TITLES: [&str; 8] = [
    "TOPIC",
    "PARTITION",
    "COMMITTED",
    "END",
    "LAG",
    "TIME",
    "OWNER",
    "STATUS",
];
/// The columns of a share group, in the places of the others.
const SHARE_TITLES: [&str; 8] = ["TOPIC", "PARTITION", "START", "END", "LAG", "TIME", "MEMBERS", "STATUS"];
const SIDES: [Side; 8] = [
    Side::Left,
    Side::Right,
    Side::Right,
    Side::Right,
    Side::Right,
    Side::Right,
    Side::Left,
    Side::Left,
];
const TOPIC: usize = 0;
const OWNER: usize = 6;
const STATUS: usize = 7;
/// Blanks between columns.
const GAP: usize = 2;
/// Names are not cut below this.
const LEAST: usize = 8;

/// The clusters' groups as text.
pub fn table(clusters: &[Lag<'_>], look: Look) -> String {
    let mut out = String::new();
    for cluster in clusters {
        if clusters.len() > 1 {
            line(&mut out, &printable(cluster.cluster));
            out.push('\n');
        }
        if cluster.groups.is_empty() {
            out.push_str("no groups\n");
        }
        for (index, group) in cluster.groups.iter().enumerate() {
            if index > 0 {
                out.push('\n');
            }
            line(&mut out, &look.heading(group));
            look.rows(group, &mut out);
        }
    }
    out
}

fn line(out: &mut String, text: &str) {
    out.push_str(text.trim_end());
    out.push('\n');
}

impl Look {
    fn number(self, number: &impl ToString) -> String {
        match self {
            Self::Plain => number.to_string(),
            Self::Terminal { .. } => grouped(&number.to_string()),
        }
    }

    fn heading(self, group: &Group<'_>) -> String {
        let it = &group.figures;
        let mut text = printable(it.group);
        let state = it.state.as_deref().unwrap_or("state unknown");
        write!(text, "  {} · {}", printable(&it.kind), printable(state)).expect("a string takes every write");
        if let Some(members) = it.members {
            let word = if members == 1 { "member" } else { "members" };
            write!(text, " · {} {word}", self.number(&members)).expect("a string takes every write");
        }
        if let Some(lag) = it.lag_records.or(it.share_lag_records) {
            write!(text, " · lag {}", self.number(&lag)).expect("a string takes every write");
        }
        let seconds = it.time.lag_seconds.or(it.share_lag_seconds);
        if let Some(seconds) = seconds.filter(|seconds| seconds.as_f64() > 0.0) {
            write!(text, " · {} behind", elapsed(seconds.as_f64())).expect("a string takes every write");
        }
        write!(text, " · {}", self.status(it.status)).expect("a string takes every write");
        text
    }

    fn rows(self, group: &Group<'_>, out: &mut String) {
        let rows = group.topics.iter().flat_map(|topic| {
            let rows = topic.partitions.iter();
            rows.map(|partition| self.row(topic.topic, partition))
        });
        self.lines(&TITLES, &rows.collect::<Vec<_>>(), out);
        let rows = group.share_topics.iter().flatten().flat_map(|topic| {
            let rows = topic.partitions.iter();
            rows.map(|partition| self.share_row(topic.topic, partition))
        });
        self.lines(&SHARE_TITLES, &rows.collect::<Vec<_>>(), out);
    }

    fn lines(self, titles: &[&str; 8], rows: &[[String; 8]], out: &mut String) {
        if rows.is_empty() {
            return;
        }
        let widths = self.widths(titles, rows);
        line(out, &self.format(&titles.map(String::from), &widths));
        for row in rows {
            line(out, &self.format(row, &widths));
        }
    }

    fn share_row(self, topic: &str, it: &SharePartition) -> [String; 8] {
        let number = |number: Option<String>| number.unwrap_or_else(|| "-".into());
        let why = |field| it.absent.get(field).map_or("-", |why| why.as_str()).to_owned();
        [
            printable(topic),
            it.partition.to_string(),
            number(it.share_start_offset.map(|n| self.number(&n))),
            number(it.end_offset.map(|n| self.number(&n))),
            it.lag_records.map_or_else(|| why("lag_records"), |n| self.number(&n)),
            it.time
                .lag_seconds
                .map_or_else(|| why("lag_seconds"), |seconds| elapsed(seconds.as_f64())),
            number(it.partition_members.map(|n| self.number(&n))),
            it.status.to_owned(),
        ]
    }

    fn row(self, topic: &str, it: &Partition<'_>) -> [String; 8] {
        let number = |number: Option<String>| number.unwrap_or_else(|| "-".into());
        let why = |field| it.absent.get(field).map_or("-", |why| why.as_str()).to_owned();
        [
            printable(topic),
            it.partition.to_string(),
            number(it.committed_offset.map(|n| self.number(&n))),
            number(it.end_offset.map(|n| self.number(&n))),
            it.lag_records.map_or_else(|| why("lag_records"), |n| self.number(&n)),
            it.time
                .lag_seconds
                .map_or_else(|| why("lag_seconds"), |seconds| elapsed(seconds.as_f64())),
            it.owner
                .as_ref()
                .map_or_else(|| "-".into(), |owner| printable(owner.client_id)),
            it.status.to_owned(),
        ]
    }

    /// Widths of the columns; names give way where the terminal is narrow.
    fn widths(self, titles: &[&str; 8], rows: &[[String; 8]]) -> [usize; 8] {
        let mut widths = titles.map(width);
        for row in rows {
            for (column, cell) in widths.iter_mut().zip(row) {
                *column = (*column).max(width(cell));
            }
        }
        if let Self::Terminal { width, .. } = self {
            for column in [OWNER, TOPIC] {
                let wanted = widths.iter().sum::<usize>() + GAP * (widths.len() - 1);
                let over = wanted.saturating_sub(width);
                widths[column] = widths[column].saturating_sub(over).max(LEAST.min(widths[column]));
            }
        }
        widths
    }

    fn format(self, row: &[String; 8], widths: &[usize; 8]) -> String {
        let mut text = String::new();
        for (index, cell) in row.iter().enumerate() {
            if index > 0 {
                text.push_str(&" ".repeat(GAP));
            }
            if index == STATUS && cell != TITLES[STATUS] {
                text.push_str(&self.status(cell));
            } else {
                pad(&mut text, &cut(cell, widths[index]), widths[index], SIDES[index]);
            }
        }
        text
    }

    /// Colour is never the only sign: the word is the same.
    fn status(self, status: &str) -> String {
        let code = match (self, status) {
            (Self::Terminal { colour: true, .. }, "stalled" | "stopped" | "lost") => "31",
            (Self::Terminal { colour: true, .. }, "ok") => "32",
            (Self::Terminal { colour: true, .. }, "dormant") => "2",
            (Self::Terminal { colour: true, .. }, _) => "33",
            _ => return status.to_owned(),
        };
        format!("\x1b[{code}m{status}\x1b[0m")
    }
}
