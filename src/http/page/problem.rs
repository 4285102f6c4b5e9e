//! Pages for addresses that lead nowhere.

use hyper::StatusCode;

use super::frame;
use super::markup::Text;
use crate::http::query::QueryError;

/// Why there is no page.
#[derive(Debug, thiserror::Error)]
pub(super) enum Problem {
    #[error("no cluster is called {0:?}")]
    UnknownCluster(String),
    #[error("no group is called {0:?}, or it is gone")]
    UnknownGroup(String),
    #[error("this address cannot be read: {0}")]
    Query(#[from] QueryError),
    #[error("this address cannot be read: there is nothing called {0}")]
    Parameter(String),
}

impl Problem {
    pub(super) fn status(&self) -> StatusCode {
        match self {
            Self::UnknownCluster(_) | Self::UnknownGroup(_) => StatusCode::NOT_FOUND,
            Self::Query(_) | Self::Parameter(_) => StatusCode::BAD_REQUEST,
        }
    }

    /// The page that says so.
    pub(super) fn write(&self, root: &str) -> String {
        let mut html = String::new();
        let body = |out: &mut String| {
            use std::fmt::Write as _;
            writeln!(out, "<h1>Nothing here</h1>\n<p>{}.</p>", Text(self.to_string()))?;
            writeln!(out, "<p><a href=\"{root}\">All groups</a></p>")
        };
        frame::write(&mut html, &frame::Frame::still(root, "nothing here"), body).expect("a string takes every write");
        html
    }
}
