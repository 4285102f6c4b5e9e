//! What was learnt of one offset that somebody sits on. Kept for as long as it is asked for, whatever is thinned.

use crate::failure::Reason;
use crate::model::Offset;
use crate::model::UnixMillis;

use super::bracket::Bracket;

/// Cycles without being asked for after which something learnt goes: a failed reading of a group loses nothing.
const KEPT: u64 = 20;
/// The same for offsets of which nothing is known, and where many are kept.
const KEPT_BARE: u64 = 2;
/// How many count as many.
const MANY: usize = 8;
/// After how long something learnt is asked for again: compaction may have taken the record meanwhile.
const RENEWED_MS: u64 = 3_600_000;

/// One offset. 32 bytes, as there is one for each place at which a group sits.
#[derive(Clone, Debug)]
pub(super) struct Want {
    /// The offset.
    pub(super) at: Offset,
    /// What is known.
    pub(super) state: State,
    /// Since when it has been waiting (56 bits of milliseconds): first asked for, last tried, or learnt. Then observed ends since it was
    /// last asked for (8 bits).
    since_and_idle: u64,
}

/// What is known of one offset.
#[derive(Clone, Debug)]
pub(super) enum State {
    /// Nothing yet.
    Open,
    /// The read failed.
    Failed(Reason),
    /// The record's time.
    Dated(UnixMillis),
    /// The record has no time that can be one.
    Undated,
    /// Narrowed from outside.
    Bracketed(Box<Bracket>),
}

const IDLE_BITS: u32 = 8;
const IDLE_MOST: u64 = (1 << IDLE_BITS) - 1;

impl Want {
    pub(super) fn new(at: Offset, state: State, now_ms: u64) -> Self {
        Self {
            at,
            state,
            since_and_idle: now_ms << IDLE_BITS,
        }
    }

    /// It was asked for.
    pub(super) fn asked(&mut self) {
        self.since_and_idle &= !IDLE_MOST;
    }

    /// True in the cycle in which it was asked for.
    pub(super) fn is_live(&self) -> bool {
        self.idle() == 0
    }

    /// Since when it has been waiting.
    pub(super) fn since_ms(&self) -> u64 {
        let since = self.since_and_idle >> IDLE_BITS;
        if self.is_known() { since + RENEWED_MS } else { since }
    }

    /// From now on it waits anew.
    pub(super) fn wait_from(&mut self, now_ms: u64) {
        let since = if self.is_known() {
            // As if it had been learnt so long ago that it is due just now.
            now_ms.saturating_sub(RENEWED_MS)
        } else {
            now_ms
        };
        self.since_and_idle = since << IDLE_BITS | self.idle();
    }

    /// It is known from now on.
    pub(super) fn learnt(&mut self, state: State, now_ms: u64) {
        self.state = state;
        self.since_and_idle = now_ms << IDLE_BITS | self.idle();
    }

    /// True when its record was read.
    pub(super) fn is_known(&self) -> bool {
        matches!(self.state, State::Dated(_) | State::Undated)
    }

    /// True when what is known has been known for so long that it should be looked at again.
    pub(super) fn is_stale(&self, now_ms: u64) -> bool {
        self.is_known() && now_ms > self.since_ms()
    }

    fn is_bare(&self) -> bool {
        matches!(self.state, State::Open | State::Failed(_))
    }

    fn idle(&self) -> u64 {
        self.since_and_idle & IDLE_MOST
    }
}

/// One more observed end: drops what nobody asks for any more.
pub(super) fn sweep(wants: &mut Vec<Want>) {
    if wants.is_empty() {
        return;
    }
    let many = wants.len() > MANY;
    wants.retain_mut(|want| {
        let idle = (want.idle() + 1).min(IDLE_MOST);
        want.since_and_idle = want.since_and_idle & !IDLE_MOST | idle;
        idle < if many || want.is_bare() { KEPT_BARE } else { KEPT }
    });
    tighten(wants);
}

/// Everything that is asked for in this cycle has been: where there are many, those of which nothing is known go at once, for a group that
/// moves leaves one behind in every cycle.
pub(super) fn settle(wants: &mut Vec<Want>) {
    if wants.len() > MANY {
        wants.retain(|want| want.is_live() || !want.is_bare());
    }
    tighten(wants);
}

fn tighten(wants: &mut Vec<Want>) {
    if wants.capacity() > wants.len() + wants.len() / 4 {
        wants.shrink_to_fit();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_offset_takes_32_bytes() {
        assert_eq!(size_of::<Want>(), 32);
    }
}
