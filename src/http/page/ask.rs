//! What the overview is asked for: its address, read and written.

use std::fmt::Write as _;

use super::markup::segment;
use super::problem::Problem;
use crate::http::query;
use crate::http::query::QueryError;
use crate::model::Status;
use crate::report::Query;
use crate::report::Sort;

/// Groups of one page, unless the address says otherwise.
pub(super) const PAGE: usize = 100;
/// The most groups of one page.
const MOST: usize = 500;

/// A state of the overview.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Ask {
    /// Only this cluster; all when absent.
    pub(super) cluster: Option<String>,
    /// Only these statuses; all when empty.
    pub(super) statuses: Vec<Status>,
    /// Only groups with this in their name.
    pub(super) text: String,
    pub(super) sort: Sort,
    pub(super) offset: usize,
    pub(super) limit: usize,
    /// Whether dormant groups stand among the others.
    pub(super) dormant: bool,
}

impl Default for Ask {
    fn default() -> Self {
        Self {
            cluster: None,
            statuses: Vec::new(),
            text: String::new(),
            sort: Sort::Status,
            offset: 0,
            limit: PAGE,
            dormant: false,
        }
    }
}

impl Ask {
    /// Reads the part of an address after its question mark.
    pub(super) fn parse(raw: &str) -> Result<Self, Problem> {
        let mut ask = Self::default();
        let mut rest = Vec::new();
        let mut sorted = false;
        for pair in query::pairs(raw) {
            match (&*pair.key, &*pair.value) {
                ("cluster", "") => {}
                ("cluster", name) => ask.cluster = Some(name.to_owned()),
                ("dormant", flag) => ask.dormant = matches!(flag, "1" | "show"),
                ("after", _) => return Err(Problem::Parameter("after".to_owned())),
                (key, _) => {
                    sorted |= key == "sort";
                    rest.push(pair);
                }
            }
        }
        let Query {
            statuses,
            text,
            sort,
            offset,
            limit,
            after: _,
        } = query::read(rest).map_err(|error| match error {
            QueryError::Unknown(key) => Problem::Parameter(key),
            other => other.into(),
        })?;
        (ask.statuses, ask.text, ask.offset) = (statuses, text, offset);
        ask.limit = limit.map_or(PAGE, |limit| limit.clamp(1, MOST));
        if sorted {
            ask.sort = sort;
        }
        Ok(ask)
    }

    /// The address of this state, relative to the overview's.
    pub(super) fn address(&self) -> String {
        let mut out = String::new();
        let mut add = |key: &str, value: &str| {
            let joint = if out.is_empty() { '?' } else { '&' };
            write!(out, "{joint}{key}={}", segment(value.as_bytes())).expect("a string takes every write");
        };
        for (key, value) in self.pairs() {
            add(key, &value);
        }
        if self.offset > 0 {
            add("offset", &self.offset.to_string());
        }
        if out.is_empty() { "./".to_owned() } else { out }
    }

    /// What differs from the plain overview, but for the place in it.
    pub(super) fn pairs(&self) -> Vec<(&'static str, String)> {
        let mut pairs = Vec::new();
        if let Some(cluster) = &self.cluster {
            pairs.push(("cluster", cluster.clone()));
        }
        if !self.text.is_empty() {
            pairs.push(("q", self.text.clone()));
        }
        pairs.extend(self.statuses.iter().map(|status| ("status", status.to_string())));
        if self.sort != Sort::Status {
            pairs.push(("sort", self.sort.as_str().to_owned()));
        }
        if self.limit != PAGE {
            pairs.push(("limit", self.limit.to_string()));
        }
        if self.dormant {
            pairs.push(("dormant", "1".to_owned()));
        }
        pairs
    }

    /// The same from its first group on, changed.
    pub(super) fn with(&self, change: impl FnOnce(&mut Self)) -> String {
        let mut other = self.clone();
        other.offset = 0;
        change(&mut other);
        other.address()
    }

    /// With the status taken in, or left out where it was in.
    pub(super) fn toggled(&self, status: Status) -> String {
        self.with(|ask| {
            if ask.statuses.contains(&status) {
                ask.statuses.retain(|it| *it != status);
            } else {
                ask.statuses.push(status);
            }
        })
    }

    /// True when dormant groups are left out of the table.
    pub(super) fn folds_dormant(&self) -> bool {
        !self.dormant && !self.statuses.contains(&Status::Dormant)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_comes_back_as_it_was_written() {
        let ask = Ask {
            cluster: Some("a&b=\u{fc}".into()),
            statuses: vec![Status::Stalled, Status::Lost],
            text: "x +%/#".into(),
            sort: Sort::LagRecords,
            offset: 200,
            limit: 50,
            dormant: true,
        };
        let address = ask.address();
        assert_eq!(Ask::parse(&address[1..]).ok(), Some(ask));
        assert_eq!(Ask::default().address(), "./");
        assert_eq!(Ask::parse("").ok(), Some(Ask::default()));
    }

    #[test]
    fn a_form_sent_without_a_script_is_understood() {
        let ask = Ask::parse("q=&cluster=&status=stalled&sort=status").expect("readable");
        assert_eq!(
            ask,
            Ask {
                statuses: vec![Status::Stalled],
                ..Ask::default()
            }
        );
    }

    #[test]
    fn what_is_not_understood_is_refused() {
        for (raw, message) in [
            ("nope=1", "this address cannot be read: there is nothing called nope"),
            ("after=x", "this address cannot be read: there is nothing called after"),
            ("offset=x", "this address cannot be read: offset is to be a number"),
        ] {
            assert_eq!(
                Ask::parse(raw).map_err(|problem| problem.to_string()),
                Err(message.to_owned())
            );
        }
    }

    #[test]
    fn a_status_is_toggled_and_the_list_begins_anew() {
        let ask = Ask {
            statuses: vec![Status::Stalled],
            offset: 100,
            ..Ask::default()
        };
        assert_eq!(ask.toggled(Status::Stalled), "./");
        assert_eq!(ask.toggled(Status::Lost), "?status=stalled&status=lost");
    }
}
