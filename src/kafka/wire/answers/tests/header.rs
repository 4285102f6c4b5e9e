//! What comes before every answer.

use kafka_protocol::messages::ApiKey;
use kafka_protocol::messages::ResponseHeader;

use super::*;

fn key(api: Api) -> ApiKey {
    match api {
        Api::ApiVersions => ApiKey::ApiVersions,
        Api::SaslHandshake => ApiKey::SaslHandshake,
        Api::SaslAuthenticate => ApiKey::SaslAuthenticate,
        Api::Metadata => ApiKey::Metadata,
        Api::FindCoordinator => ApiKey::FindCoordinator,
        Api::ListGroups => ApiKey::ListGroups,
        Api::DescribeGroups => ApiKey::DescribeGroups,
        Api::ConsumerGroupDescribe => ApiKey::ConsumerGroupDescribe,
        Api::ShareGroupDescribe => ApiKey::ShareGroupDescribe,
        Api::DescribeShareGroupOffsets => ApiKey::DescribeShareGroupOffsets,
        Api::OffsetFetch => ApiKey::OffsetFetch,
        Api::ListOffsets => ApiKey::ListOffsets,
        Api::DescribeConfigs => ApiKey::DescribeConfigs,
        Api::OffsetCommit => ApiKey::OffsetCommit,
        Api::OffsetDelete => ApiKey::OffsetDelete,
        Api::StreamsGroupDescribe | Api::Fetch => {
            unreachable!("the codec does not know it, or no version of it is read")
        }
    }
}

#[test]
fn the_header_of_every_answer_is_read_as_the_codec_writes_it() {
    for api in Api::ALL.into_iter().filter(|api| *api != Api::StreamsGroupDescribe) {
        for version in versions(api).into_iter().flatten() {
            let mut frame = Vec::new();
            let header = ResponseHeader::default()
                .with_correlation_id(-7)
                .with_unknown_tagged_field(3, bytes::Bytes::from_static(b"new"));
            header
                .encode(&mut frame, key(api).response_header_version(version))
                .unwrap();
            frame.extend(b"body");
            let (id, rest) = super::super::header::correlation_id(&frame).unwrap();
            assert_eq!(id, -7);
            let body = super::super::header::body(rest, api, version);
            assert_eq!(body, Ok(&b"body"[..]), "{api} v{version}");
        }
    }
}

#[test]
fn a_frame_too_short_for_a_header_is_refused() {
    let error = super::super::header::correlation_id(b"\0\0\0").unwrap_err();
    assert_eq!(error.to_string(), "the answer ends at byte 0, within correlation id");
    assert!(super::super::header::body(b"", Api::Metadata, 9).is_err());
}
