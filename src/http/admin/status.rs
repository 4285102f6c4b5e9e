//! What became of a request, as HTTP says it. The only place that knows both.

use hyper::Method;
use hyper::Response;
use hyper::StatusCode;
use hyper::header::ALLOW;
use hyper::header::HeaderName;
use hyper::header::HeaderValue;
use hyper::header::RETRY_AFTER;
use hyper::header::WWW_AUTHENTICATE;
use serde::Serialize;

use crate::http::Body;
use crate::http::respond;
use crate::reset::Executed;
use crate::reset::Planned;
use crate::reset::Refusal;
use crate::reset::Stopped;
use crate::reset::document::Blocked;
use crate::reset::document::InTheWay;
use crate::reset::document::RowResult;
use crate::reset::refusal::Fault;

/// The answer to a plan.
pub(super) fn planned(ended: Result<Planned, Refusal>) -> Response<Body> {
    match ended {
        Ok(planned) => respond::json(StatusCode::OK, &planned),
        Err(refusal) => refused(&refusal),
    }
}

/// The answer to what is in the way.
pub(super) fn in_the_way(refusal: Option<&Refusal>) -> Response<Body> {
    let blocked = refusal.map(Blocked::from);
    respond::json(StatusCode::OK, &InTheWay { blocked })
}

/// The answer to a method that the route does not have.
pub(super) fn wrong_method(right: &Method) -> Response<Body> {
    let mut answer = refused(&Refusal::MethodNotAllowed);
    if let Ok(right) = HeaderValue::from_str(right.as_str()) {
        answer.headers_mut().insert(ALLOW, right);
    }
    answer
}

/// The answer to an execute.
pub(super) fn executed(ended: Result<Executed, Stopped>) -> Response<Body> {
    match ended {
        Ok(executed) => respond::json(StatusCode::OK, &executed),
        Err(Stopped::Refused(refusal)) => refused(&refusal),
        Err(Stopped::Failed(executed)) => failed(&executed),
    }
}

/// The answer to what was refused.
pub(super) fn refused(refusal: &Refusal) -> Response<Body> {
    let message = refusal.to_string();
    let mut answer = respond::refusal_with(code(refusal), refusal.word(), &message, &refusal.details());
    if let Some((name, value)) = header(refusal) {
        answer.headers_mut().insert(name, value);
    }
    answer
}

#[derive(Serialize)]
struct Failed<'a> {
    error: &'static str,
    message: String,
    details: Vec<&'a RowResult>,
    #[serde(flatten)]
    executed: &'a Executed,
}

fn failed(executed: &Executed) -> Response<Body> {
    let failed = Failed {
        error: "commit_failed",
        message: executed.failure(),
        details: executed.unfinished().collect(),
        executed,
    };
    respond::json(StatusCode::BAD_GATEWAY, &failed)
}

fn code(refusal: &Refusal) -> StatusCode {
    match refusal {
        Refusal::Unauthenticated => StatusCode::UNAUTHORIZED,
        Refusal::NotAllowed { .. } => StatusCode::FORBIDDEN,
        Refusal::NotFound | Refusal::UnknownCluster { .. } | Refusal::UnknownGroup { .. } => StatusCode::NOT_FOUND,
        Refusal::MethodNotAllowed => StatusCode::METHOD_NOT_ALLOWED,
        Refusal::GroupActive(_)
        | Refusal::CommitsMoving { .. }
        | Refusal::WrongGroupType { .. }
        | Refusal::PlanChanged(_)
        | Refusal::PlanExpired { .. }
        | Refusal::Busy => StatusCode::CONFLICT,
        Refusal::TooLarge { .. } => StatusCode::PAYLOAD_TOO_LARGE,
        Refusal::TooManyRequests { .. } => StatusCode::TOO_MANY_REQUESTS,
        Refusal::InvalidRequest(_)
        | Refusal::BadFingerprint
        | Refusal::WrongConfirmation { .. }
        | Refusal::NothingCommitted { .. } => StatusCode::UNPROCESSABLE_ENTITY,
        Refusal::CannotVerify(_) | Refusal::AuditUnavailable { .. } => StatusCode::SERVICE_UNAVAILABLE,
        Refusal::Partitions(bad) => match bad.first().map(|bad| &bad.fault) {
            Some(Fault::UnknownTopic | Fault::UnknownPartition { .. }) => StatusCode::NOT_FOUND,
            Some(Fault::Unreadable { .. }) => StatusCode::SERVICE_UNAVAILABLE,
            Some(Fault::NoLeader | Fault::NotCommitted | Fault::OutOfRange { .. }) | None => {
                StatusCode::UNPROCESSABLE_ENTITY
            }
        },
    }
}

fn header(refusal: &Refusal) -> Option<(HeaderName, HeaderValue)> {
    match refusal {
        Refusal::Unauthenticated => Some((WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"))),
        Refusal::TooManyRequests { retry_after } => {
            Some((RETRY_AFTER, HeaderValue::from(retry_after.as_secs().max(1))))
        }
        _ => None,
    }
}
