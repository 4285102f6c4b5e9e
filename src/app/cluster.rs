//! One cluster's tasks: the poller, and the one that packs each snapshot for the scrapes.

use std::sync::Arc;

use tokio::sync::watch;
use tokio::task::JoinSet;

use crate::clock::Clock;
use crate::collect::OwnResets;
use crate::collect::Poller;
use crate::config::Cluster;
use crate::config::Config;
use crate::config::Objective;
use crate::http::Feed;
use crate::http::Published;
use crate::kafka::records;
use crate::kafka::wire;
use crate::metrics::Packer;
use crate::snapshot::Snapshot;

/// A poller and where its snapshots appear.
pub(super) type Polling = (Poller<wire::Client, records::Reader>, watch::Receiver<Arc<Snapshot>>);

/// A cluster that will be polled.
pub(super) struct Watch {
    poller: Poller<wire::Client, records::Reader>,
    snapshots: watch::Receiver<Arc<Snapshot>>,
    packer: Packer,
    /// The packing task is the only sender; the listener holds the receiver.
    publish: watch::Sender<Published>,
}

impl Watch {
    /// A poller of the cluster, and what the listener shows of it.
    pub(super) fn new(
        config: &Config,
        cluster: &Arc<Cluster>,
        label: &Arc<str>,
        objectives: &Arc<[Objective]>,
        clock: &Clock,
    ) -> (Self, Feed) {
        let (poller, snapshots) = poller(config, cluster, clock);
        let mut packer = Packer::new(cluster.clone(), label.clone(), objectives.clone());
        let snapshot = snapshots.borrow().clone();
        let packed = Arc::new(packer.pack(&snapshot));
        let (publish, latest) = watch::channel(Published { snapshot, packed });
        let feed = Feed {
            config: cluster.clone(),
            latest,
        };
        let watch = Self {
            poller,
            snapshots,
            packer,
            publish,
        };
        (watch, feed)
    }

    /// Where resets of the cluster's groups are told.
    pub(super) fn own_resets(&self) -> (Arc<str>, OwnResets) {
        (self.poller.cluster().clone(), self.poller.own_resets())
    }

    /// Where the cluster's snapshots appear.
    pub(super) fn latest(&self) -> (Arc<str>, watch::Receiver<Arc<Snapshot>>) {
        (self.poller.cluster().clone(), self.snapshots.clone())
    }

    /// Starts polling and packing.
    pub(super) fn spawn(self, tasks: &mut JoinSet<()>) {
        tasks.spawn(self.poller.run());
        tasks.spawn(pack(self.snapshots, self.packer, self.publish));
    }
}

/// A poller of one cluster with its two clients.
pub(super) fn poller(config: &Config, cluster: &Arc<Cluster>, clock: &Clock) -> Polling {
    let clients = (
        wire::Client::new(cluster.clone()),
        records::Reader::new(cluster.clone()),
    );
    Poller::new(config, cluster.clone(), clients, clock.clone())
}

/// Packs every snapshot on a thread that may block: it is work for the processor, not waiting.
async fn pack(mut snapshots: watch::Receiver<Arc<Snapshot>>, mut packer: Packer, publish: watch::Sender<Published>) {
    while snapshots.changed().await.is_ok() {
        let snapshot = snapshots.borrow_and_update().clone();
        let packing = tokio::task::spawn_blocking(move || {
            let packed = packer.pack(&snapshot);
            (
                packer,
                Published {
                    snapshot,
                    packed: Arc::new(packed),
                },
            )
        });
        let Ok((returned, published)) = packing.await else {
            tracing::error!("a snapshot could not be packed");
            return;
        };
        packer = returned;
        publish.send_replace(published);
    }
}
