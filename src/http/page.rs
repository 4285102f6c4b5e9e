//! `/` and `/clusters/{cluster}/groups/{group}`: the state of every group, for people.
//!
//! The server writes whole pages, so that they can be read without a script; the one script that there is asks for the same address again
//! and puts what has changed into place. Every state of a page is its address. Names come from strangers: all of them are escaped, and
//! the policy lets nothing run that did not come from here.

mod ask;
mod assets;
mod cluster;
mod cure;
mod events;
mod figures;
mod frame;
mod group;
mod group_ask;
mod markup;
mod members;
mod overview;
mod partitions;
mod problem;
mod row;
mod settings;
mod spark;
mod status;
mod topics;

pub use settings::PageSettings;

pub(super) use assets::asset;

use std::fmt;
use std::sync::Arc;

use hyper::Request;
use hyper::Response;
use hyper::StatusCode;
use hyper::header::CONTENT_SECURITY_POLICY;
use hyper::header::HeaderValue;
use hyper::header::REFERRER_POLICY;

use super::body::Body;
use super::respond;
use super::state::Published;
use super::state::State;
use super::tag::matches;
use super::tag::tagged;
use crate::config::Objective;
use crate::model::Moment;

use self::ask::Ask;
use self::cluster::Health;
use self::group_ask::GroupAsk;
use self::problem::Problem;

/// Nothing but what this listener serves itself; no script, style or handler within a page.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; \
    form-action 'self'; base-uri 'none'; frame-ancestors 'none'";
const HTML: &str = "text/html; charset=utf-8";

/// Everything a page is made from: the latest cycles at one moment.
struct Sight {
    clusters: Vec<Published>,
    objectives: Arc<[Objective]>,
    settings: PageSettings,
    now: Moment,
}

/// What is asked for.
enum Asked {
    Overview(Ask),
    Group(GroupAsk),
}

/// Answers `/` (no segments) and what comes after `/clusters/`.
pub(super) async fn answer<B>(state: &State, segments: &[&[u8]], request: &Request<B>) -> Response<Body> {
    let sight = Sight {
        clusters: state.published(),
        objectives: Arc::clone(&state.objectives),
        settings: state.page.clone(),
        now: state.clock.now(),
    };
    let query = request.uri().query().unwrap_or_default();
    let root = root(segments);
    let asked = match segments {
        [cluster, b"groups", group] => GroupAsk::parse(cluster, group, query).map(Asked::Group),
        _ => Ask::parse(query).map(Asked::Overview),
    };
    let asked = match asked {
        Ok(asked) => asked,
        Err(problem) => return page(problem.status(), problem.write(root)),
    };
    let tag = sight.tag();
    if matches(request.headers(), &tag) {
        return tagged(respond::with_type(StatusCode::NOT_MODIFIED, HTML, Body::empty()), &tag);
    }
    // The semaphore is never closed, so that waiting for it cannot fail.
    let _turn = state.documents.acquire().await;
    // Ten thousand groups are work of some milliseconds: not for the threads that serve everyone.
    match tokio::task::spawn_blocking(move || asked.write(&sight)).await {
        Ok(Ok(html)) => tagged(page(StatusCode::OK, html), &tag),
        Ok(Err(problem)) => page(problem.status(), problem.write(root)),
        Err(error) => {
            tracing::error!(%error, "a page could not be written");
            respond::text(StatusCode::INTERNAL_SERVER_ERROR, "the page could not be written")
        }
    }
}

/// The way back to `/` from a page, relative, so that it holds behind a proxy that serves all this below some path.
fn root(segments: &[&[u8]]) -> &'static str {
    if segments.is_empty() { "./" } else { "../../../" }
}

fn page(status: StatusCode, html: String) -> Response<Body> {
    let mut answer = respond::with_type(status, HTML, html);
    let headers = answer.headers_mut();
    headers.insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY));
    headers.insert(REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    answer
}

impl Asked {
    fn write(&self, sight: &Sight) -> Result<String, Problem> {
        let mut html = String::with_capacity(64 * 1024);
        match self {
            Self::Overview(ask) => overview::write(&mut html, sight, ask),
            Self::Group(ask) => {
                let (published, view) = ask.find(sight)?;
                group::write(&mut html, sight, (published, view), ask)
            }
        }
        .expect("a string takes every write");
        Ok(html)
    }
}

impl Sight {
    /// Changes with every snapshot, and when one of them has grown too old; the ages within a page go on by themselves.
    fn tag(&self) -> String {
        use fmt::Write as _;
        let mut tag = format!("\"{}", env!("CARGO_PKG_VERSION"));
        for published in &self.clusters {
            let health = Health::of(&published.snapshot, self);
            let source = published.source(&self.objectives);
            write!(tag, ".{}.{health:?}", source.tag()).expect("a string takes every write");
        }
        tag.push('"');
        tag
    }
}
