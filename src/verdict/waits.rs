//! How long C usually stands still while there is something to read.

use std::num::NonZeroU16;
use std::time::Duration;

use super::Settings;
use super::tick::millis;

const KEPT: usize = 10;
/// So many quick waits in a row count as one: a batch job that commits fifty times in a run still has its pause among its last waits.
const RUN: u8 = 20;
/// Marks a wait that was longer than the window when it ended.
const ALARMED: u16 = 1 << 15;

/// The last waits of one partition, in quarters of a poll.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Waits {
    kept: [u16; KEPT],
    len: u8,
    /// How many quick waits the newest entry stands for.
    run: u8,
    /// The 90th percentile; `None` without a wait that counts. Kept, for it is asked for in every cycle and changes with a wait only.
    usual: Option<NonZeroU16>,
}

impl Waits {
    /// One more wait. `alarmed`: it was called stalled or stopped while it lasted.
    pub(super) fn add(&mut self, wait: Duration, alarmed: bool, settings: &Settings) {
        let quarters = u16::try_from(
            millis(wait)
                .saturating_mul(4)
                .div_ceil(millis(settings.poll_interval).max(1)),
        )
        .unwrap_or(u16::MAX)
        .min(ALARMED - 1);
        // Too short to make the window any longer.
        let quick = !alarmed && wait.saturating_mul(3) <= settings.cycles();
        if quick && (1..RUN).contains(&self.run) {
            self.run += 1;
            let newest = &mut self.kept[usize::from(self.len) - 1];
            if quarters > *newest {
                *newest = quarters;
                self.usual = self.percentile();
            }
            return;
        }
        if usize::from(self.len) == KEPT {
            self.kept.rotate_left(1);
            self.len -= 1;
        }
        self.kept[usize::from(self.len)] = quarters | if alarmed { ALARMED } else { 0 };
        self.len += 1;
        self.run = u8::from(quick);
        self.usual = self.percentile();
    }

    /// The 90th percentile.
    pub(super) fn usual(&self, settings: &Settings) -> Option<Duration> {
        self.usual.map(|more| duration(more.get() - 1, settings))
    }

    /// The 90th percentile, plus one. A single wait that was alarmed about is an incident, not a habit; the second one counts.
    fn percentile(&self) -> Option<NonZeroU16> {
        let all = &self.kept[..usize::from(self.len)];
        let alarmed = all.iter().filter(|wait| **wait & ALARMED != 0).count();
        let mut counted = [0; KEPT];
        let mut len = 0;
        for wait in all.iter().filter(|wait| alarmed > 1 || **wait & ALARMED == 0) {
            counted[len] = wait & !ALARMED;
            len += 1;
        }
        let counted = &mut counted[..len];
        counted.sort_unstable();
        let rank = (len * 9).div_ceil(10);
        counted
            .get(rank.checked_sub(1)?)
            .and_then(|wait| NonZeroU16::new(wait + 1))
    }

    pub(super) fn all(&self, settings: &Settings) -> Vec<Duration> {
        let all = &self.kept[..usize::from(self.len)];
        all.iter().map(|wait| duration(wait & !ALARMED, settings)).collect()
    }
}

fn duration(quarters: u16, settings: &Settings) -> Duration {
    settings.poll_interval * u32::from(quarters) / 4
}
