//! Waiting for a condition, never for a while.

use std::hash::BuildHasher;
use std::hash::RandomState;
use std::sync::OnceLock;
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering;
use std::thread::sleep;
use std::time::Duration;
use std::time::Instant;

/// Long enough for anything that works, on a machine that does three other things.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// Repeats `check` until it has an answer.
pub(crate) fn eventually<T>(what: &str, within: Duration, mut check: impl FnMut() -> Option<T>) -> T {
    let began = Instant::now();
    loop {
        if let Some(answer) = check() {
            return answer;
        }
        assert!(began.elapsed() < within, "not within {within:?}: {what}");
        sleep(Duration::from_millis(50));
    }
}

/// Repeats `check` until it holds.
pub(crate) fn until(what: &str, mut check: impl FnMut() -> bool) {
    eventually(what, PATIENCE, || check().then_some(()));
}

/// A name that no other test and no other run uses.
pub(crate) fn unique(word: &str) -> String {
    static RUN: OnceLock<u64> = OnceLock::new();
    static NEXT: AtomicU32 = AtomicU32::new(1);
    let run = RUN.get_or_init(random) & 0xffff;
    format!("{word}-{run:04x}-{}", NEXT.fetch_add(1, Ordering::Relaxed))
}

/// A number that is another one every time.
pub(crate) fn random() -> u64 {
    RandomState::new().hash_one(std::process::id())
}
