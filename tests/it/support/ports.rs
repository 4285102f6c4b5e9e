//! Ports that must be known before anybody listens on them.

use std::env;
use std::fs;
use std::fs::File;
use std::net::TcpListener;

use super::wait::random;

/// A run of free ports below the ephemeral range, held against other test processes by lock files.
pub(crate) struct Ports {
    first: u16,
    _locks: Vec<File>,
}

impl Ports {
    /// Ports `first + offset` for every offset, none of which anybody has.
    pub(crate) fn reserve(offsets: &[u16]) -> Self {
        let folder = env::temp_dir().join("tidemark-test-ports");
        fs::create_dir_all(&folder).expect("a folder for lock files");
        let lock = |port: u16| {
            let file = File::create(folder.join(port.to_string())).ok()?;
            file.try_lock().ok()?;
            TcpListener::bind(("127.0.0.1", port)).ok()?;
            Some(file)
        };
        for _ in 0..1_000 {
            let first = 12_000 + u16::try_from(random() % 14_000).expect("below 14,000");
            if let Some(locks) = offsets.iter().map(|offset| lock(first + offset)).collect() {
                return Self { first, _locks: locks };
            }
        }
        panic!("no free ports");
    }

    pub(crate) fn at(&self, offset: u16) -> u16 {
        self.first + offset
    }
}
