//! Config → build → spawn → drain: the only place that knows all.

use thiserror::Error;

use crate::config::Config;

/// Why the exporter could not start, or had to stop.
#[derive(Debug, Error)]
pub enum AppError {
    /// There is nothing here that serves.
    #[error("this build cannot serve")]
    CannotServe,
}

/// Runs the exporter until it is told to stop.
///
/// # Errors
///
/// Always, for now.
#[expect(clippy::unused_async, reason = "binding and draining will wait")]
pub async fn serve(_config: Config) -> Result<(), AppError> {
    Err(AppError::CannotServe)
}
