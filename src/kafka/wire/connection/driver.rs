//! The task that owns a connection's stream: it writes what is asked, reads what is answered, and watches the deadlines.

use std::collections::HashMap;
use std::io;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::OnceLock;

use bytes::Buf;
use bytes::Bytes;
use bytes::BytesMut;
use tokio::io::AsyncRead;
use tokio::io::AsyncReadExt;
use tokio::io::AsyncWrite;
use tokio::io::AsyncWriteExt;
use tokio::io::ReadHalf;
use tokio::io::WriteHalf;
use tokio::sync::OwnedSemaphorePermit;
use tokio::sync::Semaphore;
use tokio::sync::mpsc;
use tokio::sync::oneshot;
use tokio::time::Instant;

use super::Ask;
use super::End;
use super::FRAME_LIMIT;
use crate::failure::Cause;
use crate::kafka::tls;
use crate::kafka::trouble::Trouble;

/// What is read at once, at least.
const READ_SIZE: usize = 64 << 10;

/// Beyond this many unwritten bytes no further request is taken up: the broker is not reading.
const UNWRITTEN_LIMIT: usize = 1 << 20;

/// Who waits for one answer.
struct Waiter {
    due: Instant,
    /// `None` once the deadline has passed: the broker may still answer, and nobody wants it.
    reply: Option<oneshot::Sender<Result<Bytes, Trouble>>>,
    _slot: OwnedSemaphorePermit,
}

pub(super) struct Driver<S> {
    reader: ReadHalf<S>,
    writer: WriteHalf<S>,
    asks: mpsc::Receiver<Ask>,
    slots: Arc<Semaphore>,
    end: Arc<OnceLock<End>>,
    waiting: HashMap<i32, Waiter>,
    /// False once the queue is closed and empty: it would be ready at once, for ever.
    asked: bool,
    input: BytesMut,
    output: BytesMut,
}

/// The one thing that happened next.
enum Event {
    Asked(Option<Ask>),
    Read(io::Result<usize>),
    Written(io::Result<usize>),
    Due,
}

/// `Break` ends the connection; without trouble when nobody is left who could ask.
type Step = ControlFlow<Option<Trouble>>;

impl<S> Driver<S>
where
    S: AsyncRead + AsyncWrite + Send + 'static,
{
    pub(super) fn new(stream: S, asks: mpsc::Receiver<Ask>, slots: Arc<Semaphore>, end: Arc<OnceLock<End>>) -> Self {
        let (reader, writer) = tokio::io::split(stream);
        Self {
            reader,
            writer,
            asks,
            slots,
            end,
            waiting: HashMap::new(),
            asked: true,
            input: BytesMut::new(),
            output: BytesMut::new(),
        }
    }

    pub(super) async fn run(mut self) {
        let trouble = loop {
            let event = self.next().await;
            if let ControlFlow::Break(trouble) = self.handle(event) {
                break trouble;
            }
        };
        let trouble = trouble.unwrap_or_else(|| Trouble::new(Cause::Disconnected, "the connection was closed"));
        self.retire(&trouble);
        for waiter in self.waiting.into_values() {
            tell(waiter.reply, Err(trouble.clone()));
        }
        while let Ok(ask) = self.asks.try_recv() {
            tell(Some(ask.reply), Err(trouble.clone()));
        }
    }

    async fn next(&mut self) -> Event {
        let earliest = self.live().min();
        // Twice what is there already, so that a long answer is moved a few times and not once a read; and never more than that on the
        // word of a length that nothing has borne out yet.
        self.input.reserve(READ_SIZE.max(self.input.len()));
        tokio::select! {
            ask = self.asks.recv(), if self.asked && self.output.len() < UNWRITTEN_LIMIT => Event::Asked(ask),
            read = self.reader.read_buf(&mut self.input) => Event::Read(read),
            written = self.writer.write_buf(&mut self.output), if !self.output.is_empty() => Event::Written(written),
            () = sleep(earliest), if earliest.is_some() => Event::Due,
        }
    }

    fn handle(&mut self, event: Event) -> Step {
        match event {
            Event::Asked(Some(ask)) => self.take_up(ask),
            Event::Asked(None) => {
                self.asked = false;
                // Not retired: every handle is gone, and with them whoever could wait.
                if self.end.get().is_none() {
                    return Step::Break(None);
                }
                return self.finish_if_retired();
            }
            Event::Read(Ok(0)) => return Step::Break(Some(self.closed())),
            Event::Read(Ok(_)) => return self.deliver(),
            Event::Written(Ok(0)) => return Step::Break(Some(lost("the connection takes no more bytes"))),
            Event::Written(Ok(_)) => {}
            Event::Read(Err(error)) | Event::Written(Err(error)) => {
                return Step::Break(Some(tls::broken_by(&error).unwrap_or_else(|| lost(error))));
            }
            Event::Due => return self.expire(),
        }
        Step::Continue(())
    }

    fn take_up(&mut self, ask: Ask) {
        self.output.extend_from_slice(&ask.frame);
        let waiter = Waiter {
            due: ask.due,
            reply: Some(ask.reply),
            _slot: ask.slot,
        };
        self.waiting.insert(ask.id, waiter);
    }

    /// Hands out every answer that is complete.
    fn deliver(&mut self) -> Step {
        while let Some(claimed) = self.input.first_chunk().map(|first| u32::from_be_bytes(*first)) {
            let id = self.input.get(4..8).and_then(<[u8]>::first_chunk);
            let id = id.map(|bytes| i32::from_be_bytes(*bytes));
            let length = match usize::try_from(claimed) {
                Ok(length) if (4..=FRAME_LIMIT).contains(&length) => length,
                _ => return Step::Break(Some(self.absurd(claimed, id))),
            };
            let Some(id) = id else {
                break;
            };
            if !self.waiting.contains_key(&id) {
                let detail = "an answer came to a question that was not asked";
                return Step::Break(Some(Trouble::new(Cause::Malformed, detail)));
            }
            if self.input.len() < 4 + length {
                break;
            }
            let mut answer = self.input.split_to(4 + length);
            answer.advance(8);
            let waiter = self.waiting.remove(&id);
            tell(waiter.and_then(|waiter| waiter.reply), Ok(answer.freeze()));
        }
        self.finish_if_retired()
    }

    /// Fails what is overdue. The broker is then no longer trusted to answer, so the connection takes no new requests; those that are
    /// already on their way keep their own deadlines.
    fn expire(&mut self) -> Step {
        let now = Instant::now();
        let trouble = Trouble::new(Cause::TimedOut, "no answer in time");
        for waiter in self.waiting.values_mut().filter(|waiter| waiter.due <= now) {
            tell(waiter.reply.take(), Err(trouble.clone()));
        }
        self.retire(&trouble);
        self.finish_if_retired()
    }

    fn retire(&mut self, trouble: &Trouble) {
        // The reason first: whoever finds the queue closed looks for it.
        let _ = self.end.set(End {
            at: Instant::now(),
            trouble: trouble.clone(),
        });
        self.slots.close();
        self.asks.close();
    }

    fn finish_if_retired(&self) -> Step {
        match self.end.get() {
            Some(end) if self.asks.is_empty() && self.live().next().is_none() => Step::Break(Some(end.trouble.clone())),
            _ => Step::Continue(()),
        }
    }

    /// When each answer is due that somebody may still want.
    fn live(&self) -> impl Iterator<Item = Instant> {
        self.waiting
            .values()
            .filter(|waiter| waiter.reply.is_some())
            .map(|waiter| waiter.due)
    }

    fn closed(&self) -> Trouble {
        if self.input.is_empty() {
            lost("the broker closed the connection")
        } else {
            lost("the broker closed the connection in the middle of an answer")
        }
    }

    /// What a length that cannot be means. Where it stands before the answer to a request, it is that request's fault alone: it may be asked
    /// for less, and the others again.
    fn absurd(&mut self, length: u32, id: Option<i32>) -> Trouble {
        let hint = match self.input.first_chunk::<4>() {
            Some(b"HTTP") => ": this is an HTTP server",
            Some([0x15 | 0x16, 3, ..]) => ": this listener speaks TLS",
            _ => "",
        };
        let trouble = Trouble::new(Cause::Malformed, format_args!("an answer claims {length} bytes{hint}"));
        let Some(waiter) = id.and_then(|id| self.waiting.remove(&id)) else {
            return trouble;
        };
        tell(waiter.reply, Err(trouble));
        lost("the broker sent an answer too long to be read")
    }
}

fn lost(detail: impl std::fmt::Display) -> Trouble {
    Trouble::new(Cause::Disconnected, detail)
}

/// A caller that has given up is no trouble.
fn tell(reply: Option<oneshot::Sender<Result<Bytes, Trouble>>>, result: Result<Bytes, Trouble>) {
    if let Some(reply) = reply {
        let _ = reply.send(result);
    }
}

async fn sleep(until: Option<Instant>) {
    if let Some(until) = until {
        tokio::time::sleep_until(until).await;
    }
}
