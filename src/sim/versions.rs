//! Which versions of which calls a broker speaks.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use kafka_protocol::messages::ApiKey;

/// The table that ApiVersions answers with. What it does not name is refused, as a broker refuses it: by closing the connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Versions(BTreeMap<i16, (i16, i16)>);

impl Versions {
    /// As brokers of Kafka 4 have it, as far as the codec goes: OffsetFetch and OffsetCommit end at 9.
    pub fn kafka_4() -> Self {
        use ApiKey as K;
        Self::of(&[
            // Kafka 4 says 0 here although it refuses what is below 3: older clients give up on it otherwise.
            (K::Produce, 0, 12),
            (K::Fetch, 4, 17),
            (K::ListOffsets, 1, 10),
            (K::Metadata, 0, 12),
            (K::OffsetCommit, 2, 9),
            (K::OffsetFetch, 1, 9),
            (K::FindCoordinator, 0, 6),
            (K::DescribeGroups, 0, 6),
            (K::ListGroups, 0, 5),
            (K::SaslHandshake, 0, 1),
            (K::ApiVersions, 0, 4),
            (K::CreateTopics, 2, 7),
            (K::DeleteTopics, 1, 6),
            (K::DeleteRecords, 0, 2),
            (K::DescribeConfigs, 1, 4),
            (K::SaslAuthenticate, 0, 2),
            (K::CreatePartitions, 0, 3),
            (K::DeleteGroups, 0, 2),
            (K::OffsetDelete, 0, 0),
            (K::ConsumerGroupDescribe, 0, 1),
            (K::ShareGroupDescribe, 1, 1),
            (K::DescribeShareGroupOffsets, 0, 0),
        ])
    }

    /// As brokers of Kafka 3.0 have it: no KIP-848, no share groups, one describe call.
    pub fn kafka_3_0() -> Self {
        use ApiKey as K;
        Self::kafka_4()
            .with(K::Produce, 0..=9)
            .with(K::Fetch, 0..=12)
            .with(K::ListOffsets, 0..=7)
            .with(K::Metadata, 0..=11)
            .with(K::OffsetCommit, 0..=8)
            .with(K::OffsetFetch, 0..=8)
            .with(K::FindCoordinator, 0..=4)
            .with(K::DescribeGroups, 0..=5)
            .with(K::ListGroups, 0..=4)
            .with(K::ApiVersions, 0..=3)
            .without(K::ConsumerGroupDescribe)
            .without(K::ShareGroupDescribe)
            .without(K::DescribeShareGroupOffsets)
    }

    /// As brokers of Kafka 2.1 have it: one group a request, no topic ids, no states in lists, no OffsetDelete.
    pub fn kafka_2_1() -> Self {
        use ApiKey as K;
        Self::kafka_3_0()
            .with(K::Produce, 0..=7)
            .with(K::Fetch, 0..=10)
            .with(K::ListOffsets, 0..=4)
            .with(K::Metadata, 0..=7)
            .with(K::OffsetCommit, 0..=6)
            .with(K::OffsetFetch, 0..=5)
            .with(K::FindCoordinator, 0..=2)
            .with(K::DescribeGroups, 0..=2)
            .with(K::ListGroups, 0..=2)
            .with(K::ApiVersions, 0..=2)
            .with(K::CreateTopics, 0..=3)
            .with(K::DeleteTopics, 0..=3)
            .with(K::DeleteRecords, 0..=1)
            .with(K::DescribeConfigs, 0..=2)
            .with(K::SaslAuthenticate, 0..=0)
            .with(K::CreatePartitions, 0..=1)
            .with(K::DeleteGroups, 0..=1)
            .without(K::OffsetDelete)
    }

    /// The same with other versions of one call.
    pub fn with(mut self, api: ApiKey, versions: RangeInclusive<i16>) -> Self {
        self.0.insert(key(api), (*versions.start(), *versions.end()));
        self
    }

    /// The same without one call.
    pub fn without(mut self, api: ApiKey) -> Self {
        self.0.remove(&key(api));
        self
    }

    /// True when this version of the call is spoken.
    pub fn speaks(&self, api: i16, version: i16) -> bool {
        self.0
            .get(&api)
            .is_some_and(|(min, max)| (*min..=*max).contains(&version))
    }

    /// Every call with its first and last version.
    pub fn all(&self) -> impl Iterator<Item = (i16, i16, i16)> + '_ {
        self.0.iter().map(|(api, (min, max))| (*api, *min, *max))
    }

    fn of(table: &[(ApiKey, i16, i16)]) -> Self {
        Self(table.iter().map(|(api, min, max)| (key(*api), (*min, *max))).collect())
    }
}

/// The number of a call on the wire.
pub(super) fn key(api: ApiKey) -> i16 {
    api as i16
}
