//! Why a broker could not be asked, before it is known which call that spoils.

use std::fmt;
use std::sync::Arc;

use crate::failure::Api;
use crate::failure::Cause;
use crate::failure::Failure;

/// What went wrong with a connection or on one, with words for a person. Never holds a secret.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{detail}")]
pub(super) struct Trouble {
    /// What the metrics call it.
    pub(super) cause: Cause,
    /// What is known beyond that.
    pub(super) detail: Arc<str>,
}

impl Trouble {
    pub(super) fn new(cause: Cause, detail: impl fmt::Display) -> Self {
        Self {
            cause,
            detail: detail.to_string().into(),
        }
    }

    /// The same trouble, saying where.
    pub(super) fn at(&self, place: impl fmt::Display) -> Self {
        Self::new(self.cause, format_args!("{place}: {}", self.detail))
    }

    /// The failure of the call that this trouble spoiled.
    pub(super) fn spoils(&self, api: Api) -> Failure {
        Failure {
            api,
            cause: self.cause,
            detail: Some(Arc::clone(&self.detail)),
        }
    }
}

/// An error with what caused it, in one line.
pub(super) fn chain(error: &dyn std::error::Error) -> String {
    let causes = std::iter::successors(error.source(), |cause| cause.source());
    causes.fold(error.to_string(), |told, cause| format!("{told}: {cause}"))
}
