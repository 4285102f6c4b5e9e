//! The lines of the audit log. No token is in any of them, and a name is one JSON string whatever it holds.

use std::net::SocketAddr;

use serde::Serialize;
use serde_json::Value;

use crate::model::GroupId;
use crate::model::Offset;
use crate::model::UnixMillis;
use crate::reset::document::Executed;
use crate::reset::document::Key;
use crate::reset::document::NotUndoable;
use crate::reset::document::Plan;
use crate::reset::document::Planned;
use crate::reset::execute::Ready;
use crate::reset::fingerprint::hex;
use crate::reset::moment::utc;
use crate::reset::refusal::Refusal;
use crate::reset::request::Asked;

/// Who asks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Caller {
    /// The name of the token, or of the user who runs the command.
    pub who: String,
    /// `http` or `cli`.
    pub via: &'static str,
    /// The other end of the connection.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub peer: Option<SocketAddr>,
    /// The subject of the certificate that the client showed; absent where none was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub certificate: Option<String>,
}

/// What a line records.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Event {
    /// A plan was asked for.
    Plan,
    /// An execute was refused before anything was written.
    Execute,
    /// An execute is about to write. When no outcome with the same `attempt` follows, nobody knows how it ended.
    Intent,
    /// How it ended.
    Outcome,
}

/// How what a line records ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    /// The plan was answered.
    Planned,
    /// Nothing was written.
    Refused,
    /// Every partition is as ordered.
    Executed,
    /// Some partitions are not, or nobody knows.
    Failed,
}

/// One line.
#[derive(Clone, Debug, Serialize)]
pub struct Line<'a> {
    /// When: RFC 3339, UTC.
    time: String,
    event: Event,
    #[serde(skip_serializing_if = "Option::is_none")]
    result: Option<Outcome>,
    /// Joins the lines of one attempt.
    attempt: &'a str,
    #[serde(flatten)]
    caller: &'a Caller,
    cluster: &'a str,
    /// As text; bytes that are not UTF-8 as `\xNN`.
    group: String,
    /// The bytes of a group's id that is not UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    group_hex: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    request: Option<&'a Asked>,
    #[serde(skip_serializing_if = "Option::is_none")]
    plan: Option<&'a Plan>,
    #[serde(skip_serializing_if = "Option::is_none")]
    fingerprint: Option<&'a str>,
    /// The commits that are about to be overwritten, with what an undo does not bring back.
    #[serde(skip_serializing_if = "Option::is_none")]
    before: Option<Vec<Before>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    undo: Option<&'a Asked>,
    #[serde(skip_serializing_if = "Option::is_none")]
    not_undoable: Option<&'a [NotUndoable]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    executed: Option<&'a Executed>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    details: Option<Vec<Value>>,
}

/// A commit before the write.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Before {
    topic: String,
    partition: i32,
    offset: Option<i64>,
    leader_epoch: Option<i32>,
    metadata: String,
}

impl<'a> Line<'a> {
    /// A line that says no more than who, when and about which group.
    pub fn new(event: Event, attempt: &'a str, caller: &'a Caller, now: UnixMillis) -> Self {
        Self {
            time: utc(now),
            event,
            result: None,
            attempt,
            caller,
            cluster: "",
            group: String::new(),
            group_hex: None,
            request: None,
            plan: None,
            fingerprint: None,
            before: None,
            undo: None,
            not_undoable: None,
            executed: None,
            error: None,
            message: None,
            details: None,
        }
    }

    /// Which group.
    #[must_use]
    pub fn about(mut self, cluster: &'a str, group: &GroupId) -> Self {
        self.cluster = cluster;
        self.group = group.to_string();
        self.group_hex = group.utf8().is_none().then(|| hex(group.bytes()));
        self
    }

    /// What was asked for.
    #[must_use]
    pub fn asked(mut self, request: Option<&'a Asked>) -> Self {
        self.request = request;
        self
    }

    /// The plan that was answered.
    #[must_use]
    pub fn planned(mut self, planned: &'a Planned) -> Self {
        self.result = Some(Outcome::Planned);
        self.of_plan(&planned.plan, &planned.fingerprint)
    }

    /// The plan it is about.
    #[must_use]
    pub fn of_plan(mut self, plan: &'a Plan, fingerprint: &'a str) -> Self {
        self.plan = Some(plan);
        self.fingerprint = Some(fingerprint);
        self
    }

    /// What is about to be overwritten, and the way back.
    #[must_use]
    pub fn about_to_write(mut self, ready: &'a Ready<'_>) -> Self {
        let before = ready.pending.iter().map(|row| before(&row.key(), ready));
        self.before = Some(before.collect());
        self.undo = Some(&ready.undo.request);
        self.not_undoable = Some(&ready.undo.not_undoable);
        self
    }

    /// Why nothing was written.
    #[must_use]
    pub fn refused(mut self, refusal: &Refusal) -> Self {
        self.result = Some(Outcome::Refused);
        self.error = Some(refusal.word());
        self.message = Some(refusal.to_string());
        self.details = Some(refusal.details());
        self
    }

    /// What became of every partition.
    #[must_use]
    pub fn executed(mut self, executed: &'a Executed) -> Self {
        let complete = executed.is_complete();
        self.result = Some(if complete { Outcome::Executed } else { Outcome::Failed });
        self.error = (!complete).then_some("commit_failed");
        self.executed = Some(executed);
        self
    }
}

fn before(key: &Key, ready: &Ready<'_>) -> Before {
    let fact = ready.commits.get(key);
    Before {
        topic: key.topic.clone(),
        partition: key.partition,
        offset: fact.and_then(|fact| fact.offset.ok()).map(Offset::get),
        leader_epoch: fact.and_then(|fact| fact.leader_epoch),
        metadata: fact.map_or_else(String::new, |fact| fact.metadata.clone()),
    }
}
