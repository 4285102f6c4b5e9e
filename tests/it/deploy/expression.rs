//! Names and labels in PromQL: no parser, but enough of a reader to find every one of them.

use std::collections::BTreeMap;
use std::collections::BTreeSet;

/// What an expression names.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Named {
    /// Metrics, each with the labels that are matched on it.
    pub(super) metrics: BTreeMap<String, BTreeSet<String>>,
    /// Labels of `by`, `on` and the like.
    pub(super) labels: BTreeSet<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Token {
    Word(String),
    Symbol(char),
}

/// Words with a list of labels behind them.
const LISTS: [&str; 6] = ["by", "without", "on", "ignoring", "group_left", "group_right"];
/// Words that are neither metrics nor functions.
const WORDS: [&str; 8] = ["and", "or", "unless", "bool", "offset", "Inf", "NaN", "atan2"];

/// Everything that is named.
pub(super) fn named(expression: &str) -> Named {
    let tokens = tokens(expression);
    let mut found = Named::default();
    let mut at = 0;
    while at < tokens.len() {
        let next = tokens.get(at + 1);
        match &tokens[at] {
            Token::Word(word) if LISTS.contains(&word.as_str()) && next == Some(&Token::Symbol('(')) => {
                let list = until(&tokens[at + 2..], ')');
                found.labels.extend(words(list));
                at += 2 + list.len();
            }
            // An aggregation whose labels stand before what it aggregates.
            Token::Word(_) if matches!(next, Some(Token::Word(list)) if list == "by" || list == "without") => {}
            Token::Word(word) if !WORDS.contains(&word.as_str()) && next != Some(&Token::Symbol('(')) => {
                let labels = found.metrics.entry(word.clone()).or_default();
                if next == Some(&Token::Symbol('{')) {
                    let list = until(&tokens[at + 2..], '}');
                    labels.extend(words(list));
                    at += 2 + list.len();
                }
            }
            _ => {}
        }
        at += 1;
    }
    found
}

fn until(tokens: &[Token], end: char) -> &[Token] {
    let length = tokens.iter().position(|token| *token == Token::Symbol(end));
    &tokens[..length.unwrap_or(tokens.len())]
}

fn words(tokens: &[Token]) -> impl Iterator<Item = String> {
    tokens.iter().filter_map(|token| match token {
        Token::Word(word) => Some(word.clone()),
        Token::Symbol(_) => None,
    })
}

/// Without strings, numbers, durations and the variables of Grafana.
fn tokens(expression: &str) -> Vec<Token> {
    let mut rest = expression;
    let mut found = Vec::new();
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == ':';
    while let Some(first) = rest.chars().next() {
        let word = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
        let mut length = first.len_utf8();
        match first {
            '"' | '\'' | '`' => length = string(rest, first),
            '$' => length += rest[1..].find(|c| !is_word(c)).unwrap_or(rest.len() - 1),
            '0'..='9' => length = word,
            // The range of a selector: durations, and the colon of a subquery.
            '[' => length = rest.find(']').map_or(rest.len(), |end| end + 1),
            c if is_word(c) => {
                length = word;
                found.push(Token::Word(rest[..word].to_owned()));
            }
            c if !c.is_whitespace() => found.push(Token::Symbol(c)),
            _ => {}
        }
        rest = &rest[length..];
    }
    found
}

fn string(text: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        if c == quote && !escaped {
            return at + 1;
        }
        escaped = c == '\\' && !escaped && quote != '`';
    }
    text.len()
}

mod tests {
    use super::*;

    #[test]
    fn metrics_matchers_and_lists_of_labels_are_found_and_nothing_else() {
        let found = named(
            r#"topk by (c) (1, max by (c, group) (rate(a_total{c=~"$x", group!="b{c}"}[5m] offset 1h))) > on (c) group_left (team) 0.8 * (x:y:rate5m or vector(0)) unless up"#,
        );
        let set = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<BTreeSet<_>>();
        let metrics = [
            ("a_total", set(&["c", "group"])),
            ("x:y:rate5m", set(&[])),
            ("up", set(&[])),
        ];
        assert_eq!(
            found.metrics,
            metrics.map(|(name, labels)| (name.to_owned(), labels)).into()
        );
        assert_eq!(found.labels, set(&["c", "group", "team"]));
    }
}
