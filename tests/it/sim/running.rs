//! A simulated cluster for tests that are not asynchronous themselves.

use std::ops::Deref;

use tidemark::sim::Cluster;
use tokio::runtime::Runtime;

/// A cluster with what it runs on; ends when dropped.
pub(crate) struct Running {
    cluster: Cluster,
    _runtime: Runtime,
}

impl Running {
    /// Runs what `start` starts.
    pub(crate) fn new<E: std::fmt::Debug>(start: impl FnOnce() -> Result<Cluster, E>) -> Self {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .expect("a runtime");
        let inside = runtime.enter();
        let cluster = start().expect("the cluster starts");
        drop(inside);
        Self {
            cluster,
            _runtime: runtime,
        }
    }
}

impl Deref for Running {
    type Target = Cluster;

    fn deref(&self) -> &Cluster {
        &self.cluster
    }
}
