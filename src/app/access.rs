//! The way of a reset to the clusters: connections of its own, opened for it and closed with it. The pollers' are read-only by type.

use std::sync::Arc;
use std::sync::PoisonError;
use std::sync::RwLock;

use crate::config::Cluster;
use crate::kafka::wire;
use crate::reset;
use crate::reset::facts::Pace;

/// The configured clusters, to be reset. Clones see the same ones.
#[derive(Clone, Debug)]
pub struct Access(
    /// Written when the configuration is read anew; held for moments only.
    Arc<RwLock<Vec<Arc<Cluster>>>>,
);

impl Access {
    /// Access to these clusters. Connects to nobody yet.
    pub fn new(clusters: Vec<Arc<Cluster>>) -> Self {
        Self(Arc::new(RwLock::new(clusters)))
    }

    /// Access to these clusters and no others from now on. What has begun goes on with the connections that it has.
    pub fn replace(&self, clusters: Vec<Arc<Cluster>>) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = clusters;
    }

    fn cluster(&self, name: &str) -> Option<Arc<Cluster>> {
        let all = self.0.read().unwrap_or_else(PoisonError::into_inner);
        all.iter().find(|cluster| *cluster.name == *name).cloned()
    }
}

impl reset::Access for Access {
    type Facts = wire::Client;
    type Writer = wire::Writer;

    fn facts(&self, cluster: &str) -> Option<wire::Client> {
        self.cluster(cluster).map(wire::Client::new)
    }

    fn writer(&self, cluster: &str) -> Option<wire::Writer> {
        self.cluster(cluster).map(wire::Writer::new)
    }

    fn pace(&self, cluster: &str) -> Option<Pace> {
        self.cluster(cluster).map(|cluster| Pace::of(cluster.request_timeout))
    }
}
