//! What a broker speaks.

use kafka_protocol::messages::ApiVersionsResponse;
use kafka_protocol::messages::api_versions_response::ApiVersion;
use kafka_protocol::messages::api_versions_response::FinalizedFeatureKey;
use kafka_protocol::messages::api_versions_response::SupportedFeatureKey;

use super::*;

fn answer(draw: &mut Draw<'_>, version: i16) -> ApiVersionsResponse {
    let mut answer = ApiVersionsResponse::default()
        // A broker that does not know the version answers otherwise: below.
        .with_error_code(Some(draw.error()).filter(|code| *code != 35).unwrap_or(0))
        .with_api_keys(draw.list(|draw| {
            ApiVersion::default()
                .with_api_key(draw.int16() % 4)
                .with_min_version(draw.int16())
                .with_max_version(draw.int16())
                .with_unknown_tagged_fields(draw.tags())
        }))
        .with_throttle_time_ms(draw.int32());
    if version >= 3 {
        answer = answer
            .with_supported_features(draw.list(|draw| {
                SupportedFeatureKey::default()
                    .with_name(draw.text())
                    .with_min_version(draw.int16())
                    .with_unknown_tagged_fields(draw.tags())
            }))
            .with_finalized_features_epoch(draw.int64())
            .with_finalized_features(draw.list(|draw| {
                FinalizedFeatureKey::default()
                    .with_name(draw.text())
                    .with_max_version_level(draw.int16())
            }))
            .with_zk_migration_ready(draw.flag())
            .with_unknown_tagged_fields(draw.tags_from(4));
    }
    answer
}

#[test]
fn what_a_broker_speaks_is_read_in_every_version() {
    hold(
        Api::ApiVersions,
        answer,
        super::super::api_versions::read,
        |answer, _| super::super::api_versions::Answer {
            error: ErrorCode::new(answer.error_code),
            apis: sorted(
                answer
                    .api_keys
                    .iter()
                    .map(|api| (api.api_key, api.min_version..=api.max_version)),
            ),
        },
    );
}

#[test]
fn a_broker_that_does_not_know_the_version_answers_in_the_oldest_form() {
    let refused = ApiVersionsResponse::default()
        .with_error_code(35)
        .with_api_keys(vec![ApiVersion::default().with_api_key(18).with_max_version(2)]);
    let mut body = Vec::new();
    refused.encode(&mut body, 0).unwrap();
    for version in 0..=4 {
        let answer = super::super::api_versions::read(&body, version).unwrap();
        assert_eq!(answer.error, Some(ErrorCode::UNSUPPORTED_VERSION));
        assert_eq!(answer.versions(18), Some(0..=2));
        assert_eq!(answer.versions(3), None);
    }
}
