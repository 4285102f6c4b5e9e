//! Very many clients.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering;
use std::thread;

use tokio::io::AsyncReadExt as _;
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpStream;
use tokio::task::JoinSet;

use super::*;

/// As many idle connections as are held open: ten thousand where this process may have so many files.
fn many() -> usize {
    let limits = fs::read_to_string("/proc/self/limits").unwrap_or_default();
    let line = limits.lines().find_map(|line| line.strip_prefix("Max open files"));
    let files = line.and_then(|line| line.split_whitespace().next()?.parse().ok());
    files.map_or(500, |files: usize| files.saturating_sub(500).min(10_000))
}

async fn connected(address: SocketAddr, count: usize) -> Vec<TcpStream> {
    let mut open = Vec::with_capacity(count);
    for _ in 0..count {
        open.push(TcpStream::connect(address).await.expect("a connection"));
    }
    open
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn ten_thousand_idle_connections_keep_no_scrape_out_and_take_no_more_than_the_limit() {
    let house = House::new();
    let (before, alone) = (house.taken(), house.slowest(10));
    let cycles = house.tidemark.cycles();
    let idle = connected(house.scrape_address(), many()).await;
    let (during, crowded) = (house.taken(), house.slowest(20));
    println!(
        "{} idle connections: scrape {crowded:?} at most ({alone:?} alone), {during:?} ({before:?} before)",
        idle.len()
    );
    assert!(during.files <= before.files + CONNECTIONS, "{during:?}");
    assert!(during.resident_mb <= before.resident_mb + 64, "{during:?}");
    // The same at the other listener: neither of them minds what is at the other.
    let more = connected(house.admin, 1_000.min(many() / 4)).await;
    house.slowest(5);
    assert!(house.taken().files <= before.files + 2 * CONNECTIONS);
    let own = house.tidemark.next_cycle();
    assert!(
        own.total("tidemark_cycles_total", &[("result", "ok")]) > cycles,
        "polling goes on"
    );
    drop((idle, more));
    crate::support::until("what was taken is given back", || {
        house.taken().files <= before.files + 8
    });
}

/// A client that sends its head one byte at a time, for as long as it is let.
async fn dawdle(address: SocketAddr, over: Arc<AtomicBool>) {
    let head = b"GET /metrics HTTP/1.1\r\nHost: a\r\nX-Slow: ";
    while !over.load(Ordering::Relaxed) {
        let Ok(mut stream) = TcpStream::connect(address).await else {
            continue;
        };
        for byte in head.iter().chain(std::iter::repeat(&b'x')) {
            if over.load(Ordering::Relaxed) || stream.write_all(&[*byte]).await.is_err() {
                break;
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_thousand_slow_heads_keep_no_scrape_out() {
    let house = House::new();
    let before = house.taken();
    let over = Arc::new(AtomicBool::new(false));
    let mut slow = JoinSet::new();
    for _ in 0..2_000.min(many() / 2) {
        slow.spawn(dawdle(house.scrape_address(), Arc::clone(&over)));
    }
    let began = Instant::now();
    let mut scrapes = Vec::new();
    // Longer than the ten seconds that a head may take: who is slow is cut off by then, and comes again.
    while began.elapsed() < Duration::from_secs(15) {
        scrapes.push(house.scrape());
    }
    let during = house.taken();
    over.store(true, Ordering::Relaxed);
    println!(
        "{} slow heads: {} scrapes, {:?} at most, {during:?} ({before:?} before)",
        slow.len(),
        scrapes.len(),
        scrapes.iter().max().expect("some")
    );
    assert!(during.files <= before.files + CONNECTIONS, "{during:?}");
    while slow.join_next().await.is_some() {}
}

/// A client that comes, asks and goes, as fast as it can.
async fn hurry(address: SocketAddr, over: Arc<AtomicBool>, answered: Arc<AtomicUsize>) {
    while !over.load(Ordering::Relaxed) {
        let asked = async {
            let mut stream = TcpStream::connect(address).await.ok()?;
            let request = b"GET /-/healthy HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";
            stream.write_all(request).await.ok()?;
            let mut answer = Vec::new();
            stream.read_to_end(&mut answer).await.ok()?;
            answer.starts_with(b"HTTP/1.1 200").then_some(())
        };
        if asked.await.is_some() {
            answered.fetch_add(1, Ordering::Relaxed);
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn clients_that_come_and_go_as_fast_as_they_can_keep_no_scrape_out() {
    let house = House::new();
    let (over, answered) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicUsize::new(0)));
    let mut clients = JoinSet::new();
    for _ in 0..300 {
        clients.spawn(hurry(house.scrape_address(), Arc::clone(&over), Arc::clone(&answered)));
    }
    let began = Instant::now();
    let scrapes = thread::scope(|scope| {
        let scrapes = scope.spawn(|| (0..20).map(|_| house.scrape()).collect::<Vec<_>>());
        scrapes.join().expect("every scrape came through")
    });
    let (passed, during) = (began.elapsed(), house.taken());
    over.store(true, Ordering::Relaxed);
    let answered = answered.load(Ordering::Relaxed);
    println!(
        "300 hurried clients: {answered} answers in {passed:?}, 20 scrapes, {:?} at most, {during:?}",
        scrapes.iter().max().expect("some")
    );
    assert!(answered > 300, "the others are served besides");
    while clients.join_next().await.is_some() {}
}
