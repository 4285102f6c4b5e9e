//! One poll of every cluster, for commands that print and end.

use std::sync::Arc;

use tokio::task::JoinSet;

use crate::clock::Clock;
use crate::config::Cluster;
use crate::config::Config;
use crate::snapshot::Snapshot;

use super::cluster::poller;

/// Polls each of the clusters once, side by side; the snapshots in the same order.
/// A cluster that cannot be read is told by its snapshot.
pub async fn poll_once(config: &Config, clusters: &[Arc<Cluster>], clock: &Clock) -> Vec<Arc<Snapshot>> {
    let mut polls = JoinSet::new();
    for (place, cluster) in clusters.iter().enumerate() {
        let (mut poller, snapshots) = poller(config, cluster, clock);
        polls.spawn(async move {
            poller.poll().await;
            (place, snapshots.borrow().clone())
        });
    }
    let mut done = polls.join_all().await;
    done.sort_by_key(|(place, _)| *place);
    done.into_iter().map(|(_, snapshot)| snapshot).collect()
}
