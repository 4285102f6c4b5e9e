//! Which version of each call a broker and tidemark both speak (ApiVersions, asked on every new connection).

use std::collections::HashMap;
use std::ops::RangeInclusive;

/// The versions a broker speaks, by API key.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Versions(HashMap<i16, (i16, i16)>);

impl Versions {
    /// The highest version of the call that is within `ours` and that the broker speaks.
    pub(super) fn pick(&self, key: i16, ours: RangeInclusive<i16>) -> Option<i16> {
        let (low, high) = self.0.get(&key)?;
        let version = *ours.end().min(high);
        (version >= *ours.start() && version >= *low).then_some(version)
    }
}

impl FromIterator<(i16, i16, i16)> for Versions {
    /// From API key, lowest and highest version.
    fn from_iter<I: IntoIterator<Item = (i16, i16, i16)>>(ranges: I) -> Self {
        Self(ranges.into_iter().map(|(key, low, high)| (key, (low, high))).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_highest_version_of_both_is_picked() {
        let versions = Versions::from_iter([(9, 1, 10), (2, 1, 5), (3, 13, 14), (8, 0, 1)]);
        assert_eq!(versions.pick(9, 2..=9), Some(9));
        assert_eq!(versions.pick(2, 1..=10), Some(5));
        assert_eq!(versions.pick(3, 0..=12), None, "the broker dropped what we speak");
        assert_eq!(versions.pick(8, 2..=9), None, "the broker is too old");
        assert_eq!(versions.pick(69, 0..=1), None, "the broker does not know the call");
    }
}
