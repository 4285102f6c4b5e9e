//! A secret in memory: no log, error or debug print shows it.

use std::fmt;

/// A password or token.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// Wraps it.
    pub fn new(secret: String) -> Self {
        Self(secret)
    }

    /// The secret itself, for the one place that sends it.
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// The text with the secret struck out, for what somebody else says who has been told it.
    pub fn struck_from(&self, text: &str) -> String {
        match self.0.as_str() {
            "" => text.to_owned(),
            secret => text.replace(secret, "***"),
        }
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("***")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_somebody_repeats_is_struck_out() {
        let secret = Secret::new("hunter2".to_owned());
        assert_eq!(secret.struck_from("no hunter2 here"), "no *** here");
        assert_eq!(Secret::new(String::new()).struck_from("as it is"), "as it is");
    }
}
