//! Offset files: lines of `partition,offset` for one topic, or of `topic,partition,offset` as Kafka's own tool exports them. Nothing is
//! taken from a file with one bad line, and all bad lines are named at once.

use std::collections::HashMap;

use super::request::KeyOffset;
use crate::model::Offset;

#[cfg(test)]
mod tests;

/// The largest file that is read: a million lines or so.
pub const LIMIT: u64 = 64 << 20;

/// Which form a file has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form<'a> {
    /// `partition,offset`, all of this topic.
    OneTopic(&'a str),
    /// `topic,partition,offset`.
    Topics,
}

/// One bad line, counted from 1; 0 where it is the file as a whole.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {problem}")]
pub struct BadLine {
    /// Which line.
    pub line: u64,
    /// What is wrong with it.
    pub problem: String,
}

/// Reads a file's bytes.
///
/// # Errors
///
/// Every bad line.
pub fn parse(bytes: &[u8], form: Form<'_>) -> Result<Vec<KeyOffset>, Vec<BadLine>> {
    let (mut rows, mut bad) = (Vec::new(), Vec::new());
    let mut seen = HashMap::new();
    // Windows editors put a mark before the first line.
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    for (number, line) in (1..).zip(bytes.split(|byte| *byte == b'\n')) {
        let parsed = std::str::from_utf8(line)
            .map_err(|_| "not UTF-8".to_owned())
            .and_then(|text| one(text, form));
        match parsed {
            Ok(None) => {}
            Ok(Some(row)) => match seen.insert(row.key(), number) {
                None => rows.push(row),
                Some(first) => bad.push((number, format!("{} is on line {first} already", row.key()))),
            },
            Err(problem) => bad.push((number, problem)),
        }
    }
    if bad.is_empty() && rows.is_empty() {
        bad.push((1, "the file has no line with an offset".to_owned()));
    }
    if bad.is_empty() {
        return Ok(rows);
    }
    Err(bad
        .into_iter()
        .map(|(line, problem)| BadLine { line, problem })
        .collect())
}

/// One line; `None` for a blank one.
fn one(text: &str, form: Form<'_>) -> Result<Option<KeyOffset>, String> {
    let text = text.strip_suffix('\r').unwrap_or(text);
    if text.trim().is_empty() {
        return Ok(None);
    }
    let fields = fields(text)?;
    let fields: Vec<_> = fields.iter().map(String::as_str).collect();
    let (topic, partition, offset) = match (form, fields.as_slice()) {
        (Form::OneTopic(topic), [partition, offset]) => (topic, partition, offset),
        (Form::Topics, [topic, partition, offset]) => (*topic, partition, offset),
        (Form::OneTopic(topic), fields) => {
            return Err(format!(
                "{} fields, not \"partition,offset\" of topic {topic:?}",
                fields.len()
            ));
        }
        (Form::Topics, fields) => {
            return Err(format!("{} fields, not \"topic,partition,offset\"", fields.len()));
        }
    };
    if topic.is_empty() {
        return Err("the topic is empty".to_owned());
    }
    Ok(Some(KeyOffset {
        topic: topic.to_owned(),
        partition: partition_of(partition)?,
        offset: Some(offset_of(offset)?),
    }))
}

/// The fields of one line, bare or quoted. One line at a time, so that a quote that is never closed spoils no other line's number.
fn fields(text: &str) -> Result<Vec<String>, String> {
    if !text.matches('"').count().is_multiple_of(2) {
        return Err("a quote is not closed".to_owned());
    }
    let mut reader = csv::ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .trim(csv::Trim::All)
        .from_reader(text.as_bytes());
    let mut record = csv::StringRecord::new();
    match reader.read_record(&mut record) {
        Ok(true) => Ok(record.iter().map(str::to_owned).collect()),
        Ok(false) => Ok(Vec::new()),
        Err(error) => Err(error.to_string()),
    }
}

fn partition_of(text: &str) -> Result<i32, String> {
    let partition = digits(text).and_then(|digits| digits.parse().ok());
    partition.ok_or_else(|| format!("{text:?} is no partition"))
}

fn offset_of(text: &str) -> Result<Offset, String> {
    let raw = digits(text).and_then(|digits| digits.parse().ok());
    raw.and_then(Offset::new)
        .ok_or_else(|| format!("{text:?} is no offset"))
}

/// Nothing but digits: no sign, no space, no separator.
fn digits(text: &str) -> Option<&str> {
    (!text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())).then_some(text)
}

/// The lines that Kafka's own tool reads back: `topic,partition,offset`, fields quoted as Jackson's CSV does (longer than 24 characters,
/// or with a character that sorts before `-`), quotes doubled.
pub fn export(rows: impl IntoIterator<Item = (String, i32, Offset)>) -> String {
    rows.into_iter()
        .map(|(topic, partition, offset)| format!("{},{partition},{offset}\n", field(&topic)))
        .collect()
}

fn field(text: &str) -> String {
    let bare = text.chars().count() <= 24 && !text.is_empty() && text.chars().all(|letter| letter >= '-');
    if bare {
        text.to_owned()
    } else {
        format!("\"{}\"", text.replace('"', "\"\""))
    }
}
