//! ApiVersions v0-4.

use kafka_protocol::error::ResponseError;
use kafka_protocol::messages::ApiVersionsResponse;
use kafka_protocol::messages::api_versions_response::ApiVersion;

use super::Call;
use super::NONE;
use crate::sim::versions::Versions;

pub(super) fn answer(call: &Call<'_>) -> ApiVersionsResponse {
    let versions = call.model.broker(call.broker).map(|broker| broker.versions.clone());
    table(&versions.unwrap_or_else(Versions::kafka_4), NONE)
}

/// What a broker says, in v0, to a version of ApiVersions it does not speak.
pub(crate) fn unsupported(versions: &Versions) -> ApiVersionsResponse {
    table(versions, ResponseError::UnsupportedVersion.code())
}

fn table(versions: &Versions, error: i16) -> ApiVersionsResponse {
    let keys = versions.all().map(|(api, min, max)| {
        ApiVersion::default()
            .with_api_key(api)
            .with_min_version(min)
            .with_max_version(max)
    });
    ApiVersionsResponse::default()
        .with_error_code(error)
        .with_api_keys(keys.collect())
}
