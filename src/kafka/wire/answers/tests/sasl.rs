//! The answers of a login.

use std::time::Duration;

use kafka_protocol::messages::SaslAuthenticateResponse;
use kafka_protocol::messages::SaslHandshakeResponse;

use super::*;

fn handshake(draw: &mut Draw<'_>, _: i16) -> SaslHandshakeResponse {
    SaslHandshakeResponse::default()
        .with_error_code(draw.error())
        .with_mechanisms(draw.list(|draw| draw.one_of(&["PLAIN", "SCRAM-SHA-256"])))
}

#[test]
fn the_mechanisms_are_read_in_every_version() {
    hold(Api::SaslHandshake, handshake, sasl_handshake::read, |answer, _| {
        sasl_handshake::Answer {
            error: ErrorCode::new(answer.error_code),
            mechanisms: answer.mechanisms.iter().map(name).collect(),
        }
    });
}

fn step(draw: &mut Draw<'_>, version: i16) -> SaslAuthenticateResponse {
    let mut answer = SaslAuthenticateResponse::default()
        .with_error_code(draw.error())
        .with_error_message(draw.option(Draw::text))
        .with_auth_bytes(draw.bytes())
        .with_unknown_tagged_fields(draw.tags());
    if version >= 1 {
        answer = answer.with_session_lifetime_ms(draw.int64());
    }
    answer
}

#[test]
fn a_step_of_the_exchange_is_read_in_every_version() {
    hold(Api::SaslAuthenticate, step, sasl_authenticate::read, |answer, _| {
        sasl_authenticate::Answer {
            error: ErrorCode::new(answer.error_code),
            message: answer.error_message.as_ref().map(name),
            token: answer.auth_bytes.to_vec(),
            session_lifetime: match answer.session_lifetime_ms {
                ..=0 => None,
                millis => Some(Duration::from_millis(millis.unsigned_abs())),
            },
        }
    });
}

#[test]
fn what_the_broker_sends_to_authenticate_is_not_shown() {
    let answer = sasl_authenticate::Answer {
        error: None,
        message: None,
        token: b"r=nonce".to_vec(),
        session_lifetime: None,
    };
    let shown = format!("{answer:?}");
    assert_eq!(
        shown,
        "Answer { error: None, message: None, session_lifetime: None, .. }"
    );
}
