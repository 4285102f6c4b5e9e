//! The topics of a group.

use std::fmt;
use std::fmt::Write as _;
use std::time::Duration;

use super::figures::absent;
use super::figures::count;
use super::figures::count_or;
use super::figures::duration;
use super::figures::lag_time;
use super::group_ask::Place;
use super::markup::Name;
use super::markup::Text;
use super::markup::segment;
use crate::http::state::Published;
use crate::report::Why;
use crate::report::absent_of_topic;
use crate::snapshot::GroupTopicView;
use crate::snapshot::GroupView;
use crate::snapshot::TopicView;

const TITLES: [(&str, &str); 6] = [
    ("Topic", "g"),
    ("Partitions", "n"),
    ("Lag, records", "n"),
    ("Lag, time", "n"),
    ("Until deletion", "n"),
    ("Notes", "st"),
];

/// Writes the table.
pub(super) fn write(out: &mut String, published: &Published, view: &GroupView, place: &Place) -> fmt::Result {
    writeln!(
        out,
        "<section aria-labelledby=\"topics\">\n<h2 id=\"topics\">Topics</h2>"
    )?;
    if view.judged().is_empty() {
        writeln!(
            out,
            "<p class=\"empty\">No commits and no assignments are known.</p>\n</section>"
        )?;
        return Ok(());
    }
    writeln!(
        out,
        "<table role=\"table\">\n<thead role=\"rowgroup\"><tr role=\"row\">"
    )?;
    for (title, class) in TITLES {
        writeln!(
            out,
            "<th role=\"columnheader\" scope=\"col\" class=\"{class}\">{title}</th>"
        )?;
    }
    writeln!(out, "</tr></thead>\n<tbody role=\"rowgroup\">")?;
    for topic in view.judged() {
        write_row(out, published, (topic, view), place)?;
    }
    writeln!(out, "</tbody>\n</table>\n</section>")
}

fn write_row(
    out: &mut String,
    published: &Published,
    (topic, group): (&GroupTopicView, &GroupView),
    place: &Place,
) -> fmt::Result {
    let chosen = place.topic.as_deref() == Some(&*topic.name);
    let other = place.with("partitions", |it| it.topic = (!chosen).then(|| topic.name.to_string()));
    let current = if chosen { " aria-current=\"true\"" } else { "" };
    let why = absent_of_topic(topic, group);
    let known = &published.snapshot.topics;
    let log = known
        .binary_search_by(|it| it.name.cmp(&topic.name))
        .ok()
        .and_then(|index| known.get(index));
    writeln!(
        out,
        "<tr role=\"row\" data-key=\"t:{}\">\n\
         <th role=\"rowheader\" scope=\"row\" class=\"g\"><a href=\"{}\"{current}>{}</a></th>\n\
         <td role=\"cell\" class=\"n\" data-l=\"Partitions\">{}</td>\n\
         <td role=\"cell\" class=\"n\" data-l=\"Records\">{}</td>\n\
         <td role=\"cell\" class=\"n\" data-l=\"Time\">{}</td>\n\
         <td role=\"cell\" class=\"n\" data-l=\"Until deletion\">{}</td>\n\
         <td role=\"cell\" class=\"st\">{}</td>\n</tr>",
        segment(topic.name.as_bytes()),
        Text(other),
        Name(&topic.name),
        count(topic.partitions.len()),
        count_or(topic.lag, why.get("lag_records")),
        lag_time(topic.lag_time, why.get("lag_seconds")),
        until_deletion(topic, log.map(AsRef::as_ref), why.get("lag_seconds")),
        besides(topic, group)
    )
}

/// How long until retention takes the oldest unread record, or why that cannot be said.
fn until_deletion(topic: &GroupTopicView, log: Option<&TopicView>, no_lag: Option<Why>) -> String {
    let words = |words: &str| format!("<span class=\"absent\">{words}</span>");
    let Some((log, policy)) = log.and_then(|log| Some((log, log.cleanup_policy.as_deref()?))) else {
        return words("not known");
    };
    let (true, Some(retention)) = (policy.contains("delete"), log.retention) else {
        return words("not by time");
    };
    match topic.lag_time {
        None => absent(no_lag),
        Some(time) if time.age_ms == 0 => words("nothing unread"),
        Some(time) => {
            let left = retention.saturating_sub(Duration::from_millis(time.age_ms));
            if left.is_zero() {
                "any moment".to_owned()
            } else {
                duration(left)
            }
        }
    }
}

/// What is out of the ordinary.
fn besides(topic: &GroupTopicView, group: &GroupView) -> String {
    let mut notes = Vec::new();
    if topic.exists == Some(false) {
        notes.push("does not exist any more".to_owned());
    }
    let unreadable: u32 = topic.unreadable.iter().map(|(_, number)| number).sum();
    if unreadable > 0 && topic.exists != Some(false) {
        notes.push(format!("{} unreadable", count(unreadable)));
    }
    if let Some(number) = topic.uncommitted_partitions.filter(|number| *number > 0) {
        let what = if group.share.is_some() {
            "not begun"
        } else {
            "without a commit"
        };
        notes.push(format!("{} {what}", count(number)));
    }
    if topic.lost > 0 {
        notes.push(format!("{} records lost while watched", count(topic.lost)));
    }
    if topic.rewinds > 0 {
        notes.push(format!("went back {} times", count(topic.rewinds)));
    }
    notes.join(" · ")
}
