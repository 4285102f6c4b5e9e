//! Apache Kafka's jars, fetched by Maven once per version and machine.

use std::env;
use std::fs;
use std::fs::File;
use std::path::Path;
use std::path::PathBuf;
use std::process::Command;

/// The version that the tests run against unless `TIDEMARK_TESTS_KAFKA` names another.
const DEFAULT: &str = "4.3.1";

/// The folder of the jars; `None`, said on stderr, on a machine without Java, or without Maven where it is needed.
pub(crate) fn folder() -> Option<PathBuf> {
    folder_of(&asked())
}

/// The same for a version that a test names.
pub(super) fn folder_of(version: &str) -> Option<PathBuf> {
    fetched("kafka", "pom.xml", version)
}

/// The folder of the jars of Kafka Streams and its examples, likewise.
pub(crate) fn streams() -> Option<PathBuf> {
    fetched("streams", "streams.xml", &asked())
}

fn asked() -> String {
    env::var("TIDEMARK_TESTS_KAFKA").unwrap_or_else(|_| DEFAULT.to_owned())
}

fn fetched(name: &str, pom: &str, version: &str) -> Option<PathBuf> {
    if !super::have(&["java"]) {
        return None;
    }
    let cache = cache();
    let jars = cache.join(format!("{name}-{version}"));
    if !jars.exists() {
        if !super::have(&["mvn"]) {
            return None;
        }
        fs::create_dir_all(&cache).expect("a cache folder");
        // One fetches, the others wait, whichever process or thread they are of.
        let lock = File::create(cache.join("kafka.lock")).expect("a lock file");
        lock.lock().expect("a lock");
        if !jars.exists() {
            fetch(pom, version, &cache, &jars);
        }
    }
    Some(jars)
}

fn cache() -> PathBuf {
    let home = || env::home_dir().expect("a home folder").join(".cache");
    env::var_os("XDG_CACHE_HOME")
        .map_or_else(home, PathBuf::from)
        .join("tidemark-tests")
}

/// Into a folder beside, renamed when it is whole.
fn fetch(pom: &str, version: &str, cache: &Path, jars: &Path) {
    let partial = tempfile::tempdir_in(cache).expect("a folder");
    let run = Command::new("mvn")
        .args([
            "-q",
            "-B",
            "dependency:copy-dependencies",
            "-DincludeScope=runtime",
            "-f",
        ])
        .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/kafka").join(pom))
        .arg(format!("-Dkafka.version={version}"))
        .arg(format!("-DoutputDirectory={}", partial.path().display()))
        .output()
        .expect("mvn starts");
    let said = String::from_utf8_lossy(&run.stdout);
    assert!(run.status.success(), "mvn did not fetch Kafka {version}: {said}");
    fs::rename(partial.keep(), jars).expect("the folder was not there");
}
