//! Where the figures come from: a running tidemark, or Kafka itself. Both tell them in the documents of the JSON API.

mod kafka;
mod remote;

pub(super) use kafka::Kafka;
pub(super) use remote::Remote;

use std::time::Duration;

use super::picture::Key;
use super::picture::Picture;
use crate::app::AppError;

/// Where the figures come from.
pub(super) enum Source {
    /// A running tidemark.
    Tidemark(Box<Remote>),
    /// Polls of this process's own.
    Kafka(Box<Kafka>),
}

impl Source {
    /// What is known now, and of one group whole. A problem is told in words.
    pub(super) async fn read(&mut self, open: Option<&Key>) -> Result<Picture, String> {
        match self {
            Self::Tidemark(remote) => remote.read(open).await,
            Self::Kafka(kafka) => kafka.read(open),
        }
    }

    /// Returns when every cluster was read once, or could not be; a running tidemark has seen to that itself.
    ///
    /// # Errors
    ///
    /// When a poller ends, which none ever should.
    pub(super) async fn first(&mut self) -> Result<(), AppError> {
        match self {
            Self::Tidemark(_) => Ok(()),
            Self::Kafka(kafka) => kafka.first().await,
        }
    }

    /// Returns when it is worth reading again.
    ///
    /// # Errors
    ///
    /// When a poller ends, which none ever should.
    pub(super) async fn due(&mut self, every: Duration) -> Result<(), AppError> {
        match self {
            Self::Tidemark(_) => {
                tokio::time::sleep(every).await;
                Ok(())
            }
            Self::Kafka(kafka) => kafka.changed().await,
        }
    }
}
