//! The partitions of a group.

use std::fmt;
use std::fmt::Write as _;
use std::time::Duration;

use super::figures::absent;
use super::figures::count;
use super::figures::count_or;
use super::figures::counted;
use super::figures::duration;
use super::figures::lag_time;
use super::group_ask::Order;
use super::group_ask::PAGE;
use super::group_ask::Place;
use super::markup::Name;
use super::markup::Text;
use super::markup::segment;
use super::status::Badge;
use crate::model::GroupState;
use crate::report::Why;
use crate::report::absent_of_group;
use crate::report::absent_of_partition;
use crate::snapshot::GroupView;
use crate::snapshot::PartitionView;
use crate::snapshot::TimeView;

const TITLES: [(&str, Option<Order>, &str); 8] = [
    ("Partition", Some(Order::Partition), "g"),
    ("Status", Some(Order::Status), "st"),
    ("Lag, records", Some(Order::Lag), "n"),
    ("Lag, time", None, "n"),
    ("Owner", None, "o"),
    ("Committed", None, "n"),
    ("Log end", None, "n"),
    ("Distance to deletion", None, "b"),
];

/// Standing still for less than this is nothing to speak of.
const NOTED: Duration = Duration::from_secs(60);

type Row<'a> = (&'a str, &'a PartitionView);

/// Writes one page of the table.
pub(super) fn write(out: &mut String, view: &GroupView, place: &Place) -> fmt::Result {
    let topics = view.topics.iter();
    let topics = topics.filter(|it| place.topic.as_deref().is_none_or(|name| name == &*it.name));
    let mut rows: Vec<Row<'_>> = topics
        .flat_map(|topic| topic.partitions.iter().map(|it| (&*topic.name, it)))
        .collect();
    if rows.is_empty() && place.topic.is_none() {
        return Ok(());
    }
    rows.sort_by(|a, b| place.order.compare(a.1, b.1));
    let all = rows.len();
    let page: Vec<_> = rows.into_iter().skip(place.offset).take(PAGE).collect();
    writeln!(
        out,
        "<section aria-labelledby=\"partitions\">\n<h2 id=\"partitions\">Partitions</h2>"
    )?;
    write_only(out, place)?;
    write_head(out, (all, page.len()), place)?;
    for row in page {
        write_row(out, row, view)?;
    }
    writeln!(out, "</tbody>\n</table>")?;
    write_pages(out, all, place)?;
    writeln!(out, "</section>")
}

fn write_only(out: &mut String, place: &Place) -> fmt::Result {
    let Some(topic) = &place.topic else { return Ok(()) };
    writeln!(
        out,
        "<p>Only {}. <a href=\"{}\">Show all topics</a></p>",
        Name(topic),
        Text(place.with("partitions", |it| it.topic = None))
    )
}

fn write_head(out: &mut String, (all, shown): (usize, usize), place: &Place) -> fmt::Result {
    let words = match place.order {
        Order::Status => "the worst first",
        Order::Partition => "by topic and number",
        Order::Lag => "the greatest lag first",
    };
    let number = counted(all, "partition", "partitions");
    let number = if shown == all {
        number
    } else {
        format!(
            "{} to {} of {number}",
            count(place.offset + 1),
            count(place.offset + shown)
        )
    };
    writeln!(
        out,
        "<table role=\"table\" class=\"partitions\">\n<caption>{number}, {words}</caption>\n<thead role=\"rowgroup\"><tr role=\"row\">"
    )?;
    for (title, order, class) in TITLES {
        let Some(order) = order else {
            writeln!(
                out,
                "<th role=\"columnheader\" scope=\"col\" class=\"{class}\">{title}</th>"
            )?;
            continue;
        };
        let direction = if order == Order::Partition {
            "ascending"
        } else {
            "descending"
        };
        let mark = if order == place.order {
            format!(" aria-sort=\"{direction}\"")
        } else {
            String::new()
        };
        writeln!(
            out,
            "<th role=\"columnheader\" scope=\"col\" class=\"{class}\"{mark}><a href=\"{}\">{title}</a></th>",
            Text(place.with("partitions", |it| it.order = order))
        )?;
    }
    writeln!(out, "</tr></thead>\n<tbody role=\"rowgroup\">")
}

fn write_row(out: &mut String, (topic, it): Row<'_>, view: &GroupView) -> fmt::Result {
    let why = absent_of_partition(it);
    let time = match it.time {
        TimeView::Known(time) => Some(time),
        TimeView::Absent | TimeView::Unknown(_) => None,
    };
    let stale = if it.fresh { "" } else { " <small>as last read</small>" };
    writeln!(
        out,
        "<tr role=\"row\" data-key=\"p:{0}:{1}\">\n\
         <th role=\"rowheader\" scope=\"row\" class=\"g\">{2} <b>{1}</b></th>\n\
         <td role=\"cell\" class=\"st\">{3} <small>{4}</small>{stale}</td>\n\
         <td role=\"cell\" class=\"n\" data-l=\"Records\">{5}</td>\n\
         <td role=\"cell\" class=\"n\" data-l=\"Time\">{6}</td>",
        segment(topic.as_bytes()),
        it.partition,
        Name(topic),
        Badge(it.status),
        note(it),
        count_or(it.lag(), why.get("lag_records")),
        lag_time(time, why.get("lag_seconds")),
    )?;
    writeln!(
        out,
        "<td role=\"cell\" class=\"o\" data-l=\"Owner\">{}</td>\n\
         <td role=\"cell\" class=\"n\" data-l=\"Committed\">{}</td>\n\
         <td role=\"cell\" class=\"n\" data-l=\"Log end\">{}</td>\n\
         <td role=\"cell\" class=\"b\" data-l=\"Distance to deletion\">{}</td>\n</tr>",
        owner(it, view),
        count_or(it.committed, why.get("committed_offset")),
        count_or(it.end, why.get("end_offset")),
        bar(it, why.get("lag_records"))
    )
}

/// What follows from the offsets, where it is something out of the ordinary.
fn note(it: &PartitionView) -> String {
    let above = |number: Option<u64>| number.filter(|number| *number > 0);
    if let Some(lost) = above(it.lost()) {
        format!("{} lost", count(lost))
    } else if let Some(ahead) = above(it.ahead()) {
        format!("{} ahead", count(ahead))
    } else if it.at_open_transaction {
        "at an open transaction".to_owned()
    } else {
        let still = it.stalled_seconds.and_then(|it| Duration::try_from_secs_f32(it).ok());
        let still = still.filter(|still| *still >= NOTED);
        still.map_or_else(String::new, |still| format!("for {}", duration(still)))
    }
}

fn owner(it: &PartitionView, view: &GroupView) -> String {
    let Some(members) = &view.members else {
        return absent(absent_of_group(view).get("members"));
    };
    let member = it
        .owner
        .and_then(|index| members.members.get(usize::try_from(index).ok()?));
    match member {
        Some(member) => format!("{} <small>{}</small>", Name(&member.client_id), Name(&member.host)),
        None if view.state.as_ref().is_some_and(GroupState::is_rebalancing) => unsaid("rebalancing"),
        None => unsaid("nobody"),
    }
}

fn unsaid(words: &str) -> String {
    format!("<span class=\"absent\">{words}</span>")
}

/// The log from its start, where retention deletes, to its end: read up to the commit, unread beyond. The nearer the mark is to the left,
/// the sooner unread records are deleted.
fn bar(it: &PartitionView, why: Option<Why>) -> String {
    let (Some(committed), Some(start), Some(end)) = (it.committed, it.start, it.end) else {
        return absent(why);
    };
    let length = end.since(start);
    if length == 0 {
        return unsaid("empty log");
    }
    let read = committed.min(end).since(start);
    // At most 1,000 of 1,000: the two are exact, and so is their quotient.
    let thousandths = u128::from(read) * 1000 / u128::from(length);
    let words = format!("{}.{} %", thousandths / 10, thousandths % 10);
    let hover = format!(
        "the log starts at {}; {} records are between it and the commit",
        count(start),
        count(read)
    );
    format!(
        "<span title=\"{hover}\"><svg class=\"bar\" viewBox=\"0 0 1000 10\" preserveAspectRatio=\"none\" aria-hidden=\"true\">\
         <rect class=\"unread\" width=\"1000\" height=\"10\"/><rect class=\"read\" width=\"{thousandths}\" height=\"10\"/></svg> {words}</span>"
    )
}

fn write_pages(out: &mut String, all: usize, place: &Place) -> fmt::Result {
    let next = place.offset.saturating_add(PAGE);
    if place.offset == 0 && next >= all {
        return Ok(());
    }
    write!(out, "<nav class=\"pages\" aria-label=\"Pages of partitions\">")?;
    if place.offset > 0 {
        let before = place.with("partitions", |it| it.offset = place.offset.saturating_sub(PAGE));
        write!(out, "<a rel=\"prev\" href=\"{}\">Previous {PAGE}</a> ", Text(before))?;
    }
    if next < all {
        let after = place.with("partitions", |it| it.offset = next);
        write!(
            out,
            "<a rel=\"next\" href=\"{}\">Next {}</a>",
            Text(after),
            (all - next).min(PAGE)
        )?;
    }
    writeln!(out, "</nav>")
}
