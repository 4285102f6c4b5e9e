//! One cluster's families, deflated once per cycle.

use std::sync::Arc;

use super::catalog::families;
use super::deflate::Chunk;
use super::deflate::Deflater;
use super::limit::LeftOut;
use super::limit::Limit;
use super::render::Scope;
use crate::config::Cluster;
use crate::config::Objective;
use crate::model::Moment;
use crate::snapshot::Snapshot;

/// Packs the snapshots of one cluster, and remembers what `series_limit` left out.
#[derive(Debug)]
pub struct Packer {
    cluster: Arc<Cluster>,
    label: Arc<str>,
    objectives: Arc<[Objective]>,
    limit: Limit,
    series_dropped: u64,
}

/// One cluster as of one cycle, ready to be served: a deflated chunk per family.
#[derive(Debug)]
pub struct Packed {
    pub(super) cluster: Arc<str>,
    pub(super) read_at: Option<Moment>,
    /// One per family, in their order; empty where the family has no sample.
    pub(super) chunks: Vec<Chunk>,
    left_out: LeftOut,
}

impl Packer {
    /// A packer for one cluster. `label` is the configuration's `cluster_label`, `objectives` are what
    /// [`GroupView::objective`](crate::snapshot::GroupView::objective) indexes.
    pub fn new(cluster: Arc<Cluster>, label: Arc<str>, objectives: Arc<[Objective]>) -> Self {
        Self {
            cluster,
            label,
            objectives,
            limit: Limit::default(),
            series_dropped: 0,
        }
    }

    /// Another configuration of the same cluster from now on; what was counted stays.
    pub fn reconfigure(&mut self, cluster: Arc<Cluster>, label: Arc<str>, objectives: Arc<[Objective]>) {
        self.cluster = cluster;
        self.label = label;
        self.objectives = objectives;
    }

    /// Renders and deflates a snapshot: work for the processor, up to some hundred milliseconds for a million partitions.
    pub fn pack(&mut self, snapshot: &Snapshot) -> Packed {
        let mut scope = Scope::new(snapshot, &self.cluster, &self.label, &self.objectives);
        let left_out = self.limit.apply(&mut scope);
        self.series_dropped += left_out.series;
        scope.series_dropped = self.series_dropped;
        let mut deflater = Deflater::new();
        let chunks = families().map(|family| {
            scope.render(family, &mut deflater);
            deflater.finish()
        });
        Packed {
            cluster: Arc::clone(&snapshot.cluster),
            read_at: snapshot.read_at,
            chunks: chunks.collect(),
            left_out,
        }
    }
}

impl Packed {
    /// What `series_limit` left out of it.
    pub fn left_out(&self) -> &LeftOut {
        &self.left_out
    }

    /// Bytes it takes.
    pub fn size(&self) -> usize {
        self.chunks
            .iter()
            .flat_map(|chunk| &chunk.deflated)
            .map(bytes::Bytes::len)
            .sum()
    }
}
