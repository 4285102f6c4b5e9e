//! A reader of the text format that forgives nothing.

use std::collections::BTreeMap;
use std::collections::BTreeSet;
use std::collections::HashMap;

pub(super) type Labels = BTreeMap<String, String>;

/// One answer, by name and labels.
pub(super) struct Scraped {
    pub(super) samples: HashMap<(String, Labels), String>,
}

impl Scraped {
    pub(super) fn parse(text: &str) -> Self {
        assert!(text.is_empty() || text.ends_with('\n'), "the last line has no end");
        let (mut samples, mut done, mut family) = (HashMap::new(), BTreeSet::new(), None::<(String, String)>);
        let mut help = None;
        for line in text.split_terminator('\n') {
            if let Some(rest) = line.strip_prefix("# HELP ") {
                let (name, said) = rest.split_once(' ').expect("a name and words");
                assert!(!said.is_empty(), "{line}");
                help = Some(name.to_owned());
            } else if let Some(rest) = line.strip_prefix("# TYPE ") {
                let (name, kind) = rest.split_once(' ').expect("a name and a type");
                assert_eq!(help.take().as_deref(), Some(name), "HELP comes right before TYPE");
                assert!(done.insert(name.to_owned()), "{name} comes twice");
                family = Some((name.to_owned(), kind.to_owned()));
            } else {
                let (name, labels, value) = sample(line);
                let (current, kind) = family.as_ref().expect("samples follow a TYPE");
                assert_eq!(&name, current, "samples are together");
                assert_eq!(kind == "counter", name.ends_with("_total"), "{line}");
                check(&name, &value, line);
                assert!(samples.insert((name, labels), value).is_none(), "twice: {line}");
            }
        }
        Self { samples }
    }

    /// Values of every series of the name that has the labels.
    pub(super) fn all(&self, name: &str, labels: &[(&str, &str)]) -> Vec<&str> {
        let has = |found: &Labels| {
            labels
                .iter()
                .all(|(label, value)| found.get(*label).is_some_and(|v| v == value))
        };
        let found = self.samples.iter().filter(|((n, found), _)| n == name && has(found));
        found.map(|(_, value)| value.as_str()).collect()
    }

    pub(super) fn value(&self, name: &str, labels: &[(&str, &str)]) -> Option<&str> {
        let found = self.all(name, labels);
        assert!(found.len() < 2, "more than one {name} {labels:?}");
        found.first().copied()
    }

    pub(super) fn count(&self, name: &str) -> usize {
        self.samples.keys().filter(|(n, _)| n == name).count()
    }

    pub(super) fn families_with(&self, label: &str, value: &str) -> BTreeSet<&str> {
        let has = |labels: &Labels| labels.get(label).is_some_and(|v| v == value);
        self.samples
            .keys()
            .filter(|(_, labels)| has(labels))
            .map(|(name, _)| name.as_str())
            .collect()
    }
}

/// Digits, with a fraction only where the unit has one.
fn check(name: &str, value: &str, line: &str) {
    let (whole, fraction) = value
        .split_once('.')
        .map_or((value, None), |(whole, rest)| (whole, Some(rest)));
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    assert!(
        digits(whole) && fraction.is_none_or(digits),
        "not a plain number: {line}"
    );
    let fractional = name.ends_with("_seconds") || name.ends_with("_ratio");
    assert!(fraction.is_none() || fractional, "not an integer: {line}");
}

fn is_name(text: &str) -> bool {
    let mut bytes = text.bytes();
    let letter = |byte: u8| byte.is_ascii_alphabetic() || byte == b'_';
    bytes.next().is_some_and(letter) && bytes.all(|byte| letter(byte) || byte.is_ascii_digit())
}

fn sample(line: &str) -> (String, Labels, String) {
    let (name, rest) = line.split_at(line.find(['{', ' ']).expect("labels or a value"));
    assert!(is_name(name), "{line}");
    let (labels, rest) = rest
        .strip_prefix('{')
        .map_or((Labels::new(), rest), |rest| labels(rest, line));
    let value = rest.strip_prefix(' ').expect("one space");
    (name.to_owned(), labels, value.to_owned())
}

fn labels<'a>(mut rest: &'a str, line: &str) -> (Labels, &'a str) {
    let mut labels = Labels::new();
    loop {
        let (name, after) = rest.split_once("=\"").expect("a label");
        assert!(is_name(name), "{line}");
        let (value, after) = value(after);
        assert!(labels.insert(name.to_owned(), value).is_none(), "a label twice: {line}");
        if let Some(end) = after.strip_prefix('}') {
            return (labels, end);
        }
        rest = after.strip_prefix(',').expect("a comma or the end");
    }
}

fn value(text: &str) -> (String, &str) {
    let (mut out, mut letters) = (String::new(), text.char_indices());
    while let Some((at, letter)) = letters.next() {
        match letter {
            '"' => return (out, &text[at + 1..]),
            '\\' => out.push(match letters.next() {
                Some((_, 'n')) => '\n',
                Some((_, letter @ ('"' | '\\'))) => letter,
                other => panic!("no escape of the format: {other:?}"),
            }),
            letter => out.push(letter),
        }
    }
    panic!("a label value without an end")
}
