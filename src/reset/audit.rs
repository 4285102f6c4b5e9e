//! The audit log: one JSON object a line, appended and on disk before the call returns. The file is opened for every line, so that log
//! rotation needs no signal, and locked while it is written to, as the daemon and the command line may share it. A line that was cut off
//! (a full disk, a crash) never runs into the next one.

use std::fs::File;
use std::fs::OpenOptions;
use std::io;
use std::io::Read;
use std::io::Seek;
use std::io::SeekFrom;
use std::io::Write;
use std::os::unix::fs::MetadataExt as _;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;

use super::refusal::Refusal;

mod line;
#[cfg(test)]
mod tests;

pub use line::Before;
pub use line::Caller;
pub use line::Event;
pub use line::Line;
pub use line::Outcome;

/// How long one line may take. A disk that hangs must not hang a reset, least of all between its check and its write.
const PATIENCE: Duration = Duration::from_secs(10);

/// How often a log may be rotated under one line.
const ROTATIONS: u32 = 5;

/// The audit log.
#[derive(Clone, Debug)]
pub struct Audit {
    path: Arc<Path>,
}

impl Audit {
    /// The log in this file; it is made when the first line is written.
    pub fn new(path: PathBuf) -> Self {
        Self { path: path.into() }
    }

    /// Appends one line and returns when it is on disk.
    ///
    /// # Errors
    ///
    /// `audit_unavailable` with the system's words.
    pub async fn append<L: Serialize>(&self, line: &L) -> Result<(), Refusal> {
        let unavailable = |problem: String| Refusal::AuditUnavailable {
            problem: format!("{}: {problem}", self.path.display()),
        };
        let mut bytes = serde_json::to_vec(line).map_err(|error| unavailable(error.to_string()))?;
        bytes.push(b'\n');
        let path = Arc::clone(&self.path);
        let written = tokio::task::spawn_blocking(move || append(&path, &bytes));
        match tokio::time::timeout(PATIENCE, written).await {
            Ok(Ok(Ok(()))) => Ok(()),
            Ok(Ok(Err(error))) => Err(unavailable(error.to_string())),
            Ok(Err(_)) => Err(unavailable("the writer failed".to_owned())),
            Err(_) => Err(unavailable(format!("not on disk after {} s", PATIENCE.as_secs()))),
        }
    }
}

/// Writes the line where the path leads. A log that is rotated while a line is written to it may be packed and removed with the line: then it
/// is written once more, to the new one. Twice is better than not at all.
fn append(path: &Path, line: &[u8]) -> io::Result<()> {
    for _ in 0..ROTATIONS {
        let is_new = !path.exists();
        // Readable, too: the last byte tells whether an earlier line was cut off. Not for everybody: it names people and hosts.
        let mut file = OpenOptions::new()
            .read(true)
            .append(true)
            .create(true)
            .mode(0o640)
            .open(path)?;
        file.lock()?;
        if !file.metadata()?.is_file() {
            file.write_all(line)?;
            return file.sync_data();
        }
        if !leads_to(path, &file)? {
            continue;
        }
        write_line(&mut file, line)?;
        if leads_to(path, &file)? {
            return if is_new { sync_folder(path) } else { Ok(()) };
        }
    }
    Err(io::Error::other(
        "it was replaced again and again while it was written to",
    ))
}

/// Whether the path is still that file's.
fn leads_to(path: &Path, file: &File) -> io::Result<bool> {
    let is = file.metadata()?;
    match std::fs::metadata(path) {
        Ok(found) => Ok((found.dev(), found.ino()) == (is.dev(), is.ino())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

fn write_line(file: &mut File, line: &[u8]) -> io::Result<()> {
    let before = mend(file)?;
    let written = file.write_all(line).and_then(|()| file.sync_data());
    if written.is_err() {
        // Half a line is no record; where it cannot be taken back, the next line begins on a line of its own.
        let _ = file.set_len(before);
    }
    written
}

/// Ends a line that was cut off, and tells where the next one begins.
fn mend(file: &mut File) -> io::Result<u64> {
    let length = file.seek(SeekFrom::End(0))?;
    if length == 0 {
        return Ok(0);
    }
    let mut last = [0];
    file.seek(SeekFrom::End(-1))?;
    file.read_exact(&mut last)?;
    if last == *b"\n" {
        return Ok(length);
    }
    file.write_all(b"\n")?;
    Ok(length + 1)
}

/// A new file is on disk only when its folder is: that of the file itself, where the path is a link to it.
fn sync_folder(path: &Path) -> io::Result<()> {
    let path = match std::fs::canonicalize(path) {
        // Rotated just now: the line is in the file all the same.
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        found => found?,
    };
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    File::open(folder.unwrap_or(Path::new(".")))?.sync_all()
}
