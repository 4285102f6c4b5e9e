//! SaslHandshake v0-1 and SaslAuthenticate v0-2, PLAIN alone.

use kafka_protocol::error::ResponseError;
use kafka_protocol::messages::SaslAuthenticateRequest;
use kafka_protocol::messages::SaslAuthenticateResponse;
use kafka_protocol::messages::SaslHandshakeRequest;
use kafka_protocol::messages::SaslHandshakeResponse;
use kafka_protocol::protocol::StrBytes;

use super::Call;
use super::NONE;
use super::text;

const PLAIN: StrBytes = StrBytes::from_static_str("PLAIN");

/// How far a connection is with logging in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Login {
    /// Nothing was said yet.
    #[default]
    Unknown,
    /// The mechanism was agreed on.
    Agreed,
    /// The password was right.
    Done,
}

pub(super) fn handshake(call: &mut Call<'_>, request: &SaslHandshakeRequest) -> SaslHandshakeResponse {
    let error = match (&call.model.sasl, &*request.mechanism) {
        (Some(_), "PLAIN") => NONE,
        (Some(_), _) => ResponseError::UnsupportedSaslMechanism.code(),
        (None, _) => ResponseError::IllegalSaslState.code(),
    };
    if error == NONE {
        *call.login = Login::Agreed;
    }
    SaslHandshakeResponse::default()
        .with_error_code(error)
        .with_mechanisms(vec![PLAIN])
}

pub(super) fn authenticate(call: &mut Call<'_>, request: &SaslAuthenticateRequest) -> SaslAuthenticateResponse {
    let answer = SaslAuthenticateResponse::default();
    let Some(sasl) = call.model.sasl.as_ref().filter(|_| *call.login == Login::Agreed) else {
        return answer
            .with_error_code(ResponseError::IllegalSaslState.code())
            .with_error_message(Some(text(
                "SaslAuthenticate request received after successful authentication",
            )));
    };
    // RFC 4616: authorization identity, NUL, user, NUL, password.
    let mut parts = request.auth_bytes.split(|byte| *byte == 0).skip(1);
    let (user, password) = (parts.next(), parts.next());
    if user == Some(sasl.user.as_bytes()) && password == Some(sasl.password.as_bytes()) {
        *call.login = Login::Done;
        return answer;
    }
    answer
        .with_error_code(ResponseError::SaslAuthenticationFailed.code())
        .with_error_message(Some(text("Authentication failed: Invalid username or password")))
}
