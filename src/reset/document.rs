//! The documents that go in and out: what the endpoint speaks, what the command line prints, what the audit log keeps. Every document
//! that comes in is read strictly: no unknown key, no key twice, nothing left out.

use serde::Deserialize;
use serde::Serialize;

use super::refusal::Refusal;
use super::replay::Replay;
use super::request::Asked;
use crate::model::Offset;

pub(super) mod offset;

/// A place in the cluster: one partition.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key {
    /// Topic. Kafka's topic names are ASCII; text is enough.
    pub topic: String,
    /// Partition.
    pub partition: i32,
}

impl std::fmt::Display for Key {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}/{}", self.topic, self.partition)
    }
}

/// What a reset would do, complete; writing it down changes nothing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Plan {
    /// The cluster's name in the configuration.
    pub cluster: String,
    /// The group's id.
    pub group: String,
    /// When the facts were gathered: RFC 3339, UTC.
    pub created: String,
    /// Why, in the words of whoever asked; absent when nobody said.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub reason: Option<String>,
    /// Every topic of `partitions`, sorted, with its id.
    pub topics: Vec<PlanTopic>,
    /// The rows, sorted by topic and partition.
    pub partitions: Vec<Row>,
}

/// A topic of a plan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlanTopic {
    /// Name.
    pub topic: String,
    /// Kafka's id of it, as Kafka's tools print it; null from brokers older than 2.8.
    #[serde(deserialize_with = "required")]
    pub topic_id: Option<String>,
}

/// One partition of a plan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Row {
    /// Topic.
    pub topic: String,
    /// Partition.
    pub partition: i32,
    /// First offset in the log.
    #[serde(with = "offset")]
    pub start: Offset,
    /// Offset that the next record gets (high watermark).
    #[serde(with = "offset")]
    pub end: Offset,
    /// The commit as it is; null where there is none.
    #[serde(with = "offset::maybe")]
    pub from: Option<Offset>,
    /// The commit as it is to be; null to forget it.
    #[serde(with = "offset::maybe")]
    pub to: Option<Offset>,
    /// Offsets of the log that are read again; null where `from` or `to` is, as where such a group begins is the application's setting.
    #[serde(deserialize_with = "required")]
    pub replayed: Option<u64>,
    /// Offsets of the log that are never read; null likewise.
    #[serde(deserialize_with = "required")]
    pub skipped: Option<u64>,
}

impl Row {
    /// The partition.
    pub fn key(&self) -> Key {
        Key {
            topic: self.topic.clone(),
            partition: self.partition,
        }
    }
}

/// The answer to a plan request, and with a confirmation the request to execute it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Planned {
    /// The plan.
    pub plan: Plan,
    /// SHA-256 in hex of the plan in canonical form.
    pub fingerprint: String,
    /// What whoever confirms should know, in plain words.
    #[serde(default)]
    pub warnings: Vec<String>,
    /// Why it could not be executed right now; null when it could.
    #[serde(default)]
    pub blocked: Option<Blocked>,
    /// How long the replay takes; null where nothing is replayed.
    #[serde(default)]
    pub replay: Option<Replay>,
}

/// Why a plan cannot be executed right now.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Blocked {
    /// `group_active` or `cannot_verify`; asked for by itself, `busy` too.
    pub error: String,
    /// What is wrong and what to do.
    pub message: String,
}

impl From<&Refusal> for Blocked {
    fn from(refusal: &Refusal) -> Self {
        Self {
            error: refusal.word().to_owned(),
            message: refusal.to_string(),
        }
    }
}

/// What stands in the way of an execute right now.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct InTheWay {
    /// As a plan has it; null when nothing does.
    pub blocked: Option<Blocked>,
}

/// An order to execute a plan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Order {
    /// The plan.
    pub plan: Plan,
    /// As the plan's answer had it.
    pub fingerprint: String,
    /// As the plan's answer had them; not looked at.
    #[serde(default)]
    pub warnings: Vec<String>,
    /// As the plan's answer had it; not looked at: the group is asked again.
    #[serde(default)]
    pub blocked: Option<Blocked>,
    /// As the plan's answer had it; not looked at.
    #[serde(default)]
    pub replay: Option<Replay>,
    /// The group's id once more, typed by a person.
    #[serde(default)]
    pub confirm: Option<String>,
}

impl Order {
    /// Reads the JSON document.
    ///
    /// # Errors
    ///
    /// `invalid_request` when it is no JSON or none of this shape.
    pub fn parse(body: &[u8]) -> Result<Self, Refusal> {
        serde_json::from_slice(body).map_err(|error| Refusal::InvalidRequest(vec![error.to_string()]))
    }
}

impl Planned {
    /// The order to execute this plan.
    pub fn confirmed(self, confirm: String) -> Order {
        Order {
            plan: self.plan,
            fingerprint: self.fingerprint,
            warnings: self.warnings,
            blocked: self.blocked,
            replay: self.replay,
            confirm: Some(confirm),
        }
    }
}

/// What became of one partition.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RowResult {
    /// Topic.
    pub topic: String,
    /// Partition.
    pub partition: i32,
    /// The commit before, as the plan had it.
    #[serde(with = "offset::maybe")]
    pub from: Option<Offset>,
    /// The commit that was ordered.
    #[serde(with = "offset::maybe")]
    pub to: Option<Offset>,
    /// `done`; Kafka's error name; `unknown` where no answer came; `overwritten` where Kafka took the write and somebody else has
    /// committed over it since.
    pub result: String,
}

/// A row that an undo would not bring back.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NotUndoable {
    /// Topic.
    pub topic: String,
    /// Partition.
    pub partition: i32,
    /// The commit before.
    #[serde(with = "offset::maybe")]
    pub from: Option<Offset>,
    /// Why, and what the undo does instead.
    pub why: String,
}

/// A reset that was carried out, wholly (`error` is null) or not.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Executed {
    /// Every partition of the plan, in the plan's order.
    pub results: Vec<RowResult>,
    /// A plan request that brings the old commits back.
    pub undo: Asked,
    /// Rows that it would not bring back as they were.
    pub not_undoable: Vec<NotUndoable>,
    /// What could not be done besides, in plain words.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

impl Executed {
    /// True when every partition is as ordered.
    pub fn is_complete(&self) -> bool {
        self.unfinished().next().is_none()
    }

    /// Partitions that are not, or may not be, as ordered.
    pub fn unfinished(&self) -> impl Iterator<Item = &RowResult> {
        self.results.iter().filter(|row| row.result != DONE)
    }

    /// What is wrong and what to do when it is not complete; `commit_failed`.
    pub fn failure(&self) -> String {
        let (all, left) = (self.results.len(), self.unfinished().count());
        let unknown = self.unfinished().filter(|row| row.result == UNKNOWN).count();
        let overwritten = self.unfinished().filter(|row| row.result == OVERWRITTEN).count();
        let mut told = format!("{} of {all} partitions are as ordered", all - left);
        if unknown > 0 {
            told += &format!("; of {unknown} no answer came, and the write may still arrive");
        }
        if overwritten > 0 {
            told += &format!(
                "; on {overwritten} somebody else has committed since, so something that reads for this group is running"
            );
        }
        told + ": look at the results, then send the same plan again to finish it, or plan the undo"
    }
}

/// The result of a partition that is as ordered.
pub const DONE: &str = "done";
/// The result of a partition of which nobody can say.
pub const UNKNOWN: &str = "unknown";
/// The result of a partition that somebody else committed on right after.
pub const OVERWRITTEN: &str = "overwritten";

/// A value that may be null but not missing.
fn required<'de, D: serde::Deserializer<'de>, T: Deserialize<'de>>(from: D) -> Result<Option<T>, D::Error> {
    Option::deserialize(from)
}

/// A value that may be missing but not null: a null is more often a slip of whoever made the document than a wish.
pub(super) fn present<'de, D: serde::Deserializer<'de>, T: Deserialize<'de>>(from: D) -> Result<Option<T>, D::Error> {
    T::deserialize(from).map(Some)
}
