//! Whoever else has to do with resets: who is told of them, and who knows how fast groups read.

use crate::model::GroupId;
use crate::model::Offset;
use crate::reset::document::Key;
use crate::reset::replay::Rate;

/// Whoever wants to know of resets: the counters, the poller's history.
pub trait Observer: Send + Sync + 'static {
    /// One attempt on a group of this cluster has ended so; for `tidemark_resets_total`. The cluster is as it was asked for.
    fn ended(&self, cluster: &str, ending: Ending);

    /// These commits were just moved by a reset that this [`Caller`](crate::reset::audit::Caller) asked for, by name: their jump is no progress of
    /// consumers.
    fn moved(&self, cluster: &str, group: &GroupId, to: &[(Key, Option<Offset>)], who: &str);
}

/// Whoever has watched the groups of the clusters.
pub trait Witness: Send + Sync + 'static {
    /// How fast the group read when it was last seen reading; `None` where nobody saw that lately.
    fn read(&self, cluster: &str, group: &GroupId) -> Option<Rate>;
}

/// A witness who has seen nothing.
impl Witness for () {
    fn read(&self, _: &str, _: &GroupId) -> Option<Rate> {
        None
    }
}

/// How an attempt ended; the label `result`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Ending {
    /// A plan was answered.
    Planned,
    /// An execute is done.
    Executed,
    /// Nothing was written.
    Refused,
    /// An execute is done in part, or nobody knows.
    Failed,
}

/// An observer that does not care.
impl Observer for () {
    fn ended(&self, _: &str, _: Ending) {}

    fn moved(&self, _: &str, _: &GroupId, _: &[(Key, Option<Offset>)], _: &str) {}
}
