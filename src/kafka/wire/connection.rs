//! One connection to a broker: requests pipelined, each with a deadline, every answer matched to its request by the correlation id.
//!
//! A task of its own owns the stream (`driver`); callers hand it whole frames and wait, so that a caller that gives up leaves nothing
//! half-written or half-read behind. Anything doubtful ends the connection, and whoever waits on it is told why.

mod driver;
#[cfg(test)]
mod tests;

use std::sync::Arc;
use std::sync::OnceLock;
use std::sync::atomic::AtomicI32;
use std::sync::atomic::Ordering;
use std::time::Duration;

use bytes::BufMut;
use bytes::Bytes;
use bytes::BytesMut;
use tokio::io::AsyncRead;
use tokio::io::AsyncWrite;
use tokio::sync::OwnedSemaphorePermit;
use tokio::sync::Semaphore;
use tokio::sync::mpsc;
use tokio::sync::oneshot;
use tokio::time::Instant;
use tokio::time::timeout_at;

use crate::failure::Cause;
use crate::kafka::trouble::Trouble;

/// The longest answer that is read: what is longer is not an answer to any question asked here.
pub(super) const FRAME_LIMIT: usize = 64 << 20;

/// Requests on their way at once on one connection. A broker works on one at a time, so more would only wait in its buffers; fewer would
/// let it idle between the small requests that brokers without batches need.
const IN_FLIGHT: usize = 64;

/// How long a request may take.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    /// When whoever asks must have an answer.
    pub(super) deadline: Instant,
    /// How long a broker may take for one answer.
    pub(super) timeout: Duration,
}

impl Limits {
    /// When an answer is too late to a request that is sent now.
    pub(super) fn due(self) -> Instant {
        self.deadline.min(Instant::now() + self.timeout)
    }
}

/// A request as it goes over the wire, save its correlation id.
#[derive(Debug)]
pub(super) struct Frame(BytesMut);

/// Where the correlation id stands: after length, API key and version.
const CORRELATION_AT: usize = 8;

impl Frame {
    /// Header and body as `write` puts them, behind their length.
    pub(super) fn build<E>(write: impl FnOnce(&mut BytesMut) -> Result<(), E>) -> Result<Self, E> {
        let mut bytes = BytesMut::new();
        bytes.put_i32(0);
        write(&mut bytes)?;
        let length = u32::try_from(bytes.len() - 4).unwrap_or(u32::MAX);
        bytes[..4].copy_from_slice(&length.to_be_bytes());
        Ok(Self(bytes))
    }

    fn stamp(mut self, id: i32) -> Bytes {
        self.0[CORRELATION_AT..CORRELATION_AT + 4].copy_from_slice(&id.to_be_bytes());
        self.0.freeze()
    }
}

/// A request on its way to the driver.
#[derive(Debug)]
struct Ask {
    id: i32,
    frame: Bytes,
    due: Instant,
    /// Where the answer goes, without its length and correlation id.
    reply: oneshot::Sender<Result<Bytes, Trouble>>,
    /// Held until the broker has answered, whether or not anybody still waits.
    slot: OwnedSemaphorePermit,
}

/// When and why a connection ended.
#[derive(Clone, Debug)]
pub(super) struct End {
    /// When.
    pub(super) at: Instant,
    /// Why.
    pub(super) trouble: Trouble,
}

/// A handle on a connection. Dropping it closes the connection.
#[derive(Debug)]
pub(super) struct Connection {
    /// Towards the driver; as many as there are slots, so that it never fills.
    asks: mpsc::Sender<Ask>,
    slots: Arc<Semaphore>,
    next_id: AtomicI32,
    /// Set by the driver before it closes `asks` and `slots`.
    end: Arc<OnceLock<End>>,
}

impl Connection {
    /// Starts the driver of `stream`.
    pub(super) fn start<S>(stream: S) -> Self
    where
        S: AsyncRead + AsyncWrite + Send + 'static,
    {
        let (asks, receiver) = mpsc::channel(IN_FLIGHT);
        let slots = Arc::new(Semaphore::new(IN_FLIGHT));
        let end = Arc::new(OnceLock::new());
        let driver = driver::Driver::new(stream, receiver, Arc::clone(&slots), Arc::clone(&end));
        tokio::spawn(driver.run());
        Self {
            asks,
            slots,
            next_id: AtomicI32::new(0),
            end,
        }
    }

    /// Why the connection takes no more requests; `None` while it does.
    pub(super) fn ended(&self) -> Option<&End> {
        self.end.get()
    }

    /// Sends the request and waits for the answer: its bytes after the correlation id.
    pub(super) async fn call(&self, frame: Frame, limits: Limits) -> Result<Bytes, Trouble> {
        let slot = timeout_at(limits.deadline, Arc::clone(&self.slots).acquire_owned())
            .await
            .map_err(|_| Trouble::new(Cause::TimedOut, "too many requests wait for this broker"))?
            .map_err(|_| self.why())?;
        let id = self.next_id.fetch_add(1, Ordering::Relaxed);
        let (reply, answer) = oneshot::channel();
        let ask = Ask {
            id,
            frame: frame.stamp(id),
            due: limits.due(),
            reply,
            slot,
        };
        self.asks.try_send(ask).map_err(|_| self.why())?;
        answer.await.unwrap_or_else(|_| Err(self.why()))
    }

    fn why(&self) -> Trouble {
        let unsaid = || Trouble::new(Cause::Disconnected, "the connection was closed");
        self.end.get().map_or_else(unsaid, |end| end.trouble.clone())
    }
}
