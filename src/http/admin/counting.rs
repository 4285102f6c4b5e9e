//! Resets into `tidemark_resets_total`.

use crate::metrics::ResetCounters;
use crate::metrics::ResetResult;
use crate::model::GroupId;
use crate::model::Offset;
use crate::reset::Observer;
use crate::reset::document::Key;
use crate::reset::engine::Ending;

impl Observer for ResetCounters {
    fn ended(&self, cluster: &str, ending: Ending) {
        let result = match ending {
            Ending::Planned => ResetResult::Planned,
            Ending::Executed => ResetResult::Executed,
            Ending::Refused => ResetResult::Refused,
            Ending::Failed => ResetResult::Failed,
        };
        self.count(cluster, result);
    }

    /// Counters are not interested in which commits moved.
    fn moved(&self, _: &str, _: &GroupId, _: &[(Key, Option<Offset>)], _: &str) {}
}
