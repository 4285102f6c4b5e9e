//! Which families of a partition are served.

use super::PartitionFamilies;

impl Default for PartitionFamilies {
    fn default() -> Self {
        Self {
            lag_records: true,
            lag_seconds: true,
            committed_offset: true,
            stalled_seconds: false,
        }
    }
}

impl PartitionFamilies {
    /// None of them.
    pub const NONE: Self = Self {
        lag_records: false,
        lag_seconds: false,
        committed_offset: false,
        stalled_seconds: false,
    };

    pub(super) fn switch_on(&mut self, family: &str) -> bool {
        let switch = match family {
            "lag_records" => &mut self.lag_records,
            "lag_seconds" => &mut self.lag_seconds,
            "committed_offset" => &mut self.committed_offset,
            "stalled_seconds" => &mut self.stalled_seconds,
            _ => return false,
        };
        *switch = true;
        true
    }

    /// Those that are on, as they are written in the configuration.
    pub fn names(self) -> Vec<&'static str> {
        let all = [
            ("lag_records", self.lag_records),
            ("lag_seconds", self.lag_seconds),
            ("committed_offset", self.committed_offset),
            ("stalled_seconds", self.stalled_seconds),
        ];
        all.into_iter().filter(|(_, on)| *on).map(|(name, _)| name).collect()
    }
}
