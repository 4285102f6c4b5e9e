//! `host:port`, as people write bootstrap addresses.

use std::fmt;
use std::net::Ipv6Addr;
use std::str::FromStr;

use thiserror::Error;

use super::HostPort;

/// What [`HostPort`] is parsed from was something else.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("not host:port")]
pub struct NoHostPort;

impl FromStr for HostPort {
    type Err = NoHostPort;

    fn from_str(text: &str) -> Result<Self, NoHostPort> {
        let (host, port) = text.rsplit_once(':').ok_or(NoHostPort)?;
        let port = port.parse().ok().filter(|port| *port != 0).ok_or(NoHostPort)?;
        let host = match host.strip_prefix('[').and_then(|inner| inner.strip_suffix(']')) {
            Some(address) => address.parse::<Ipv6Addr>().map_err(|_| NoHostPort)?.to_string(),
            None => host.to_owned(),
        };
        let odd = |c: char| c.is_whitespace() || c.is_control() || matches!(c, '/' | '@' | '[' | ']');
        let bare_address = host.contains(':') && !text.starts_with('[');
        if host.is_empty() || host.contains(odd) || bare_address {
            return Err(NoHostPort);
        }
        Ok(Self { host, port })
    }
}

impl fmt::Display for HostPort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.host.contains(':') {
            true => write!(f, "[{}]:{}", self.host, self.port),
            false => write!(f, "{}:{}", self.host, self.port),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_and_a_port_come_back_as_they_were_written() {
        for text in ["kafka-1:9092", "10.0.0.1:1", "[::1]:9092", "broker_1.example:65535"] {
            assert_eq!(
                text.parse().map(|server: HostPort| server.to_string()).as_deref(),
                Ok(text)
            );
        }
        let server: HostPort = "[2001:DB8::1]:9092".parse().expect("an address");
        assert_eq!((server.host.as_str(), server.port), ("2001:db8::1", 9092));
    }

    #[test]
    fn what_is_no_host_and_port_is_refused() {
        let odd = [
            "",
            "kafka",
            "kafka:",
            ":9092",
            "kafka:0",
            "kafka:65536",
            "kafka:-1",
            "::1:9092",
            "[::1]",
            "[kafka]:1",
            "[::1:2",
        ];
        let odd = odd.into_iter().chain([
            "SSL://kafka:9092",
            "user@kafka:9092",
            "ka fka:9092",
            "kafka:90 92",
            "a:1:2",
        ]);
        for text in odd {
            assert_eq!(text.parse::<HostPort>(), Err(NoHostPort), "{text}");
        }
    }
}
