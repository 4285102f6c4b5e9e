//! A place in a list that changes while somebody looks at it.

use std::ops::Range;

/// Where one can go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    Up,
    Down,
    PageUp,
    PageDown,
    First,
    Last,
}

/// The chosen row. Once it was moved it keeps to what it is on, wherever that goes; before, and at the first row, it stays at the
/// first, so that the worst is what one sees.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Cursor<K> {
    at: usize,
    held: Option<K>,
}

impl<K> Default for Cursor<K> {
    fn default() -> Self {
        Self { at: 0, held: None }
    }
}

impl<K> Cursor<K> {
    /// The row's place.
    pub(super) fn at(&self) -> usize {
        self.at
    }

    /// Moves among `len` rows, `page` of which are seen at once; `key` tells what is in a row.
    pub(super) fn step(&mut self, step: Step, (len, page): (usize, usize), key: impl Fn(usize) -> Option<K>) {
        let last = len.saturating_sub(1);
        let page = page.max(1);
        let to = match step {
            Step::Up => self.at.saturating_sub(1),
            Step::Down => self.at.saturating_add(1),
            Step::PageUp => self.at.saturating_sub(page),
            Step::PageDown => self.at.saturating_add(page),
            Step::First => 0,
            Step::Last => last,
        };
        self.at = to.min(last);
        self.held = if self.at == 0 { None } else { key(self.at) };
    }

    /// After the rows have changed: `find` tells where something is now. What is gone is followed by what is in its place.
    pub(super) fn settle(&mut self, len: usize, find: impl Fn(&K) -> Option<usize>) {
        if let Some(held) = &self.held {
            match find(held) {
                Some(at) => self.at = at,
                None => self.held = None,
            }
        }
        self.at = self.at.min(len.saturating_sub(1));
    }
}

/// The rows that are seen of `len` when `rows` fit: around the chosen one.
pub(super) fn seen(at: usize, len: usize, rows: usize) -> Range<usize> {
    let first = at.saturating_sub(rows / 2).min(len.saturating_sub(rows));
    first..len.min(first + rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LETTERS: [char; 5] = ['a', 'b', 'c', 'd', 'e'];

    fn moved(steps: &[Step]) -> Cursor<char> {
        let mut cursor = Cursor::default();
        for step in steps {
            cursor.step(*step, (5, 2), |at| LETTERS.get(at).copied());
        }
        cursor
    }

    #[test]
    fn every_step_stays_within_the_rows() {
        use Step::*;
        for (steps, at) in [
            (&[Up][..], 0),
            (&[Down], 1),
            (&[Down, Up], 0),
            (&[PageDown], 2),
            (&[PageDown, PageDown, PageDown], 4),
            (&[Last], 4),
            (&[Last, Down], 4),
            (&[Last, PageUp], 2),
            (&[Last, First], 0),
        ] {
            assert_eq!(moved(steps).at(), at, "{steps:?}");
        }
        let mut nowhere = Cursor::default();
        nowhere.step(Last, (0, 0), |_| Some('a'));
        assert_eq!(nowhere.at(), 0);
    }

    #[test]
    fn it_keeps_to_what_it_was_put_on_and_else_to_the_first() {
        let find = |wanted: &char| "edcba".find(*wanted);
        let mut put = moved(&[Step::Down]);
        put.settle(5, find);
        assert_eq!(put.at(), 3);
        let mut untouched = moved(&[]);
        untouched.settle(5, find);
        assert_eq!(untouched.at(), 0);
        let mut back = moved(&[Step::Down, Step::First]);
        back.settle(5, find);
        assert_eq!(back.at(), 0);
    }

    #[test]
    fn what_is_gone_is_followed_by_what_is_in_its_place() {
        let mut cursor = moved(&[Step::Last]);
        cursor.settle(3, |_| None);
        assert_eq!(cursor.at(), 2);
        cursor.settle(0, |_| None);
        assert_eq!(cursor.at(), 0);
    }

    #[test]
    fn the_chosen_row_is_always_seen() {
        for (at, len, rows, range) in [
            (0, 3, 10, 0..3),
            (0, 30, 10, 0..10),
            (5, 30, 10, 0..10),
            (6, 30, 10, 1..11),
            (29, 30, 10, 20..30),
            (4, 5, 1, 4..5),
            (3, 5, 0, 3..3),
        ] {
            assert_eq!(seen(at, len, rows), range, "{at} of {len} in {rows}");
        }
    }
}
