//! How often clients may come: failed attempts to authenticate by address, requests that did authenticate overall. Strangers can use up
//! only their own share, so that nobody is locked out by somebody else's guesses.

use std::collections::HashMap;
use std::net::IpAddr;
use std::net::Ipv6Addr;
use std::sync::Mutex;
use std::sync::PoisonError;
use std::time::Duration;

use crate::reset::Refusal;

/// Failed attempts of one address: so many at once, then one in that time.
const GUESSES: Rate = Rate {
    burst: 20,
    every: Duration::from_secs(1),
};
/// Requests of everybody who has a token. Each may cost Kafka half a dozen requests.
const REQUESTS: Rate = Rate {
    burst: 100,
    every: Duration::from_millis(100),
};
/// Addresses that are remembered at the same time; further ones are turned away until some are forgotten.
const ADDRESSES: usize = 4096;

/// So many at once, then one in that time.
#[derive(Clone, Copy, Debug)]
struct Rate {
    burst: u32,
    every: Duration,
}

/// When a client would be through with all it has asked for, had it kept to its rate: zero for one that never came. All times are of the
/// monotonic clock.
#[derive(Clone, Copy, Debug, Default)]
struct Used(Duration);

impl Rate {
    /// How long until there is room for one more; `None` when there is.
    fn wait(self, used: Used, now: Duration) -> Option<Duration> {
        let room = self.every * (self.burst - 1);
        used.0.checked_sub(now + room).filter(|wait| !wait.is_zero())
    }

    fn with_one_more(self, used: Used, now: Duration) -> Used {
        Used(used.0.max(now) + self.every)
    }
}

/// Who has come how often.
#[derive(Debug, Default)]
pub(in crate::http) struct Throttle {
    /// Failed attempts by address. Locked for a look-up or an insertion.
    guesses: Mutex<HashMap<IpAddr, Used>>,
    /// Requests overall. Locked for a comparison.
    requests: Mutex<Used>,
}

impl Throttle {
    pub(in crate::http) fn new() -> Self {
        Self::default()
    }

    /// Whether this address may try to authenticate.
    pub(in crate::http) fn may_try(&self, address: IpAddr, now: Duration) -> Result<(), Refusal> {
        let mut guesses = self.guesses.lock().unwrap_or_else(PoisonError::into_inner);
        let wait = match guesses.get(&network(address)) {
            Some(used) => GUESSES.wait(*used, now),
            None if guesses.len() < ADDRESSES => None,
            None => {
                guesses.retain(|_, used| used.0 > now);
                (guesses.len() >= ADDRESSES).then_some(GUESSES.every)
            }
        };
        refuse(wait)
    }

    /// This address failed to.
    pub(in crate::http) fn failed(&self, address: IpAddr, now: Duration) {
        let mut guesses = self.guesses.lock().unwrap_or_else(PoisonError::into_inner);
        let used = guesses.entry(network(address)).or_default();
        *used = GUESSES.with_one_more(*used, now);
    }

    /// Whether one more request is taken of those who have a token.
    pub(in crate::http) fn may_ask(&self, now: Duration) -> Result<(), Refusal> {
        let mut used = self.requests.lock().unwrap_or_else(PoisonError::into_inner);
        refuse(REQUESTS.wait(*used, now))?;
        *used = REQUESTS.with_one_more(*used, now);
        Ok(())
    }
}

fn refuse(wait: Option<Duration>) -> Result<(), Refusal> {
    wait.map_or(Ok(()), |retry_after| Err(Refusal::TooManyRequests { retry_after }))
}

/// Whoever has one IPv6 address has a whole /64 of them.
fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => {
            let [a, b, c, d, ..] = address.segments();
            IpAddr::V6(Ipv6Addr::new(a, b, c, d, 0, 0, 0, 0))
        }
        address => address,
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use super::*;

    fn at(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    fn guess(throttle: &Throttle, address: &str, now: Duration) -> bool {
        let address = address.parse().expect("an address");
        let may = throttle.may_try(address, now).is_ok();
        if may {
            throttle.failed(address, now);
        }
        may
    }

    #[test]
    fn an_address_may_guess_so_often_and_then_once_in_a_while() {
        let throttle = Throttle::new();
        assert_eq!((0..30).filter(|_| guess(&throttle, "10.0.0.1", at(5))).count(), 20);
        assert!(!guess(&throttle, "10.0.0.1", at(5)));
        assert!(guess(&throttle, "10.0.0.1", at(6)));
        assert!(!guess(&throttle, "10.0.0.1", at(6)));
        assert_eq!((0..30).filter(|_| guess(&throttle, "10.0.0.1", at(600))).count(), 20);
    }

    #[test]
    fn one_clients_guesses_are_not_held_against_another() {
        let throttle = Throttle::new();
        (0..30).for_each(|_| _ = guess(&throttle, "10.0.0.1", at(0)));
        assert!(guess(&throttle, "10.0.0.2", at(0)));
        assert!(
            !guess(&throttle, "::ffff:10.0.0.1", at(0)),
            "the same address in its other form"
        );
        (0..30).for_each(|n| _ = guess(&throttle, &format!("2001:db8::{n:x}"), at(0)));
        assert!(!guess(&throttle, "2001:db8::ffff", at(0)), "the same network");
        assert!(guess(&throttle, "2001:db8:0:1::1", at(0)));
    }

    #[test]
    fn only_so_many_addresses_are_remembered_and_they_are_forgotten() {
        let throttle = Throttle::new();
        for n in 0..5000 {
            guess(&throttle, &Ipv4Addr::from(n).to_string(), at(0));
        }
        assert_eq!(throttle.guesses.lock().expect("unpoisoned").len(), ADDRESSES);
        assert!(!guess(&throttle, "192.0.2.1", at(0)));
        assert!(guess(&throttle, "192.0.2.1", at(2)));
    }

    #[test]
    fn requests_have_a_rate_overall() {
        let throttle = Throttle::new();
        assert_eq!((0..150).filter(|_| throttle.may_ask(at(1)).is_ok()).count(), 100);
        assert_eq!(
            throttle.may_ask(at(1)),
            Err(Refusal::TooManyRequests {
                retry_after: Duration::from_millis(100)
            })
        );
        assert_eq!((0..150).filter(|_| throttle.may_ask(at(2)).is_ok()).count(), 10);
    }
}
