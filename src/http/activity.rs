//! What a connection is doing, for its deadlines: a client that is slow to ask or slow to take its answer is cut off, one that waits
//! between scrapes is left alone for longer, and a request that is being worked on for as long as it takes.

use std::io;
use std::io::IoSlice;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::Mutex;
use std::sync::MutexGuard;
use std::sync::PoisonError;
use std::task::Context;
use std::task::Poll;
use std::time::Duration;

use tokio::io::AsyncRead;
use tokio::io::AsyncWrite;
use tokio::io::ReadBuf;
use tokio::sync::Notify;
use tokio::time::Instant;

use super::server::Limits;

/// What one connection is doing. Shared by its stream, its requests, and the table of open connections.
#[derive(Debug)]
pub(super) struct Activity {
    /// Held for moments only, never across an await.
    state: Mutex<State>,
    /// Wakes the connection's own task, which waits for deadlines.
    changed: Notify,
}

#[derive(Clone, Copy, Debug)]
struct State {
    phase: Phase,
    since: Instant,
    /// Since when the client takes nothing of what is being sent.
    blocked: Option<Instant>,
    evicted: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// Nothing has come yet.
    Fresh,
    /// Between two requests.
    Idle,
    /// Part of a request's head has come.
    Head,
    /// A request is being worked on.
    Busy,
    /// An answer is being sent.
    Answering,
}

/// Why a connection is cut off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Overdue {
    Request,
    Idle,
    Answer,
    Evicted,
}

impl Activity {
    pub(super) fn new() -> Self {
        Self {
            state: Mutex::new(State {
                phase: Phase::Fresh,
                since: Instant::now(),
                blocked: None,
                evicted: false,
            }),
            changed: Notify::new(),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn enter(&self, phase: Phase) {
        {
            let mut state = self.state();
            (state.phase, state.since) = (phase, Instant::now());
        }
        self.changed.notify_one();
    }

    /// A request's head is complete.
    pub(super) fn asked(&self) {
        self.enter(Phase::Busy);
    }

    /// Its answer begins.
    pub(super) fn answering(self: Arc<Self>) -> Answering {
        self.enter(Phase::Answering);
        Answering(self)
    }

    /// Since when the connection does nothing; `None` while it does something.
    pub(super) fn idle_since(&self) -> Option<Instant> {
        let state = self.state();
        matches!(state.phase, Phase::Fresh | Phase::Idle | Phase::Head).then_some(state.since)
    }

    /// Cuts the connection off.
    pub(super) fn evict(&self) {
        self.state().evicted = true;
        self.changed.notify_one();
    }

    fn received(&self) {
        let begins = matches!(self.state().phase, Phase::Fresh | Phase::Idle);
        if begins {
            self.enter(Phase::Head);
        }
    }

    fn sent<T>(&self, outcome: &Poll<io::Result<T>>) {
        let mut state = self.state();
        match (outcome, state.blocked) {
            (Poll::Pending, None) => state.blocked = Some(Instant::now()),
            (Poll::Ready(_), Some(_)) => state.blocked = None,
            _ => return,
        }
        drop(state);
        self.changed.notify_one();
    }

    /// Returns when a deadline has passed, and which.
    pub(super) async fn overdue(&self, limits: &Limits) -> Overdue {
        loop {
            let state = *self.state();
            if state.evicted {
                return Overdue::Evicted;
            }
            let Some((deadline, overdue)) = state.deadline(limits) else {
                self.changed.notified().await;
                continue;
            };
            tokio::select! {
                () = tokio::time::sleep_until(deadline) => return overdue,
                () = self.changed.notified() => {}
            }
        }
    }
}

impl State {
    fn deadline(&self, limits: &Limits) -> Option<(Instant, Overdue)> {
        let after = |wait: Duration, overdue| (self.since + wait, overdue);
        let phase = match self.phase {
            Phase::Fresh | Phase::Head => Some(after(limits.request, Overdue::Request)),
            Phase::Idle => Some(after(limits.idle, Overdue::Idle)),
            Phase::Busy => None,
            Phase::Answering => Some(after(limits.answer, Overdue::Answer)),
        };
        let blocked = self.blocked.map(|since| (since + limits.blocked, Overdue::Answer));
        phase.into_iter().chain(blocked).min_by_key(|&(deadline, _)| deadline)
    }
}

/// An answer that is being sent; dropped with its body.
#[derive(Debug)]
pub(super) struct Answering(Arc<Activity>);

impl Drop for Answering {
    fn drop(&mut self) {
        self.0.enter(Phase::Idle);
    }
}

/// A stream that tells what it does.
pub(super) struct Watched<S> {
    stream: S,
    activity: Arc<Activity>,
}

impl<S> Watched<S> {
    pub(super) fn new(stream: S, activity: Arc<Activity>) -> Self {
        Self { stream, activity }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Watched<S> {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let outcome = Pin::new(&mut self.stream).poll_read(cx, buffer);
        if buffer.filled().len() > before {
            self.activity.received();
        }
        outcome
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Watched<S> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let outcome = Pin::new(&mut self.stream).poll_write(cx, bytes);
        self.activity.sent(&outcome);
        outcome
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        pieces: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let outcome = Pin::new(&mut self.stream).poll_write_vectored(cx, pieces);
        self.activity.sent(&outcome);
        outcome
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let outcome = Pin::new(&mut self.stream).poll_flush(cx);
        self.activity.sent(&outcome);
        outcome
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let outcome = Pin::new(&mut self.stream).poll_shutdown(cx);
        self.activity.sent(&outcome);
        outcome
    }
}
