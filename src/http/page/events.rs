//! What happened to a group while this process watched, the newest first.

use std::fmt;
use std::fmt::Write as _;

use super::Sight;
use super::figures::Ago;
use super::markup::Text;
use super::status::tone;
use crate::model::UnixMillis;
use crate::report::words;
use crate::snapshot::Event;
use crate::snapshot::GroupView;
use crate::snapshot::Happening;

/// Events that are shown unasked.
const SHOWN: usize = 8;

/// Writes the line of events.
pub(super) fn write(out: &mut String, view: &GroupView, sight: &Sight) -> fmt::Result {
    writeln!(
        out,
        "<section aria-labelledby=\"events\">\n<h2 id=\"events\">What happened</h2>"
    )?;
    if view.events.is_empty() {
        writeln!(
            out,
            "<p class=\"empty\">Nothing since tidemark began to watch this group.</p>"
        )?;
        return writeln!(out, "</section>");
    }
    let mut newest: Vec<&Event> = view.events.iter().collect();
    newest.sort_by_key(|event| std::cmp::Reverse(event.until));
    let (shown, rest) = newest.split_at(SHOWN.min(newest.len()));
    write_list(out, shown, sight.now.wall)?;
    if !rest.is_empty() {
        writeln!(out, "<details><summary>{} before that</summary>", rest.len())?;
        write_list(out, rest, sight.now.wall)?;
        writeln!(out, "</details>")?;
    }
    writeln!(out, "</section>")
}

fn write_list(out: &mut String, events: &[&Event], now: UnixMillis) -> fmt::Result {
    writeln!(out, "<ol class=\"events\">")?;
    for event in events {
        let when = Ago { then: event.at, now };
        write!(out, "<li class=\"{}\">{when}", loudness(&event.what))?;
        if event.until > event.at {
            write!(out, " to {}", Ago { then: event.until, now })?;
        }
        writeln!(out, ": {}</li>", Text(words::event(event)))?;
    }
    writeln!(out, "</ol>")
}

fn loudness(what: &Happening) -> &'static str {
    match what {
        Happening::Status { to, .. } => tone(*to),
        Happening::Lost { .. } => "bad",
        Happening::Rewound { .. } => "warn",
        Happening::Joined { .. } | Happening::Left { .. } | Happening::Rebalanced { .. } | Happening::Reset { .. } => {
            "quiet"
        }
    }
}
