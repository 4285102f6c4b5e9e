//! One group in the overview's table.

use std::fmt;
use std::fmt::Write as _;

use super::Sight;
use super::figures::Ago;
use super::figures::count_or;
use super::figures::duration;
use super::figures::in_words;
use super::figures::lag_time;
use super::markup::Name;
use super::markup::Text;
use super::markup::of_group;
use super::overview::Found;
use super::spark::Span;
use super::status::Badge;
use crate::model::LagTime;
use crate::model::Status;
use crate::report::Sort;
use crate::report::Source;
use crate::report::Why;
use crate::report::absent_of_group;
use crate::report::printable;
use crate::snapshot::GroupView;

/// Titles, the order that each column stands for, and the columns' class; the last column is the curve, by which nothing is sorted.
pub(super) const COLUMNS: [(&str, Sort, &str); 5] = [
    ("Group", Sort::Group, "g"),
    ("Status", Sort::Status, "st"),
    ("Lag, records", Sort::LagRecords, "n"),
    ("Lag, time", Sort::LagSeconds, "n"),
    ("Members", Sort::Members, "n"),
];

/// Writes the row.
pub(super) fn write(out: &mut String, sight: &Sight, found: Found<'_>, span: Span) -> fmt::Result {
    let Found { published, view } = found;
    let cluster = &*published.snapshot.cluster;
    let address = of_group("", cluster, &view.id);
    let absent = absent_of_group(view);
    writeln!(
        out,
        "<tr role=\"row\" data-key=\"{0}\">\n<th role=\"rowheader\" scope=\"row\" class=\"g\"><a href=\"{0}\">{1}</a>{2}</th>",
        Text(&address),
        Name(&view.name),
        kind(view, (sight.clusters.len() > 1).then_some(cluster))
    )?;
    writeln!(
        out,
        "<td role=\"cell\" class=\"st\">{} <small>{}{}</small></td>",
        Badge(view.status),
        Text(words(published.source(&sight.objectives), view)),
        as_of(view, sight)
    )?;
    writeln!(
        out,
        "<td role=\"cell\" class=\"n\" data-l=\"Records\">{}</td>",
        count_or(lag(view), absent.get("lag_records"))
    )?;
    writeln!(
        out,
        "<td role=\"cell\" class=\"n\" data-l=\"Time\">{}{}</td>",
        lag_time(age(view), absent.get("lag_seconds")),
        over(view, sight)
    )?;
    let members = view.members.as_ref().map(|it| it.members.len());
    writeln!(
        out,
        "<td role=\"cell\" class=\"n\" data-l=\"Members\">{}</td>\n<td role=\"cell\" class=\"sp\">{}</td>\n</tr>",
        count_or(members, absent.get("members")),
        span.draw(&view.trend)
    )
}

/// The lag of commits, or what a share group is not done with; the type below the name says which.
fn lag(view: &GroupView) -> Option<u128> {
    view.share.as_ref().map_or(view.lag, |share| share.lag)
}

fn age(view: &GroupView) -> Option<LagTime> {
    view.share.as_ref().map_or(view.lag_time, |share| share.lag_time())
}

/// Type and state, below the name.
fn kind(view: &GroupView, cluster: Option<&str>) -> String {
    let state = view
        .state
        .as_ref()
        .map_or_else(|| "state unknown".to_owned(), ToString::to_string);
    let mut words = format!("{} · {}", view.kind, state);
    if let Some(cluster) = cluster {
        words = format!("{cluster} · {words}");
    }
    format!("<small>{}</small>", Text(printable(&words)))
}

/// Why the group needs somebody: the first part of the verdict. Of one that is well, what is known of it.
fn words(source: Source<'_>, view: &GroupView) -> String {
    match (view.status, lag(view)) {
        (Status::Ok, Some(0)) => "nothing is unread".to_owned(),
        (Status::Ok, None) => String::new(),
        _ => {
            let verdict = source.words(view).verdict;
            let first = verdict.split("; ").next().unwrap_or_default();
            first.strip_prefix("Fine: ").unwrap_or(first).to_owned()
        }
    }
}

/// That what stands here is of an earlier reading.
fn as_of(view: &GroupView, sight: &Sight) -> String {
    let Some(cause) = view.failure else {
        return String::new();
    };
    let ago = Ago {
        then: view.read_at.wall,
        now: sight.now.wall,
    };
    format!("; read {ago}, then {}", in_words(Why::Unreadable(cause.reason())))
}

/// That the group is later than its objective allows.
fn over(view: &GroupView, sight: &Sight) -> String {
    let objective = view.objective.and_then(|index| sight.objectives.get(index));
    let late = |allowed: u128| view.lag_time.is_some_and(|time| u128::from(time.age_ms) > allowed);
    match objective {
        Some(objective) if late(objective.lag.as_millis()) => {
            format!(" <small>over its {}</small>", duration(objective.lag))
        }
        _ => String::new(),
    }
}
