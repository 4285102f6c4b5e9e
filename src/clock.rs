//! The only caller of the system's clocks. Everything else takes a [`Moment`] as an argument or asks the [`Clock`] it was handed,
//! so that tests and the simulated cluster can step time.

use std::sync::Arc;
use std::time::Duration;
use std::time::Instant;
use std::time::SystemTime;
use std::time::UNIX_EPOCH;

use tokio::sync::watch;

use crate::model::Moment;
use crate::model::UnixMillis;

/// A clock: the system's, or one that stands still until it is stepped.
#[derive(Clone, Debug)]
pub struct Clock(Kind);

#[derive(Clone, Debug)]
enum Kind {
    System {
        started: Instant,
    },
    /// The sender is shared so that whoever holds the clock can step it; receivers wake the sleepers.
    Stepped(Arc<watch::Sender<Moment>>),
}

impl Clock {
    /// The system's clocks; `mono` counts from now.
    #[expect(
        clippy::disallowed_methods,
        reason = "the one place that may ask the system for the time"
    )]
    pub fn system() -> Self {
        Self(Kind::System {
            started: Instant::now(),
        })
    }

    /// A clock that stands at `wall` until [`Clock::step`] moves it.
    pub fn stepped(wall: UnixMillis) -> Self {
        Self(Kind::Stepped(Arc::new(watch::Sender::new(Moment {
            mono: Duration::ZERO,
            wall,
        }))))
    }

    /// Now, on both clocks.
    #[expect(
        clippy::disallowed_methods,
        reason = "the one place that may ask the system for the time"
    )]
    pub fn now(&self) -> Moment {
        match &self.0 {
            Kind::System { started } => Moment {
                mono: started.elapsed(),
                wall: wall(SystemTime::now()),
            },
            Kind::Stepped(time) => *time.borrow(),
        }
    }

    /// Returns once `mono` has reached `until`.
    pub async fn sleep_until(&self, until: Duration) {
        match &self.0 {
            Kind::System { .. } => tokio::time::sleep(until.saturating_sub(self.now().mono)).await,
            Kind::Stepped(time) => {
                let mut seen = time.subscribe();
                // The sender lives in `self`, so waiting cannot fail.
                let _ = seen.wait_for(|now| now.mono >= until).await;
            }
        }
    }

    /// Moves a stepped clock on. The system's clock is left alone.
    pub fn step(&self, by: Duration) {
        if let Kind::Stepped(time) = &self.0 {
            time.send_modify(|now| {
                now.mono += by;
                now.wall = UnixMillis(
                    now.wall
                        .0
                        .saturating_add(i64::try_from(by.as_millis()).unwrap_or(i64::MAX)),
                );
            });
        }
    }

    /// Sets a stepped clock's wall time without moving `mono`, as when an operator or NTP sets the machine's clock.
    pub fn jump(&self, wall: UnixMillis) {
        if let Kind::Stepped(time) = &self.0 {
            time.send_modify(|now| now.wall = wall);
        }
    }
}

/// Before 1970 (a machine without a battery) counts as negative, as Kafka would date it.
fn wall(time: SystemTime) -> UnixMillis {
    let millis = |d: Duration| i64::try_from(d.as_millis()).unwrap_or(i64::MAX);
    UnixMillis(match time.duration_since(UNIX_EPOCH) {
        Ok(after) => millis(after),
        Err(before) => -millis(before.duration()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_stepped_clock_wakes_who_sleeps_on_it() {
        let clock = Clock::stepped(UnixMillis(1_000));
        let sleeper = tokio::spawn({
            let clock = clock.clone();
            async move {
                clock.sleep_until(Duration::from_secs(5)).await;
                clock.now().wall
            }
        });
        clock.step(Duration::from_secs(4));
        clock.step(Duration::from_secs(1));
        assert_eq!(sleeper.await.ok(), Some(UnixMillis(6_000)));
    }

    #[test]
    fn a_jump_moves_the_wall_alone() {
        let clock = Clock::stepped(UnixMillis(1_000));
        clock.jump(UnixMillis(-5));
        assert_eq!(
            clock.now(),
            Moment {
                mono: Duration::ZERO,
                wall: UnixMillis(-5)
            }
        );
    }
}
