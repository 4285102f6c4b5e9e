//! `/`: the clusters, and their groups, the worst first.

use std::fmt;
use std::fmt::Write as _;

use super::Sight;
use super::ask::Ask;
use super::cluster;
use super::figures::count;
use super::figures::counted;
use super::frame;
use super::frame::Frame;
use super::markup::Name;
use super::markup::Text;
use super::row;
use super::spark::Span;
use super::status::meaning;
use super::status::tone;
use crate::http::state::Published;
use crate::model::Status;
use crate::report::Query;
use crate::report::Sort;
use crate::report::printable;
use crate::snapshot::GroupView;

/// A group and where it is.
#[derive(Clone, Copy)]
pub(super) struct Found<'a> {
    pub(super) published: &'a Published,
    pub(super) view: &'a GroupView,
}

/// What the address asks for, found.
struct Matches<'a> {
    /// Groups of the asked clusters with the asked text in their name, by status.
    counts: [usize; Status::ALL.len()],
    /// Dormant ones that are left out of the table.
    folded: usize,
    /// How many groups there are on all pages.
    matched: usize,
    page: Vec<Found<'a>>,
}

const ROOT: &str = "./";

/// Writes the page.
pub(super) fn write(out: &mut String, sight: &Sight, ask: &Ask) -> fmt::Result {
    let found = Matches::of(sight, ask);
    let title = found.title(ask);
    frame::write(out, &Frame::live(ROOT, &title, sight), |out| {
        writeln!(out, "<h1>Consumer groups</h1>")?;
        cluster::write_all(out, sight, ask)?;
        write_search(out, ask)?;
        write_chips(out, &found, ask)?;
        if found.page.is_empty() {
            write_empty(out, sight, &found, ask)?;
        } else {
            write_table(out, sight, &found, ask)?;
        }
        write_folded(out, &found, ask)?;
        write_pages(out, &found, ask)
    })
}

impl<'a> Matches<'a> {
    fn of(sight: &'a Sight, ask: &Ask) -> Self {
        let wanted = Query {
            text: ask.text.clone(),
            sort: ask.sort,
            ..Query::default()
        };
        let asked = sight
            .clusters
            .iter()
            .filter(|it| ask.cluster.as_deref().is_none_or(|name| name == &*it.snapshot.cluster));
        let (mut all, mut clusters) = (Vec::new(), 0);
        for published in asked {
            let (views, _) = published.source(&sight.objectives).select(&wanted);
            all.extend(views.into_iter().map(|view| Found { published, view }));
            clusters += 1;
        }
        if clusters > 1 {
            all.sort_by(|a, b| ask.sort.compare(a.view, b.view));
        }
        let counts = Status::ALL.map(|status| all.iter().filter(|it| it.view.status == status).count());
        let folds = ask.folds_dormant();
        let (mut folded, mut matched, mut page) = (0, 0, Vec::new());
        for it in all {
            if folds && it.view.status == Status::Dormant {
                folded += usize::from(ask.statuses.is_empty());
            } else if ask.statuses.is_empty() || ask.statuses.contains(&it.view.status) {
                if (ask.offset..ask.offset.saturating_add(ask.limit)).contains(&matched) {
                    page.push(it);
                }
                matched += 1;
            }
        }
        Self {
            counts,
            folded,
            matched,
            page,
        }
    }

    fn total(&self) -> usize {
        self.counts.iter().sum()
    }

    /// What a tab among others says: how many groups need somebody.
    fn title(&self, ask: &Ask) -> String {
        let troubled: usize = Status::ALL
            .iter()
            .zip(self.counts)
            .filter(|(status, _)| matches!(tone(**status), "bad" | "warn"))
            .map(|(_, count)| count)
            .sum();
        let place = ask
            .cluster
            .as_deref()
            .map_or_else(String::new, |name| format!(" on {}", printable(name)));
        match troubled {
            0 => format!("all {} well{place}", counted(self.total(), "group", "groups")),
            some => format!(
                "{} of {} need a look{place}",
                count(some),
                counted(self.total(), "group", "groups")
            ),
        }
    }
}

fn write_search(out: &mut String, ask: &Ask) -> fmt::Result {
    writeln!(
        out,
        "<form role=\"search\" action=\"./\" method=\"get\">\n<label for=\"q\">Find a group</label>\n\
         <input id=\"q\" name=\"q\" type=\"search\" value=\"{}\" autocomplete=\"off\" spellcheck=\"false\">",
        Text(&ask.text)
    )?;
    for (key, value) in ask.pairs().iter().filter(|(key, _)| *key != "q") {
        writeln!(out, "<input type=\"hidden\" name=\"{key}\" value=\"{}\">", Text(value))?;
    }
    writeln!(out, "<button>Find</button>\n</form>")
}

fn write_chips(out: &mut String, found: &Matches<'_>, ask: &Ask) -> fmt::Result {
    writeln!(out, "<nav class=\"chips\" aria-label=\"Filter by status\"><ul>")?;
    let current = |chosen: bool| if chosen { " aria-current=\"true\"" } else { "" };
    writeln!(
        out,
        "<li><a href=\"{}\"{}>all <b>{}</b></a></li>",
        Text(ask.with(|ask| ask.statuses.clear())),
        current(ask.statuses.is_empty()),
        count(found.total())
    )?;
    for (status, number) in Status::ALL.into_iter().zip(found.counts) {
        let chosen = ask.statuses.contains(&status);
        if number == 0 && !chosen {
            continue;
        }
        writeln!(
            out,
            "<li><a class=\"{}\" href=\"{}\" title=\"{}\"{}>{status} <b>{}</b></a></li>",
            tone(status),
            Text(ask.toggled(status)),
            meaning(status),
            current(chosen),
            count(number)
        )?;
    }
    writeln!(out, "</ul></nav>")
}

fn write_table(out: &mut String, sight: &Sight, found: &Matches<'_>, ask: &Ask) -> fmt::Result {
    writeln!(
        out,
        "<table role=\"table\" class=\"groups\">\n<caption>{}</caption>\n<thead role=\"rowgroup\"><tr role=\"row\">",
        Text(caption(found, ask))
    )?;
    for column in row::COLUMNS {
        write_title(out, column, ask)?;
    }
    let span = Span::of(found.page.iter().map(|it| &*it.view.trend));
    writeln!(
        out,
        "<th role=\"columnheader\" scope=\"col\" class=\"sp\">Lag, {span}</th>\n</tr></thead>\n<tbody role=\"rowgroup\">"
    )?;
    for found in &found.page {
        row::write(out, sight, *found, span)?;
    }
    writeln!(out, "</tbody>\n</table>")
}

fn write_title(out: &mut String, (title, sort, class): (&str, Sort, &str), ask: &Ask) -> fmt::Result {
    let mark = match (ask.sort == sort, sort) {
        (false, _) => "",
        (true, Sort::Group) => " aria-sort=\"ascending\"",
        (true, _) => " aria-sort=\"descending\"",
    };
    let address = ask.with(|ask| ask.sort = sort);
    writeln!(
        out,
        "<th role=\"columnheader\" scope=\"col\" class=\"{class}\"{mark}><a href=\"{}\">{title}</a></th>",
        Text(address)
    )
}

fn caption(found: &Matches<'_>, ask: &Ask) -> String {
    let order = match ask.sort {
        Sort::Status => "the worst first",
        Sort::Group => "by name",
        Sort::LagRecords => "the greatest lag in records first",
        Sort::LagSeconds => "the greatest lag in time first",
        Sort::Members => "those with most members first",
    };
    let all = counted(found.matched, "group", "groups");
    if found.page.len() == found.matched {
        format!("{all}, {order}")
    } else {
        let first = ask.offset + 1;
        let last = ask.offset + found.page.len();
        format!("{} to {} of {all}, {order}", count(first), count(last))
    }
}

fn write_empty(out: &mut String, sight: &Sight, found: &Matches<'_>, ask: &Ask) -> fmt::Result {
    let unread = sight.clusters.iter().all(|it| it.snapshot.read_at.is_none());
    let unknown = ask
        .cluster
        .as_ref()
        .filter(|name| sight.clusters.iter().all(|it| *it.snapshot.cluster != ***name));
    let all = "<a href=\"./\">Show all groups</a>";
    if unread {
        writeln!(out, "<p class=\"empty\">Nothing was read yet.</p>")
    } else if let Some(name) = unknown {
        writeln!(out, "<p class=\"empty\">No cluster is called {}. {all}</p>", Name(name))
    } else if found.matched > 0 {
        let first = Text(ask.with(|_| {}));
        writeln!(
            out,
            "<p class=\"empty\">The list is shorter than that. <a href=\"{first}\">To its beginning</a></p>"
        )
    } else if *ask == Ask::default() && found.folded == 0 {
        writeln!(
            out,
            "<p class=\"empty\">There are no groups: none that the configuration includes and the credentials may see.</p>"
        )
    } else if found.folded > 0 {
        writeln!(out, "<p class=\"empty\">Every group that matches is dormant.</p>")
    } else {
        writeln!(out, "<p class=\"empty\">No group matches. {all}</p>")
    }
}

fn write_folded(out: &mut String, found: &Matches<'_>, ask: &Ask) -> fmt::Result {
    if found.folded > 0 {
        let show = ask.with(|ask| ask.dormant = true);
        return writeln!(
            out,
            "<p class=\"fold\">{} folded away. <a href=\"{}\">Show dormant groups</a></p>",
            counted(found.folded, "dormant group is", "dormant groups are"),
            Text(show)
        );
    }
    if ask.dormant && ask.statuses.is_empty() {
        let fold = ask.with(|ask| ask.dormant = false);
        return writeln!(
            out,
            "<p class=\"fold\"><a href=\"{}\">Fold dormant groups away</a></p>",
            Text(fold)
        );
    }
    Ok(())
}

fn write_pages(out: &mut String, found: &Matches<'_>, ask: &Ask) -> fmt::Result {
    let next = ask.offset.saturating_add(ask.limit);
    if ask.offset == 0 && next >= found.matched {
        return Ok(());
    }
    write!(out, "<nav class=\"pages\" aria-label=\"Pages\">")?;
    if ask.offset > 0 {
        let before = ask.with(|it| it.offset = ask.offset.saturating_sub(ask.limit));
        write!(
            out,
            "<a rel=\"prev\" href=\"{}\">Previous {}</a> ",
            Text(before),
            ask.limit
        )?;
    }
    if next < found.matched {
        let after = ask.with(|it| it.offset = next);
        let rest = (found.matched - next).min(ask.limit);
        write!(out, "<a rel=\"next\" href=\"{}\">Next {rest}</a>", Text(after))?;
    }
    writeln!(out, "</nav>")
}
