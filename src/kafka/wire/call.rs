//! What tidemark asks: one type per call, which knows its API and how to put itself into a request of any version.

mod configs;
mod groups;
mod metadata;
mod offsets;
mod session;

pub(super) use configs::DescribeConfigs;
pub(super) use groups::ConsumerGroupDescribe;
pub(super) use groups::DescribeGroups;
pub(super) use groups::DescribeShareGroupOffsets;
pub(super) use groups::FIND_COORDINATOR_OF_MANY;
pub(super) use groups::FindCoordinator;
pub(super) use groups::ListGroups;
pub(super) use groups::ShareGroupDescribe;
pub(super) use groups::StreamsGroupDescribe;
pub(super) use metadata::METADATA_OF_NAMED;
pub(super) use metadata::Metadata;
pub(super) use offsets::ListOffsets;
pub(super) use offsets::ListedPartition;
pub(super) use offsets::NEWEST;
pub(super) use offsets::OFFSET_FETCH_OF_MANY;
pub(super) use offsets::OffsetCommit;
pub(super) use offsets::OffsetDelete;
pub(super) use offsets::OffsetFetch;
pub(super) use session::ApiVersions;
pub(super) use session::SaslAuthenticate;
pub(super) use session::SaslHandshake;

use std::ops::RangeInclusive;

use bytes::Bytes;
use bytes::BytesMut;
use kafka_protocol::messages::RequestHeader;
use kafka_protocol::protocol::Encodable;
use kafka_protocol::protocol::HeaderVersion;
use kafka_protocol::protocol::Request;
use kafka_protocol::protocol::StrBytes;

use super::answers;
use super::connection::Connection;
use super::connection::Frame;
use super::connection::Limits;
use super::read::ReadError;
use crate::failure::Api;
use crate::failure::Cause;
use crate::kafka::trouble::Trouble;

/// What a broker sees of us in its logs and quotas.
const CLIENT_ID: &str = "tidemark";

/// A request on the wire.
pub(super) trait Message {
    /// Kafka's number of the call.
    const KEY: i16;

    /// The version of the header before it.
    fn header_version(version: i16) -> i16;

    /// Puts it behind its header.
    fn put(&self, out: &mut BytesMut, version: i16) -> Result<(), String>;
}

impl<R: Request> Message for R {
    const KEY: i16 = R::KEY;

    fn header_version(version: i16) -> i16 {
        <R as HeaderVersion>::header_version(version)
    }

    fn put(&self, out: &mut BytesMut, version: i16) -> Result<(), String> {
        self.encode(out, version).map_err(|error| error.to_string())
    }
}

/// One call.
pub(super) trait Call: Send + Sync + 'static {
    /// Which.
    const API: Api;
    /// Whether a request may be sent again when it is not known what became of it. False for what changes something.
    const REPEATABLE: bool = true;
    /// The request on the wire.
    type Request: Message;

    /// The lowest version that can say what is asked.
    fn lowest(&self) -> i16 {
        0
    }

    /// The request in that version, one of [`spoken`].
    fn request(&self, version: i16) -> Self::Request;
}

/// The versions that can say what is asked and whose answers can be read.
pub(super) fn spoken<C: Call>(call: &C) -> RangeInclusive<i16> {
    let readable = answers::versions(C::API).expect("every call has an answer that can be read");
    (*readable.start()).max(call.lowest())..=*readable.end()
}

/// An answer whose body has not been read yet.
#[derive(Clone, Debug)]
pub(super) struct Reply {
    api: Api,
    version: i16,
    /// What follows the correlation id.
    bytes: Bytes,
}

impl Reply {
    /// The version that was asked in.
    pub(super) fn version(&self) -> i16 {
        self.version
    }

    /// Reads the body by one of the `answers`.
    pub(super) fn read<T>(&self, read: impl FnOnce(&[u8], i16) -> Result<T, ReadError>) -> Result<T, ReadError> {
        read(
            answers::header::body(&self.bytes, self.api, self.version)?,
            self.version,
        )
    }
}

/// Asks in that version and waits for the answer.
pub(super) async fn exchange<C: Call>(
    connection: &Connection,
    call: &C,
    version: i16,
    limits: Limits,
) -> Result<Reply, Trouble> {
    let frame = frame(call, version)?;
    let bytes = connection.call(frame, limits).await?;
    Ok(Reply {
        api: C::API,
        version,
        bytes,
    })
}

fn frame<C: Call>(call: &C, version: i16) -> Result<Frame, Trouble> {
    let header = RequestHeader::default()
        .with_request_api_key(C::Request::KEY)
        .with_request_api_version(version)
        .with_client_id(Some(StrBytes::from_static_str(CLIENT_ID)));
    Frame::build(|out| {
        let header_version = C::Request::header_version(version);
        header.encode(out, header_version).map_err(|error| error.to_string())?;
        call.request(version).put(out, version)
    })
    .map_err(|error| {
        let detail = format_args!("{} v{version} cannot say what is asked: {error}", C::API);
        Trouble::new(Cause::Unsupported, detail)
    })
}

/// A name as the requests want it. Whoever asks has made sure that it is UTF-8.
fn text(name: &str) -> StrBytes {
    StrBytes::from_string(name.to_owned())
}
