//! The way to one address: at most one session at a time, made when it is needed, and made anew when it is in doubt.

use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::hash::Hasher;
use std::sync::Arc;
use std::sync::Mutex;
use std::sync::PoisonError;
use std::time::Duration;

use tokio::sync::Mutex as AsyncMutex;
use tokio::time::Instant;
use tokio::time::timeout_at;

use crate::config;
use crate::failure::Cause;
use crate::kafka::bearer::Tokens;
use crate::kafka::trouble::Trouble;
use crate::kafka::wire::connection::Limits;
use crate::kafka::wire::dial::Address;
use crate::kafka::wire::dial::dial;
use crate::kafka::wire::session::Session;
use crate::kafka::wire::tally::Tally;

/// The pause after the first failure; it doubles with each further one. Silence is answered with the longest pause at once: it costs a whole
/// request's time to find out about it again.
const FIRST_PAUSE: Duration = Duration::from_millis(100);

/// The longest pause: shorter than any poll interval, so that a broker that is back is used by the next poll.
pub(in super::super) const LONGEST_PAUSE: Duration = Duration::from_secs(1);

/// The way to one address.
#[derive(Debug)]
pub(in super::super) struct Link {
    address: Address,
    config: Arc<config::Cluster>,
    tokens: Arc<Tokens>,
    tally: Arc<Tally>,
    /// Held while a session is made, so that everybody else waits for that one.
    slot: AsyncMutex<Slot>,
    /// What was logged last; a line is written when it changes.
    health: Mutex<Health>,
}

#[derive(Debug)]
enum Slot {
    /// Nothing was tried yet.
    Fresh,
    /// Being tried; still here afterwards when whoever tried gave up.
    Trying,
    /// Usable unless the session says otherwise.
    Open(Arc<Session>),
    /// Not to be tried again before `until`.
    Failed {
        times: u32,
        until: Instant,
        trouble: Trouble,
    },
}

/// How promising a link is, best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in super::super) enum Standing {
    /// Connected.
    Open,
    /// Never tried.
    Fresh,
    /// Being tried at this moment, given up once, or failed.
    Doubtful,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Health {
    Unknown,
    Up,
    Down(Cause),
}

impl Link {
    /// Connects to nobody yet.
    pub(super) fn new(address: Address, config: Arc<config::Cluster>, tokens: Arc<Tokens>, tally: Arc<Tally>) -> Self {
        Self {
            address,
            config,
            tokens,
            tally,
            slot: AsyncMutex::new(Slot::Fresh),
            health: Mutex::new(Health::Unknown),
        }
    }

    /// Where to.
    pub(in super::super) fn address(&self) -> &Address {
        &self.address
    }

    /// How promising it is.
    pub(super) fn standing(&self) -> Standing {
        match self.slot.try_lock().as_deref() {
            Ok(Slot::Open(session)) if session.is_usable(Instant::now()) => Standing::Open,
            Ok(Slot::Fresh) => Standing::Fresh,
            _ => Standing::Doubtful,
        }
    }

    /// The session, made now if there is none that can be used. Fails at once while a failure is too fresh to try again.
    pub(in super::super) async fn session(&self, limits: Limits) -> Result<Arc<Session>, Trouble> {
        let mut slot = timeout_at(limits.deadline, self.slot.lock())
            .await
            .map_err(|_| Trouble::new(Cause::TimedOut, "no connection in time").at(&self.address))?;
        let now = Instant::now();
        if let Slot::Open(session) = &*slot
            && session.is_usable(now)
        {
            return Ok(Arc::clone(session));
        }
        self.settle(&mut slot);
        let failed = match &*slot {
            Slot::Failed { until, trouble, .. } if now < *until => return Err(trouble.clone()),
            Slot::Failed { times, .. } => *times,
            _ => 0,
        };
        *slot = Slot::Trying;
        // Boxed: it is far larger than the requests that mostly need none of it.
        let dialled = Box::pin(dial(&self.address, &self.config, &self.tokens, &self.tally, limits));
        match dialled.await {
            Ok(session) => {
                self.note(Health::Up, "");
                let session = Arc::new(session);
                *slot = Slot::Open(Arc::clone(&session));
                Ok(session)
            }
            Err(trouble) => Err(self.fail(&mut slot, failed, &trouble.at(&self.address))),
        }
    }

    /// A session that ended because the broker kept silent counts as a failed attempt, so that the stages of one cycle do not each wait
    /// for it. One that was closed, or fed us nonsense, may be made anew at once.
    fn settle(&self, slot: &mut Slot) {
        let Slot::Open(session) = slot else {
            return;
        };
        let Some(end) = session
            .ended()
            .filter(|end| end.trouble.cause == Cause::TimedOut)
            .cloned()
        else {
            return;
        };
        let trouble = end.trouble.at(&self.address);
        self.note(Health::Down(trouble.cause), &trouble.detail);
        *slot = Slot::Failed {
            times: 1,
            until: end.at + LONGEST_PAUSE,
            trouble,
        };
    }

    fn fail(&self, slot: &mut Slot, failed: u32, trouble: &Trouble) -> Trouble {
        let times = failed.saturating_add(1);
        self.note(Health::Down(trouble.cause), &trouble.detail);
        let pause = match trouble.cause {
            Cause::TimedOut => LONGEST_PAUSE,
            _ => pause(times),
        };
        *slot = Slot::Failed {
            times,
            until: Instant::now() + pause,
            trouble: trouble.clone(),
        };
        trouble.clone()
    }

    /// One line per change of health.
    fn note(&self, now: Health, error: &str) {
        let before = {
            let mut health = self.health.lock().unwrap_or_else(PoisonError::into_inner);
            std::mem::replace(&mut *health, now)
        };
        let (cluster, broker) = (&*self.config.name, &self.address);
        match (before, now) {
            (before, now) if before == now => {}
            (_, Health::Down(_)) => tracing::warn!(cluster, %broker, error, "broker cannot be used"),
            (Health::Down(_), _) => tracing::info!(cluster, %broker, "broker can be used again"),
            (_, _) => tracing::debug!(cluster, %broker, "broker connected"),
        }
    }
}

/// After so many failures in a row: doubled each time up to the longest, and between half of that and all of it, so that the links to
/// many brokers do not all come back at the same moment.
fn pause(times: u32) -> Duration {
    let doubled = FIRST_PAUSE.saturating_mul(1 << times.saturating_sub(1).min(8));
    let longest = doubled.min(LONGEST_PAUSE);
    // Every hasher of the standard library begins at random.
    let dice = u32::try_from(RandomState::new().build_hasher().finish() % 1000).unwrap_or(0);
    longest / 2 + longest / 2 * dice / 1000
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pause_grows_and_never_outlasts_a_poll() {
        for times in 1..100 {
            let full = FIRST_PAUSE.saturating_mul(1 << (times - 1).min(8)).min(LONGEST_PAUSE);
            let pause = pause(times);
            assert!(pause >= full / 2 && pause <= full, "{times}: {pause:?}");
        }
    }
}
