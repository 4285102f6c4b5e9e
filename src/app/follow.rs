//! One cluster, polled by whoever asks, for commands that watch for a while.

use std::sync::Arc;

use tokio::sync::watch;

use crate::clock::Clock;
use crate::collect::Poller;
use crate::config::Cluster;
use crate::config::Config;
use crate::kafka::records;
use crate::kafka::wire;
use crate::snapshot::Snapshot;

use super::cluster::poller;

/// A cluster that is polled on demand, with a memory between the polls.
pub struct Follow {
    poller: Poller<wire::Client, records::Reader>,
    snapshots: watch::Receiver<Arc<Snapshot>>,
}

impl Follow {
    /// Nothing is asked yet.
    pub fn new(config: &Config, cluster: &Arc<Cluster>, clock: &Clock) -> Self {
        let (poller, snapshots) = poller(config, cluster, clock);
        Self { poller, snapshots }
    }

    /// One more poll.
    pub async fn next(&mut self) -> Arc<Snapshot> {
        self.poller.poll().await;
        self.snapshots.borrow().clone()
    }
}
