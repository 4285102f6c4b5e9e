//! The tables that Kafka's tools print.

use std::collections::BTreeMap;

/// The rows of a table by the titles of its columns; one that has a title of two words has a value of two words.
pub(super) fn rows(said: &str) -> Vec<BTreeMap<String, String>> {
    let mut titles: Vec<&str> = Vec::new();
    let mut rows = Vec::new();
    for line in said.lines() {
        let cells: Vec<&str> = line.split_whitespace().collect();
        if cells.first() == Some(&"GROUP") {
            titles = cells;
        } else if !titles.is_empty() && cells.len() >= titles.len() {
            let named = titles.iter().zip(&cells);
            rows.push(
                named
                    .map(|(title, cell)| ((*title).to_owned(), (*cell).to_owned()))
                    .collect(),
            );
        }
    }
    rows
}

/// A number of a row.
pub(super) fn number(row: &BTreeMap<String, String>, title: &str) -> i64 {
    row.get(title)
        .and_then(|cell| cell.parse().ok())
        .unwrap_or_else(|| panic!("no number {title} in {row:?}"))
}
