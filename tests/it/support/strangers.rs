//! Servers that are no Kafka, or a bad one: what a network and a broken broker do to a client.

use std::io;
use std::io::Read;
use std::io::Write;
use std::net::Shutdown;
use std::net::TcpListener;
use std::net::TcpStream;
use std::sync::Arc;
use std::sync::Mutex;
use std::thread;
use std::time::Duration;

/// What happens between a client and the broker behind a [`Stranger`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Manner {
    /// Everything passes.
    Honest,
    /// Connections are taken, requests too; no answer comes while it lasts.
    Deaf,
    /// Every answer is a frame of nonsense, and the end of the connection.
    Garbage,
}

/// A listener that stands before a broker, or before nobody. Ends its connections when dropped.
pub(crate) struct Stranger {
    port: u16,
    state: Arc<Mutex<State>>,
}

struct State {
    manner: Manner,
    /// The port of the broker; `None`: there is none.
    broker: Option<u16>,
    connections: Vec<TcpStream>,
    ended: bool,
}

impl Stranger {
    /// Listens; nobody stands behind it yet.
    pub(crate) fn new(manner: Manner) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let state = State {
            manner,
            broker: None,
            connections: Vec::new(),
            ended: false,
        };
        let state = Arc::new(Mutex::new(state));
        thread::spawn({
            let state = Arc::clone(&state);
            move || {
                listener
                    .incoming()
                    .map_while(Result::ok)
                    .all(|client| take(&state, client))
            }
        });
        Self { port, state }
    }

    pub(crate) fn port(&self) -> u16 {
        self.port
    }

    /// Where it can be reached.
    pub(crate) fn address(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    /// Names the broker behind it.
    pub(crate) fn stand_before(&self, broker: u16) {
        self.state.lock().expect("no panic").broker = Some(broker);
    }

    /// Changes its manner. What was held back while it was deaf comes then, late.
    pub(crate) fn behave(&self, manner: Manner) {
        self.state.lock().expect("no panic").manner = manner;
    }
}

impl State {
    fn hang_up(&mut self) {
        for connection in self.connections.drain(..) {
            let _ = connection.shutdown(Shutdown::Both);
        }
    }
}

impl Drop for Stranger {
    fn drop(&mut self) {
        let mut state = self.state.lock().expect("no panic");
        state.ended = true;
        state.hang_up();
        drop(state);
        // Wakes the thread that accepts.
        let _ = TcpStream::connect(("127.0.0.1", self.port));
    }
}

/// Serves one connection; false when there are to be no more.
fn take(state: &Arc<Mutex<State>>, client: TcpStream) -> bool {
    let mut now = state.lock().expect("no panic");
    if now.ended {
        return false;
    }
    now.connections.extend(client.try_clone());
    let broker = now.broker.and_then(|port| TcpStream::connect(("127.0.0.1", port)).ok());
    now.connections
        .extend(broker.as_ref().and_then(|broker| broker.try_clone().ok()));
    drop(now);
    let (state, back) = (Arc::clone(state), client.try_clone());
    match (broker, back) {
        (Some(broker), Ok(back)) => {
            let there = broker.try_clone().expect("a socket");
            thread::spawn(move || pass(client, there, |to, bytes| to.write_all(bytes)));
            thread::spawn(move || pass(broker, back, |to, bytes| answer(&state, to, bytes)));
        }
        (None, Ok(back)) => {
            thread::spawn(move || pass(client, back, |to, _| answer(&state, to, &[])));
        }
        (_, Err(_)) => {}
    }
    true
}

/// Lets the client have what the broker has said, in the manner of the moment.
fn answer(state: &Mutex<State>, client: &mut TcpStream, honest: &[u8]) -> io::Result<()> {
    loop {
        let now = state.lock().expect("no panic");
        let (manner, ended) = (now.manner, now.ended);
        drop(now);
        match manner {
            Manner::Honest => return client.write_all(honest),
            Manner::Garbage => {
                client.write_all(&[&[0, 0, 0, 32][..], &[0xA7; 32]].concat())?;
                return Err(io::ErrorKind::BrokenPipe.into());
            }
            Manner::Deaf if ended => return Err(io::ErrorKind::BrokenPipe.into()),
            Manner::Deaf => thread::sleep(Duration::from_millis(20)),
        }
    }
}

/// Hands on what comes, until either side has had enough.
fn pass(mut from: TcpStream, mut to: TcpStream, hand_on: impl Fn(&mut TcpStream, &[u8]) -> io::Result<()>) {
    let mut buffer = [0; 65_536];
    while let Ok(length @ 1..) = from.read(&mut buffer) {
        if hand_on(&mut to, &buffer[..length]).is_err() {
            break;
        }
    }
    let _ = (from.shutdown(Shutdown::Both), to.shutdown(Shutdown::Both));
}
