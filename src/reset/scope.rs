//! Which partitions a request means, given what is there. Pure.

use std::collections::BTreeMap;
use std::collections::BTreeSet;

use super::document::Key;
use super::facts::Commits;
use super::refusal::BadPartition;
use super::refusal::Fault;
use super::request::KeyOffset;
use super::request::Request;
use super::request::Scope;
use super::request::TopicScope;
use super::request::Wish;
use crate::failure::Cause;
use crate::failure::ErrorCode;
use crate::failure::Heard;
use crate::model::UnixMillis;
use crate::observation::TopicMeta;

/// The partitions a request means.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Resolved {
    /// Those that exist and have a leader, sorted.
    pub keys: Vec<Key>,
    /// Those that cannot be reset.
    pub bad: Vec<BadPartition>,
    /// Commits that the scope leaves out because their topic or partition is no more.
    pub gone: Vec<Key>,
}

/// The topics that a request is about, sorted.
pub fn topics(request: &Request, commits: &Commits) -> Vec<String> {
    let names: BTreeSet<String> = match &request.wish {
        Wish::Each(rows) => rows.iter().map(|row| row.topic.clone()).collect(),
        Wish::All(Scope::Topics(topics), _) => topics.iter().map(|scope| scope.topic.clone()).collect(),
        Wish::All(Scope::Committed, _) => commits.keys().map(|key| key.topic.clone()).collect(),
        Wish::All(Scope::CommittedExcept(except), _) => {
            let kept = commits.keys().filter(|key| !except.contains(&key.topic));
            kept.map(|key| key.topic.clone()).collect()
        }
    };
    names.into_iter().collect()
}

/// The point in time that a request names.
pub fn moment(request: &Request, now: UnixMillis) -> Option<UnixMillis> {
    match &request.wish {
        Wish::All(_, target) => target.moment(now),
        Wish::Each(_) => None,
    }
}

/// The partitions that a request means.
pub fn resolve(request: &Request, commits: &Commits, metas: &BTreeMap<String, Heard<TopicMeta>>) -> Resolved {
    let mut out = Resolved::default();
    match &request.wish {
        Wish::Each(rows) => rows.iter().for_each(|row: &KeyOffset| out.add(row.key(), metas)),
        Wish::All(Scope::Topics(topics), _) => topics.iter().for_each(|scope| out.add_topic(scope, metas)),
        Wish::All(Scope::Committed, _) => out.add_commits(commits, &[], metas),
        Wish::All(Scope::CommittedExcept(except), _) => {
            for topic in except {
                // A misspelt exception would put the topic that was meant into the reset.
                if !commits.keys().any(|key| key.topic == *topic) {
                    out.bad.push(bad(topic, None, Fault::NotCommitted));
                }
            }
            out.add_commits(commits, except, metas);
        }
    }
    out.keys.sort();
    out.bad.dedup();
    out
}

impl Resolved {
    fn add_commits(&mut self, commits: &Commits, except: &[String], metas: &BTreeMap<String, Heard<TopicMeta>>) {
        for key in commits.keys().filter(|key| !except.contains(&key.topic)) {
            match fault(key, metas) {
                Some(Fault::UnknownTopic | Fault::UnknownPartition { .. }) => self.gone.push(key.clone()),
                _ => self.add(key.clone(), metas),
            }
        }
    }

    fn add_topic(&mut self, scope: &TopicScope, metas: &BTreeMap<String, Heard<TopicMeta>>) {
        let topic = &scope.topic;
        let named = scope.partitions.clone();
        let partitions = match (named, metas.get(topic)) {
            (Some(named), _) => named,
            (None, Some(Ok(meta))) => meta.partitions.iter().map(|partition| partition.partition.0).collect(),
            (None, meta) => {
                let cause = meta.and_then(|meta| meta.clone().err()).unwrap_or(Cause::Malformed);
                self.bad.push(bad(topic, None, topic_fault(cause)));
                return;
            }
        };
        for partition in partitions {
            let topic = topic.clone();
            self.add(Key { topic, partition }, metas);
        }
    }

    fn add(&mut self, key: Key, metas: &BTreeMap<String, Heard<TopicMeta>>) {
        match fault(&key, metas) {
            None => self.keys.push(key),
            Some(fault) if matches!(metas.get(&key.topic), Some(Ok(_))) => {
                self.bad.push(bad(&key.topic, Some(key.partition), fault));
            }
            // Once for the topic, not for each partition of it.
            Some(fault) => self.bad.push(bad(&key.topic, None, fault)),
        }
    }
}

/// What is wrong with a partition by the metadata.
pub(super) fn fault(key: &Key, metas: &BTreeMap<String, Heard<TopicMeta>>) -> Option<Fault> {
    let meta = match metas.get(&key.topic) {
        Some(Ok(meta)) => meta,
        Some(Err(cause)) => return Some(topic_fault(*cause)),
        None => return Some(topic_fault(Cause::Malformed)),
    };
    match meta.partitions.iter().find(|other| other.partition.0 == key.partition) {
        None => Some(Fault::UnknownPartition {
            partitions: meta.partitions.len(),
        }),
        Some(partition) if partition.leader.is_none() => Some(Fault::NoLeader),
        Some(_) => None,
    }
}

/// What a failure to learn about a topic means.
pub(super) fn topic_fault(cause: Cause) -> Fault {
    match cause {
        Cause::Code(
            ErrorCode::UNKNOWN_TOPIC_OR_PARTITION | ErrorCode::UNKNOWN_TOPIC_ID | ErrorCode::INVALID_TOPIC_EXCEPTION,
        ) => Fault::UnknownTopic,
        cause => unreadable("the metadata", cause),
    }
}

/// What a failure to learn about a log means.
pub(super) fn log_fault(cause: Cause) -> Fault {
    match cause {
        Cause::NoLeader | Cause::Code(ErrorCode::LEADER_NOT_AVAILABLE) => Fault::NoLeader,
        cause => unreadable("the log", cause),
    }
}

pub(super) fn unreadable(what: &'static str, cause: Cause) -> Fault {
    Fault::Unreadable { what, cause }
}

fn bad(topic: &str, partition: Option<i32>, fault: Fault) -> BadPartition {
    BadPartition {
        fault,
        topic: topic.to_owned(),
        partition,
    }
}
