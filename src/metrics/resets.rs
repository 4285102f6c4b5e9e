//! Counts of offset resets: a handle for whoever carries them out.

use std::sync::Arc;
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
pub struct ResetCounters(Arc<[OfCluster]>);

#[derive(Debug)]
struct OfCluster {
    cluster: Arc<str>,
    counts: [AtomicU64; ResetResult::ALL.len()],
}

impl ResetCounters {
    /// Counters for the named clusters, all at 0.
    pub fn new(clusters: impl IntoIterator<Item = Arc<str>>) -> Self {
        let counters = clusters.into_iter().map(|cluster| OfCluster {
            cluster,
            counts: Default::default(),
        });
        Self(counters.collect())
    }

    /// Counts one. A cluster that is not served is not counted: strangers make no series.
    pub fn count(&self, cluster: &str, result: ResetResult) {
        if let Some(of) = self.0.iter().find(|of| *of.cluster == *cluster) {
            of.counts[result as usize].fetch_add(1, Ordering::Relaxed);
        }
    }

    pub(super) fn of(&self, cluster: &str) -> impl Iterator<Item = (ResetResult, u64)> {
        let of = self.0.iter().find(|of| *of.cluster == *cluster);
        of.into_iter().flat_map(|of| {
            let counts = of.counts.iter().map(|count| count.load(Ordering::Relaxed));
            ResetResult::ALL.into_iter().zip(counts)
        })
    }
}
