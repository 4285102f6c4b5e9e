//! axe-core, the accessibility checker, fetched by npm once per version and machine.

use std::env;
use std::fs;
use std::fs::File;
use std::path::PathBuf;
use std::process::Command;

use serde_json::Value;

use super::browser::Browser;

const VERSION: &str = "4.14.1";
/// SHA-256 of that version's script, whatever a registry hands out under its name.
const DIGEST: &str = "29348999450cdf2849a8e70b7912fc2da85a849da39c0d0d5394f51d4a9ed95c";

/// The checker's script; `None`, said on stderr, on a machine without npm.
pub(crate) fn script() -> Option<String> {
    let cache = env::var_os("XDG_CACHE_HOME")
        .map_or_else(|| env::home_dir().expect("a home folder").join(".cache"), PathBuf::from)
        .join("tidemark-tests");
    let folder = cache.join(format!("axe-{VERSION}"));
    let script = folder.join("node_modules/axe-core/axe.min.js");
    if !script.exists() {
        if !super::have(&["npm"]) {
            return None;
        }
        fs::create_dir_all(&folder).expect("a cache folder");
        // One fetches, the others wait, whichever process or thread they are of.
        let lock = File::create(cache.join("axe.lock")).expect("a lock file");
        lock.lock().expect("a lock");
        if !script.exists() {
            let run = Command::new("npm")
                .args([
                    "install",
                    "--ignore-scripts",
                    "--no-save",
                    "--no-audit",
                    "--no-fund",
                    "--prefix",
                ])
                .arg(&folder)
                .arg(format!("axe-core@{VERSION}"))
                .output()
                .expect("npm starts");
            assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
        }
    }
    let script = fs::read_to_string(script).expect("axe-core");
    let digest = openssl::sha::sha256(script.as_bytes());
    let digest: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(digest, DIGEST, "not the axe-core that is meant");
    Some(script)
}

/// What is wrong with the page that is open, one line each.
pub(crate) fn violations(browser: &Browser, script: &str) -> Vec<String> {
    let run = "axe.run(document, {resultTypes: ['violations']})\
        .then(it => done(it.violations.map(v => `${v.id}: ${v.help}: ${v.nodes.map(n => n.html).slice(0, 3).join(' | ')}`)), e => done([String(e)]));";
    let found = browser.eval_async(&format!("{script}; {run}"));
    let found = found.as_array().expect("a list").iter();
    found.filter_map(Value::as_str).map(str::to_owned).collect()
}
