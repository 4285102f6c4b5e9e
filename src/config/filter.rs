//! Regular expressions over whole names.

use regex::Regex;
use regex::RegexSet;
use regex::RegexSetBuilder;

use crate::model::Text;

/// What makes an expression one for a whole name.
const BEFORE: &str = r"\A(?:";
const AFTER: &str = r")\z";

/// Expressions, each for a whole name, line breaks included.
#[derive(Clone, Debug)]
pub struct Patterns(RegexSet);

impl Patterns {
    /// Compiles the expressions.
    ///
    /// # Errors
    ///
    /// When one of them is no regular expression.
    pub fn new<I: IntoIterator<Item = S>, S: AsRef<str>>(expressions: I) -> Result<Self, regex::Error> {
        let mut whole = Vec::new();
        for expression in expressions {
            // Alone first: `a)|(?:b` would be one once it is wrapped, and no longer for the whole name.
            Regex::new(expression.as_ref())?;
            whole.push(format!("{BEFORE}{}{AFTER}", expression.as_ref()));
        }
        // `.` takes a line break too: a name with one in it must not slip through `.*`.
        Ok(Self(RegexSetBuilder::new(whole).dot_matches_new_line(true).build()?))
    }

    /// The expressions as they were given.
    pub fn expressions(&self) -> impl Iterator<Item = &str> {
        let bare = |whole: &'_ String| BEFORE.len()..whole.len() - AFTER.len();
        self.0.patterns().iter().map(move |whole| &whole[bare(whole)])
    }

    /// Expressions that match nothing.
    pub fn none() -> Self {
        Self(RegexSet::empty())
    }

    /// True when one of them matches the whole name. A name that is not UTF-8 is matched as it is shown, with `\xNN`.
    pub fn matches(&self, name: &[u8]) -> bool {
        match std::str::from_utf8(name) {
            Ok(text) => self.0.is_match(text),
            Err(_) => self.0.is_match(&Text::from(name).to_string()),
        }
    }

    /// True when there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl PartialEq for Patterns {
    fn eq(&self, other: &Self) -> bool {
        self.0.patterns() == other.0.patterns()
    }
}

impl Eq for Patterns {}

/// What is included and not excluded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Filter {
    include: Patterns,
    exclude: Patterns,
}

impl Filter {
    /// A filter of two sets of expressions.
    pub fn new(include: Patterns, exclude: Patterns) -> Self {
        Self { include, exclude }
    }

    /// What is included.
    pub fn include(&self) -> &Patterns {
        &self.include
    }

    /// What is left out of that.
    pub fn exclude(&self) -> &Patterns {
        &self.exclude
    }

    /// True when the name is included and not excluded.
    pub fn lets_through(&self, name: &[u8]) -> bool {
        self.include.matches(name) && !self.exclude.matches(name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_expression_matches_the_whole_name_or_not_at_all() {
        let patterns = Patterns::new(["a|b", "team-.*"]).expect("valid");
        assert!(patterns.matches(b"a") && patterns.matches(b"team-x\ny"));
        assert!(!patterns.matches(b"ab") && !patterns.matches(b"my-team-x"));
        assert!(!Patterns::none().matches(b""));
    }

    #[test]
    fn what_is_excluded_is_out_though_it_is_included() {
        let filter = Filter::new(
            Patterns::new([".*"]).expect("valid"),
            Patterns::new(["x.*"]).expect("valid"),
        );
        assert!(filter.lets_through(b"a\xff") && !filter.lets_through(b"xy"));
    }
}
