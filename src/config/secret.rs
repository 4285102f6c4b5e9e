//! Secrets: no log, error or debug print shows one.

use std::fmt;
use std::io;
use std::path::PathBuf;

use thiserror::Error;

use super::files;

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
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("***")
    }
}

/// Where a password comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PasswordSource {
    /// It stands in the configuration.
    Inline(Secret),
    /// It is the content of a file, without the line break at its end; read anew whenever it is needed, so that it can be changed.
    File(PathBuf),
}

impl PasswordSource {
    /// The password as of now.
    ///
    /// # Errors
    ///
    /// When the file cannot be read, is empty or is no text.
    pub fn read(&self) -> Result<Secret, SecretError> {
        let path = match self {
            Self::Inline(secret) => return Ok(secret.clone()),
            Self::File(path) => path,
        };
        let bytes = files::content(path).map_err(|source| SecretError::Unreadable {
            file: path.clone(),
            source,
        })?;
        let mut text = String::from_utf8(bytes).map_err(|_| SecretError::NotText { file: path.clone() })?;
        if text.ends_with('\n') {
            text.pop();
            if text.ends_with('\r') {
                text.pop();
            }
        }
        match text.as_str() {
            "" => Err(SecretError::Empty { file: path.clone() }),
            held if held.contains('\0') => Err(SecretError::NotText { file: path.clone() }),
            _ => Ok(Secret(text)),
        }
    }
}

/// Why a file holds no secret. Says nothing of what it holds.
#[derive(Debug, Error)]
pub enum SecretError {
    /// It cannot be read.
    #[error("cannot read {}", file.display())]
    Unreadable {
        /// Which file.
        file: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// Nothing stands in it.
    #[error("{} is empty", file.display())]
    Empty {
        /// Which file.
        file: PathBuf,
    },
    /// It is not UTF-8, or holds a NUL.
    #[error("{} is no text", file.display())]
    NotText {
        /// Which file.
        file: PathBuf,
    },
}

impl SecretError {
    /// What would be right, for the report on a configuration.
    pub(super) fn problem(&self) -> String {
        match self {
            Self::Unreadable { source, .. } => files::cannot_be_read(source),
            Self::Empty { .. } => "must be a file that is not empty".to_owned(),
            Self::NotText { .. } => "must be a file of UTF-8 text".to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn held(content: &[u8]) -> Result<String, String> {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("secret");
        std::fs::write(&path, content).unwrap();
        let read = PasswordSource::File(path).read();
        read.map(|secret| secret.expose().to_owned())
            .map_err(|error| error.problem())
    }

    #[test]
    fn one_line_break_at_the_end_is_no_part_of_a_secret_and_all_else_is() {
        assert_eq!(held(b"hunter2\n").as_deref(), Ok("hunter2"));
        assert_eq!(held(b"hunter2\r\n").as_deref(), Ok("hunter2"));
        assert_eq!(held(b" two words \n\n").as_deref(), Ok(" two words \n"));
        assert_eq!(held("pässword".as_bytes()).as_deref(), Ok("pässword"));
    }

    #[test]
    fn a_file_that_holds_no_secret_is_refused() {
        assert_eq!(held(b"\n"), Err("must be a file that is not empty".to_owned()));
        assert_eq!(held(b""), Err("must be a file that is not empty".to_owned()));
        assert_eq!(held(b"a\xff"), Err("must be a file of UTF-8 text".to_owned()));
        assert_eq!(held(b"a\0b"), Err("must be a file of UTF-8 text".to_owned()));
    }

    #[test]
    fn a_file_that_never_ends_is_refused() {
        let endless = PasswordSource::File("/dev/zero".into()).read();
        let problem = endless.map_err(|error| error.problem()).unwrap_err();
        assert_eq!(problem, "must be a file that can be read: larger than 16 MiB");
    }

    #[test]
    fn a_file_that_changes_is_read_anew() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("secret");
        std::fs::write(&path, "old").unwrap();
        let source = PasswordSource::File(path.clone());
        assert_eq!(source.read().unwrap().expose(), "old");
        std::fs::write(&path, "new").unwrap();
        assert_eq!(source.read().unwrap().expose(), "new");
        std::fs::remove_file(&path).unwrap();
        assert!(matches!(source.read(), Err(SecretError::Unreadable { .. })));
    }

    #[test]
    fn no_debug_print_shows_a_secret() {
        let inline = PasswordSource::Inline(Secret::new("hunter2".to_owned()));
        assert_eq!(format!("{inline:?}"), "Inline(***)");
    }
}
