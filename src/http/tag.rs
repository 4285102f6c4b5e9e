//! Entity tags: a client that has the document is told so instead of being sent it again.

use hyper::HeaderMap;
use hyper::Response;
use hyper::StatusCode;
use hyper::header::ETAG;
use hyper::header::HeaderValue;
use hyper::header::IF_NONE_MATCH;

use super::body::Body;

/// Only a document has a tag.
pub(super) fn tagged(mut answer: Response<Body>, tag: &str) -> Response<Body> {
    let named = matches!(answer.status(), StatusCode::OK | StatusCode::NOT_MODIFIED);
    if let (true, Ok(tag)) = (named, HeaderValue::from_str(tag)) {
        answer.headers_mut().insert(ETAG, tag);
    }
    answer
}

/// True when the client has this very document.
pub(super) fn matches(headers: &HeaderMap, tag: &str) -> bool {
    let lists = headers
        .get_all(IF_NONE_MATCH)
        .iter()
        .filter_map(|list| list.to_str().ok());
    let mut known = lists.flat_map(|list| list.split(',')).map(str::trim);
    known.any(|known| known.strip_prefix("W/").unwrap_or(known) == tag)
}
