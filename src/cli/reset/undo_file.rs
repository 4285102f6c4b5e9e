//! The way back, on disk before the way there begins: `PLAN.undo.json`, a plan request.

use std::collections::HashMap;
use std::fs;
use std::fs::OpenOptions;
use std::io;
use std::io::Write as _;
use std::path::Path;
use std::path::PathBuf;

use crate::reset::Plan;
use crate::reset::facts::Commits;
use crate::reset::undo::undo;

/// How many names are tried when files of an earlier undo are in the way.
const NAMES: u32 = 1000;

/// The file.
#[derive(Debug)]
pub(super) struct UndoFile {
    path: PathBuf,
    origin: Origin,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Origin {
    /// Made by this run.
    New,
    /// An earlier try of the same plan left the same.
    Found,
}

impl UndoFile {
    /// Writes the undo of a plan beside the plan's file, never over anything: where there is a file with something else, under the next
    /// free name.
    pub(super) fn write(plan_file: &Path, plan: &Plan) -> Result<Self, String> {
        // What is asked for follows from the plan alone; only the remarks about it need more.
        let request = undo(plan, &Commits::new(), &HashMap::new()).request;
        let text = super::pretty(&request);
        for number in 1..=NAMES {
            let path = name(plan_file, number);
            match create(&path, &text) {
                Ok(()) => {
                    return Ok(Self {
                        path,
                        origin: Origin::New,
                    });
                }
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                    if fs::read(&path).is_ok_and(|found| found == text.as_bytes()) {
                        return Ok(Self {
                            path,
                            origin: Origin::Found,
                        });
                    }
                }
                Err(error) => {
                    return Err(format!(
                        "{}: {error}: without the way back nothing is reset, nothing was changed",
                        path.display()
                    ));
                }
            }
        }
        Err(format!(
            "{}: too many undo files are in the way",
            name(plan_file, 1).display()
        ))
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Nothing was changed: there is nothing to undo.
    pub(super) fn take_back(&self) {
        if self.origin == Origin::New {
            let _ = fs::remove_file(&self.path);
        }
    }
}

fn create(path: &Path, text: &str) -> io::Result<()> {
    let mut file = OpenOptions::new().write(true).create_new(true).open(path)?;
    let written = file
        .write_all(text.as_bytes())
        .and_then(|()| file.sync_all())
        .and_then(|()| sync_folder(path));
    if written.is_err() {
        let _ = fs::remove_file(path);
    }
    written
}

/// A new file is on disk only when its folder is.
fn sync_folder(path: &Path) -> io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    fs::File::open(folder.unwrap_or(Path::new(".")))?.sync_all()
}

/// `plan.json` → `plan.undo.json`, then `plan.undo-2.json`.
fn name(plan_file: &Path, number: u32) -> PathBuf {
    let stem = match plan_file.extension() {
        Some(extension) if extension == "json" => plan_file.file_stem(),
        _ => plan_file.file_name(),
    };
    let mut name = stem.unwrap_or_default().to_owned();
    name.push(".undo");
    if number > 1 {
        name.push(format!("-{number}"));
    }
    name.push(".json");
    plan_file.with_file_name(name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reset::document::Row;
    use crate::reset::fake::offset;

    fn plan(from: i64) -> Plan {
        Plan {
            cluster: "main".to_owned(),
            group: "g".to_owned(),
            created: "2026-01-31T08:00:00.000Z".to_owned(),
            reason: None,
            topics: Vec::new(),
            partitions: vec![Row {
                topic: "t".to_owned(),
                partition: 0,
                start: offset(0),
                end: offset(40),
                from: Some(offset(from)),
                to: Some(offset(12)),
                replayed: Some(8),
                skipped: Some(0),
            }],
        }
    }

    #[test]
    fn the_undo_lies_beside_the_plan() {
        for (plan, undo) in [
            ("a/plan.json", "a/plan.undo.json"),
            ("plan", "plan.undo.json"),
            ("x.y.json", "x.y.undo.json"),
            (".json", ".json.undo.json"),
        ] {
            assert_eq!(name(Path::new(plan), 1), Path::new(undo));
        }
        assert_eq!(name(Path::new("plan.json"), 2), Path::new("plan.undo-2.json"));
    }

    #[test]
    fn no_file_is_ever_overwritten_and_the_same_undo_is_written_once() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("plan.json");
        let first = UndoFile::write(&file, &plan(20)).expect("written");
        assert_eq!(
            (first.path(), first.origin),
            (folder.path().join("plan.undo.json").as_path(), Origin::New)
        );
        let again = UndoFile::write(&file, &plan(20)).expect("found");
        assert_eq!((again.path(), again.origin), (first.path(), Origin::Found));
        again.take_back();
        let other = UndoFile::write(&file, &plan(21)).expect("written");
        assert_eq!(other.path(), folder.path().join("plan.undo-2.json"));
        other.take_back();
        assert!(first.path().exists() && !other.path().exists());
        let text = fs::read_to_string(first.path()).expect("text");
        assert!(text.contains("\"offset\": 20"), "{text}");
    }

    #[test]
    fn where_no_undo_can_be_written_there_is_no_reset() {
        let problem = UndoFile::write(Path::new("/nowhere/plan.json"), &plan(20)).expect_err("a problem");
        assert_eq!(
            problem,
            "/nowhere/plan.undo.json: No such file or directory (os error 2): without the way back nothing is reset, nothing was changed"
        );
    }
}
