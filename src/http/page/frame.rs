//! What is around every page: head, header, footer.

use std::fmt;
use std::fmt::Write as _;

use super::Sight;
use super::markup::Text;

/// What a page says of itself.
pub(super) struct Frame<'a> {
    /// The way to `/`.
    root: &'a str,
    title: &'a str,
    /// Seconds between two looks, and the server's clock; none for a page that never changes.
    live: Option<(f64, i64)>,
}

impl<'a> Frame<'a> {
    /// Of a page that the script keeps up to date.
    pub(super) fn live(root: &'a str, title: &'a str, sight: &Sight) -> Self {
        // Before the first cycle has ended there is something new any moment.
        let waiting = sight.clusters.iter().any(|it| it.snapshot.cycle.is_none());
        let refresh = if waiting {
            1.0
        } else {
            sight.settings.refresh.as_secs_f64()
        };
        Self {
            root,
            title,
            live: Some((refresh, sight.now.wall.0)),
        }
    }

    /// Of a page that stays as it is.
    pub(super) fn still(root: &'a str, title: &'a str) -> Self {
        Self {
            root,
            title,
            live: None,
        }
    }
}

/// Writes the page.
pub(super) fn write(out: &mut String, frame: &Frame<'_>, body: impl FnOnce(&mut String) -> fmt::Result) -> fmt::Result {
    let Frame { root, title, live } = frame;
    writeln!(
        out,
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<title>{} · tidemark</title>\n\
         <link rel=\"icon\" href=\"{root}assets/icon.svg\" type=\"image/svg+xml\">\n\
         <link rel=\"stylesheet\" href=\"{root}assets/page.css\">\n\
         <script src=\"{root}assets/page.js\" defer></script>\n</head>\n<body>\n\
         <a class=\"skip\" href=\"#main\">To the content</a>\n\
         <header>\n<a class=\"home\" href=\"{root}\">tidemark</a>\n<nav aria-label=\"Other forms\">\
         <a href=\"{root}metrics\">Metrics</a> <a href=\"{root}api/v1/clusters\">JSON</a></nav>\n\
         <p id=\"notice\" role=\"status\"></p>\n</header>",
        Text(title)
    )?;
    match live {
        Some((refresh, now)) => writeln!(
            out,
            "<main id=\"main\" tabindex=\"-1\" data-refresh=\"{refresh}\" data-now=\"{now}\">"
        )?,
        None => writeln!(out, "<main id=\"main\" tabindex=\"-1\">")?,
    }
    body(out)?;
    writeln!(
        out,
        "</main>\n<footer>tidemark {} reads and shows; nothing on this page changes anything in Kafka.</footer>\n</body>\n</html>",
        env!("CARGO_PKG_VERSION")
    )
}
