//! What proves who we are and whom we trust: passwords, tokens, keys, certificates. It stands in the configuration or in a file; a file is read
//! anew whenever it is needed, so that it can be replaced without a restart.

use std::io;
use std::path::Path;
use std::path::PathBuf;

use thiserror::Error;

use super::Secret;
use super::files;

/// One of them, and the setting that names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Material {
    /// The setting as a person knows it, `sasl.password_file`; for messages.
    pub setting: &'static str,
    /// Where it is.
    pub place: Place,
}

/// Where material is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// It stands in the configuration.
    Inline(Secret),
    /// It is the content of a file.
    File(PathBuf),
}

impl Material {
    /// It stands in the configuration.
    pub fn inline(setting: &'static str, text: impl Into<String>) -> Self {
        Self {
            setting,
            place: Place::Inline(Secret::new(text.into())),
        }
    }

    /// It is the content of a file.
    pub fn file(setting: &'static str, path: impl Into<PathBuf>) -> Self {
        Self {
            setting,
            place: Place::File(path.into()),
        }
    }

    /// Its file; `None` when it stands in the configuration.
    pub fn path(&self) -> Option<&Path> {
        match &self.place {
            Place::Inline(_) => None,
            Place::File(path) => Some(path),
        }
    }

    /// All of it, as of now.
    ///
    /// # Errors
    ///
    /// When the file cannot be read.
    pub fn bytes(&self) -> Result<Vec<u8>, MaterialError> {
        match &self.place {
            Place::Inline(secret) => Ok(secret.expose().as_bytes().to_vec()),
            Place::File(path) => files::content(path).map_err(|source| {
                self.error(Fault::Unreadable {
                    file: path.clone(),
                    source,
                })
            }),
        }
    }

    /// The secret that it is, as of now: without the line break at the end of its file.
    ///
    /// # Errors
    ///
    /// When the file cannot be read, is empty or is no text.
    pub fn secret(&self) -> Result<Secret, MaterialError> {
        let path = match &self.place {
            Place::Inline(secret) => return Ok(secret.clone()),
            Place::File(path) => path,
        };
        let not_text = || self.error(Fault::NotText { file: path.clone() });
        let mut text = String::from_utf8(self.bytes()?).map_err(|_| not_text())?;
        if text.ends_with('\n') {
            text.pop();
            if text.ends_with('\r') {
                text.pop();
            }
        }
        match text.as_str() {
            "" => Err(self.error(Fault::Empty { file: path.clone() })),
            held if held.contains('\0') => Err(not_text()),
            _ => Ok(Secret::new(text)),
        }
    }

    fn error(&self, fault: Fault) -> MaterialError {
        MaterialError {
            setting: self.setting,
            fault,
        }
    }
}

/// Why material cannot be had. Says nothing of what it holds.
#[derive(Debug, Error)]
#[error("{setting}: {fault}")]
pub struct MaterialError {
    /// The setting.
    pub setting: &'static str,
    /// What is wrong with the file.
    pub fault: Fault,
}

/// What is wrong with a file.
#[derive(Debug, Error)]
pub enum Fault {
    /// It cannot be read.
    #[error("cannot read {}: {source}", file.display())]
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

impl MaterialError {
    /// What would be right, for the report on a configuration.
    pub(super) fn problem(&self) -> String {
        match &self.fault {
            Fault::Unreadable { source, .. } => files::cannot_be_read(source),
            Fault::Empty { .. } => "must be a file that is not empty".to_owned(),
            Fault::NotText { .. } => "must be a file of UTF-8 text".to_owned(),
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
        let read = Material::file("key", path).secret();
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
        let endless = Material::file("key", "/dev/zero").secret();
        let problem = endless.map_err(|error| error.problem()).unwrap_err();
        assert_eq!(problem, "must be a file that can be read: larger than 16 MiB");
    }

    #[test]
    fn a_file_that_changes_is_read_anew() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("secret");
        std::fs::write(&path, "old").unwrap();
        let material = Material::file("sasl.password_file", path.clone());
        assert_eq!(material.secret().unwrap().expose(), "old");
        std::fs::write(&path, "new").unwrap();
        assert_eq!(material.secret().unwrap().expose(), "new");
        std::fs::remove_file(&path).unwrap();
        let told = material.secret().unwrap_err().to_string();
        assert!(told.starts_with("sasl.password_file: cannot read "), "{told}");
    }

    #[test]
    fn no_debug_print_shows_a_secret() {
        let told = format!("{:?}", Material::inline("sasl.password", "hunter2"));
        assert!(told.contains("Inline(***)") && !told.contains("hunter2"), "{told}");
    }
}
