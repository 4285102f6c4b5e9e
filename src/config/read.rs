//! Readers of single values: what is given must be right as it stands, nothing is guessed. What the environment says is text and is read as
//! what the schema wants.

use std::fmt::Display;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use config::ValueKind;

use super::Patterns;
use super::duration::parse_duration;
use super::duration::show_duration;
use super::node::Node;

/// Text that is not empty.
pub(super) fn text(node: &Node<'_>) -> Option<String> {
    match node.kind() {
        ValueKind::String(text) if text.is_empty() => node.refuse("must not be empty"),
        ValueKind::String(text) => Some(text.clone()),
        ValueKind::Boolean(_) | ValueKind::I64(_) | ValueKind::I128(_) => node.refuse("must be text: put it in quotes"),
        ValueKind::U64(_) | ValueKind::U128(_) | ValueKind::Float(_) => node.refuse("must be text: put it in quotes"),
        ValueKind::Nil | ValueKind::Table(_) | ValueKind::Array(_) => node.refuse("must be text"),
    }
}

/// A path. Nothing is opened.
pub(super) fn path(node: &Node<'_>) -> Option<PathBuf> {
    text(node).map(PathBuf::from)
}

/// `true` or `false`.
pub(super) fn boolean(node: &Node<'_>) -> Option<bool> {
    match node.kind() {
        ValueKind::Boolean(value) => Some(*value),
        ValueKind::String(text) if node.is_from_outside() && text == "true" => Some(true),
        ValueKind::String(text) if node.is_from_outside() && text == "false" => Some(false),
        _ => node.refuse("must be true or false"),
    }
}

/// A whole number of `least` to `most`.
pub(super) fn number<T>(node: &Node<'_>, least: T, most: T) -> Option<T>
where
    T: TryFrom<i64> + FromStr + PartialOrd + Display + Copy,
{
    let number = match node.kind() {
        ValueKind::I64(number) => T::try_from(*number).ok(),
        ValueKind::String(text) if node.is_from_outside() => text.parse().ok(),
        _ => None,
    };
    match number {
        Some(number) if number >= least && number <= most => Some(number),
        _ => node.refuse(format!("must be a whole number from {least} to {most}")),
    }
}

/// A duration with its unit, above zero and up to `most`.
pub(super) fn duration(node: &Node<'_>, most: Duration) -> Option<Duration> {
    let ValueKind::String(text) = node.kind() else {
        return node.refuse("must be a duration with its unit, as in 15s");
    };
    match parse_duration(text) {
        None => node.refuse("must be a duration with its unit, as in 15s, 500ms or 1h 30m"),
        Some(Duration::ZERO) => node.refuse("must be longer than 0"),
        Some(duration) if duration > most => node.refuse(format!("must be at most {}", show_duration(most))),
        Some(duration) => Some(duration),
    }
}

/// An IP address and port to listen on.
pub(super) fn socket(node: &Node<'_>) -> Option<SocketAddr> {
    match text(node)?.parse() {
        Ok(address) => Some(address),
        Err(_) => node.refuse("must be an IP address and a port, as in 0.0.0.0:9640 or [::]:9640"),
    }
}

/// One of the given words.
pub(super) fn one_of<T: Copy>(node: &Node<'_>, words: &[(&str, T)]) -> Option<T> {
    let found = match node.kind() {
        ValueKind::String(text) => words.iter().find(|(word, _)| word == text),
        _ => None,
    };
    match found {
        Some((_, value)) => Some(*value),
        None => node.refuse(format!("must be {}", either(words.iter().map(|(word, _)| *word)))),
    }
}

/// `a`, `a or b`, `a, b or c`.
pub(super) fn either<'a>(words: impl IntoIterator<Item = &'a str>) -> String {
    let words: Vec<&str> = words.into_iter().collect();
    match words.as_slice() {
        [] => String::new(),
        [only] => (*only).to_owned(),
        [first @ .., last] => format!("{} or {last}", first.join(", ")),
    }
}

/// A list of texts: a list, one text alone, or what the environment separates by commas. Each comes with the node to complain at.
pub(super) fn texts<'a>(node: &Node<'a>) -> Option<Vec<(Node<'a>, String)>> {
    match node.kind() {
        ValueKind::String(text) if node.is_from_outside() => {
            let parts = text.split(',').map(str::trim).filter(|part| !part.is_empty());
            Some(parts.map(|part| (node.clone(), part.to_owned())).collect())
        }
        ValueKind::String(_) => Some(vec![(node.clone(), text(node)?)]),
        ValueKind::Array(elements) => {
            let read = node.elements(elements).into_iter().map(|element| {
                let text = text(&element)?;
                Some((element, text))
            });
            all(read)
        }
        _ => node.refuse("must be a list of texts"),
    }
}

/// Regular expressions for whole names; may be none.
pub(super) fn patterns(node: &Node<'_>) -> Option<Patterns> {
    let texts = texts(node)?;
    let checked = all(texts.iter().map(|(at, expression)| match Patterns::new([expression]) {
        Ok(_) => Some(expression),
        Err(error) => at.refuse(format!("must be regular expressions: {}", reason(&error))),
    }))?;
    match Patterns::new(checked) {
        Ok(patterns) => Some(patterns),
        Err(error) => node.refuse(format!("must be regular expressions: {}", reason(&error))),
    }
}

/// Regular expressions, at least one.
pub(super) fn some_patterns(node: &Node<'_>) -> Option<Patterns> {
    let patterns = patterns(node)?;
    if patterns.is_empty() {
        return node.refuse("must not be empty");
    }
    Some(patterns)
}

/// Everything when nothing was refused. All of it is read either way, so that every problem is found.
pub(super) fn all<T>(read: impl Iterator<Item = Option<T>>) -> Option<Vec<T>> {
    // Collecting straight into an `Option` would stop at the first one.
    read.collect::<Vec<_>>().into_iter().collect()
}

/// What is wrong with an expression, without the expression.
fn reason(error: &regex::Error) -> String {
    match error {
        regex::Error::CompiledTooBig(_) => "too large once compiled".to_owned(),
        // The last line of the report; those above it quote the expression.
        other => match other
            .to_string()
            .lines()
            .last()
            .and_then(|line| line.strip_prefix("error: "))
        {
            Some(reason) => reason.to_owned(),
            None => "it cannot be parsed".to_owned(),
        },
    }
}
