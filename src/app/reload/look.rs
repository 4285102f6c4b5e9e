//! What files hold, as far as one must know to see that they hold something else.

use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::io::Read as _;
use std::path::Path;
use std::path::PathBuf;

use openssl::sha::sha256;

/// More than any honest file of a configuration has.
const LARGEST: u64 = 16 << 20;

/// The digest of each file; `None` for one that cannot be read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Look(BTreeMap<PathBuf, Option<[u8; 32]>>);

impl Look {
    /// Reads the files.
    pub(super) fn at(files: Vec<PathBuf>) -> Self {
        let read = files.into_iter().map(|file| {
            let digest = digest(&file).ok();
            (file, digest)
        });
        Self(read.collect())
    }

    pub(super) fn files(&self) -> Vec<PathBuf> {
        self.0.keys().cloned().collect()
    }

    pub(super) fn has(&self, file: &Path) -> bool {
        self.0.contains_key(file)
    }

    pub(super) fn join(mut self, other: Self) -> Self {
        self.0.extend(other.0);
        self
    }

    pub(super) fn only(mut self, files: &[PathBuf]) -> Self {
        self.0.retain(|file, _| files.contains(file));
        self
    }

    /// The files that hold something else than in the other look.
    pub(super) fn other_than(&self, other: &Self) -> Vec<&Path> {
        let differs = |(file, digest): &(&PathBuf, &Option<_>)| other.0.get(*file) != Some(digest);
        self.0.iter().filter(differs).map(|(file, _)| file.as_path()).collect()
    }
}

/// Pipes and devices are left alone: what was read of them is gone, and opening them may wait for ever.
fn digest(file: &Path) -> io::Result<[u8; 32]> {
    if !std::fs::metadata(file)?.is_file() {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    let mut bytes = Vec::new();
    File::open(file)?.take(LARGEST).read_to_end(&mut bytes)?;
    Ok(sha256(&bytes))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn a_name_that_leads_elsewhere_is_seen_and_a_new_date_alone_is_not() {
        let folder = tempfile::tempdir().expect("a folder");
        let at = |name: &str| folder.path().join(name);
        // As Kubernetes mounts a ConfigMap: the file leads to ..data/file, and ..data to a folder that is replaced as a whole.
        for (version, text) in [("v1", "one"), ("v2", "one"), ("v3", "two")] {
            fs::create_dir(at(version)).expect("a folder");
            fs::write(at(version).join("file"), text).expect("a file");
        }
        let lead = |version: &str| {
            symlink(version, at("..next")).expect("a link");
            fs::rename(at("..next"), at("..data")).expect("renamed");
        };
        lead("v1");
        symlink("..data/file", at("file")).expect("a link");
        let look = || Look::at(vec![at("file")]);
        let first = look();
        lead("v2");
        assert_eq!(look(), first, "the same content");
        lead("v3");
        assert_ne!(look(), first);
        assert_eq!(look().other_than(&first), [at("file")]);
        fs::remove_file(at("..data")).expect("removed");
        assert_eq!(look().other_than(&first), [at("file")], "gone is a change too");
    }

    #[test]
    fn a_pipe_is_not_waited_for() {
        let folder = tempfile::tempdir().expect("a folder");
        let pipe = folder.path().join("pipe");
        let made = std::process::Command::new("mkfifo").arg(&pipe).status();
        assert!(made.expect("mkfifo starts").success());
        assert_eq!(Look::at(vec![pipe.clone()]).0.get(&pipe), Some(&None));
    }
}
