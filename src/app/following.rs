//! Polling for a command that shows the clusters itself, without any listener.

use std::sync::Arc;

use tokio::sync::Notify;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::clock::Clock;
use crate::config::Cluster;
use crate::config::Config;
use crate::snapshot::Snapshot;

use super::AppError;
use super::cluster::poller;

/// Clusters that are polled until this is dropped.
pub struct Following {
    /// In the order in which the clusters were named; each poller is the only sender of its own.
    snapshots: Vec<watch::Receiver<Arc<Snapshot>>>,
    /// Rung by a task for each cluster whenever there is a new snapshot.
    bell: Arc<Notify>,
    tasks: JoinSet<()>,
}

impl Following {
    /// Starts to poll the clusters. Has to be called within a tokio runtime.
    pub fn start(config: &Config, clusters: &[Arc<Cluster>], clock: &Clock) -> Self {
        let (mut tasks, bell) = (JoinSet::new(), Arc::new(Notify::new()));
        let follow = |cluster| {
            let (mut poller, snapshots) = poller(config, cluster, clock);
            tasks.spawn(async move { poller.run(CancellationToken::new()).await });
            let (mut news, bell) = (snapshots.clone(), bell.clone());
            tasks.spawn(async move {
                while news.changed().await.is_ok() {
                    bell.notify_one();
                }
            });
            snapshots
        };
        let snapshots = clusters.iter().map(follow).collect();
        Self { snapshots, bell, tasks }
    }

    /// The latest snapshot of each cluster.
    pub fn snapshots(&self) -> Vec<Arc<Snapshot>> {
        self.snapshots.iter().map(|latest| latest.borrow().clone()).collect()
    }

    /// Returns when there is a newer one than at the call before.
    ///
    /// # Errors
    ///
    /// When a poller ends, which none ever should.
    pub async fn changed(&mut self) -> Result<(), AppError> {
        tokio::select! {
            () = self.bell.notified() => Ok(()),
            Some(ended) = self.tasks.join_next() => {
                tracing::error!(?ended, "a task ended that never should");
                Err(AppError::TaskEnded)
            }
        }
    }
}
