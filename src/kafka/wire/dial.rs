//! From an address to a session: resolve, connect, TLS, versions, login.

use std::fmt;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use socket2::SockRef;
use socket2::TcpKeepalive;
use tokio::net::TcpStream;
use tokio::net::lookup_host;
use tokio::time::Instant;
use tokio::time::timeout_at;

use super::connection::Connection;
use super::connection::Limits;
use super::race::race;
use super::sasl;
use super::session::Session;
use super::tally::Tally;
use crate::config;
use crate::failure::Cause;
use crate::kafka::bearer::Tokens;
use crate::kafka::tls;
use crate::kafka::trouble::Trouble;

/// How long one of several addresses of a name may keep silent before the next one is tried beside it.
const NEXT_ADDRESS_AFTER: Duration = Duration::from_millis(250);

/// A connection that nothing is asked on is probed, so that firewalls keep it and a peer that is gone is noticed.
const KEEPALIVE: TcpKeepalive = TcpKeepalive::new()
    .with_time(Duration::from_secs(60))
    .with_interval(Duration::from_secs(15))
    .with_retries(4);

/// A session is made anew when this much of its allowed life has passed, in tenths: never so late that the broker closes it first.
const LIFE_TENTHS: u32 = 8;

/// Where a broker listens.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Address {
    pub(super) host: String,
    pub(super) port: u16,
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.host.contains(':') {
            write!(f, "[{}]:{}", self.host, self.port)
        } else {
            write!(f, "{}:{}", self.host, self.port)
        }
    }
}

/// Opens a session. The name is resolved anew every time: brokers move.
pub(super) async fn dial(
    address: &Address,
    config: &Arc<config::Cluster>,
    tokens: &Tokens,
    tally: &Tally,
    limits: Limits,
) -> Result<Session, Trouble> {
    // One request's time for all of it.
    let due = limits.due();
    let limits = Limits {
        deadline: due,
        ..limits
    };
    timeout_at(due, open(address, config, tokens, tally, limits))
        .await
        .unwrap_or_else(|_| Err(Trouble::new(Cause::TimedOut, "no connection in time")))
}

async fn open(
    address: &Address,
    config: &Arc<config::Cluster>,
    tokens: &Tokens,
    tally: &Tally,
    limits: Limits,
) -> Result<Session, Trouble> {
    let security = security(config).await?;
    let stream = connect(address).await?;
    let connection = match &security.tls {
        Some(tls) => Connection::start(tls::connect(tls, &address.host, stream).await?),
        None => Connection::start(stream),
    };
    let session = Session::open(connection, tally, limits).await?;
    let Some(login) = &security.sasl else {
        return Ok(session);
    };
    let begun = Instant::now();
    let lifetime = sasl::authenticate(&session, login, tokens, tally, limits).await?;
    Ok(session.until(lifetime.map(|lifetime| begun + lifetime * LIFE_TENTHS / 10)))
}

/// What is configured, or what a client file says now.
async fn security(config: &Arc<config::Cluster>) -> Result<config::Security, Trouble> {
    let config = Arc::clone(config);
    let read = tokio::task::spawn_blocking(move || config.security()).await;
    let refused = |why: &dyn fmt::Display| Trouble::new(Cause::Authentication, why);
    read.map_err(|_| refused(&"reading the client file was interrupted"))?
        .map_err(|error| refused(&error))
}

async fn connect(address: &Address) -> Result<TcpStream, Trouble> {
    let found: Vec<_> = lookup_host((address.host.as_str(), address.port))
        .await
        .map_err(unreachable)?
        .collect();
    let stream = race(NEXT_ADDRESS_AFTER, found.into_iter().map(reach))
        .await
        .map_err(|failures| {
            let first = failures.into_iter().next();
            first.map_or_else(
                || Trouble::new(Cause::Disconnected, "the name has no address"),
                unreachable,
            )
        })?;
    // Requests are small and waited for: nothing is won by holding one back.
    stream.set_nodelay(true).map_err(unreachable)?;
    SockRef::from(&stream)
        .set_tcp_keepalive(&KEEPALIVE)
        .map_err(unreachable)?;
    Ok(stream)
}

async fn reach(address: SocketAddr) -> io::Result<TcpStream> {
    TcpStream::connect(address).await
}

fn unreachable(error: io::Error) -> Trouble {
    Trouble::new(Cause::Disconnected, error)
}
