//! A running tidemark, by its JSON API.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http_body_util::Full;
use hyper::Method;
use hyper::Response;
use hyper::StatusCode;
use hyper::header::ETAG;
use hyper::header::HeaderValue;
use hyper::header::IF_NONE_MATCH;
use percent_encoding::NON_ALPHANUMERIC;
use percent_encoding::utf8_percent_encode;
use serde::Deserialize;

use crate::cli::http_client::Address;
use crate::cli::top::picture;
use crate::cli::top::picture::Cluster;
use crate::cli::top::picture::Figures;
use crate::cli::top::picture::Health;
use crate::cli::top::picture::Key;
use crate::cli::top::picture::Opened;
use crate::cli::top::picture::Picture;

/// For one answer: documents are made from what is there, without waiting for Kafka.
const ANSWER: Duration = Duration::from_secs(20);
const ROUTE: &str = "/api/v1/clusters";

/// A running tidemark.
pub(in crate::cli::top) struct Remote {
    address: Address,
    /// Only this cluster.
    only: Option<String>,
    /// The groups of each cluster with the tag of their document, so that they are sent only when they have changed.
    known: HashMap<String, (HeaderValue, Arc<Vec<Figures>>)>,
}

/// Why a document was refused.
#[derive(Deserialize)]
struct Refused {
    message: String,
}

impl Remote {
    pub(in crate::cli::top) fn new(address: Address, only: Option<String>) -> Self {
        Self {
            address,
            only,
            known: HashMap::new(),
        }
    }

    pub(super) async fn read(&mut self, open: Option<&Key>) -> Result<Picture, String> {
        let answer = self.get(ROUTE, None).await?;
        let all = self.found(&answer, picture::clusters)?;
        let health = self.wanted(all)?;
        self.known
            .retain(|cluster, _| health.iter().any(|health| health.cluster == *cluster));
        let mut clusters = Vec::with_capacity(health.len());
        for health in health {
            let groups = self.groups(&health.cluster).await?;
            clusters.push(Cluster { health, groups });
        }
        let opened = match open {
            Some(key) => Some((key.clone(), self.group(key).await?)),
            None => None,
        };
        Ok(Picture { clusters, opened })
    }

    fn wanted(&self, all: Vec<Health>) -> Result<Vec<Health>, String> {
        let Some(only) = &self.only else { return Ok(all) };
        let known: Vec<String> = all.iter().map(|health| health.cluster.clone()).collect();
        let wanted: Vec<Health> = all.into_iter().filter(|health| health.cluster == *only).collect();
        if wanted.is_empty() {
            let (at, known) = (self.address.authority(), known.join(", "));
            return Err(format!("there is no cluster {only:?} at {at}; there are {known}"));
        }
        Ok(wanted)
    }

    async fn groups(&mut self, cluster: &str) -> Result<Arc<Vec<Figures>>, String> {
        let known = self.known.get(cluster).cloned();
        let route = format!("{ROUTE}/{}/groups", encoded(cluster));
        let answer = self.get(&route, known.as_ref().map(|(tag, _)| tag)).await?;
        if let (StatusCode::NOT_MODIFIED, Some((_, groups))) = (answer.status(), known) {
            return Ok(groups);
        }
        let groups = Arc::new(self.found(&answer, picture::groups)?);
        if let Some(tag) = answer.headers().get(ETAG) {
            self.known.insert(cluster.to_owned(), (tag.clone(), groups.clone()));
        }
        Ok(groups)
    }

    async fn group(&self, key: &Key) -> Result<Opened, String> {
        let route = format!("{ROUTE}/{}/groups/{}", encoded(&key.cluster), encoded(&key.group));
        let answer = self.get(&route, None).await?;
        if answer.status() == StatusCode::NOT_FOUND {
            return Ok(Opened::Gone);
        }
        Ok(Opened::Found(Box::new(self.found(&answer, picture::group)?)))
    }

    async fn get(&self, route: &str, tag: Option<&HeaderValue>) -> Result<Response<Bytes>, String> {
        let mut request = self.address.request(Method::GET, route);
        if let Some(tag) = tag {
            request = request.header(IF_NONE_MATCH, tag);
        }
        let request = request.body(Full::default()).map_err(|error| error.to_string())?;
        self.address.send(request, ANSWER).await
    }

    fn found<T>(
        &self,
        answer: &Response<Bytes>,
        read: impl FnOnce(&[u8]) -> serde_json::Result<T>,
    ) -> Result<T, String> {
        let (at, status) = (self.address.authority(), answer.status());
        if status != StatusCode::OK {
            let refused =
                serde_json::from_slice(answer.body()).map(|Refused { message }| format!("{status}, {message}"));
            return Err(format!(
                "{at} answered {}",
                refused.unwrap_or_else(|_| status.to_string())
            ));
        }
        read(answer.body()).map_err(|error| format!("{at} answered something else than a tidemark does: {error}"))
    }
}

fn encoded(name: &str) -> String {
    utf8_percent_encode(name, NON_ALPHANUMERIC).to_string()
}

#[cfg(test)]
mod tests;
