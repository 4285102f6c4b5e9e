//! The signals that end the process.

use std::future::Future;

use tokio::signal::unix::SignalKind;
use tokio::signal::unix::signal;

use super::AppError;

/// Ends with SIGTERM or SIGINT; both are caught from the call on.
///
/// # Errors
///
/// When the system does not let them be caught.
pub fn terminated() -> Result<impl Future<Output = ()>, AppError> {
    let mut terminate = signal(SignalKind::terminate()).map_err(AppError::Signals)?;
    let mut interrupt = signal(SignalKind::interrupt()).map_err(AppError::Signals)?;
    Ok(async move {
        let heard = tokio::select! {
            _ = terminate.recv() => "SIGTERM",
            _ = interrupt.recv() => "SIGINT",
        };
        tracing::info!(signal = heard, "stopping");
    })
}
