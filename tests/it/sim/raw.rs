//! A client of one connection that speaks the protocol by the codec alone.

use std::io;
use std::net::SocketAddr;

use bytes::BufMut;
use bytes::Bytes;
use bytes::BytesMut;
use kafka_protocol::messages::ApiKey;
use kafka_protocol::messages::RequestHeader;
use kafka_protocol::messages::ResponseHeader;
use kafka_protocol::protocol::Decodable;
use kafka_protocol::protocol::HeaderVersion;
use kafka_protocol::protocol::Request;
use kafka_protocol::protocol::encode_request_header_into_buffer;
use tokio::io::AsyncReadExt;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;

/// One connection.
pub(crate) struct Raw {
    pub(crate) stream: TcpStream,
    correlation: i32,
}

impl Raw {
    pub(crate) async fn connect(address: SocketAddr) -> Self {
        let stream = TcpStream::connect(address).await.expect("the broker listens");
        Self { stream, correlation: 0 }
    }

    /// Sends a request and waits for its answer.
    pub(crate) async fn ask<R: Request>(&mut self, request: &R, version: i16) -> R::Response {
        self.send(request, version).await;
        let mut frame = self.frame().await.expect("an answer comes");
        let header = ResponseHeader::decode(&mut frame, R::Response::header_version(version)).expect("a header");
        assert_eq!(header.correlation_id, self.correlation);
        let answer = R::Response::decode(&mut frame, version).expect("an answer that can be read");
        assert!(frame.is_empty(), "bytes are left after the answer");
        answer
    }

    pub(crate) async fn send<R: Request>(&mut self, request: &R, version: i16) {
        self.correlation += 1;
        let mut frame = BytesMut::new();
        frame.put_i32(0);
        let header = RequestHeader::default()
            .with_request_api_key(R::KEY)
            .with_request_api_version(version)
            .with_correlation_id(self.correlation)
            .with_client_id(Some("raw".to_owned().into()));
        encode_request_header_into_buffer(&mut frame, &header).expect("a header");
        request.encode(&mut frame, version).expect("a request");
        let length = i32::try_from(frame.len() - 4).expect("a short request");
        frame[..4].copy_from_slice(&length.to_be_bytes());
        self.stream.write_all(&frame).await.expect("the broker reads");
    }

    /// The next frame, without its length.
    pub(crate) async fn frame(&mut self) -> io::Result<Bytes> {
        let length = self.stream.read_i32().await?;
        let mut frame = vec![0; usize::try_from(length).map_err(io::Error::other)?];
        self.stream.read_exact(&mut frame).await?;
        Ok(frame.into())
    }
}

/// The number of a call.
pub(crate) fn key(api: ApiKey) -> i16 {
    api as i16
}
