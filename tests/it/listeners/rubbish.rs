//! Requests that are too large or make no sense, byte by byte.

use std::io::Read as _;
use std::io::Write as _;
use std::net::TcpStream;

use super::*;

/// What is sent, and what is answered at most: a status, or nothing at all.
struct Rubbish {
    what: &'static str,
    sent: Vec<u8>,
    statuses: &'static [u16],
}

fn rubbish() -> Vec<Rubbish> {
    let one = |what, sent: &[u8], statuses| Rubbish {
        what,
        sent: sent.to_vec(),
        statuses,
    };
    let filled = |what, head: &str, fill: &str, times: usize, tail: &str, statuses| Rubbish {
        what,
        sent: format!("{head}{}{tail}", fill.repeat(times)).into_bytes(),
        statuses,
    };
    vec![
        one(
            "nothing but bytes",
            &(0..=255).cycle().take(100_000).collect::<Vec<u8>>(),
            &[400],
        ),
        one("zeroes", &[0; 100_000], &[400]),
        one("TLS", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n", &[400]),
        one(
            "HTTP/2",
            b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0",
            &[400, 404, 405, 505],
        ),
        one("another version", b"GET / HTTP/9.9\r\n\r\n", &[400, 505]),
        one("no version", b"GET /\r\n\r\n", &[400]),
        one("a method that is none", b"G\x01T / HTTP/1.1\r\nHost: a\r\n\r\n", &[400]),
        one(
            "a header without a name",
            b"GET /metrics HTTP/1.1\r\nHost: a\r\n: x\r\n\r\n",
            &[400],
        ),
        one(
            "a header that goes on",
            b"GET /metrics HTTP/1.1\r\nHost: a\r\n x: y\r\n\r\n",
            &[400],
        ),
        one(
            "a zero in a header",
            b"GET /metrics HTTP/1.1\r\nHost: a\r\nx: a\0b\r\n\r\n",
            &[400],
        ),
        one(
            "two lengths",
            b"POST /metrics HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nxx",
            &[400],
        ),
        one(
            "a length below zero",
            b"POST /metrics HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n",
            &[400],
        ),
        one(
            "a length beyond numbers",
            b"POST /metrics HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999999999999999999\r\n\r\n",
            &[400],
        ),
        one(
            "a length and chunks",
            b"POST /metrics HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
            &[400, 404, 405],
        ),
        one(
            "chunks that are none",
            b"POST /metrics HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nx\r\n",
            &[400, 404, 405],
        ),
        one(
            "a chunk beyond numbers",
            b"POST /metrics HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\n",
            &[400, 404, 405],
        ),
        one(
            "a path out of the tree",
            b"GET /../../etc/passwd HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
            &[400, 404],
        ),
        one(
            "a path that is no address",
            b"GET http://[::1 HTTP/1.1\r\nHost: a\r\n\r\n",
            &[400],
        ),
        one(
            "half an escape",
            b"GET /api/v1/clusters/%4/groups/%zz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
            &[400, 404],
        ),
        filled(
            "a long address",
            "GET /",
            "a",
            1 << 20,
            " HTTP/1.1\r\nHost: a\r\n\r\n",
            &[400, 414, 431],
        ),
        filled(
            "a long header",
            "GET /metrics HTTP/1.1\r\nHost: a\r\nx: ",
            "a",
            1 << 20,
            "\r\n\r\n",
            &[400, 431],
        ),
        filled(
            "many headers",
            "GET /metrics HTTP/1.1\r\nHost: a\r\n",
            "x: y\r\n",
            10_000,
            "\r\n",
            &[400, 431],
        ),
        filled(
            "a head without an end",
            "GET /metrics HTTP/1.1\r\nHost: a\r\n",
            "x: y\r\n",
            1_000_000,
            "",
            &[400, 431],
        ),
        filled(
            "many requests at once",
            "",
            "GET /-/healthy HTTP/1.1\r\nHost: a\r\n\r\n",
            2_000,
            "GET / HTTP/0.0\r\n\r\n",
            &[200, 400, 404],
        ),
    ]
}

/// Sends it, and reads what is answered until the other end closes: every status, in order.
fn statuses(address: SocketAddr, sent: &[u8]) -> Vec<u16> {
    let mut stream = TcpStream::connect(address).expect("a connection");
    stream.set_read_timeout(Some(SOON * 3)).expect("a time-out");
    let mut sending = stream.try_clone().expect("a second handle");
    let bytes = sent.to_vec();
    // It may be cut off before all is sent.
    let sender = std::thread::spawn(move || {
        let _ = sending.write_all(&bytes);
        let _ = sending.shutdown(std::net::Shutdown::Write);
    });
    let mut answer = Vec::new();
    match stream.read_to_end(&mut answer) {
        Err(error) if error.kind() != std::io::ErrorKind::ConnectionReset => panic!("not closed: {error}"),
        _ => {}
    }
    sender.join().expect("no panic");
    let text = String::from_utf8_lossy(&answer).into_owned();
    let heads = text.split("HTTP/1.1 ").skip(1);
    heads.map(|head| head[..3].parse().expect("a status")).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whatever_is_sent_is_refused_or_cut_off_and_scrapes_go_on() {
    let house = House::new();
    for (listener, address) in [("scrape", house.scrape_address()), ("admin", house.admin)] {
        for Rubbish {
            what,
            sent,
            statuses: allowed,
        } in rubbish()
        {
            let answered = statuses(address, &sent);
            let fine = answered.iter().all(|status| allowed.contains(status) || *status == 404);
            assert!(fine, "{what} at {listener}: {answered:?}");
            house.scrape();
        }
    }
    let log = house.tidemark.log();
    assert!(!log.contains("panicked"), "{log}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn bodies_without_an_end_cost_little_and_reset_nothing() {
    let house = House::new();
    let before = house.taken();
    let head = "POST /admin/v1/clusters/main/groups/group-1/reset/plan HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer correct horse battery staple\r\n";
    let body = vec![b' '; 64 << 20];
    let told = [
        head.as_bytes(),
        format!("Content-Length: {}\r\n\r\n", 1_u64 << 40).as_bytes(),
        &body,
    ]
    .concat();
    assert!(statuses(house.admin, &told).iter().all(|status| *status == 413));
    let chunk = [b"100000\r\n".as_slice(), &body[..1 << 20], b"\r\n"].concat();
    let chunks = [
        head.as_bytes(),
        b"Transfer-Encoding: chunked\r\n\r\n",
        &chunk.repeat(64),
    ]
    .concat();
    assert!(statuses(house.admin, &chunks).iter().all(|status| *status == 413));
    let during = house.taken();
    println!("128 MB of bodies: {during:?} ({before:?} before)");
    assert!(during.resident_mb <= before.resident_mb + 40, "{during:?}");
    house.scrape();
}
