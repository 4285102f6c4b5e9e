//! Which other exporters' names are served too.

use super::Compatibility;

impl Compatibility {
    /// Every name that can be given.
    pub(super) const NAMES: [&str; 3] = ["kafka_exporter", "kafka_lag_exporter", "kminion"];

    pub(super) fn switch_on(&mut self, exporter: &str) -> bool {
        let switch = match exporter {
            "kafka_exporter" => &mut self.kafka_exporter,
            "kafka_lag_exporter" => &mut self.kafka_lag_exporter,
            "kminion" => &mut self.kminion,
            _ => return false,
        };
        *switch = true;
        true
    }

    /// Those that are on, as they are written in the configuration.
    pub fn names(self) -> Vec<&'static str> {
        let on = [self.kafka_exporter, self.kafka_lag_exporter, self.kminion];
        let all = Self::NAMES.into_iter().zip(on);
        all.filter(|(_, on)| *on).map(|(name, _)| name).collect()
    }
}
