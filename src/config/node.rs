//! A walk over the merged tree. A [`Node`] knows where it stands, a [`Section`] which of its keys were asked for, and both put what is
//! wrong into one [`Report`], so that a single walk finds everything.

use std::cell::RefCell;

use config::Map;
use config::Value;
use config::ValueKind;

use super::problem::Problem;
use super::problem::nearest;

/// What a walk has found so far.
#[derive(Debug, Default)]
pub(super) struct Report {
    problems: RefCell<Vec<Problem>>,
    warnings: RefCell<Vec<Problem>>,
}

impl Report {
    /// Notes something that is wrong.
    pub(super) fn problem(&self, key: impl Into<String>, origin: Option<String>, what: impl Into<String>) {
        self.problems.borrow_mut().push(Problem {
            key: key.into(),
            origin,
            what: what.into(),
        });
    }

    /// Notes something that is allowed but hardly meant.
    pub(super) fn warning(&self, key: impl Into<String>, what: impl Into<String>) {
        self.warnings.borrow_mut().push(Problem {
            key: key.into(),
            origin: None,
            what: what.into(),
        });
    }

    /// Problems and warnings, in the order they were found.
    pub(super) fn into_parts(self) -> (Vec<Problem>, Vec<Problem>) {
        (self.problems.into_inner(), self.warnings.into_inner())
    }
}

/// One value and where it stands.
#[derive(Clone, Debug)]
pub(super) struct Node<'a> {
    report: &'a Report,
    path: String,
    value: &'a Value,
}

impl<'a> Node<'a> {
    /// The top of a tree.
    pub(super) fn root(value: &'a Value, report: &'a Report) -> Self {
        Self {
            report,
            path: String::new(),
            value,
        }
    }

    /// The value as it was merged.
    pub(super) fn kind(&self) -> &'a ValueKind {
        &self.value.kind
    }

    /// True when the environment or a flag said it: then it is text, whatever the schema wants.
    pub(super) fn is_from_outside(&self) -> bool {
        self.value.origin().is_some()
    }

    /// Notes that the value is not what it must be.
    pub(super) fn refuse<T>(&self, what: impl Into<String>) -> Option<T> {
        let what = match self.kind() {
            ValueKind::Nil => format!("has no value; {}", what.into()),
            _ => what.into(),
        };
        let origin = self.value.origin().map(str::to_owned);
        self.report.problem(self.path.clone(), origin, what);
        None
    }

    /// Another tree in the place of the value: that of a file which it names.
    pub(super) fn within<'b>(&self, tree: &'b Value) -> Node<'b>
    where
        'a: 'b,
    {
        Node {
            report: self.report,
            path: self.path.clone(),
            value: tree,
        }
    }

    /// The keys of a section that takes any, sorted, with what stands there; refused when it is no section.
    pub(super) fn entries(&self) -> Option<Vec<(String, Self)>> {
        let section = self.section()?;
        let mut entries: Vec<_> = section.table.iter().collect();
        entries.sort_by_key(|(key, _)| *key);
        let at = |(key, value): (&String, &'a Value)| {
            let node = Self {
                report: self.report,
                path: section.path_of(key),
                value,
            };
            (key.clone(), node)
        };
        Some(entries.into_iter().map(at).collect())
    }

    /// Its keys; refused when it is no section.
    pub(super) fn section(&self) -> Option<Section<'a>> {
        let ValueKind::Table(table) = self.kind() else {
            return match self.is_from_outside() {
                true => self.refuse("must be a section: each of its keys is a variable of its own"),
                false => self.refuse("must be a section of keys, `{}` for every default"),
            };
        };
        Some(Section {
            report: self.report,
            path: self.path.clone(),
            table,
            known: Vec::new(),
        })
    }

    /// Its elements; refused when it is no list.
    pub(super) fn list(&self) -> Option<Vec<Self>> {
        match self.kind() {
            ValueKind::Array(elements) => Some(self.elements(elements)),
            ValueKind::String(text) if self.is_from_outside() && text.is_empty() => Some(Vec::new()),
            _ => self.refuse("must be a list"),
        }
    }

    /// The same for a list that must not be empty.
    pub(super) fn filled_list(&self) -> Option<Vec<Self>> {
        let elements = self.list()?;
        if elements.is_empty() {
            return self.refuse("must not be empty");
        }
        Some(elements)
    }

    /// Nodes for the elements of a list that stands here.
    pub(super) fn elements(&self, elements: &'a [Value]) -> Vec<Self> {
        let at = |(index, value)| Self {
            report: self.report,
            path: format!("{}[{index}]", self.path),
            value,
        };
        elements.iter().enumerate().map(at).collect()
    }
}

/// The keys of a section. Every key that is asked for is known from then on; [`Section::end`] refuses the rest.
#[derive(Debug)]
pub(super) struct Section<'a> {
    report: &'a Report,
    path: String,
    table: &'a Map<String, Value>,
    known: Vec<&'static str>,
}

impl<'a> Section<'a> {
    /// Reads a key that may be absent. Absent too when it was refused.
    pub(super) fn optional<T>(&mut self, key: &'static str, read: impl FnOnce(&Node<'a>) -> Option<T>) -> Option<T> {
        self.known.push(key);
        let value = self.table.get(key)?;
        read(&Node {
            report: self.report,
            path: self.path_of(key),
            value,
        })
    }

    /// Reads a key that must be there; `what` says what belongs there.
    pub(super) fn required<T>(
        &mut self,
        key: &'static str,
        what: &str,
        read: impl FnOnce(&Node<'a>) -> Option<T>,
    ) -> Option<T> {
        if !self.has(key) {
            self.refuse(key, format!("missing: {what}"));
        }
        self.optional(key, read)
    }

    /// Reads a key, or takes the default.
    pub(super) fn or<T>(&mut self, key: &'static str, default: T, read: impl FnOnce(&Node<'a>) -> Option<T>) -> T {
        self.optional(key, read).unwrap_or(default)
    }

    /// True when the key is given, whether rightly or not.
    pub(super) fn has(&self, key: &str) -> bool {
        self.table.contains_key(key)
    }

    /// Notes a problem with one of its keys.
    pub(super) fn refuse(&self, key: &str, what: impl Into<String>) {
        let origin = self.table.get(key).and_then(Value::origin).map(str::to_owned);
        self.report.problem(self.path_of(key), origin, what);
    }

    /// Notes that one of its keys is hardly meant so.
    pub(super) fn warn(&self, key: &str, what: impl Into<String>) {
        self.report.warning(self.path_of(key), what);
    }

    /// Refuses the keys nobody asked for.
    pub(super) fn end(self) {
        let mut unknown: Vec<_> = self
            .table
            .keys()
            .filter(|key| !self.known.contains(&key.as_str()))
            .collect();
        unknown.sort();
        for key in unknown {
            let what = match nearest(&key.to_lowercase(), &self.known) {
                Some(meant) => format!("unknown key; did you mean `{meant}`?"),
                None => format!("unknown key; known here: {}", self.known.join(", ")),
            };
            self.refuse(key, what);
        }
    }

    /// A key that is no plain word is shown in quotes, its control characters escaped.
    fn path_of(&self, key: &str) -> String {
        let plain = !key.is_empty() && key.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '-');
        let key = if plain { key.to_owned() } else { format!("{key:?}") };
        match self.path.as_str() {
            "" => key,
            path => format!("{path}.{key}"),
        }
    }
}
