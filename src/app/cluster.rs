//! One cluster's tasks: the poller, and beside it what packs each snapshot for the scrapes.

use std::sync::Arc;

use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use crate::clock::Clock;
use crate::collect::OwnResets;
use crate::collect::Poller;
use crate::config::Cluster;
use crate::config::Config;
use crate::config::Objective;
use crate::http::Published;
use crate::kafka::records;
use crate::kafka::wire;
use crate::metrics::Packer;
use crate::snapshot::Snapshot;

use super::AppError;

/// A poller and where its snapshots appear.
pub(super) type Polling = (Poller<wire::Client, records::Reader>, watch::Receiver<Arc<Snapshot>>);

/// A cluster with all that is remembered of it, between two cycles.
pub(super) struct Watch {
    poller: Poller<wire::Client, records::Reader>,
    snapshots: watch::Receiver<Arc<Snapshot>>,
    packer: Packer,
    /// What packs is the only sender; the listener holds the receiver.
    publish: watch::Sender<Published>,
}

/// What a cluster's tasks must know of the configuration.
#[derive(Clone)]
pub(super) struct Order {
    pub(super) config: Arc<Config>,
    pub(super) cluster: Arc<Cluster>,
    /// Every objective that was ever configured: what older snapshots say stays true.
    pub(super) objectives: Arc<[Objective]>,
}

impl Order {
    fn label(&self) -> Arc<str> {
        self.config.cluster_label.as_str().into()
    }
}

impl Watch {
    /// A poller of the cluster, and what the listener shows of it.
    pub(super) fn new(order: &Order, clock: &Clock) -> (Self, watch::Receiver<Published>) {
        let (mut poller, snapshots) = poller(&order.config, &order.cluster, clock);
        poller.reconfigure(&order.config, order.cluster.clone(), &order.objectives);
        let mut packer = Packer::new(order.cluster.clone(), order.label(), order.objectives.clone());
        let snapshot = snapshots.borrow().clone();
        let packed = Arc::new(packer.pack(&snapshot));
        let (publish, latest) = watch::channel(Published { snapshot, packed });
        let watch = Self {
            poller,
            snapshots,
            packer,
            publish,
        };
        (watch, latest)
    }

    /// Where resets of the cluster's groups are told.
    pub(super) fn own_resets(&self) -> OwnResets {
        self.poller.own_resets()
    }

    /// Where the cluster's snapshots appear.
    pub(super) fn latest(&self) -> watch::Receiver<Arc<Snapshot>> {
        self.snapshots.clone()
    }

    /// Takes another configuration of the same cluster. Connections are made anew where anything of the cluster's own section changed.
    pub(super) fn reconfigure(&mut self, order: &Order) {
        if *self.poller.cluster() != order.cluster {
            self.poller.reconnect(clients(&order.cluster));
        }
        self.poller
            .reconfigure(&order.config, order.cluster.clone(), &order.objectives);
        self.packer
            .reconfigure(order.cluster.clone(), order.label(), order.objectives.clone());
    }

    /// Polls and packs until `stop`, and hands itself back after the cycle that is under way.
    ///
    /// # Errors
    ///
    /// When a snapshot could not be packed.
    pub(super) async fn run(self, stop: CancellationToken) -> Result<Self, AppError> {
        let Self {
            mut poller,
            snapshots,
            packer,
            publish,
        } = self;
        let polled = CancellationToken::new();
        let polling = async {
            poller.run(stop).await;
            polled.cancel();
            Ok(())
        };
        let ((), (snapshots, packer)) = tokio::try_join!(polling, pack(snapshots, packer, &publish, &polled))?;
        Ok(Self {
            poller,
            snapshots,
            packer,
            publish,
        })
    }
}

/// A poller of one cluster with its two clients.
pub(super) fn poller(config: &Config, cluster: &Arc<Cluster>, clock: &Clock) -> Polling {
    Poller::new(config, cluster.clone(), clients(cluster), clock.clone())
}

fn clients(cluster: &Arc<Cluster>) -> (wire::Client, records::Reader) {
    (
        wire::Client::new(cluster.clone()),
        records::Reader::new(cluster.clone()),
    )
}

/// Packs every snapshot on a thread that may block: it is work for the processor, not waiting. Ends when nothing is `polled` any more and the
/// last snapshot is packed.
async fn pack(
    mut snapshots: watch::Receiver<Arc<Snapshot>>,
    mut packer: Packer,
    publish: &watch::Sender<Published>,
    polled: &CancellationToken,
) -> Result<(watch::Receiver<Arc<Snapshot>>, Packer), AppError> {
    loop {
        tokio::select! {
            biased;
            // The sender is held beside this: it cannot be gone.
            _ = snapshots.changed() => {}
            () = polled.cancelled() => return Ok((snapshots, packer)),
        }
        let snapshot = snapshots.borrow_and_update().clone();
        let packing = tokio::task::spawn_blocking(move || {
            let packed = Arc::new(packer.pack(&snapshot));
            (packer, Published { snapshot, packed })
        });
        let published;
        (packer, published) = packing.await.map_err(|error| {
            tracing::error!(%error, "a snapshot could not be packed");
            AppError::TaskEnded
        })?;
        publish.send_replace(published);
    }
}
