//! How reading a cluster goes.

use std::fmt;
use std::fmt::Write as _;

use super::Sight;
use super::ask::Ask;
use super::figures::Ago;
use super::figures::count;
use super::figures::counted;
use super::markup::Name;
use super::markup::Text;
use crate::snapshot::Snapshot;

/// How reading a cluster goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Health {
    /// The first cycle has not ended.
    Waiting,
    /// The last cycle read nothing.
    Down,
    /// What is shown is older than `max_staleness`.
    Stale,
    /// Something could not be read.
    Partial,
    /// Everything was read.
    Fine,
}

impl Health {
    pub(super) fn of(snapshot: &Snapshot, sight: &Sight) -> Self {
        let Some(cycle) = &snapshot.cycle else {
            return Self::Waiting;
        };
        let age = snapshot.read_at.map(|read| sight.now.mono.saturating_sub(read.mono));
        if !cycle.up {
            Self::Down
        } else if age.is_none_or(|age| age > sight.settings.max_staleness) {
            Self::Stale
        } else if cycle.failures.is_empty() {
            Self::Fine
        } else {
            Self::Partial
        }
    }

    fn tone(self) -> &'static str {
        match self {
            Self::Waiting => "quiet",
            Self::Down | Self::Stale => "bad",
            Self::Partial => "warn",
            Self::Fine => "fine",
        }
    }

    fn word(self) -> &'static str {
        match self {
            Self::Waiting => "reading",
            Self::Down => "cannot be reached",
            Self::Stale => "stale",
            Self::Partial => "partly read",
            Self::Fine => "read in full",
        }
    }
}

/// Every cluster, each with its health.
pub(super) fn write_all(out: &mut String, sight: &Sight, ask: &Ask) -> fmt::Result {
    writeln!(out, "<section class=\"clusters\" aria-label=\"Clusters\">")?;
    for published in &sight.clusters {
        write_card(out, &published.snapshot, sight, ask)?;
    }
    writeln!(out, "</section>")
}

fn write_card(out: &mut String, snapshot: &Snapshot, sight: &Sight, ask: &Ask) -> fmt::Result {
    let health = Health::of(snapshot, sight);
    write!(out, "<article class=\"card\">\n<h2>")?;
    if sight.clusters.len() > 1 {
        let chosen = ask.cluster.as_deref() == Some(&*snapshot.cluster);
        let other = ask.with(|ask| ask.cluster = (!chosen).then(|| snapshot.cluster.to_string()));
        let current = if chosen { " aria-current=\"true\"" } else { "" };
        write!(
            out,
            "<a href=\"{}\"{current}>{}</a>",
            Text(other),
            Name(&snapshot.cluster)
        )?;
    } else {
        write!(out, "{}", Name(&snapshot.cluster))?;
    }
    writeln!(
        out,
        "</h2> <span class=\"badge {}\">{}</span>",
        health.tone(),
        health.word()
    )?;
    write_reading(out, health, snapshot, sight)?;
    write_failures(out, snapshot)?;
    writeln!(out, "</article>")
}

/// What was read, and when.
pub(super) fn write_reading(out: &mut String, health: Health, snapshot: &Snapshot, sight: &Sight) -> fmt::Result {
    let ago = snapshot.read_at.map(|read| Ago {
        then: read.wall,
        now: sight.now.wall,
    });
    let Some(ago) = ago else {
        let words = match health {
            Health::Waiting => "The first cycle is under way; groups appear when it has ended.",
            _ => "Nothing could be read yet.",
        };
        return writeln!(out, "<p>{words}</p>");
    };
    match health {
        Health::Down => write!(out, "<p>The last cycle read nothing. What is shown was read {ago}")?,
        Health::Stale => write!(out, "<p>No cycle has ended for too long. What is shown was read {ago}")?,
        _ => write!(out, "<p>Read {ago}")?,
    }
    let brokers = snapshot
        .brokers
        .map(|brokers| usize::try_from(brokers).unwrap_or(usize::MAX));
    if let Some(brokers) = brokers {
        write!(out, " · {}", counted(brokers, "broker", "brokers"))?;
    }
    writeln!(
        out,
        " · {} · {}</p>",
        counted(snapshot.groups.len(), "group", "groups"),
        counted(snapshot.topics.len(), "topic", "topics")
    )
}

fn write_failures(out: &mut String, snapshot: &Snapshot) -> fmt::Result {
    let Some(cycle) = &snapshot.cycle else { return Ok(()) };
    if cycle.failures.is_empty() {
        return Ok(());
    }
    write!(out, "<details><summary>What could not be read")?;
    if cycle.groups_unreadable > 0 {
        write!(out, ", of {} groups too", count(cycle.groups_unreadable))?;
    }
    writeln!(out, "</summary>\n<ul>")?;
    for failure in &cycle.failures {
        writeln!(out, "<li>{}</li>", Text(crate::report::printable(&failure.to_string())))?;
    }
    writeln!(out, "</ul></details>")
}
