//! The routes of the scrape listener.

use std::sync::Arc;

use hyper::Method;
use hyper::Request;
use hyper::Response;
use hyper::StatusCode;
use hyper::body::Incoming;
use hyper::header::CONTENT_ENCODING;
use hyper::header::HeaderValue;
use hyper::header::VARY;
use tokio::sync::watch;

use super::api;
use super::body::Body;
use super::negotiate;
use super::page;
use super::path::Segments;
use super::respond;
use super::server::Handler;
use super::state::State;

const METRICS: &str = "text/plain; version=0.0.4; charset=utf-8";

/// Answers on the scrape listener.
#[derive(Debug)]
pub struct Scrape(pub Arc<State>);

/// The same from whatever state is the latest: the configuration may change while it runs. Whoever reads the configuration sends.
#[derive(Debug)]
pub struct Latest(pub watch::Receiver<Arc<State>>);

impl Handler for Latest {
    async fn handle(&self, request: Request<Incoming>) -> Response<Body> {
        let state = self.0.borrow().clone();
        Scrape(state).handle(request).await
    }
}

impl Handler for Scrape {
    async fn handle(&self, request: Request<Incoming>) -> Response<Body> {
        let segments = Segments::of(request.uri().path());
        let segments = segments.as_slices();
        let known = matches!(
            segments[..],
            [b"" | b"metrics"]
                | [b"assets", b"page.css" | b"page.js" | b"icon.svg"]
                | [b"clusters", _, b"groups", _]
                | [b"-", b"healthy" | b"ready"]
                | [b"api", b"v1", b"clusters"]
                | [b"api", b"v1", b"clusters", _, b"groups"]
                | [b"api", b"v1", b"clusters", _, b"groups", _]
        );
        if !known {
            return nothing();
        }
        if !matches!(*request.method(), Method::GET | Method::HEAD) {
            return respond::method_not_allowed("GET, HEAD");
        }
        match segments[..] {
            [b""] => page::answer(&self.0, &[], &request).await,
            [b"clusters", ..] => page::answer(&self.0, &segments[1..], &request).await,
            [b"assets", name] => page::asset(name, request.headers()).unwrap_or_else(nothing),
            [b"metrics"] => self.metrics(&request),
            [b"-", b"healthy"] => respond::text(StatusCode::OK, "healthy"),
            [b"-", _] => self.ready(),
            _ => api::answer(&self.0, &segments[3..], &request).await,
        }
    }
}

fn nothing() -> Response<Body> {
    respond::refusal(StatusCode::NOT_FOUND, "not_found", "there is nothing here")
}

impl Scrape {
    fn metrics(&self, request: &Request<Incoming>) -> Response<Body> {
        let packed: Vec<_> = self.0.published().into_iter().map(|it| it.packed).collect();
        let text = self.0.exposition.text(&packed, self.0.clock.now());
        let gzip = negotiate::wants_gzip(request.headers());
        let body = if gzip {
            Body::pieces(text.gzip())
        } else {
            Body::plain(text.plain())
        };
        let mut answer = respond::with_type(StatusCode::OK, METRICS, body);
        if gzip {
            answer
                .headers_mut()
                .insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
        }
        answer
            .headers_mut()
            .insert(VARY, HeaderValue::from_static("Accept-Encoding"));
        answer
    }

    fn ready(&self) -> Response<Body> {
        if self.0.is_ready() {
            respond::text(StatusCode::OK, "ready")
        } else {
            respond::text(StatusCode::SERVICE_UNAVAILABLE, "nothing was read yet")
        }
    }
}
