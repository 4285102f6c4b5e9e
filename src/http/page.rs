//! `/`: the clusters and their worst groups, for people. Names come from strangers: everything is escaped, and the policy lets nothing run.

use std::fmt;
use std::fmt::Write as _;

use hyper::Response;
use hyper::StatusCode;
use hyper::header::CONTENT_SECURITY_POLICY;
use hyper::header::HeaderValue;
use hyper::header::REFERRER_POLICY;
use percent_encoding::AsciiSet;
use percent_encoding::NON_ALPHANUMERIC;
use percent_encoding::percent_encode;

use super::body::Body;
use super::respond;
use super::state::Published;
use super::state::State;
use crate::report::Query;
use crate::report::Sort;
use crate::snapshot::GroupView;

/// Groups that are shown of each cluster.
const SHOWN: usize = 100;
const POLICY: &str =
    "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
/// What stands for itself in a path.
const SEGMENT: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~');

/// The page.
pub(super) fn overview(state: &State) -> Response<Body> {
    let mut page = String::from(concat!(
        "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n",
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n",
        "<title>tidemark</title>\n<link rel=\"stylesheet\" href=\"style.css\">\n<h1>tidemark</h1>\n",
        "<p><a href=\"metrics\">metrics</a> · <a href=\"api/v1/clusters\">clusters as JSON</a></p>\n",
    ));
    for published in state.published() {
        write_cluster(&mut page, &published, state).expect("a string takes every write");
    }
    let mut answer = respond::with_type(StatusCode::OK, "text/html; charset=utf-8", page);
    let headers = answer.headers_mut();
    headers.insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY));
    headers.insert(REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    answer
}

/// Its only resource.
pub(super) fn style() -> Response<Body> {
    respond::with_type(
        StatusCode::OK,
        "text/css; charset=utf-8",
        include_str!("page/style.css"),
    )
}

fn write_cluster(page: &mut String, published: &Published, state: &State) -> fmt::Result {
    let query = Query {
        sort: Sort::Status,
        limit: Some(SHOWN),
        ..Query::default()
    };
    let snapshot = &published.snapshot;
    let (groups, matched) = published.source(&state.objectives).select(&query);
    let cluster = percent_encode(snapshot.cluster.as_bytes(), SEGMENT);
    writeln!(page, "<h2>{}</h2>", Escaped(&snapshot.cluster))?;
    match (&snapshot.cycle, snapshot.read_at) {
        (None, _) => writeln!(page, "<p>Nothing was read yet.</p>")?,
        (Some(cycle), _) if !cycle.up => writeln!(page, "<p><strong>The last cycle read nothing.</strong></p>")?,
        _ => {}
    }
    writeln!(
        page,
        "<p><a href=\"api/v1/clusters/{cluster}/groups\">{matched} groups</a>, the worst first</p>"
    )?;
    if groups.is_empty() {
        return Ok(());
    }
    writeln!(
        page,
        "<table>\n<tr><th scope=\"col\">group<th scope=\"col\">status<th scope=\"col\">lag, records<th scope=\"col\">lag, seconds<th scope=\"col\">members<th scope=\"col\">state"
    )?;
    for group in groups {
        let address = percent_encode(group.id.bytes(), SEGMENT);
        write!(
            page,
            "<tr><td><a href=\"api/v1/clusters/{cluster}/groups/{address}\">{}</a>",
            Escaped(&group.name)
        )?;
        write_figures(page, group)?;
    }
    writeln!(page, "</table>")
}

fn write_figures(page: &mut String, group: &GroupView) -> fmt::Result {
    let unknown = || "–".to_owned();
    let lag = group.lag.map_or_else(unknown, |lag| lag.to_string());
    let seconds = group.lag_time.map_or_else(unknown, |time| time.seconds().to_string());
    let members = group
        .members
        .as_ref()
        .map_or_else(unknown, |it| it.members.len().to_string());
    let state = group.state.as_ref().map_or_else(unknown, ToString::to_string);
    writeln!(
        page,
        "<td>{}<td class=\"n\">{lag}<td class=\"n\">{seconds}<td class=\"n\">{members}<td>{}",
        group.status,
        Escaped(&state)
    )
}

/// Text that is nothing but text in HTML, in attributes too.
struct Escaped<'a>(&'a str);

impl fmt::Display for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for letter in self.0.chars() {
            match letter {
                '&' => f.write_str("&amp;")?,
                '<' => f.write_str("&lt;")?,
                '>' => f.write_str("&gt;")?,
                '"' => f.write_str("&quot;")?,
                '\'' => f.write_str("&#39;")?,
                other => f.write_char(other)?,
            }
        }
        Ok(())
    }
}
