//! Answers, the same on every listener.

use std::time::Duration;

use bytes::Bytes;
use http_body_util::BodyExt as _;
use http_body_util::LengthLimitError;
use http_body_util::Limited;
use hyper::Response;
use hyper::StatusCode;
use hyper::body::Incoming;
use hyper::header::ALLOW;
use hyper::header::CACHE_CONTROL;
use hyper::header::CONTENT_TYPE;
use hyper::header::HeaderValue;
use hyper::header::X_CONTENT_TYPE_OPTIONS;
use serde::Serialize;

use super::Body;

/// The body of every refusal.
#[derive(Debug, Serialize)]
struct Refusal<'a, D> {
    error: &'a str,
    message: &'a str,
    details: D,
}

/// Why a request's body could not be had.
#[derive(Debug, thiserror::Error)]
pub enum BodyError {
    /// It is longer than allowed.
    #[error("the body is longer than {0} bytes")]
    TooLarge(usize),
    /// It did not come in time.
    #[error("the body did not come within {} s", .0.as_secs())]
    TooSlow(Duration),
    /// The client went away or sent something that is no body.
    #[error("the body ended early: {0}")]
    Broken(String),
}

/// An answer of one content type.
pub fn with_type(status: StatusCode, kind: &'static str, body: impl Into<Body>) -> Response<Body> {
    let mut answer = Response::new(body.into());
    *answer.status_mut() = status;
    let headers = answer.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    answer
}

/// A line of text.
pub fn text(status: StatusCode, line: impl Into<String>) -> Response<Body> {
    let mut line = line.into();
    line.push('\n');
    with_type(status, "text/plain; charset=utf-8", line)
}

/// A document.
pub fn json(status: StatusCode, document: &impl Serialize) -> Response<Body> {
    match serde_json::to_vec(document) {
        Ok(document) => json_bytes(status, document),
        Err(error) => {
            tracing::error!(%error, "a document cannot be written as JSON");
            text(StatusCode::INTERNAL_SERVER_ERROR, "internal error")
        }
    }
}

/// A document that is JSON already.
pub fn json_bytes(status: StatusCode, document: impl Into<Bytes>) -> Response<Body> {
    with_type(status, "application/json", document.into())
}

/// A refusal: one stable word, words for a person, and what belongs to it.
pub fn refusal(status: StatusCode, error: &str, message: &str) -> Response<Body> {
    refusal_with(status, error, message, &[] as &[(); 0])
}

/// A refusal with details.
pub fn refusal_with(status: StatusCode, error: &str, message: &str, details: &impl Serialize) -> Response<Body> {
    let refusal = Refusal {
        error,
        message,
        details,
    };
    json(status, &refusal)
}

/// 405, with the methods that are served.
pub fn method_not_allowed(allow: &'static str) -> Response<Body> {
    let mut answer = refusal(
        StatusCode::METHOD_NOT_ALLOWED,
        "method_not_allowed",
        &format!("only {allow} is served here"),
    );
    answer.headers_mut().insert(ALLOW, HeaderValue::from_static(allow));
    answer
}

/// The whole body of a request, if it comes within the limits.
///
/// # Errors
///
/// When the body is longer than `limit` bytes, takes longer than `wait`, or breaks off.
pub async fn read_body(body: Incoming, limit: usize, wait: Duration) -> Result<Bytes, BodyError> {
    let whole = Limited::new(body, limit).collect();
    match tokio::time::timeout(wait, whole).await {
        Err(_) => Err(BodyError::TooSlow(wait)),
        Ok(Ok(whole)) => Ok(whole.to_bytes()),
        Ok(Err(error)) if error.is::<LengthLimitError>() => Err(BodyError::TooLarge(limit)),
        Ok(Err(error)) => Err(BodyError::Broken(error.to_string())),
    }
}
