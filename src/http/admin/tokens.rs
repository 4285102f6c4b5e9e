//! Tokens, each in a file of its own that is read again when it changes. A file that cannot be read, or is empty, lets nobody in. Tokens
//! are kept and compared as digests, in constant time.

use std::fs::File;
use std::fs::Metadata;
use std::io;
use std::io::Read as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::PoisonError;

use openssl::sha::sha256;

use crate::config::AdminToken;

/// The longest token.
const LIMIT: u64 = 64 << 10;

type Digest = [u8; 32];

/// Everybody's tokens.
pub(in crate::http) struct Tokens(Vec<TokenFile>);

struct TokenFile {
    name: String,
    path: PathBuf,
    /// What the file held last. Locked while it is looked at; the file is small.
    last: Mutex<Last>,
}

#[derive(Default)]
struct Last {
    stamp: Option<Stamp>,
    digest: Option<Digest>,
}

/// What changes with a file: rotation replaces it (`inode`), an editor rewrites it (`times`, `size`).
#[derive(Clone, Copy, PartialEq, Eq)]
struct Stamp {
    inode: (u64, u64),
    size: u64,
    modified: (i64, i64),
    changed: (i64, i64),
}

impl Tokens {
    pub(in crate::http) fn new(tokens: &[AdminToken]) -> Self {
        let files = tokens.iter().map(|token| TokenFile {
            name: token.name.clone(),
            path: token.file.clone(),
            last: Mutex::default(),
        });
        Self(files.collect())
    }

    /// Whose token this is. Every token is compared, whichever it is.
    pub(in crate::http) fn whose(&self, given: &[u8]) -> Option<String> {
        let given = sha256(given);
        let mut whose = None;
        for file in &self.0 {
            if let Some(digest) = file.digest()
                && openssl::memcmp::eq(&digest, &given)
            {
                whose = whose.or(Some(file.name.clone()));
            }
        }
        whose
    }
}

impl TokenFile {
    fn digest(&self) -> Option<Digest> {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let stamp = std::fs::metadata(&self.path).ok().map(|found| Stamp::of(&found));
        if stamp.is_none() || stamp != last.stamp {
            let known = last.digest.is_some();
            *last = self.read().unwrap_or_else(|problem| {
                if known || stamp.is_some() {
                    tracing::error!(token = self.name, file = %self.path.display(), %problem, "a token cannot be read: it lets nobody in");
                }
                Last::default()
            });
        }
        last.digest
    }

    fn read(&self) -> io::Result<Last> {
        let file = File::open(&self.path)?;
        let stamp = Stamp::of(&file.metadata()?);
        let mut bytes = Vec::new();
        file.take(LIMIT + 1).read_to_end(&mut bytes)?;
        let token = bytes.trim_ascii();
        if token.is_empty() || bytes.len() as u64 > LIMIT {
            return Err(io::Error::other("it is empty or too long"));
        }
        Ok(Last {
            stamp: Some(stamp),
            digest: Some(sha256(token)),
        })
    }
}

impl Stamp {
    fn of(found: &Metadata) -> Self {
        Self {
            inode: (found.dev(), found.ino()),
            size: found.size(),
            modified: (found.mtime(), found.mtime_nsec()),
            changed: (found.ctime(), found.ctime_nsec()),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::*;

    fn tokens(folder: &Path, names: &[&str]) -> Tokens {
        let token = |name: &&str| AdminToken {
            name: (*name).to_owned(),
            file: folder.join(name),
        };
        Tokens::new(&names.iter().map(token).collect::<Vec<_>>())
    }

    #[test]
    fn each_token_says_whose_it_is_and_the_line_break_is_not_part_of_it() {
        let folder = tempfile::tempdir().expect("a folder");
        fs::write(folder.path().join("ann"), "correct horse battery staple\n").expect("written");
        fs::write(folder.path().join("bob"), b"\xff\x00token").expect("written");
        let tokens = tokens(folder.path(), &["ann", "bob"]);
        assert_eq!(tokens.whose(b"correct horse battery staple").as_deref(), Some("ann"));
        assert_eq!(tokens.whose(b"\xff\x00token").as_deref(), Some("bob"));
        for wrong in [
            &b""[..],
            b"correct horse battery stapl",
            b"correct horse battery staplex",
            b"correct horse battery staple\n",
        ] {
            assert_eq!(tokens.whose(wrong), None);
        }
    }

    #[test]
    fn a_token_is_read_again_when_its_file_changes() {
        let folder = tempfile::tempdir().expect("a folder");
        let (file, next) = (folder.path().join("ann"), folder.path().join("next"));
        fs::write(&file, "old").expect("written");
        let tokens = tokens(folder.path(), &["ann"]);
        assert!(tokens.whose(b"old").is_some());
        // Replaced, as rotation does it, by one of the same size.
        fs::write(&next, "new").expect("written");
        fs::rename(&next, &file).expect("renamed");
        assert!(tokens.whose(b"old").is_none() && tokens.whose(b"new").is_some());
        // Gone, and back.
        fs::remove_file(&file).expect("removed");
        assert!(tokens.whose(b"new").is_none());
        fs::write(&file, "again").expect("written");
        assert!(tokens.whose(b"again").is_some());
    }

    #[test]
    fn a_file_without_a_token_lets_nobody_in() {
        let folder = tempfile::tempdir().expect("a folder");
        fs::write(folder.path().join("empty"), " \n").expect("written");
        fs::write(folder.path().join("long"), vec![b'x'; 70_000]).expect("written");
        let tokens = tokens(folder.path(), &["empty", "long", "missing"]);
        for given in [&b""[..], b" ", b" \n", &vec![b'x'; 70_000]] {
            assert_eq!(tokens.whose(given), None);
        }
    }
}
