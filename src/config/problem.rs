//! What is wrong with a configuration: every problem at once, by key path, with what would be right, and never with a value.

use std::fmt;

use thiserror::Error;

/// One thing that is wrong, or only doubtful.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Where: `clusters[0].sasl.mechanism`; empty when it is about the file as a whole.
    pub key: String,
    /// The environment variable or flag that said it; absent when the file did, or nobody.
    pub origin: Option<String>,
    /// What would be right. Never holds a value of the configuration.
    pub what: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.key)?;
        match &self.origin {
            Some(origin) if self.key.is_empty() => write!(f, "{origin}: ")?,
            Some(origin) => write!(f, " (from {origin}): ")?,
            None if self.key.is_empty() => {}
            None => f.write_str(": ")?,
        }
        f.write_str(&self.what)
    }
}

/// Why there is no configuration: everything that is wrong with it.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub struct ConfigErrors {
    /// What was to be loaded: the file, or `--brokers`.
    pub of: String,
    /// At least one, in the order of the schema.
    pub problems: Vec<Problem>,
}

impl fmt::Display for ConfigErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.problems.as_slice() {
            [only] if only.key.is_empty() && only.origin.is_none() => write!(f, "{}: {only}", self.of),
            problems => {
                let plural = if problems.len() == 1 { "" } else { "s" };
                write!(f, "{}: {} problem{plural}", self.of, problems.len())?;
                problems.iter().try_for_each(|problem| write!(f, "\n  {problem}"))
            }
        }
    }
}

/// `missing` or `unknown` wants to name the known key that was probably meant: the nearest within a third of its length.
pub(super) fn nearest<'a>(key: &str, known: &[&'a str]) -> Option<&'a str> {
    known
        .iter()
        .map(|candidate| (strsim::damerau_levenshtein(key, candidate), *candidate))
        .filter(|(distance, candidate)| *distance <= candidate.len().div_ceil(3).min(3) && *distance < candidate.len())
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_of_the_finger_finds_the_key_and_nonsense_finds_none() {
        let known = ["listen", "log", "poll_interval", "password"];
        assert_eq!(nearest("listenn", &known), Some("listen"));
        assert_eq!(nearest("pol_intervall", &known), Some("poll_interval"));
        assert_eq!(nearest("pasword", &known), Some("password"));
        assert_eq!(nearest("?", &known), None);
        assert_eq!(nearest("flavour", &known), None);
    }
}
