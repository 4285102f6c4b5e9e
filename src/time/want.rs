//! What was learnt of one offset that somebody sits on. Kept for as long as it is asked for, whatever is thinned.

use crate::failure::Reason;
use crate::model::Offset;
use crate::model::UnixMillis;

use super::bracket::Bracket;

/// Cycles without being asked for after which something learnt goes: a failed reading of a group loses nothing.
const KEPT: u8 = 20;
/// The same for offsets of which nothing is known, and where many are kept.
const KEPT_BARE: u8 = 2;
/// How many count as many.
const MANY: usize = 8;
/// After how long something learnt is asked for again: compaction may have taken the record meanwhile.
const RENEWED_MS: u64 = 3_600_000;

/// One offset.
#[derive(Clone, Debug)]
pub(super) struct Want {
    /// The offset.
    pub(super) at: Offset,
    /// The log end, as the asker counts it, when it was last asked for.
    pub(super) end: Offset,
    /// Since when it has been waiting: first asked for, or last tried.
    pub(super) since_ms: u64,
    /// What is known.
    pub(super) state: State,
    /// Observed ends since it was last asked for.
    idle: u8,
}

/// What is known of one offset.
#[derive(Clone, Debug)]
pub(super) enum State {
    /// Nothing yet.
    Open,
    /// The read failed.
    Failed(Reason),
    /// The record's time, learnt at a time.
    Dated(UnixMillis, u64),
    /// The record has no time that can be one.
    Undated(u64),
    /// Narrowed from outside.
    Bracketed(Box<Bracket>),
}

impl Want {
    pub(super) fn new(at: Offset, end: Offset, now_ms: u64) -> Self {
        Self {
            at,
            end,
            since_ms: now_ms,
            state: State::Open,
            idle: 0,
        }
    }

    /// It was asked for.
    pub(super) fn asked(&mut self, end: Offset) {
        self.end = self.end.max(end);
        self.idle = 0;
    }

    /// True in the cycle in which it was asked for.
    pub(super) fn is_live(&self) -> bool {
        self.idle == 0
    }

    /// True when what is known has been known for so long that it should be looked at again.
    pub(super) fn is_stale(&self, now_ms: u64) -> bool {
        match self.state {
            State::Dated(_, learnt) | State::Undated(learnt) => now_ms.saturating_sub(learnt) > RENEWED_MS,
            _ => false,
        }
    }
}

/// One more observed end: drops what nobody asks for any more.
pub(super) fn sweep(wants: &mut Vec<Want>) {
    if wants.is_empty() {
        return;
    }
    let many = wants.len() > MANY;
    wants.retain_mut(|want| {
        want.idle = want.idle.saturating_add(1);
        let bare = many || matches!(want.state, State::Open | State::Failed(_));
        want.idle < if bare { KEPT_BARE } else { KEPT }
    });
    if wants.is_empty() {
        *wants = Vec::new();
    } else if wants.capacity() > 2 * MANY && wants.len() < wants.capacity() / 4 {
        wants.shrink_to_fit();
    }
}
