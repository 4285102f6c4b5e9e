use std::io;
use std::sync::Arc;

use tokio::io::AsyncReadExt;
use tokio::io::AsyncWriteExt;
use tokio::io::DuplexStream;
use tokio::io::duplex;
use tokio::task::JoinHandle;

use super::*;

/// Long enough for anything that happens at all on a busy machine.
const PATIENCE: Duration = Duration::from_secs(20);
/// A deadline that is meant to pass.
const SHORT: Duration = Duration::from_millis(100);

/// The broker's end.
struct Peer(DuplexStream);

impl Peer {
    /// The next request: its correlation id and what it says.
    async fn heard(&mut self) -> io::Result<(i32, Vec<u8>)> {
        let length = self.0.read_u32().await?;
        let mut request = vec![0; usize::try_from(length).unwrap()];
        self.0.read_exact(&mut request).await?;
        let id = i32::from_be_bytes(request[4..8].try_into().unwrap());
        Ok((id, request[8..].to_vec()))
    }

    async fn say(&mut self, id: i32, body: &[u8]) {
        let length = u32::try_from(body.len() + 4).unwrap();
        let frame = [&length.to_be_bytes()[..], &id.to_be_bytes(), body].concat();
        self.raw(&frame).await;
    }

    async fn raw(&mut self, bytes: &[u8]) {
        self.0.write_all(bytes).await.unwrap();
    }
}

fn pair() -> (Arc<Connection>, Peer) {
    let (ours, theirs) = duplex(1 << 16);
    (Arc::new(Connection::start(ours)), Peer(theirs))
}

fn within(timeout: Duration) -> Limits {
    Limits {
        deadline: Instant::now() + PATIENCE,
        timeout,
    }
}

fn request(says: &str) -> Frame {
    Frame::build(|out| {
        out.put_i16(3);
        out.put_i16(12);
        out.put_i32(0);
        out.put_slice(says.as_bytes());
        Ok::<_, ()>(())
    })
    .unwrap()
}

fn ask(connection: &Arc<Connection>, says: &str, timeout: Duration) -> JoinHandle<Result<Bytes, Trouble>> {
    let (connection, frame) = (Arc::clone(connection), request(says));
    tokio::spawn(async move { connection.call(frame, within(timeout)).await })
}

async fn cause_of(asked: JoinHandle<Result<Bytes, Trouble>>) -> (Cause, String) {
    let trouble = asked.await.unwrap().expect_err("no answer can have come");
    (trouble.cause, trouble.detail.to_string())
}

#[tokio::test]
async fn answers_in_another_order_reach_who_asked() {
    let (connection, mut peer) = pair();
    let first = ask(&connection, "first", PATIENCE);
    let (a, said) = peer.heard().await.unwrap();
    assert_eq!(said, b"first");
    let second = ask(&connection, "second", PATIENCE);
    let (b, _) = peer.heard().await.unwrap();
    peer.say(b, b"to the second").await;
    peer.say(a, b"to the first").await;
    assert_eq!(first.await.unwrap().unwrap(), "to the first");
    assert_eq!(second.await.unwrap().unwrap(), "to the second");
}

#[tokio::test]
async fn an_answer_may_come_byte_by_byte_and_two_at_once() {
    let (connection, mut peer) = pair();
    let (first, second) = (ask(&connection, "a", PATIENCE), ask(&connection, "a", PATIENCE));
    let (a, b) = (peer.heard().await.unwrap().0, peer.heard().await.unwrap().0);
    let both = [
        &[0, 0, 0, 7],
        &a.to_be_bytes()[..],
        b"one",
        &[0, 0, 0, 7],
        &b.to_be_bytes(),
        b"two",
    ]
    .concat();
    let (bytes, rest) = both.split_at(9);
    for byte in bytes {
        peer.raw(&[*byte]).await;
        tokio::task::yield_now().await;
    }
    peer.raw(rest).await;
    let mut answers = [first.await.unwrap().unwrap(), second.await.unwrap().unwrap()];
    answers.sort();
    assert_eq!(answers, ["one", "two"]);
}

#[tokio::test]
async fn an_answer_of_many_megabytes_comes_whole() {
    let (connection, mut peer) = pair();
    let asked = ask(&connection, "all of it", PATIENCE);
    let (id, _) = peer.heard().await.unwrap();
    let body: Vec<u8> = (0..9_u32 << 20).map(|byte| byte.to_be_bytes()[3]).collect();
    peer.say(id, &body).await;
    assert!(asked.await.unwrap().unwrap() == body);
}

#[tokio::test]
async fn a_request_whose_deadline_passes_fails_alone_and_the_connection_is_not_used_again() {
    let (connection, mut peer) = pair();
    let patient = ask(&connection, "patient", PATIENCE);
    let (a, _) = peer.heard().await.unwrap();
    let late = ask(&connection, "late", SHORT);
    let (b, _) = peer.heard().await.unwrap();
    assert_eq!(cause_of(late).await.0, Cause::TimedOut);
    assert_eq!(connection.ended().unwrap().trouble.cause, Cause::TimedOut);
    // The one that was under way is still answered, and the late answer harms nobody.
    peer.say(b, b"too late").await;
    peer.say(a, b"in time").await;
    assert_eq!(patient.await.unwrap().unwrap(), "in time");
    assert_eq!(cause_of(ask(&connection, "new", PATIENCE)).await.0, Cause::TimedOut);
    // Nobody waits any more: the stream is closed.
    assert!(peer.heard().await.is_err());
}

#[tokio::test]
async fn whoever_waits_when_the_broker_hangs_up_is_told() {
    let (connection, mut peer) = pair();
    let (first, second) = (ask(&connection, "a", PATIENCE), ask(&connection, "b", PATIENCE));
    peer.heard().await.unwrap();
    peer.heard().await.unwrap();
    drop(peer);
    for asked in [first, second] {
        let told = (Cause::Disconnected, "the broker closed the connection".to_owned());
        assert_eq!(cause_of(asked).await, told);
    }
}

#[tokio::test]
async fn half_an_answer_is_none() {
    for cut in [1, 3, 4, 6, 8, 11] {
        let (connection, mut peer) = pair();
        let asked = ask(&connection, "a", PATIENCE);
        let (id, _) = peer.heard().await.unwrap();
        let whole = [&[0, 0, 0, 8], &id.to_be_bytes()[..], b"half"].concat();
        peer.raw(&whole[..cut]).await;
        drop(peer);
        let (cause, detail) = cause_of(asked).await;
        assert_eq!(cause, Cause::Disconnected, "{cut}");
        assert!(detail.ends_with("in the middle of an answer"), "{detail}");
    }
}

#[tokio::test]
async fn a_length_that_cannot_be_is_refused_before_anything_is_read() {
    let cases: [(&[u8], &str); 6] = [
        (b"\xff\xff\xff\xff", "4294967295 bytes"),
        (b"\x7f\xff\xff\xff", "2147483647 bytes"),
        (b"\x04\0\0\x01", "67108865 bytes"),
        (b"\0\0\0\x03", "3 bytes"),
        (b"HTTP/1.1 400 Bad Request", "this is an HTTP server"),
        (b"\x15\x03\x03\0\x02\x02\x46", "this listener speaks TLS"),
    ];
    for (bytes, expected) in cases {
        let (connection, mut peer) = pair();
        let asked = ask(&connection, "a", PATIENCE);
        peer.heard().await.unwrap();
        peer.raw(bytes).await;
        let (cause, detail) = cause_of(asked).await;
        assert_eq!(cause, Cause::Malformed);
        assert!(detail.contains(expected), "{detail}");
        assert!(connection.ended().is_some());
    }
}

#[tokio::test]
async fn an_answer_to_nothing_that_was_asked_ends_the_connection() {
    let (connection, mut peer) = pair();
    let asked = ask(&connection, "a", PATIENCE);
    let (id, _) = peer.heard().await.unwrap();
    // Its length says that more is to come; nobody waits for it.
    peer.raw(&[&[0, 1, 0, 0], &(id + 1).to_be_bytes()[..]].concat()).await;
    assert_eq!(cause_of(asked).await.0, Cause::Malformed);
    assert!(peer.heard().await.is_err());
}

#[tokio::test]
async fn an_answer_too_long_is_the_fault_of_its_request_alone() {
    let (connection, mut peer) = pair();
    let long = ask(&connection, "long", PATIENCE);
    let (id, _) = peer.heard().await.unwrap();
    let other = ask(&connection, "other", PATIENCE);
    peer.heard().await.unwrap();
    peer.raw(&[&[0x7f, 0, 0, 0], &id.to_be_bytes()[..]].concat()).await;
    assert_eq!(cause_of(long).await.0, Cause::Malformed);
    assert_eq!(cause_of(other).await.0, Cause::Disconnected);
}

#[tokio::test]
async fn who_gives_up_leaves_the_connection_in_order() {
    let (connection, mut peer) = pair();
    let given_up = ask(&connection, "given up", PATIENCE);
    let (a, _) = peer.heard().await.unwrap();
    given_up.abort();
    assert!(given_up.await.unwrap_err().is_cancelled());
    let next = ask(&connection, "next", PATIENCE);
    let (b, said) = peer.heard().await.unwrap();
    assert_eq!(said, b"next");
    peer.say(a, b"for nobody").await;
    peer.say(b, b"for the next").await;
    assert_eq!(next.await.unwrap().unwrap(), "for the next");
}

#[tokio::test]
async fn dropping_the_handle_closes_the_stream() {
    let (connection, mut peer) = pair();
    let given_up = ask(&connection, "a", PATIENCE);
    peer.heard().await.unwrap();
    given_up.abort();
    let _ = given_up.await;
    drop(connection);
    assert!(peer.heard().await.is_err());
}

#[tokio::test]
async fn no_more_requests_are_on_their_way_than_there_are_slots() {
    let (connection, mut peer) = pair();
    let asked: Vec<_> = (0..IN_FLIGHT + 1).map(|_| ask(&connection, "a", PATIENCE)).collect();
    let mut ids = Vec::new();
    for _ in 0..IN_FLIGHT {
        ids.push(peer.heard().await.unwrap().0);
    }
    assert!(tokio::time::timeout(SHORT, peer.heard()).await.is_err(), "one too many");
    for id in ids.drain(..) {
        peer.say(id, b"yes").await;
    }
    let (id, _) = peer.heard().await.unwrap();
    peer.say(id, b"yes").await;
    for asked in asked {
        assert_eq!(asked.await.unwrap().unwrap(), "yes");
    }
}

#[tokio::test]
async fn who_finds_no_slot_by_the_deadline_has_run_out_of_time() {
    let (connection, _peer) = pair();
    let _asked: Vec<_> = (0..IN_FLIGHT).map(|_| ask(&connection, "a", PATIENCE)).collect();
    while connection.slots.available_permits() > 0 {
        tokio::task::yield_now().await;
    }
    let limits = Limits {
        deadline: Instant::now() + SHORT,
        timeout: PATIENCE,
    };
    let trouble = connection.call(request("b"), limits).await.unwrap_err();
    assert_eq!(trouble.cause, Cause::TimedOut);
    assert!(connection.ended().is_none(), "nobody was kept waiting by the broker");
}

#[tokio::test]
async fn a_broker_that_does_not_read_keeps_nobody_from_reading_it() {
    let (connection, mut peer) = pair();
    let small = ask(&connection, "small", PATIENCE);
    let (id, _) = peer.heard().await.unwrap();
    // More than the stream holds: the write cannot end before the broker reads on.
    let large = ask(&connection, &"x".repeat(1 << 18), PATIENCE);
    peer.say(id, b"yes").await;
    assert_eq!(small.await.unwrap().unwrap(), "yes");
    let (id, said) = peer.heard().await.unwrap();
    assert_eq!(said.len(), 1 << 18);
    peer.say(id, b"yes too").await;
    assert_eq!(large.await.unwrap().unwrap(), "yes too");
}
