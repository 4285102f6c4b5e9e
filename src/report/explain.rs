//! Why a group has its status: the rule that holds, the numbers it used, and what would have to change.

use std::fmt::Write as _;
use std::time::Duration;

use crate::model::Status;
use crate::snapshot::Explained;
use crate::snapshot::GroupView;
use crate::snapshot::TimeView;

/// The rule of a status, as `docs/statuses.md` defines it.
pub fn rule(status: Status) -> &'static str {
    match status {
        Status::Stalled => "readable lag, an owner, and the commit the same in every reading of the window",
        Status::Stopped => "readable lag, no owner, and the commit the same in every reading of the window",
        Status::Lost => "the commit is below the log start: retention took records before they were read",
        Status::Unreadable => "commit or log could not be read for longer than max_staleness",
        Status::Uncommitted => "an owner, no commit, and the log has grown for a whole window since the owner came",
        Status::Ahead => "the commit is beyond the log end: the log was truncated or the topic made anew",
        Status::Rewound => "the commit went down and has not passed its old place",
        Status::Behind => "commits move, but the lowest lag of the window's last third is above that of its first",
        Status::Dormant => "no members, readable lag, and neither a member nor a moving commit for dormant_after",
        Status::Ok => "none of the other rules holds",
    }
}

/// What ends a status.
pub fn remedy(status: Status) -> &'static str {
    match status {
        Status::Stalled => "its owner must commit, or the partition go to a member that does",
        Status::Stopped | Status::Dormant => "a consumer must come and read, or the commit be moved or forgotten",
        Status::Lost => "the group must commit at or after the log start",
        Status::Unreadable => "Kafka must answer",
        Status::Uncommitted => "the owner must commit once",
        Status::Ahead => "the log must grow past the commit, or the commit be moved back into it",
        Status::Rewound => "the group must read past its old place",
        Status::Behind => "the group must read faster than is produced: more consumers, up to the number of partitions",
        Status::Ok => "nothing",
    }
}

/// The whole explanation, as text. `watched`: how long this process has looked.
pub fn explain(group: &GroupView, watched: Duration) -> String {
    let mut out = format!(
        "group {}: {} ({})\n",
        printable(&group.name),
        group.status,
        rule(group.status)
    );
    if let Some(cause) = group.failure {
        let _ = writeln!(out, "  the latest reading failed: {cause}");
    }
    let members = group
        .members
        .as_ref()
        .map_or_else(|| "unknown".to_owned(), |m| m.members.len().to_string());
    let state = group
        .state
        .as_ref()
        .map_or_else(|| "unknown".to_owned(), ToString::to_string);
    let _ = writeln!(out, "  type {}, state {state}, members {members}", group.kind);
    if group.explained.is_empty() {
        out.push_str("  no partition has a commit or an owner: there is nothing to judge\n");
    }
    for explained in &group.explained {
        partition(&mut out, explained);
    }
    let _ = writeln!(
        out,
        "\nwatched for {}; nothing becomes stalled or stopped before its window has passed",
        words(watched)
    );
    out
}

fn partition(out: &mut String, explained: &Explained) {
    let Explained {
        topic,
        view,
        owner,
        why,
    } = explained;
    let _ = writeln!(out, "\n{}/{}  {}", printable(topic), view.partition, view.status);
    let _ = writeln!(out, "  rule     {}", rule(view.status));
    let offset = |offset: Option<crate::model::Offset>| offset.map_or_else(|| "none".to_owned(), |o| o.to_string());
    let lag = view.lag().map_or_else(|| "unknown".to_owned(), |lag| lag.to_string());
    let _ = writeln!(
        out,
        "  numbers  commit {}, log start {}, log end {}: lag {lag} records, {}",
        offset(view.committed),
        offset(view.start),
        offset(view.end),
        age(view.time)
    );
    if let Some(cause) = view.unreadable {
        let _ = writeln!(out, "  unread   {cause} ({})", cause.reason());
    }
    if view.at_open_transaction {
        out.push_str("  waits    for an open transaction: who reads committed records only gets no further, and is not stalled\n");
    }
    let usual = why.usual_wait.map_or_else(|| "not known yet".to_owned(), words);
    let _ = writeln!(
        out,
        "  stood    {} of a window of {}; usual wait {usual}, of {} waits",
        words(why.standing),
        words(why.window),
        why.waits.len()
    );
    match owner {
        Some(owner) => {
            let _ = writeln!(
                out,
                "  owner    {} on {}",
                printable(&owner.client_id),
                printable(&owner.host)
            );
        }
        None => out.push_str("  owner    none\n"),
    }
    if let Some(from) = why.rewound_from {
        let _ = writeln!(out, "  rewound  from {from}");
    }
    if let Some((first, last)) = why.lowest_lags {
        let _ = writeln!(
            out,
            "  lowest   lag {first:.0} in the window's first third, {last:.0} in its last"
        );
    }
    if view.status != Status::Ok {
        let _ = writeln!(out, "  to be ok {}", remedy(view.status));
    }
}

fn age(time: TimeView) -> String {
    match time {
        TimeView::Absent => "no time".to_owned(),
        TimeView::Known(time) => format!(
            "{} old by {} (within {})",
            words(Duration::from_millis(time.age_ms)),
            time.method.as_str(),
            words(Duration::from_millis(u64::from(time.error_ms)))
        ),
        TimeView::Unknown(reason) => format!("of unknown age ({reason})"),
    }
}

/// A duration to the second; below one, to the millisecond.
fn words(duration: Duration) -> String {
    let rounded = if duration < Duration::from_secs(1) {
        Duration::from_millis(u64::try_from(duration.as_millis()).unwrap_or(0))
    } else {
        Duration::from_secs(duration.as_secs())
    };
    humantime::format_duration(rounded).to_string()
}

/// Control characters never reach a terminal.
fn printable(text: &str) -> String {
    text.chars()
        .flat_map(|c| {
            if c.is_control() {
                c.escape_default().collect()
            } else {
                vec![c]
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_status_has_a_rule_and_a_remedy_of_its_own() {
        let rules: std::collections::BTreeSet<_> = Status::ALL.iter().map(|s| rule(*s)).collect();
        assert_eq!(rules.len(), Status::ALL.len());
        assert!(Status::ALL.iter().all(|status| !remedy(*status).is_empty()));
    }

    #[test]
    fn durations_are_told_to_the_second_and_short_ones_to_the_millisecond() {
        assert_eq!(words(Duration::from_millis(61_900)), "1m 1s");
        assert_eq!(words(Duration::from_micros(1_500)), "1ms");
    }

    #[test]
    fn no_control_character_reaches_the_terminal() {
        assert_eq!(printable("a\u{1b}[2Jb\n"), "a\\u{1b}[2Jb\\n");
    }
}
