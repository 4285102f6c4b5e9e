//! Queries of the list of groups.

use std::borrow::Cow;

use percent_encoding::percent_decode_str;

use crate::model::Status;
use crate::report::Query;
use crate::report::Sort;

/// What is wrong with a query.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum QueryError {
    #[error("no such parameter: {0}; there are status, q, sort, limit, offset, after")]
    Unknown(String),
    #[error("no such status: {0}; there are {list}", list = words(Status::ALL.map(Status::as_str)))]
    Status(String),
    #[error("no such order: {0}; there are {list}", list = words(Sort::ALL.map(Sort::as_str)))]
    Sort(String),
    #[error("{0} is to be a number")]
    Number(&'static str),
    #[error("after goes with sort=group only")]
    After,
}

fn words<const N: usize>(words: [&'static str; N]) -> String {
    words.join(", ")
}

/// One parameter, decoded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Pair {
    pub(super) key: String,
    pub(super) value: String,
}

/// Reads the part of an address after its question mark.
pub(super) fn parse(raw: &str) -> Result<Query, QueryError> {
    read(pairs(raw))
}

/// The parameters in the order of the address.
pub(super) fn pairs(raw: &str) -> impl Iterator<Item = Pair> {
    raw.split('&').filter(|pair| !pair.is_empty()).map(|pair| {
        let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
        Pair {
            key: decode(key),
            value: decode(value),
        }
    })
}

/// Reads the parameters of a list.
pub(super) fn read(pairs: impl IntoIterator<Item = Pair>) -> Result<Query, QueryError> {
    let mut query = Query::default();
    for Pair { key, value } in pairs {
        match &*key {
            "status" => {
                for word in value.split(',').filter(|word| !word.is_empty()) {
                    query.statuses.push(status(word)?);
                }
            }
            "q" => query.text = value,
            "sort" => query.sort = sort(&value)?,
            "after" => query.after = Some(value),
            "limit" => query.limit = Some(value.parse().map_err(|_| QueryError::Number("limit"))?),
            "offset" => query.offset = value.parse().map_err(|_| QueryError::Number("offset"))?,
            _ => return Err(QueryError::Unknown(key)),
        }
    }
    if query.after.is_some() && query.sort != Sort::Group {
        return Err(QueryError::After);
    }
    Ok(query)
}

/// As forms are encoded: `+` is a blank.
fn decode(raw: &str) -> String {
    let blanks: Cow<'_, str> = if raw.contains('+') {
        raw.replace('+', " ").into()
    } else {
        raw.into()
    };
    percent_decode_str(&blanks).decode_utf8_lossy().into_owned()
}

fn status(word: &str) -> Result<Status, QueryError> {
    let found = Status::ALL.into_iter().find(|status| status.as_str() == word);
    found.ok_or_else(|| QueryError::Status(word.to_owned()))
}

fn sort(word: &str) -> Result<Sort, QueryError> {
    let found = Sort::ALL.into_iter().find(|sort| sort.as_str() == word);
    found.ok_or_else(|| QueryError::Sort(word.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_parameter_is_read() {
        let query = parse("status=stalled,lost&status=ok&q=a%26b+c&sort=lag_records&limit=10&offset=20");
        let expected = Query {
            statuses: vec![Status::Stalled, Status::Lost, Status::Ok],
            text: "a&b c".into(),
            sort: Sort::LagRecords,
            after: None,
            offset: 20,
            limit: Some(10),
        };
        assert_eq!(query, Ok(expected));
        assert_eq!(parse("after=%2Fz").map(|query| query.after), Ok(Some("/z".into())));
        assert_eq!(parse(""), Ok(Query::default()));
    }

    #[test]
    fn what_is_not_understood_is_refused_and_never_ignored() {
        for (raw, message) in [
            (
                "limits=1",
                "no such parameter: limits; there are status, q, sort, limit, offset, after",
            ),
            ("limit=-1", "limit is to be a number"),
            ("offset=x", "offset is to be a number"),
            (
                "sort=lag",
                "no such order: lag; there are group, status, lag_records, lag_seconds, members",
            ),
            ("sort=status&after=a", "after goes with sort=group only"),
        ] {
            assert_eq!(parse(raw).map_err(|error| error.to_string()), Err(message.to_owned()));
        }
        let error = parse("status=bad").map_err(|error| error.to_string());
        assert!(error.is_err_and(|message| message.starts_with("no such status: bad; there are stalled, stopped, ")));
    }
}
