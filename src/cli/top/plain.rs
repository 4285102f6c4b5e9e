//! The overview as lines, for where there is no terminal: one refresh after the other, the worst groups first.

use std::fmt::Write as _;

use super::picture::Picture;
use super::rows;
use super::state::Overview;
use super::words;
use super::words::Reader;
use crate::report::printable;

/// One refresh.
pub(super) fn text(picture: &Picture) -> String {
    let mut out = String::new();
    let read_at = words::read_at(picture).map_or_else(|| "not read".to_owned(), printable);
    writeln!(out, "{read_at}  {}", words::counts(picture)).expect("a string takes every write");
    for trouble in words::troubles(&picture.clusters) {
        writeln!(out, "! {trouble}").expect("a string takes every write");
    }
    let mut overview = Overview::default();
    overview.arrange(&picture.clusters);
    if overview.shown.is_empty() {
        return out;
    }
    let sheet = rows::groups(&picture.clusters, &overview.shown, Reader::Program);
    let natural = sheet.natural();
    let rows = sheet
        .rows
        .iter()
        .map(|row| sheet.pieces(row, &natural).map(|(text, _)| text).collect());
    for row in std::iter::once(sheet.titles(&natural)).chain(rows) {
        writeln!(out, "{}", row.trim_end()).expect("a string takes every write");
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::top::fixture;

    #[test]
    fn lines_are_whole_and_bare_and_the_worst_come_first() {
        insta::assert_snapshot!(text(&fixture::motley()), @r"
        2026-01-02T03:04:05.678Z  7 groups: 1 stalled, 1 stopped, 1 unreadable, 1 behind, 1 dormant, 2 ok
        GROUP                  STATUS             LAG        TIME  MEMBERS  STATE
        payments               stalled           8410      14m 0s        2  Stable
        invoice-mailer         stopped        1234567       1d 1h        0  Empty
        evil\u{1b}]0;x\u{7}\n  unreadable     timeout     timeout        2  Stable
        消费者                 behind             500  event_time        2  Stable
        old-dashboard          dormant             77      10d 0h        0  Empty
        checkout               ok                  12        0.4s        3  Stable
        email-workers          ok                   -           -        2  Stable
        ");
    }

    #[test]
    fn trouble_is_told_before_the_groups() {
        let west = fixture::troubled("west", false, &["no broker answers"], &[]);
        let told = text(&fixture::picture(vec![west]));
        assert_eq!(
            told,
            "2026-01-02T03:04:05.678Z  no groups\n\
             ! west: nothing could be read: no broker answers (figures as of 03:04:05 UTC)\n"
        );
    }
}
