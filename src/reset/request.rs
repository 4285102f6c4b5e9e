//! What a reset is asked to do: the JSON document, and the request that follows from it and makes sense.

use std::collections::BTreeSet;

use jiff::SignedDuration;
use serde::Deserialize;
use serde::Serialize;

use super::document::Key;
use super::document::offset;
use super::document::present;
use super::moment;
use super::refusal::Refusal;
use crate::model::Offset;
use crate::model::UnixMillis;

#[cfg(test)]
mod tests;

/// A plan request as it is sent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Asked {
    /// Which partitions; absent when `to` says them itself.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub scope: Option<Scope>,
    /// Where to.
    pub to: To,
    /// Whether an offset outside the log becomes the nearest one inside.
    #[serde(default, skip_serializing_if = "is_false")]
    pub clamp: bool,
    /// Whether partitions without a commit may get one.
    #[serde(default, skip_serializing_if = "is_false")]
    pub allow_new_partitions: bool,
    /// Why.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub reason: Option<String>,
}

/// Which partitions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    /// Every partition of an existing topic that the group has a commit on.
    Committed,
    /// The same without these topics.
    CommittedExcept(Vec<String>),
    /// These.
    Topics(Vec<TopicScope>),
}

/// Partitions of one topic.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TopicScope {
    /// Topic.
    pub topic: String,
    /// Partitions; all of the topic when absent.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub partitions: Option<Vec<i32>>,
}

/// Where to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum To {
    /// This offset, on every partition.
    #[serde(with = "offset")]
    Offset(Offset),
    /// The first offset in the log.
    Earliest,
    /// The end of the log.
    Latest,
    /// Where the commit is; the end of the log where there is none.
    Current,
    /// That many offsets on, or back.
    Shift(i64),
    /// The first record dated then or later.
    Datetime(String),
    /// The same, this long before now.
    Ago(String),
    /// No commit at all.
    #[serde(rename = "none")]
    Forget,
    /// One by one.
    Offsets(Vec<KeyOffset>),
}

/// One partition's own offset.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KeyOffset {
    /// Topic.
    pub topic: String,
    /// Partition.
    pub partition: i32,
    /// Where to; null forgets the commit.
    #[serde(with = "offset::maybe")]
    pub offset: Option<Offset>,
}

impl KeyOffset {
    /// The partition.
    pub fn key(&self) -> Key {
        Key {
            topic: self.topic.clone(),
            partition: self.partition,
        }
    }
}

/// A request that makes sense.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// As it was asked, for the audit log.
    pub asked: Asked,
    /// Which and where to.
    pub wish: Wish,
}

/// Which partitions, and where to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wish {
    /// One target for all.
    All(Scope, Target),
    /// Each its own.
    Each(Vec<KeyOffset>),
}

/// One target for every partition of a scope.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// This offset.
    Offset(Offset),
    /// The first offset in the log.
    Earliest,
    /// The end of the log.
    Latest,
    /// Where the commit is.
    Current,
    /// So many on, or back.
    Shift(i64),
    /// The first record dated then or later.
    At(UnixMillis),
    /// The same, so long before now.
    Ago(SignedDuration),
    /// No commit.
    Forget,
}

impl Target {
    /// The point in time it names, as of `now`.
    pub fn moment(self, now: UnixMillis) -> Option<UnixMillis> {
        match self {
            Self::At(time) => Some(time),
            Self::Ago(ago) => Some(moment::before(now, ago)),
            _ => None,
        }
    }
}

/// Whether a request must say why.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// It must.
    Required,
    /// It may.
    Optional,
}

impl Asked {
    /// Reads the JSON document.
    ///
    /// # Errors
    ///
    /// `invalid_request` when it is no JSON or none of this shape.
    pub fn parse(body: &[u8]) -> Result<Self, Refusal> {
        serde_json::from_slice(body).map_err(|error| Refusal::InvalidRequest(vec![error.to_string()]))
    }

    /// The request that follows from it.
    ///
    /// # Errors
    ///
    /// `invalid_request` with everything that makes no sense.
    pub fn check(self, reason: Reason) -> Result<Request, Refusal> {
        let mut problems = Vec::new();
        if reason == Reason::Required && self.reason.as_ref().is_none_or(|why| why.trim().is_empty()) {
            problems.push("\"reason\" is missing: say why this reset is done".to_owned());
        }
        let wish = wish(&self, &mut problems);
        match wish {
            Some(wish) if problems.is_empty() => Ok(Request { asked: self, wish }),
            _ => Err(Refusal::InvalidRequest(problems)),
        }
    }
}

fn wish(asked: &Asked, problems: &mut Vec<String>) -> Option<Wish> {
    if let To::Offsets(rows) = &asked.to {
        if asked.scope.is_some() {
            problems.push("\"scope\" and \"offsets\" exclude each other: the offsets name their partitions".to_owned());
        }
        if rows.is_empty() {
            problems.push("\"offsets\" is empty: name at least one partition".to_owned());
        }
        check_keys(rows.iter().map(KeyOffset::key), problems);
        return Some(Wish::Each(rows.clone()));
    }
    let target = target(&asked.to).map_err(|problem| problems.push(problem)).ok();
    let Some(scope) = asked.scope.clone() else {
        problems.push("\"scope\" is missing: \"committed\", or {\"topics\": [{\"topic\": …}]}".to_owned());
        return None;
    };
    check_scope(&scope, problems);
    Some(Wish::All(scope, target?))
}

fn target(to: &To) -> Result<Target, String> {
    Ok(match to {
        To::Offset(offset) => Target::Offset(*offset),
        To::Earliest => Target::Earliest,
        To::Latest => Target::Latest,
        To::Current => Target::Current,
        To::Shift(by) => Target::Shift(*by),
        To::Datetime(text) => Target::At(moment::datetime(text)?),
        To::Ago(text) => Target::Ago(moment::ago(text)?),
        To::Forget => Target::Forget,
        To::Offsets(_) => return Err("\"offsets\" is no one target".to_owned()),
    })
}

fn check_scope(scope: &Scope, problems: &mut Vec<String>) {
    match scope {
        Scope::Committed => {}
        Scope::CommittedExcept(topics) => {
            if topics.is_empty() {
                problems.push("\"committed_except\" is empty: name a topic, or say \"committed\"".to_owned());
            }
            check_topics(topics.iter().map(String::as_str), problems);
        }
        Scope::Topics(topics) => {
            if topics.is_empty() {
                problems.push("\"topics\" is empty: name at least one, or say \"committed\"".to_owned());
            }
            check_topics(topics.iter().map(|scope| scope.topic.as_str()), problems);
            for TopicScope { topic, partitions } in topics {
                let Some(partitions) = partitions else { continue };
                if partitions.is_empty() {
                    problems.push(format!(
                        "\"partitions\" of topic {topic:?} is empty: name at least one, or leave the key out for all"
                    ));
                }
                let key = |partition: &i32| Key {
                    topic: topic.clone(),
                    partition: *partition,
                };
                check_keys(partitions.iter().map(key), problems);
            }
        }
    }
}

fn check_topics<'a>(topics: impl Iterator<Item = &'a str>, problems: &mut Vec<String>) {
    let mut seen = BTreeSet::new();
    for topic in topics {
        if !seen.insert(topic) {
            problems.push(format!("topic {topic:?} is named twice"));
        }
    }
}

fn check_keys(keys: impl Iterator<Item = Key>, problems: &mut Vec<String>) {
    let mut seen = BTreeSet::new();
    for key in keys {
        let Key { topic, partition } = &key;
        if *partition < 0 {
            problems.push(format!(
                "topic {topic:?}: {partition} is no partition, they count from 0"
            ));
        }
        if seen.contains(&key) {
            problems.push(format!("partition {partition} of topic {topic:?} is named twice"));
        }
        seen.insert(key);
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_false(flag: &bool) -> bool {
    !flag
}
