//! What the scrape listener serves from: per cluster the latest cycle, published by its poller.

use std::sync::Arc;

use tokio::sync::Semaphore;
use tokio::sync::watch;

use crate::clock::Clock;
use crate::config::Cluster;
use crate::config::Objective;
use crate::metrics::Exposition;
use crate::metrics::Packed;
use crate::report::Source;
use crate::snapshot::Snapshot;

use super::page::PageSettings;

/// Documents that are written at the same time: each may take some tens of megabytes for a huge group.
const DOCUMENTS: usize = 4;

/// One cycle of one cluster, ready to be served.
#[derive(Clone, Debug)]
pub struct Published {
    /// What documents and the page are made from.
    pub snapshot: Arc<Snapshot>,
    /// The same as metrics.
    pub packed: Arc<Packed>,
}

/// One cluster. The poller sends, every request looks at the latest.
#[derive(Clone, Debug)]
pub struct Feed {
    /// Its part of the configuration.
    pub config: Arc<Cluster>,
    /// What its last cycle published; before the first there is a blank one.
    pub latest: watch::Receiver<Published>,
}

/// Everything the scrape listener serves from.
#[derive(Debug)]
pub struct State {
    /// In the order of the configuration.
    pub clusters: Vec<Feed>,
    /// For the age of what is served.
    pub clock: Clock,
    /// Joins the clusters' metrics.
    pub exposition: Exposition,
    /// What [`GroupView::objective`](crate::snapshot::GroupView::objective) indexes.
    pub objectives: Arc<[Objective]>,
    pub(super) page: PageSettings,
    pub(super) documents: Arc<Semaphore>,
}

impl State {
    /// The state of one process.
    pub fn new(clusters: Vec<Feed>, clock: Clock, exposition: Exposition, objectives: Arc<[Objective]>) -> Self {
        Self {
            clusters,
            clock,
            exposition,
            objectives,
            page: PageSettings::default(),
            documents: Arc::new(Semaphore::new(DOCUMENTS)),
        }
    }

    /// The same with what the configuration adds to the page.
    pub fn with_page(self, page: PageSettings) -> Self {
        Self { page, ..self }
    }

    /// The same in the place of another: what is limited for both stays limited.
    pub fn after(self, before: &Self) -> Self {
        Self {
            documents: Arc::clone(&before.documents),
            ..self
        }
    }

    pub(super) fn published(&self) -> Vec<Published> {
        self.clusters.iter().map(|feed| feed.latest.borrow().clone()).collect()
    }

    /// The cluster of that name.
    pub(super) fn cluster(&self, name: &[u8]) -> Option<Published> {
        let feed = self.clusters.iter().find(|feed| feed.config.name.as_bytes() == name)?;
        Some(feed.latest.borrow().clone())
    }

    /// True once a cycle has read something.
    pub(super) fn is_ready(&self) -> bool {
        self.clusters
            .iter()
            .any(|feed| feed.latest.borrow().snapshot.read_at.is_some())
    }
}

impl Published {
    pub(super) fn source<'a>(&'a self, objectives: &'a [Objective]) -> Source<'a> {
        Source {
            snapshot: &self.snapshot,
            objectives,
        }
    }
}
