use std::fs;
use std::os::unix::fs::PermissionsExt;

use serde_json::Value;
use serde_json::json;

use super::*;

fn lines(path: &Path) -> Vec<Value> {
    let text = fs::read_to_string(path).expect("a log");
    text.lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect()
}

fn unavailable(result: Result<(), Refusal>) -> String {
    let refusal = result.expect_err("a refusal");
    assert_eq!(refusal.word(), "audit_unavailable");
    refusal.to_string()
}

#[tokio::test]
async fn lines_are_appended_and_the_file_is_not_for_everybody() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("audit.jsonl");
    let audit = Audit::new(path.clone());
    audit.append(&json!({"n": 1})).await.expect("written");
    audit
        .append(&json!({"n": 2, "name": "line\nbreak \u{1b}[2J \u{2028}"}))
        .await
        .expect("written");
    assert_eq!(
        lines(&path),
        [
            json!({"n": 1}),
            json!({"n": 2, "name": "line\nbreak \u{1b}[2J \u{2028}"})
        ]
    );
    assert_eq!(fs::metadata(&path).expect("a file").permissions().mode() & 0o007, 0);
}

#[tokio::test]
async fn a_rotated_log_is_begun_anew() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("audit.jsonl");
    let audit = Audit::new(path.clone());
    audit.append(&json!(1)).await.expect("written");
    let old = folder.path().join("audit.jsonl.1");
    fs::rename(&path, &old).expect("renamed");
    audit.append(&json!(2)).await.expect("written");
    assert_eq!((lines(&old), lines(&path)), (vec![json!(1)], vec![json!(2)]));
}

#[tokio::test]
async fn a_line_that_was_cut_off_does_not_spoil_the_next() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("audit.jsonl");
    fs::write(&path, "{\"n\": 1}\n{\"n\": 2, \"na").expect("written");
    Audit::new(path.clone())
        .append(&json!({"n": 3}))
        .await
        .expect("written");
    let text = fs::read_to_string(&path).expect("a log");
    assert_eq!(text, "{\"n\": 1}\n{\"n\": 2, \"na\n{\"n\":3}\n");
}

#[tokio::test]
async fn many_writers_share_one_log_line_by_line() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("audit.jsonl");
    let long = "x".repeat(50_000);
    let writers = (0..20).map(|n| {
        let (audit, long) = (Audit::new(path.clone()), long.clone());
        tokio::spawn(async move { audit.append(&json!({"n": n, "long": long})).await })
    });
    for writer in writers.collect::<Vec<_>>() {
        writer.await.expect("no panic").expect("written");
    }
    let mut numbers: Vec<_> = lines(&path)
        .iter()
        .map(|line| line["n"].as_i64().expect("a number"))
        .collect();
    numbers.sort_unstable();
    assert_eq!(numbers, (0..20).collect::<Vec<_>>());
}

#[tokio::test]
async fn a_full_disk_is_unavailable() {
    let problem = unavailable(Audit::new(PathBuf::from("/dev/full")).append(&json!(1)).await);
    assert_eq!(
        problem,
        "the audit log cannot be written, and without it nothing is reset: /dev/full: No space left on device (os error 28)"
    );
}

#[tokio::test]
async fn a_missing_folder_or_a_folder_in_its_place_is_unavailable() {
    let folder = tempfile::tempdir().expect("a folder");
    let problem = unavailable(Audit::new(folder.path().join("no/audit.jsonl")).append(&json!(1)).await);
    assert!(problem.ends_with("No such file or directory (os error 2)"), "{problem}");
    let problem = unavailable(Audit::new(folder.path().to_owned()).append(&json!(1)).await);
    assert!(problem.ends_with("Is a directory (os error 21)"), "{problem}");
}

#[tokio::test]
async fn a_file_that_may_not_be_written_is_unavailable() {
    // Root may write everything but what is read-only by its nature.
    let problem = unavailable(Audit::new(PathBuf::from("/proc/version")).append(&json!(1)).await);
    assert!(problem.contains("/proc/version"), "{problem}");
}

#[tokio::test]
async fn a_log_that_another_process_holds_is_waited_for() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("audit.jsonl");
    let held = File::create(&path).expect("a file");
    held.lock().expect("locked");
    let audit = Audit::new(path.clone());
    let writer = tokio::spawn(async move { audit.append(&json!(1)).await });
    held.unlock().expect("unlocked");
    writer.await.expect("no panic").expect("written");
    assert_eq!(lines(&path), [json!(1)]);
}

#[tokio::test]
async fn a_log_that_is_rotated_while_it_is_waited_for_gets_the_line_in_the_new_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("audit.jsonl");
    let held = File::create(&path).expect("a file");
    held.lock().expect("locked");
    let audit = Audit::new(path.clone());
    let writer = tokio::spawn(async move { audit.append(&json!(1)).await });
    // It has opened the old file, or is about to open the new one: the line belongs into the new one either way.
    std::fs::rename(&path, folder.path().join("audit.jsonl.1")).expect("renamed");
    held.unlock().expect("unlocked");
    writer.await.expect("no panic").expect("written");
    assert_eq!(lines(&path), [json!(1)]);
}

#[tokio::test]
async fn rotation_at_any_moment_loses_no_line() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("audit.jsonl");
    let audit = Audit::new(path.clone());
    let writers = (0..4_u32).map(|writer| {
        let audit = audit.clone();
        tokio::spawn(async move {
            for n in 0..50 {
                audit.append(&json!(writer * 50 + n)).await.expect("written");
            }
        })
    });
    let writers: Vec<_> = writers.collect();
    let mut files = 0;
    while writers.iter().any(|writer| !writer.is_finished()) {
        let waiting = fs::read_to_string(&path).unwrap_or_default().lines().count();
        if waiting >= 5 && std::fs::rename(&path, folder.path().join(format!("audit.jsonl.{files}"))).is_ok() {
            files += 1;
        }
        tokio::task::yield_now().await;
    }
    for writer in writers {
        writer.await.expect("no panic");
    }
    let names = std::fs::read_dir(folder.path())
        .expect("a folder")
        .map(|entry| entry.expect("an entry").path());
    let written: std::collections::BTreeSet<_> =
        names.flat_map(|name| lines(&name)).filter_map(|n| n.as_u64()).collect();
    assert_eq!(written, (0..200).collect());
    assert!(files > 0);
}

#[tokio::test]
async fn a_link_leads_to_the_log_and_one_that_leads_nowhere_begins_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let elsewhere = folder.path().join("elsewhere");
    fs::create_dir(&elsewhere).expect("a folder");
    let (path, target) = (folder.path().join("audit.jsonl"), elsewhere.join("log"));
    std::os::unix::fs::symlink(&target, &path).expect("a link");
    let audit = Audit::new(path.clone());
    audit.append(&json!(1)).await.expect("written");
    audit.append(&json!(2)).await.expect("written");
    assert_eq!(lines(&target), [json!(1), json!(2)]);
    assert!(fs::symlink_metadata(&path).expect("a link").is_symlink());
    fs::remove_dir_all(&elsewhere).expect("removed");
    assert!(unavailable(audit.append(&json!(3)).await).contains("No such file"));
}
