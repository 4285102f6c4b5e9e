//! Counts of offset resets: a handle for whoever carries them out.

use std::sync::Arc;
use std::sync::PoisonError;
use std::sync::RwLock;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering;

/// What became of a request for an offset reset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResetResult {
    /// A plan was made.
    Planned,
    /// A plan was carried out.
    Executed,
    /// Refused; nothing was written.
    Refused,
    /// Failed while it was carried out.
    Failed,
}

impl ResetResult {
    /// Every result, in the order in which they are served.
    pub const ALL: [Self; 4] = [Self::Planned, Self::Executed, Self::Refused, Self::Failed];

    /// The label value.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Planned => "planned",
            Self::Executed => "executed",
            Self::Refused => "refused",
            Self::Failed => "failed",
        }
    }
}

/// `tidemark_resets_total`. Clones count into the same counters.
#[derive(Clone, Debug)]
pub struct ResetCounters(
    /// Written when clusters come and go; held for moments only.
    Arc<RwLock<Vec<Arc<OfCluster>>>>,
);

#[derive(Debug)]
struct OfCluster {
    cluster: Arc<str>,
    counts: [AtomicU64; ResetResult::ALL.len()],
}

impl ResetCounters {
    /// Counters for the named clusters, all at 0.
    pub fn new(clusters: impl IntoIterator<Item = Arc<str>>) -> Self {
        let counters = Self(Arc::default());
        counters.serve(clusters);
        counters
    }

    /// Counts for these clusters from now on: those that are there already go on, new ones begin at 0, the others are no more.
    pub fn serve(&self, clusters: impl IntoIterator<Item = Arc<str>>) {
        let mut all = self.0.write().unwrap_or_else(PoisonError::into_inner);
        let kept = |cluster: Arc<str>| match all.iter().find(|of| of.cluster == cluster) {
            Some(of) => Arc::clone(of),
            None => Arc::new(OfCluster {
                cluster,
                counts: Default::default(),
            }),
        };
        let served = clusters.into_iter().map(kept).collect();
        *all = served;
    }

    /// Counts one. A cluster that is not served is not counted: strangers make no series.
    pub fn count(&self, cluster: &str, result: ResetResult) {
        if let Some(of) = self.find(cluster) {
            of.counts[result as usize].fetch_add(1, Ordering::Relaxed);
        }
    }

    pub(super) fn of(&self, cluster: &str) -> impl Iterator<Item = (ResetResult, u64)> + use<> {
        self.find(cluster).into_iter().flat_map(|of| {
            let counts = of.counts.each_ref().map(|count| count.load(Ordering::Relaxed));
            ResetResult::ALL.into_iter().zip(counts)
        })
    }

    fn find(&self, cluster: &str) -> Option<Arc<OfCluster>> {
        let all = self.0.read().unwrap_or_else(PoisonError::into_inner);
        all.iter().find(|of| *of.cluster == *cluster).cloned()
    }
}
