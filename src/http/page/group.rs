//! `/clusters/{cluster}/groups/{group}`: one group.

use std::fmt;
use std::fmt::Write as _;

use super::Sight;
use super::cluster::Health;
use super::cluster::write_reading;
use super::cure;
use super::events;
use super::figures::absent;
use super::figures::count;
use super::figures::count_or;
use super::figures::duration;
use super::figures::lag_time;
use super::frame;
use super::frame::Frame;
use super::group_ask::GroupAsk;
use super::markup::Name;
use super::markup::Text;
use super::markup::segment;
use super::members;
use super::partitions;
use super::spark::Span;
use super::status::Badge;
use super::topics;
use crate::http::state::Published;
use crate::report::Words;
use crate::report::absent_of_group;
use crate::report::printable;
use crate::snapshot::GroupView;

const ROOT: &str = "../../../";

/// Writes the page.
pub(super) fn write(
    out: &mut String,
    sight: &Sight,
    (published, view): (&Published, &GroupView),
    ask: &GroupAsk,
) -> fmt::Result {
    let title = format!("{}: {}", printable(&view.name), view.status);
    let place = &ask.place;
    let words = published.source(&sight.objectives).words(view);
    frame::write(out, &Frame::live(ROOT, &title, sight), |out| {
        write_path(out, published, sight)?;
        writeln!(out, "<h1>{} {}</h1>", Name(&view.name), Badge(view.status))?;
        write_verdict(out, &words)?;
        write_health(out, published, sight)?;
        write_figures(out, view, sight)?;
        cure::write(out, sight, (published, view), &words.cures)?;
        events::write(out, view, sight)?;
        topics::write(out, published, view, place)?;
        partitions::write(out, view, place)?;
        members::write(out, view, place)
    })
}

fn write_path(out: &mut String, published: &Published, sight: &Sight) -> fmt::Result {
    let cluster = &published.snapshot.cluster;
    write!(
        out,
        "<nav class=\"path\" aria-label=\"Path\"><a href=\"{ROOT}\">All groups</a>"
    )?;
    if sight.clusters.len() > 1 {
        let only = segment(cluster.as_bytes());
        write!(out, " › <a href=\"{ROOT}?cluster={only}\">{}</a>", Name(cluster))?;
    } else {
        write!(out, " › {}", Name(cluster))?;
    }
    writeln!(out, "</nav>")
}

fn write_verdict(out: &mut String, words: &Words) -> fmt::Result {
    writeln!(out, "<p class=\"verdict\">{}.</p>", Text(&words.verdict))?;
    if let Some(needed) = &words.to_be_ok {
        writeln!(out, "<p class=\"needed\">{}.</p>", Text(needed))?;
    }
    Ok(())
}

/// Only where there is something to say: a page of a cluster that is read well has no need of it.
fn write_health(out: &mut String, published: &Published, sight: &Sight) -> fmt::Result {
    match Health::of(&published.snapshot, sight) {
        Health::Fine | Health::Partial => Ok(()),
        health => {
            writeln!(out, "<div class=\"alarm\" role=\"note\">")?;
            write_reading(out, health, &published.snapshot, sight)?;
            writeln!(out, "</div>")
        }
    }
}

fn write_figures(out: &mut String, view: &GroupView, sight: &Sight) -> fmt::Result {
    let why = absent_of_group(view);
    let state = view.state.as_ref().map(ToString::to_string);
    let state = state.map_or_else(|| absent(why.get("state")), |state| Text(printable(&state)).to_string());
    let members = view.members.as_ref();
    let idle = members.and_then(|it| it.idle).filter(|idle| *idle > 0);
    let idle = idle.map_or_else(String::new, |idle| format!(" <small>{} idle</small>", count(idle)));
    let number = members.map(|it| it.members.len());
    let kind = match &*view.protocol {
        "" => view.kind.to_string(),
        protocol => format!("{} · {protocol}", view.kind),
    };
    let figures = [
        ("Lag, records", count_or(view.lag, why.get("lag_records"))),
        ("Lag, time", lag_time(view.lag_time, why.get("lag_seconds"))),
        (
            "Seen standing still",
            view.stalled
                .map_or_else(|| absent(why.get("stalled_seconds")), duration),
        ),
        ("Members", count_or(number, why.get("members")) + &idle),
        ("State", state),
        ("Type", Text(printable(&kind)).to_string()),
        (
            "Rebalances seen",
            count_or(view.rebalances, why.get("rebalances_total")),
        ),
        (
            "Coordinator",
            view.coordinator.map_or_else(
                || absent(why.get("coordinator_id")),
                |broker| format!("broker {broker}"),
            ),
        ),
    ];
    writeln!(out, "<dl class=\"figures\">")?;
    for (title, figure) in figures {
        writeln!(out, "<div><dt>{title}</dt><dd>{figure}</dd></div>")?;
    }
    let span = Span::of([&*view.trend]);
    let curve = span.draw(&view.trend);
    if !curve.is_empty() {
        writeln!(out, "<div><dt>Lag, {span}</dt><dd>{curve}</dd></div>")?;
    }
    if let Some(empty) = view.empty_for.filter(|_| number == Some(0)) {
        writeln!(
            out,
            "<div><dt>Without members for</dt><dd>{}</dd></div>",
            duration(empty)
        )?;
    }
    if let Some(objective) = view.objective.and_then(|index| sight.objectives.get(index)) {
        let team = if objective.team.is_empty() {
            String::new()
        } else {
            format!(" <small>{}</small>", Text(printable(&objective.team)))
        };
        writeln!(
            out,
            "<div><dt>Objective</dt><dd>{}{team}</dd></div>",
            duration(objective.lag)
        )?;
    }
    writeln!(out, "</dl>")
}
