//! The details of a refusal: one object for everything that is wrong, for programs to read.

use serde_json::Map;
use serde_json::Value;
use serde_json::json;

use super::BadPartition;
use super::Change;
use super::Difference;
use super::Fault;
use super::Refusal;
use crate::model::Offset;
use crate::observation::Member;
use crate::reset::moment::utc;

/// How many members the details name at most: enough for any group of people, small enough for one answer.
const MEMBERS: usize = 1000;

impl Refusal {
    /// The details; an empty list where the message says it all.
    pub fn details(&self) -> Vec<Value> {
        match self {
            Self::GroupActive(active) => active.members.iter().take(MEMBERS).map(member).collect(),
            Self::CommitsMoving { moved, .. } => moved.iter().map(change).collect(),
            Self::PlanChanged(differences) => differences.iter().map(difference).collect(),
            Self::Partitions(bad) => bad.iter().map(partition).collect(),
            Self::InvalidRequest(problems) => problems.iter().map(|problem| json!({"problem": problem})).collect(),
            Self::PlanExpired { created, now } => vec![json!({"created": utc(*created), "now": utc(*now)})],
            Self::WrongGroupType { group_type, .. } => vec![json!({"type": group_type.to_string()})],
            _ => Vec::new(),
        }
    }
}

fn member(member: &Member) -> Value {
    json!({
        "client_id": member.client_id.to_string(),
        "host": member.host.to_string(),
        "instance_id": member.instance_id.as_ref().map(ToString::to_string),
        "member_id": member.id.to_string(),
    })
}

fn change(change: &Change) -> Value {
    json!({
        "topic": change.key.topic,
        "partition": change.key.partition,
        "was": change.was.map(Offset::get),
        "is": change.is.map(Offset::get),
    })
}

fn difference(difference: &Difference) -> Value {
    match difference {
        Difference::Commit(moved) => change(moved),
        Difference::Topic { topic, was, is } => json!({"topic": topic, "was_id": was, "is_id": is}),
    }
}

fn partition(bad: &BadPartition) -> Value {
    let mut out = Map::new();
    out.insert("error".to_owned(), bad.fault.word().into());
    out.insert("topic".to_owned(), bad.topic.as_str().into());
    if let Some(partition) = bad.partition {
        out.insert("partition".to_owned(), partition.into());
    }
    match &bad.fault {
        Fault::UnknownPartition { partitions } => {
            out.insert("partitions".to_owned(), (*partitions).into());
        }
        Fault::Unreadable { what, cause } => {
            out.insert("what".to_owned(), (*what).into());
            out.insert("cause".to_owned(), cause.label().into());
        }
        Fault::OutOfRange { to, start, end } => {
            // A shift beyond 64 bits has no exact integer in JSON.
            let to = i64::try_from(*to).map_or_else(|_| Value::from(to.to_string()), Value::from);
            out.insert("to".to_owned(), to);
            out.insert("start".to_owned(), start.get().into());
            out.insert("end".to_owned(), end.get().into());
        }
        Fault::UnknownTopic | Fault::NoLeader | Fault::NotCommitted => {}
    }
    Value::Object(out)
}
