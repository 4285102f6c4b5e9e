//! From an answer to the bytes that are sent, and what can happen to them.

use bytes::BufMut;
use bytes::Bytes;
use bytes::BytesMut;
use kafka_protocol::messages::ApiKey;
use kafka_protocol::messages::ResponseHeader;
use kafka_protocol::messages::ResponseKind;
use kafka_protocol::protocol::Encodable;

use super::Fault;
use super::Plan;
use super::Then;
use super::When;
use super::patch;

/// What a connection does after a request.
#[derive(Debug)]
pub(crate) enum Reply {
    /// Send these bytes.
    Send(Bytes),
    /// Send these bytes and do this.
    Part(Bytes, Then),
    /// Go on without an answer.
    Nothing,
    /// Close the connection.
    Close,
}

/// Encodes an answer and lets the plan's faults at it; closes the connection when the codec cannot encode it.
pub(crate) fn reply(api: ApiKey, version: i16, correlation: i32, mut answer: ResponseKind, plan: &Plan) -> Reply {
    for (when, fault) in &plan.0 {
        patch(&mut answer, version, when, fault);
    }
    let Some(mut frame) = encode(api, version, correlation, &answer) else {
        return Reply::Close;
    };
    let mut end = None;
    for (_, fault) in &plan.0 {
        match fault {
            Fault::Silence => return Reply::Nothing,
            Fault::Close => return Reply::Close,
            Fault::Half(then) => end = Some(*then),
            Fault::Garbage => scramble(&mut frame, correlation),
            Fault::FrameLength(length) => frame[..4].copy_from_slice(&length.to_be_bytes()),
            Fault::ArrayLength(length) => {
                let mut emptied = answer.clone();
                patch(&mut emptied, version, &When::any(), &Fault::LeftOut);
                let shorter = encode(api, version, correlation, &emptied);
                let compact = api.response_header_version(version) > 0;
                relength(&mut frame, &shorter.unwrap_or_default(), compact, *length);
            }
            Fault::Correlation(by) => frame[4..8].copy_from_slice(&correlation.wrapping_add(*by).to_be_bytes()),
            Fault::Mangle(mangle) => (mangle.0)(&mut frame),
            Fault::Error(_) | Fault::ErrorBeside(_) | Fault::LeftOut | Fault::Delay(_) => {}
        }
    }
    match end {
        None => Reply::Send(frame.freeze()),
        Some(then) => Reply::Part(frame.split_to(frame.len() / 2).freeze(), then),
    }
}

/// An answer's frame: length, header, body.
fn encode(api: ApiKey, version: i16, correlation: i32, answer: &ResponseKind) -> Option<BytesMut> {
    let mut frame = BytesMut::new();
    frame.put_i32(0);
    let header = ResponseHeader::default().with_correlation_id(correlation);
    header.encode(&mut frame, api.response_header_version(version)).ok()?;
    if let Err(error) = answer.encode(&mut frame, version) {
        // A fault of the simulation: say so where a test's output is seen.
        tracing::error!(%error, ?api, version, "answer cannot be encoded");
        return None;
    }
    set_length(&mut frame);
    Some(frame)
}

fn set_length(frame: &mut BytesMut) {
    let length = i32::try_from(frame.len() - 4).unwrap_or(i32::MAX);
    frame[..4].copy_from_slice(&length.to_be_bytes());
}

/// Random bytes behind length and correlation id, the same for the same correlation id.
fn scramble(frame: &mut BytesMut, correlation: i32) {
    let mut state = u64::from(correlation.unsigned_abs()) + 1;
    for byte in frame.iter_mut().skip(8) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        *byte = state.to_be_bytes()[3];
    }
}

/// Writes a length in front of the first list in which the answer differs from the one whose lists are empty. In old versions the list is
/// taken to have fewer than 256 entries; where no list has any, the frame stays as it is.
fn relength(frame: &mut BytesMut, emptied: &[u8], compact: bool, length: i32) {
    const HEAD: usize = 8;
    let same = frame
        .iter()
        .zip(emptied)
        .skip(HEAD)
        .take_while(|(one, other)| one == other);
    let at = HEAD + same.count();
    if at >= frame.len() {
        return;
    }
    let rest = frame.split_off(at);
    if !compact {
        // Four bytes, of which only the last differed from 0.
        frame.truncate(at - 3);
        frame.put_i32(length);
        frame.extend_from_slice(&rest[1..]);
    } else {
        let old = rest.iter().take_while(|byte| **byte >= 0x80).count() + 1;
        put_varint(frame, u32::try_from(length).map_or(0, |length| length + 1));
        frame.extend_from_slice(&rest[old..]);
    }
    set_length(frame);
}

fn put_varint(frame: &mut BytesMut, mut value: u32) {
    while value >= 0x80 {
        frame.put_u8(value.to_le_bytes()[0] | 0x80);
        value >>= 7;
    }
    frame.put_u8(value.to_le_bytes()[0]);
}
