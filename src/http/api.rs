//! `/api/v1`: the documents of [`report`](crate::report), with a tag that changes with the snapshot.

use std::sync::Arc;

use hyper::Request;
use hyper::Response;
use hyper::StatusCode;
use serde::Serialize;

use super::body::Body;
use super::query;
use super::respond;
use super::state::Published;
use super::state::State;
use super::tag::matches;
use super::tag::tagged;
use crate::config::Objective;
use crate::report::Clusters;
use crate::report::Query;

/// What is asked for.
enum Asked {
    Clusters(Vec<Published>),
    Groups(Published, Query),
    Group(Published, Vec<u8>),
}

/// Answers what comes after `/api/v1/clusters`.
pub(super) async fn answer<B>(state: &State, segments: &[&[u8]], request: &Request<B>) -> Response<Body> {
    let asked = match asked(state, segments, request.uri().query().unwrap_or_default()) {
        Ok(asked) => asked,
        Err(refusal) => return *refusal,
    };
    let tag = asked.tag(&state.objectives);
    if matches(request.headers(), &tag) {
        return tagged(
            respond::with_type(StatusCode::NOT_MODIFIED, "application/json", Body::empty()),
            &tag,
        );
    }
    // The semaphore is never closed, so that waiting for it cannot fail.
    let _turn = state.documents.acquire().await;
    let objectives = Arc::clone(&state.objectives);
    // A huge group is work of some tens of milliseconds: not for the threads that serve everyone.
    match tokio::task::spawn_blocking(move || asked.write(&objectives)).await {
        Ok(answer) => tagged(answer, &tag),
        Err(error) => {
            tracing::error!(%error, "a document could not be written");
            respond::refusal(
                StatusCode::INTERNAL_SERVER_ERROR,
                "internal",
                "the document could not be written",
            )
        }
    }
}

fn asked(state: &State, segments: &[&[u8]], query: &str) -> Result<Asked, Box<Response<Body>>> {
    let [cluster, rest @ ..] = segments else {
        return Ok(Asked::Clusters(state.published()));
    };
    let Some(published) = state.cluster(cluster) else {
        let message = format!("no cluster is called {:?}", String::from_utf8_lossy(cluster));
        return Err(respond::refusal(StatusCode::NOT_FOUND, "unknown_cluster", &message).into());
    };
    if let [_, group] = rest {
        return Ok(Asked::Group(published, group.to_vec()));
    }
    match query::parse(query) {
        Ok(query) => Ok(Asked::Groups(published, query)),
        Err(error) => Err(respond::refusal(StatusCode::BAD_REQUEST, "invalid_request", &error.to_string()).into()),
    }
}

impl Asked {
    /// Of the snapshots alone: each address has one document per snapshot.
    fn tag(&self, objectives: &[Objective]) -> String {
        let tags: Vec<_> = match self {
            Self::Clusters(all) => all.iter().map(|it| it.source(objectives).tag()).collect(),
            Self::Groups(one, _) | Self::Group(one, _) => vec![one.source(objectives).tag()],
        };
        format!("\"{}\"", tags.join("."))
    }

    fn write(&self, objectives: &[Objective]) -> Response<Body> {
        match self {
            Self::Clusters(all) => {
                let clusters = all
                    .iter()
                    .map(|it| (it.source(objectives), &*it.packed.left_out().groups));
                found(&Clusters::new(clusters))
            }
            Self::Groups(one, query) => found(&one.source(objectives).groups(query)),
            Self::Group(one, name) => {
                let source = one.source(objectives);
                match source.find(name) {
                    Some(group) => found(&source.group(group)),
                    None => {
                        let message = format!("no group is called {:?}", String::from_utf8_lossy(name));
                        respond::refusal(StatusCode::NOT_FOUND, "unknown_group", &message)
                    }
                }
            }
        }
    }
}

fn found(document: &impl Serialize) -> Response<Body> {
    respond::json(StatusCode::OK, document)
}
