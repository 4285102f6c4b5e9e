//! The group's document from a running tidemark.

use std::time::Duration;

use bytes::Bytes;
use http_body_util::Full;
use hyper::Method;
use hyper::StatusCode;
use percent_encoding::NON_ALPHANUMERIC;
use percent_encoding::percent_encode;
use serde::Deserialize;

use super::super::http_client::Address;
use super::Document;
use crate::model::GroupId;
use crate::report::printable;

/// For an answer: it is made from what is there.
const ANSWER: Duration = Duration::from_secs(30);

#[derive(Deserialize)]
struct Clusters {
    clusters: Vec<Cluster>,
}

#[derive(Deserialize)]
struct Cluster {
    cluster: String,
}

/// A refusal as the API sends it.
#[derive(Deserialize)]
struct Refused {
    message: String,
}

/// Asks for the group; for the clusters first where none is named.
pub(super) async fn document(address: &Address, cluster: Option<&str>, group: &GroupId) -> Document {
    let cluster = match cluster {
        Some(named) => named.to_owned(),
        None => only_cluster(address).await?,
    };
    let encoded = |name: &[u8]| percent_encode(name, NON_ALPHANUMERIC).to_string();
    let (cluster, group) = (encoded(cluster.as_bytes()), encoded(group.bytes()));
    get(address, &format!("/api/v1/clusters/{cluster}/groups/{group}")).await
}

async fn only_cluster(address: &Address) -> Result<String, String> {
    let list = get(address, "/api/v1/clusters").await?;
    let list: Clusters = serde_json::from_str(&list).map_err(|_| strange(address, StatusCode::OK))?;
    let mut names: Vec<String> = list.clusters.into_iter().map(|it| it.cluster).collect();
    match (names.pop(), names.is_empty()) {
        (Some(only), true) => Ok(only),
        (last, _) => {
            names.extend(last);
            let names = printable(&names.join(", "));
            Err(format!("there are several clusters, name one by --cluster: {names}"))
        }
    }
}

async fn get(address: &Address, route: &str) -> Document {
    let request = address.request(Method::GET, route).body(Full::new(Bytes::new()));
    let answer = address
        .send(request.map_err(|error| error.to_string())?, ANSWER)
        .await?;
    let status = answer.status();
    let body = String::from_utf8(answer.into_body().to_vec()).map_err(|_| strange(address, status))?;
    if status == StatusCode::OK {
        return Ok(body);
    }
    let refused: Refused = serde_json::from_str(&body).map_err(|_| strange(address, status))?;
    Err(printable(&refused.message))
}

fn strange(address: &Address, status: StatusCode) -> String {
    format!(
        "{} answered {status}, and nothing that a tidemark says",
        address.authority()
    )
}
