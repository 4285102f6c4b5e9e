//! Kafka's protocol over a plain socket, one call at a time: what the tests ask and change in Kafka without the code they test and
//! without librdkafka, which trims group names and tells no errors of single partitions.

use std::io;
use std::io::Read;
use std::io::Write;
use std::net::TcpStream;
use std::time::Duration;

use bytes::Bytes;
use bytes::BytesMut;
use kafka_protocol::messages::RequestHeader;
use kafka_protocol::messages::ResponseHeader;
use kafka_protocol::protocol::Decodable;
use kafka_protocol::protocol::HeaderVersion;
use kafka_protocol::protocol::Request;
use kafka_protocol::protocol::StrBytes;
use kafka_protocol::protocol::encode_request_header_into_buffer;

/// A connection to one broker.
pub(crate) struct Wire {
    stream: TcpStream,
    sent: i32,
}

impl Wire {
    /// Connects to `127.0.0.1:port`.
    pub(crate) fn to(port: u16) -> io::Result<Self> {
        let stream = TcpStream::connect(("127.0.0.1", port))?;
        stream.set_read_timeout(Some(Duration::from_secs(10)))?;
        stream.set_nodelay(true)?;
        Ok(Self { stream, sent: 0 })
    }

    /// Sends a request and waits for its answer.
    pub(crate) fn call<R: Request>(&mut self, request: &R, version: i16) -> io::Result<R::Response> {
        self.send(request, version)?;
        self.answer::<R>(version)
    }

    /// The next answer, which must be one to such a request.
    pub(crate) fn answer<R: Request>(&mut self, version: i16) -> io::Result<R::Response> {
        let mut answer = self.receive()?;
        let header = R::Response::header_version(version);
        ResponseHeader::decode(&mut answer, header).map_err(io::Error::other)?;
        R::Response::decode(&mut answer, version).map_err(io::Error::other)
    }

    /// Sends a request; its answer comes after those of all that were sent before.
    pub(crate) fn send<R: Request>(&mut self, request: &R, version: i16) -> io::Result<()> {
        self.sent += 1;
        let header = RequestHeader::default()
            .with_request_api_key(R::KEY)
            .with_request_api_version(version)
            .with_correlation_id(self.sent)
            .with_client_id(Some(StrBytes::from_static_str("tidemark-tests")));
        let mut frame = BytesMut::zeroed(4);
        encode_request_header_into_buffer(&mut frame, &header).map_err(io::Error::other)?;
        request.encode(&mut frame, version).map_err(io::Error::other)?;
        let length = u32::try_from(frame.len() - 4).map_err(io::Error::other)?;
        frame[..4].copy_from_slice(&length.to_be_bytes());
        self.stream.write_all(&frame)
    }

    /// The next answer, header and body, as it came.
    pub(crate) fn receive(&mut self) -> io::Result<Bytes> {
        let mut length = [0; 4];
        self.stream.read_exact(&mut length)?;
        let mut answer = vec![0; usize::try_from(u32::from_be_bytes(length)).map_err(io::Error::other)?];
        self.stream.read_exact(&mut answer)?;
        Ok(answer.into())
    }
}
