//! Faults by script: what goes wrong, and when.

mod corrupt;
mod patch;
mod when;

pub use when::When;

pub(super) use corrupt::Reply;
pub(super) use corrupt::reply;
pub(super) use patch::patch;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use bytes::BytesMut;
use kafka_protocol::messages::ApiKey;
use kafka_protocol::messages::RequestKind;

use super::api::Subject;

/// One thing that goes wrong.
#[derive(Clone, Debug)]
pub enum Fault {
    /// This error code where the values would be: of the whole request, or of the groups, topics and partitions that [`When`] names. What
    /// is refused so is not done either. Any number, known to Kafka or not.
    Error(i16),
    /// The error code beside the values that would be there without it.
    ErrorBeside(i16),
    /// What [`When`] names is not in the answer, as if it were not there or not to be seen.
    LeftOut,
    /// The request is worked off and never answered.
    Silence,
    /// The answer comes this much later (real time).
    Delay(Duration),
    /// The connection is closed in place of an answer; the request was worked off.
    Close,
    /// The first half of the answer, then this.
    Half(Then),
    /// Random bytes in place of the answer, in a frame of the right length.
    Garbage,
    /// The frame says it is this long.
    FrameLength(i32),
    /// The first list of the answer says it has this many entries.
    ArrayLength(i32),
    /// The correlation id is off by this much.
    Correlation(i32),
    /// The answer's frame, length included, goes through this.
    Mangle(Mangle),
}

/// What follows half an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Then {
    /// The connection is closed.
    Close,
    /// Nothing comes any more, and the connection stays open.
    Silence,
}

/// Anything done to an answer's bytes.
#[derive(Clone)]
pub struct Mangle(pub Arc<dyn Fn(&mut BytesMut) + Send + Sync>);

impl fmt::Debug for Mangle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Mangle")
    }
}

/// A fault in force, to take back by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FaultId(u64);

#[derive(Debug)]
struct Rule {
    id: FaultId,
    when: When,
    fault: Fault,
    since: i64,
    seen: u64,
}

/// All faults in force.
#[derive(Debug, Default)]
pub(super) struct Faults {
    rules: Vec<Rule>,
    added: u64,
}

/// What is to go wrong with one request.
#[derive(Clone, Debug, Default)]
pub(super) struct Plan(pub(super) Vec<(When, Fault)>);

impl Faults {
    pub(super) fn add(&mut self, when: When, fault: Fault, now: i64) -> FaultId {
        self.added += 1;
        let id = FaultId(self.added);
        self.rules.push(Rule {
            id,
            when,
            fault,
            since: now,
            seen: 0,
        });
        id
    }

    pub(super) fn remove(&mut self, id: FaultId) {
        self.rules.retain(|rule| rule.id != id);
    }

    pub(super) fn clear(&mut self) {
        self.rules.clear();
    }

    /// The faults that hit this request, in the order they were added.
    pub(super) fn plan(&mut self, broker: i32, api: ApiKey, request: &RequestKind, now: i64) -> Plan {
        let mut plan = Plan::default();
        for rule in &mut self.rules {
            if !rule.when.concerns(broker, api, request) {
                continue;
            }
            let nth = rule.seen;
            rule.seen += 1;
            if rule.when.is_due(nth, now - rule.since) {
                plan.0.push((rule.when.clone(), rule.fault.clone()));
            }
        }
        plan
    }
}

impl Plan {
    /// The code by which a write is refused, so that it is not done.
    pub(super) fn refusal(&self, subject: &Subject<'_>) -> Option<i16> {
        self.0.iter().find_map(|(when, fault)| match fault {
            Fault::Error(code) if when.covers(subject) => Some(*code),
            _ => None,
        })
    }

    /// How much later the answer comes.
    pub(super) fn delay(&self) -> Duration {
        let delays = self.0.iter().map(|(_, fault)| match fault {
            Fault::Delay(by) => *by,
            _ => Duration::ZERO,
        });
        delays.sum()
    }
}
