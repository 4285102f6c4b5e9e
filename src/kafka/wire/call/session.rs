//! What is asked on a new connection: versions, then SASL.

use bytes::Bytes;
use kafka_protocol::messages::ApiVersionsRequest;
use kafka_protocol::messages::SaslAuthenticateRequest;
use kafka_protocol::messages::SaslHandshakeRequest;
use kafka_protocol::protocol::StrBytes;

use super::Call;
use super::text;
use crate::failure::Api;

/// What does the broker speak?
pub(in super::super) struct ApiVersions;

impl Call for ApiVersions {
    const API: Api = Api::ApiVersions;
    type Request = ApiVersionsRequest;

    fn request(&self, version: i16) -> ApiVersionsRequest {
        let request = ApiVersionsRequest::default();
        if version < 3 {
            return request;
        }
        request
            .with_client_software_name(StrBytes::from_static_str(env!("CARGO_PKG_NAME")))
            .with_client_software_version(StrBytes::from_static_str(env!("CARGO_PKG_VERSION")))
    }
}

/// Do you offer this mechanism?
pub(in super::super) struct SaslHandshake {
    pub(in super::super) mechanism: &'static str,
}

impl Call for SaslHandshake {
    const API: Api = Api::SaslHandshake;
    type Request = SaslHandshakeRequest;

    // v0 would go on without Kafka's frames.
    fn lowest(&self) -> i16 {
        1
    }

    fn request(&self, _version: i16) -> SaslHandshakeRequest {
        SaslHandshakeRequest::default().with_mechanism(text(self.mechanism))
    }
}

/// One step of the mechanism.
pub(in super::super) struct SaslAuthenticate {
    pub(in super::super) token: Bytes,
}

impl Call for SaslAuthenticate {
    const API: Api = Api::SaslAuthenticate;
    const REPEATABLE: bool = false;
    type Request = SaslAuthenticateRequest;

    fn request(&self, _version: i16) -> SaslAuthenticateRequest {
        SaslAuthenticateRequest::default().with_auth_bytes(self.token.clone())
    }
}
