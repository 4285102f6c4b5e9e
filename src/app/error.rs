//! Why the exporter could not start, or had to stop.

use std::io;
use std::net::SocketAddr;

use thiserror::Error;

use crate::http::TlsError;

/// Why the exporter could not start, or had to stop.
#[derive(Debug, Error)]
pub enum AppError {
    /// The address is taken, is not this machine's, or needs a privilege.
    #[error("cannot listen on {address}")]
    Listen {
        /// Where.
        address: SocketAddr,
        /// What the system says.
        source: io::Error,
    },
    /// The admin listener's certificates cannot be used.
    #[error("admin.tls")]
    Tls(#[source] TlsError),
    /// The scrape listener's certificates cannot be used.
    #[error("web_config_file.tls_server_config")]
    WebTls(#[source] TlsError),
    /// The signals that end a process cannot be heard.
    #[error("cannot wait for signals")]
    Signals(#[source] io::Error),
    /// A poller ended: a bug, told before it in the log.
    #[error("a part of the process ended that never should")]
    TaskEnded,
}
