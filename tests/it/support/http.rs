//! One GET over a plain socket, and nothing that would hide what the server does.

use std::collections::BTreeMap;
use std::io;
use std::io::Read;
use std::io::Write;
use std::net::SocketAddr;
use std::net::TcpStream;
use std::time::Duration;

/// An answer, unpacked from chunks but not from gzip.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    /// By lower-case name.
    pub(crate) headers: BTreeMap<String, String>,
    pub(crate) body: Vec<u8>,
}

impl Answer {
    /// The body, which must be UTF-8.
    pub(crate) fn text(&self) -> String {
        String::from_utf8(self.body.clone()).expect("UTF-8")
    }

    /// A header, empty when it is not there.
    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", String::as_str)
    }
}

/// Sends the path exactly as given; `headers` are whole lines.
pub(crate) fn get(address: SocketAddr, path: &str, headers: &[&str]) -> io::Result<Answer> {
    let mut stream = TcpStream::connect(address)?;
    stream.set_read_timeout(Some(Duration::from_secs(15)))?;
    let headers: String = headers.iter().map(|line| format!("{line}\r\n")).collect();
    write!(
        stream,
        "GET {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n{headers}\r\n"
    )?;
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer)?;
    parse(&answer).ok_or_else(|| io::Error::other(format!("no whole answer to GET {path}")))
}

/// Sends a whole request and reads an answer that tells its length, from a server that may keep the connection open.
pub(crate) fn exchange(address: SocketAddr, request: &[u8], patience: Duration) -> io::Result<Answer> {
    let mut stream = TcpStream::connect(address)?;
    stream.set_read_timeout(Some(patience))?;
    stream.write_all(request)?;
    let (mut answer, mut piece) = (Vec::new(), [0; 16 * 1024]);
    loop {
        let length = stream.read(&mut piece)?;
        answer.extend_from_slice(&piece[..length]);
        let whole = parse(&answer).filter(|it| length == 0 || it.headers.contains_key("content-length"));
        match whole {
            Some(whole) => return Ok(whole),
            None if length == 0 => return Err(io::Error::other(format!("no whole answer from {address}"))),
            None => {}
        }
    }
}

fn parse(answer: &[u8]) -> Option<Answer> {
    let end = answer.windows(4).position(|four| four == b"\r\n\r\n")?;
    let head = std::str::from_utf8(&answer[..end]).ok()?;
    let (status, lines) = head.split_once("\r\n").unwrap_or((head, ""));
    let status = status.split(' ').nth(1)?.parse().ok()?;
    let header = |line: &str| {
        line.split_once(':')
            .map(|(k, v)| (k.to_ascii_lowercase(), v.trim().to_owned()))
    };
    let headers: BTreeMap<_, _> = lines.split("\r\n").filter_map(header).collect();
    let rest = &answer[end + 4..];
    let body = match (headers.get("transfer-encoding"), headers.get("content-length")) {
        (Some(coding), _) if coding == "chunked" => unchunk(rest)?,
        (_, Some(length)) => rest.get(..length.parse().ok()?)?.to_vec(),
        _ => rest.to_vec(),
    };
    Some(Answer { status, headers, body })
}

/// `None` when the last chunk is not there: an answer that was cut off is no answer.
fn unchunk(mut rest: &[u8]) -> Option<Vec<u8>> {
    let mut body = Vec::new();
    loop {
        let line = rest.windows(2).position(|two| two == b"\r\n")?;
        let length = usize::from_str_radix(std::str::from_utf8(&rest[..line]).ok()?, 16).ok()?;
        let chunk = rest.get(line + 2..line + 2 + length)?;
        if length == 0 {
            return Some(body);
        }
        body.extend_from_slice(chunk);
        rest = rest.get(line + 2 + length + 2..)?;
    }
}
