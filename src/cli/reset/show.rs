//! Plans and results as a person reads them. Pure.

use std::fmt::Write as _;

use jiff::Timestamp;
use jiff::tz::TimeZone;

use crate::model::Offset;
use crate::model::UnixMillis;
use crate::reset::Asked;
use crate::reset::Executed;
use crate::reset::Planned;
use crate::reset::document::Row;
use crate::reset::moment;
use crate::reset::replay::Of;
use crate::reset::replay::Replay;
use crate::reset::request::To;

#[cfg(test)]
mod tests;

/// A plan as a table, with one sentence that says what it would do.
pub(super) fn plan(planned: &Planned, asked: &Asked, zone: &TimeZone) -> String {
    let plan = &planned.plan;
    let mut out = head(planned, asked, zone);
    let rows = plan.partitions.iter().map(|row| {
        vec![
            row.topic.escape_debug().to_string(),
            row.partition.to_string(),
            row.start.to_string(),
            row.end.to_string(),
            offset(row.from),
            offset(row.to),
            count(row.replayed),
            count(row.skipped),
        ]
    });
    let titles = [
        "TOPIC",
        "PARTITION",
        "START",
        "END",
        "FROM",
        "TO",
        "REPLAYED",
        "SKIPPED",
    ];
    out.push_str(&table(&titles, rows.collect()));
    let _ = writeln!(out, "\n{}", sentence(&plan.partitions, planned.replay.as_ref()));
    if let Some(replay) = &planned.replay {
        out.push_str(&rate(replay, zone));
    }
    for warning in &planned.warnings {
        let _ = writeln!(out, "Warning: {}", warning.escape_debug());
    }
    if let Some(blocked) = &planned.blocked {
        let _ = writeln!(out, "Not now: {}: {}", blocked.error, blocked.message.escape_debug());
    }
    let _ = writeln!(
        out,
        "Nothing was changed. To carry it out within the hour: tidemark reset execute PLAN.json --confirm {}",
        shell_word(&plan.group)
    );
    out
}

/// Which plan it is.
fn head(planned: &Planned, asked: &Asked, zone: &TimeZone) -> String {
    let plan = &planned.plan;
    let mut out = format!(
        "Plan for group {:?} of cluster {:?}, made {}",
        plan.group,
        plan.cluster,
        both(&plan.created, zone)
    );
    if let Some(time) = target_time(asked, &plan.created) {
        let _ = write!(out, "\nTo the first record from {} on", both(&moment::utc(time), zone));
    }
    if let Some(reason) = &plan.reason {
        let _ = write!(out, "\nReason: {}", reason.escape_debug());
    }
    out.push_str("\n\n");
    out
}

/// What became of each partition, as a table.
pub(super) fn results(executed: &Executed) -> String {
    let rows = executed.results.iter().map(|row| {
        vec![
            row.topic.escape_debug().to_string(),
            row.partition.to_string(),
            offset(row.from),
            offset(row.to),
            row.result.clone(),
        ]
    });
    table(&["TOPIC", "PARTITION", "FROM", "TO", "RESULT"], rows.collect())
}

/// What whoever executed should know besides.
pub(super) fn notes(executed: &Executed) -> Vec<String> {
    let warnings = executed
        .warnings
        .iter()
        .map(|warning| format!("warning: {}", warning.escape_debug()));
    let stuck = executed.not_undoable.iter().map(|row| {
        format!(
            "the undo will not bring back {}/{}: {}",
            row.topic.escape_debug(),
            row.partition,
            row.why
        )
    });
    warnings.chain(stuck).collect()
}

/// What a plan would do, in one sentence.
fn sentence(rows: &[Row], replay: Option<&Replay>) -> String {
    let sum = |of: fn(&Row) -> Option<u64>| {
        let figures: Vec<_> = rows.iter().filter_map(of).filter(|figure| *figure > 0).collect();
        (figures.iter().copied().map(u128::from).sum::<u128>(), figures.len())
    };
    let (replayed, again) = sum(|row| row.replayed);
    let (skipped, over) = sum(|row| row.skipped);
    let mut out = format!("Replays {}", grouped(replayed));
    if replayed > 0 {
        let _ = write!(out, " record{} in {}", plural(replayed), partitions(again));
    }
    if let Some(seconds) = replay.and_then(|replay| replay.seconds) {
        let _ = write!(out, ", about {} at the recent rate", about(seconds));
    }
    let _ = write!(out, "; skips {}", grouped(skipped));
    if skipped > 0 {
        let _ = write!(out, " in {}", partitions(over));
    }
    let unknown = rows.iter().filter(|row| row.replayed.is_none()).count();
    if unknown > 0 {
        let _ = write!(
            out,
            "; {} without a commit before or after, of which that cannot be told",
            partitions(unknown)
        );
    }
    out + "."
}

/// Which rate that is, or why there is none.
fn rate(replay: &Replay, zone: &TimeZone) -> String {
    match (&replay.rate, &replay.unknown) {
        (Some(rate), _) => {
            let what = match rate.of {
                Of::Group => "the group, all its topics together, read",
                Of::Partitions => "to these partitions were written",
            };
            format!(
                "The recent rate: {what} {} record{} in the {} until {}.\n",
                grouped(rate.records.into()),
                plural(rate.records.into()),
                about(rate.seconds),
                both(&rate.until, zone)
            )
        }
        (None, Some(why)) => format!("How long the replay takes cannot be told: {}.\n", why.escape_debug()),
        (None, None) => String::new(),
    }
}

/// A time to two units: `2 h 10 min`.
fn about(seconds: u64) -> String {
    let two = |large: u64, small: u64, names: [&str; 2]| match (large, small) {
        (large, 0) => format!("{large} {}", names[0]),
        (large, small) => format!("{large} {} {small} {}", names[0], names[1]),
    };
    // To whole minutes from ten minutes on, to whole hours from a day on.
    let minutes = seconds.saturating_add(30) / 60;
    let hours = seconds.saturating_add(1_800) / 3_600;
    match seconds {
        0..60 => format!("{seconds} s"),
        60..600 => two(seconds / 60, seconds % 60, ["min", "s"]),
        600..86_400 if minutes < 60 => format!("{minutes} min"),
        600..86_400 => two(minutes / 60, minutes % 60, ["h", "min"]),
        _ => two(hours / 24, hours % 24, ["d", "h"]),
    }
}

fn partitions(count: usize) -> String {
    format!("{count} partition{}", if count == 1 { "" } else { "s" })
}

fn plural(count: u128) -> &'static str {
    if count == 1 { "" } else { "s" }
}

/// `1234567` → `1,234,567`.
pub(super) fn grouped(number: u128) -> String {
    let digits = number.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// The point in time that the request names.
fn target_time(asked: &Asked, created: &str) -> Option<UnixMillis> {
    match &asked.to {
        To::Datetime(text) => moment::datetime(text).ok(),
        To::Ago(text) => {
            let now = moment::datetime(created).ok()?;
            Some(moment::before(now, moment::ago(text).ok()?))
        }
        _ => None,
    }
}

/// A time in UTC and in local time.
fn both(utc: &str, zone: &TimeZone) -> String {
    let local = utc.parse::<Timestamp>().map(|time| {
        time.to_zoned_datetime(zone.clone())
            .strftime("%Y-%m-%d %H:%M:%S %Z")
            .to_string()
    });
    local.map_or_else(|_| utc.escape_debug().to_string(), |local| format!("{utc} ({local})"))
}

fn offset(offset: Option<Offset>) -> String {
    offset.map_or_else(|| "-".to_owned(), |offset| offset.to_string())
}

fn count(count: Option<u64>) -> String {
    count.map_or_else(|| "-".to_owned(), |count| count.to_string())
}

/// A word that a shell takes as it is, for whoever copies the line.
fn shell_word(text: &str) -> String {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "-_./:@%+=,".contains(letter);
    if !text.is_empty() && text.chars().all(plain) {
        return text.to_owned();
    }
    if text.chars().any(char::is_control) {
        return format!("$'{}'", text.escape_default());
    }
    format!("'{}'", text.replace('\'', "'\\''"))
}

/// Columns as wide as what is in them; words to the left, numbers to the right.
fn table(titles: &[&str], rows: Vec<Vec<String>>) -> String {
    let mut widths: Vec<_> = titles.iter().map(|title| title.len()).collect();
    for row in &rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(cell.chars().count());
        }
    }
    let head = titles.iter().map(|title| (*title).to_owned()).collect();
    let mut out = String::new();
    for row in std::iter::once(head).chain(rows) {
        let mut line = String::new();
        for ((cell, width), title) in row.into_iter().zip(&widths).zip(titles) {
            let _ = match *title {
                "TOPIC" => write!(line, "{cell:<width$}"),
                "RESULT" => write!(line, "  {cell:<width$}"),
                _ => write!(line, "  {cell:>width$}"),
            };
        }
        out.push_str(line.trim_end());
        out.push('\n');
    }
    out
}
