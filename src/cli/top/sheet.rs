//! Rows under titles, cut to the width there is: names give way first, then whole columns, the least important first.

use crate::report::Side;
use crate::report::cut;
use crate::report::pad;
use crate::report::width;

/// A column.
#[derive(Clone, Copy, Debug)]
pub(super) struct Column {
    pub(super) title: &'static str,
    pub(super) side: Side,
    pub(super) room: Room,
    /// Where not all fit, the column worth least goes first.
    pub(super) worth: u8,
}

/// How wide a column is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Room {
    /// As wide as its cells and no narrower than this, so that it seldom changes.
    Fit(usize),
    /// A name: has what the others leave, and is cut.
    Rest,
}

/// How loud a cell is. Colour comes from it and is never the only sign: the word is in the cell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Tone {
    #[default]
    Plain,
    Bad,
    Doubtful,
    Good,
    Quiet,
}

/// One cell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Cell {
    pub(super) text: String,
    pub(super) tone: Tone,
}

/// Rows under titles. Every row has a cell for each column.
#[derive(Clone, Debug)]
pub(super) struct Sheet {
    pub(super) columns: Vec<Column>,
    pub(super) rows: Vec<Vec<Cell>>,
}

/// The columns that are shown, each by its place and width, and the blanks between them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Fitted {
    columns: Vec<(usize, usize)>,
    gap: usize,
}

/// Names are not cut below this as long as a column can go instead.
const LEAST: usize = 12;
const WIDE: usize = 2;
const NARROW: usize = 1;

impl From<String> for Cell {
    fn from(text: String) -> Self {
        Self {
            text,
            tone: Tone::Plain,
        }
    }
}

impl Sheet {
    /// Which columns are shown in `room` columns of a terminal, and how wide.
    pub(super) fn fit(&self, room: usize) -> Fitted {
        let mut kept: Vec<usize> = (0..self.columns.len()).collect();
        loop {
            for gap in [WIDE, NARROW] {
                if kept.len() <= 1 || self.least(&kept, gap) <= room {
                    return self.share(&kept, gap, room);
                }
            }
            let last = kept.iter().copied().min_by_key(|column| self.columns[*column].worth);
            kept.retain(|column| Some(*column) != last);
        }
    }

    /// Everything as wide as it is.
    pub(super) fn natural(&self) -> Fitted {
        let columns = (0..self.columns.len()).map(|column| (column, self.wanted(column)));
        Fitted {
            columns: columns.collect(),
            gap: WIDE,
        }
    }

    fn wanted(&self, column: usize) -> usize {
        let cells = self.rows.iter().map(|row| width(&row[column].text));
        let least = match self.columns[column].room {
            Room::Fit(least) => least,
            Room::Rest => 0,
        };
        cells
            .max()
            .unwrap_or(0)
            .max(width(self.columns[column].title))
            .max(least)
    }

    fn is_name(&self, column: usize) -> bool {
        self.columns[column].room == Room::Rest
    }

    fn least(&self, kept: &[usize], gap: usize) -> usize {
        let widths = kept.iter().map(|&column| match self.columns[column].room {
            Room::Fit(_) => self.wanted(column),
            Room::Rest => self.wanted(column).min(LEAST),
        });
        widths.sum::<usize>() + gap * (kept.len() - 1)
    }

    /// Names share what the others leave; the first has what is over.
    fn share(&self, kept: &[usize], gap: usize, room: usize) -> Fitted {
        let fixed = kept.iter().filter(|column| !self.is_name(**column));
        let fixed = fixed.map(|column| self.wanted(*column)).sum::<usize>() + gap * (kept.len() - 1);
        let mut free = room.saturating_sub(fixed);
        let names: Vec<usize> = kept.iter().copied().filter(|column| self.is_name(*column)).collect();
        let mut columns: Vec<_> = kept.iter().map(|&column| (column, self.wanted(column))).collect();
        for (place, name) in names.iter().enumerate().rev() {
            let others: usize = names[..place].iter().map(|other| self.wanted(*other)).sum();
            let fair = (free / (place + 1)).max(free.saturating_sub(others));
            let taken = if place == 0 { free } else { self.wanted(*name).min(fair) };
            free -= taken;
            let found = columns.iter_mut().find(|(column, _)| column == name);
            found.expect("a name that is kept").1 = taken;
        }
        Fitted { columns, gap }
    }

    /// The titles, as they stand in a line.
    pub(super) fn titles(&self, fitted: &Fitted) -> String {
        let pieces = fitted.columns.iter().enumerate().map(|(place, &(column, width))| {
            let Column { title, side, .. } = self.columns[column];
            piece(title, side, (if place == 0 { 0 } else { fitted.gap }, width))
        });
        pieces.collect()
    }

    /// A row, as its pieces stand in a line.
    pub(super) fn pieces<'a>(
        &'a self,
        row: &'a [Cell],
        fitted: &'a Fitted,
    ) -> impl Iterator<Item = (String, Tone)> + 'a {
        fitted.columns.iter().enumerate().map(|(place, &(column, width))| {
            let gap = if place == 0 { 0 } else { fitted.gap };
            let text = piece(&row[column].text, self.columns[column].side, (gap, width));
            (text, row[column].tone)
        })
    }
}

/// A cell with the blanks before it.
fn piece(text: &str, side: Side, (gap, width): (usize, usize)) -> String {
    let mut out = " ".repeat(gap);
    pad(&mut out, &cut(text, width), width, side);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sheet(name: &str, owner: &str) -> Sheet {
        let column = |title, room, worth| Column {
            title,
            side: if room == Room::Rest { Side::Left } else { Side::Right },
            room,
            worth,
        };
        Sheet {
            columns: vec![
                column("TOPIC", Room::Rest, 9),
                column("LAG", Room::Fit(5), 8),
                column("OWNER", Room::Rest, 1),
            ],
            rows: vec![vec![
                name.to_owned().into(),
                "1,234".to_owned().into(),
                owner.to_owned().into(),
            ]],
        }
    }

    fn lines(sheet: &Sheet, room: usize) -> [String; 2] {
        let fitted = sheet.fit(room);
        let row = sheet.pieces(&sheet.rows[0], &fitted).map(|(text, _)| text).collect();
        [sheet.titles(&fitted), row]
    }

    #[test]
    fn names_have_what_the_others_leave() {
        assert_eq!(
            lines(&sheet("orders", "me"), 30),
            ["TOPIC               LAG  OWNER", "orders            1,234  me   "].map(str::to_owned)
        );
    }

    #[test]
    fn names_share_evenly_where_both_are_long() {
        let [_, row] = lines(&sheet("orders-of-all-the-world", "a-consumer-with-a-long-name"), 41);
        assert_eq!(row, "orders-o…e-world  1,234  a-consum…ng-name");
    }

    #[test]
    fn columns_go_where_names_would_be_too_short() {
        let long = sheet("orders-of-all-the-world", "a-consumer-with-a-long-name");
        assert_eq!(lines(&long, 25)[1], "orders-of…he-world  1,234");
        assert_eq!(lines(&long, 15)[1], "orders-…e-world");
        assert_eq!(lines(&long, 0)[1], "…");
    }

    #[test]
    fn a_line_is_never_wider_than_there_is_room() {
        let long = sheet("orders-of-all-the-world", "a-consumer-with-a-long-name");
        for room in 1..80 {
            for line in lines(&long, room) {
                assert!(width(&line) <= room, "{room}: {line:?}");
            }
        }
    }
}
