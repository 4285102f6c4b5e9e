//! Which versions of which answer can be read, and how they are written.

use std::ops::RangeInclusive;

use crate::failure::Api;
use crate::kafka::wire::read::Encoding;
use crate::kafka::wire::read::ReadError;
use crate::kafka::wire::read::Reader;

/// The versions of an API whose answers can be read; `None` for calls that are never made over this protocol.
pub fn versions(api: Api) -> Option<RangeInclusive<i16>> {
    Some(match api {
        Api::ApiVersions => 0..=4,
        Api::SaslHandshake => 0..=1,
        Api::SaslAuthenticate => 0..=2,
        // v13 differs in an error that stands for the whole cluster and that nobody here could act on.
        Api::Metadata => 0..=12,
        Api::FindCoordinator => 0..=6,
        Api::ListGroups => 0..=5,
        Api::DescribeGroups => 0..=6,
        Api::ConsumerGroupDescribe => 0..=1,
        // v0 was an early access version of Kafka 4.0, taken back in 4.1.
        Api::ShareGroupDescribe => 1..=1,
        Api::DescribeShareGroupOffsets => 0..=1,
        // v10 names topics by id alone.
        Api::OffsetFetch => 1..=9,
        Api::ListOffsets => 1..=10,
        Api::DescribeConfigs => 1..=4,
        // v10 names topics by id alone.
        Api::OffsetCommit => 2..=9,
        Api::OffsetDelete => 0..=0,
        Api::StreamsGroupDescribe => 0..=0,
        Api::Fetch => return None,
    })
}

/// How the body of an answer is written.
pub(super) fn encoding(api: Api, version: i16) -> Encoding {
    let flexible = match api {
        Api::ConsumerGroupDescribe
        | Api::ShareGroupDescribe
        | Api::StreamsGroupDescribe
        | Api::DescribeShareGroupOffsets => true,
        Api::SaslAuthenticate => version >= 2,
        Api::ApiVersions | Api::FindCoordinator | Api::ListGroups => version >= 3,
        Api::DescribeConfigs => version >= 4,
        Api::DescribeGroups => version >= 5,
        Api::OffsetFetch | Api::ListOffsets => version >= 6,
        Api::OffsetCommit => version >= 8,
        Api::Metadata => version >= 9,
        Api::SaslHandshake | Api::OffsetDelete | Api::Fetch => false,
    };
    if flexible {
        Encoding::Flexible
    } else {
        Encoding::Classic
    }
}

/// A reader over the body of an answer.
pub(super) fn open(body: &[u8], api: Api, version: i16) -> Result<Reader<'_>, ReadError> {
    if versions(api).is_none_or(|known| !known.contains(&version)) {
        return Err(ReadError::Version { api, version });
    }
    Ok(Reader::new(body, encoding(api, version)))
}
