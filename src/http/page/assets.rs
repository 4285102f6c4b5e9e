//! What pages need beside themselves, all of it in the binary.

use hyper::HeaderMap;
use hyper::Response;
use hyper::StatusCode;

use crate::http::body::Body;
use crate::http::respond;
use crate::http::tag::matches;
use crate::http::tag::tagged;

/// One of the files; `None` when there is none of this name.
pub(in crate::http) fn asset(name: &[u8], headers: &HeaderMap) -> Option<Response<Body>> {
    let (kind, content): (_, &'static [u8]) = match name {
        b"page.css" => ("text/css; charset=utf-8", include_bytes!("assets/page.css")),
        b"page.js" => ("text/javascript; charset=utf-8", include_bytes!("assets/page.js")),
        b"icon.svg" => ("image/svg+xml", include_bytes!("assets/icon.svg")),
        _ => return None,
    };
    let tag = format!("\"{:08x}\"", crc32fast::hash(content));
    let answer = if matches(headers, &tag) {
        respond::with_type(StatusCode::NOT_MODIFIED, kind, Body::empty())
    } else {
        respond::with_type(StatusCode::OK, kind, content)
    };
    Some(tagged(answer, &tag))
}
