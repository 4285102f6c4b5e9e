//! The admin listener of a running tidemark, over HTTP or HTTPS.

use std::path::Path;
use std::time::Duration;

use bytes::Bytes;
use http_body_util::Full;
use hyper::Method;
use hyper::StatusCode;
use hyper::header::AUTHORIZATION;
use hyper::header::CONTENT_TYPE;
use hyper::header::HeaderValue;
use percent_encoding::NON_ALPHANUMERIC;
use percent_encoding::percent_encode;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::super::http_client::Address;
use super::console::read_file;
use super::way::Stop;
use crate::reset::Asked;
use crate::reset::Executed;
use crate::reset::Order;
use crate::reset::Planned;
use crate::reset::engine::Place;

/// The longest token.
const TOKEN_LIMIT: u64 = 64 << 10;
/// For an answer: an execute may wait for Kafka at every step.
const ANSWER: Duration = Duration::from_secs(300);

/// Where a tidemark listens, and the token it wants.
pub(in crate::cli) struct Endpoint {
    address: Address,
    /// The whole header: marked as sensitive, so that no debug print shows it.
    token: HeaderValue,
}

/// A refusal as an endpoint sends it.
#[derive(Deserialize)]
struct Refused {
    error: String,
    message: String,
}

impl Endpoint {
    /// An endpoint by its address and the file with its token.
    pub(super) fn new(url: &str, token_file: &Path) -> Result<Self, String> {
        let address = Address::parse(url)
            .ok_or_else(|| format!("--admin {url:?} is no address like http://127.0.0.1:9641 or https://host:port"))?;
        let token = read_file(token_file, TOKEN_LIMIT)?;
        let mut token = HeaderValue::from_bytes(&[b"Bearer ", token.trim_ascii()].concat())
            .map_err(|_| format!("{}: no token that a header can carry", token_file.display()))?;
        token.set_sensitive(true);
        Ok(Self { address, token })
    }

    pub(super) async fn plan(&self, at: &Place, asked: &Asked) -> Result<Planned, Stop> {
        let body = serde_json::to_vec(asked).map_err(|error| Stop::Broken(error.to_string()))?;
        let (status, answer) = self.post(at, "plan", body).await.map_err(Stop::Broken)?;
        self.read(status, &answer)
    }

    pub(super) async fn execute(&self, at: &Place, order: &Order) -> Result<Executed, Stop> {
        let body = serde_json::to_vec(order).map_err(|error| Stop::Broken(error.to_string()))?;
        let answered = self.post(at, "execute", body).await;
        let (status, answer) = answered.map_err(|problem| {
            Stop::Broken(format!(
                "{problem}: the reset may have been carried out all the same; send the same plan again, which does no harm and tells"
            ))
        })?;
        if status == StatusCode::BAD_GATEWAY
            && let Ok(executed) = serde_json::from_slice(&answer)
        {
            return Err(Stop::Failed(Box::new(executed)));
        }
        self.read(status, &answer)
    }

    fn read<T: DeserializeOwned>(&self, status: StatusCode, answer: &[u8]) -> Result<T, Stop> {
        let strange = || {
            Stop::Broken(format!(
                "{} answered {status}, and nothing that a tidemark says",
                self.address.authority()
            ))
        };
        if status == StatusCode::OK {
            return serde_json::from_slice(answer).map_err(|_| strange());
        }
        let Refused { error, message } = serde_json::from_slice(answer).map_err(|_| strange())?;
        if error == "internal" {
            return Err(Stop::Broken(message));
        }
        Err(Stop::Refused { word: error, message })
    }

    async fn post(&self, at: &Place, step: &str, body: Vec<u8>) -> Result<(StatusCode, Bytes), String> {
        let encoded = |name: &[u8]| percent_encode(name, NON_ALPHANUMERIC).to_string();
        let route = format!(
            "/admin/v1/clusters/{}/groups/{}/reset/{step}",
            encoded(at.cluster.as_bytes()),
            encoded(at.group.bytes())
        );
        let request = self
            .address
            .request(Method::POST, &route)
            .header(AUTHORIZATION, &self.token)
            .header(CONTENT_TYPE, "application/json")
            .body(Full::new(Bytes::from(body)))
            .map_err(|error| error.to_string())?;
        let answer = self.address.send(request, ANSWER).await?;
        Ok((answer.status(), answer.into_body()))
    }
}
