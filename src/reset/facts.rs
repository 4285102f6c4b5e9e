//! What is true right now of one group: gathered fresh for every plan and every execute, never taken from the poller's snapshot.

use std::collections::BTreeMap;
use std::collections::HashMap;
use std::future::Future;
use std::time::Duration;

use tokio::time::Instant;

use super::document::Key;
use super::guard;
use super::refusal::Change;
use super::refusal::Refusal;
use super::refusal::Unread;
use super::request::Request;
use super::scope;
use crate::failure::Api;
use crate::failure::Cause;
use crate::failure::Failure;
use crate::failure::Heard;
use crate::failure::Reason;
use crate::kafka::CommitFact;
use crate::kafka::GroupFacts;
use crate::model::GroupId;
use crate::model::GroupState;
use crate::model::GroupType;
use crate::model::Offset;
use crate::model::Partition;
use crate::model::Text;
use crate::model::TopicName;
use crate::model::UnixMillis;
use crate::observation::Description;
use crate::observation::ListedGroup;
use crate::observation::Member;
use crate::observation::PartitionLog;
use crate::observation::TopicMeta;

/// How long things may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pace {
    /// One step: one question to Kafka, or the write.
    pub step: Duration,
    /// A client that has overrun its own deadline by this much is not waited for any longer.
    pub grace: Duration,
    /// Between the two readings of the commits that tell whether they move.
    pub settle: Duration,
}

impl Pace {
    /// From a cluster's request timeout. A step may have to look for the coordinator and connect before it can ask: twice that.
    pub fn of(request_timeout: Duration) -> Self {
        Self {
            step: request_timeout * 2,
            grace: Duration::from_secs(1),
            settle: Duration::from_millis(300),
        }
    }

    pub(super) fn deadline(self) -> Instant {
        Instant::now() + self.step
    }

    /// Waits for an answer that is promised by the deadline; `None` when that was not kept.
    pub(super) async fn answered<T>(self, deadline: Instant, answer: impl Future<Output = T>) -> Option<T> {
        tokio::time::timeout_at(deadline + self.grace, answer).await.ok()
    }
}

/// The group as its coordinator describes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seen {
    /// Its type.
    pub group_type: GroupType,
    /// Its state.
    pub state: GroupState,
    /// Its members.
    pub members: Vec<Member>,
}

/// The commits of a group.
pub type Commits = BTreeMap<Key, CommitFact>;

/// The first record of each partition that is dated so or later: its offset and its own time; `None` where there is none.
pub type Dated = HashMap<Key, Heard<Option<(Offset, UnixMillis)>>>;

/// Everything a plan follows from.
#[derive(Clone, Debug)]
pub struct Facts {
    /// The group; `Ok(None)` when its coordinator knows none.
    pub group: Result<Option<Seen>, Failure>,
    /// Its commits.
    pub commits: Commits,
    /// Commits that were another at the second reading; `None` when there was no second reading to compare.
    pub moving: Option<Vec<Change>>,
    /// The topics that matter.
    pub topics: BTreeMap<String, Heard<TopicMeta>>,
    /// The logs of the partitions that are asked for.
    pub logs: HashMap<Key, PartitionLog>,
    /// The first record dated as asked, of each partition that is asked for; empty where no time is.
    pub times: Dated,
}

/// Gathers the facts for a request. Commits are read before the ends of the logs, so that no commit lies beyond its log by the order of
/// reading.
///
/// # Errors
///
/// `cannot_verify` where what no plan can do without could not be read; a group whose state is unknown is no error.
pub async fn gather<F: GroupFacts>(
    kafka: &mut F,
    group: &GroupId,
    request: &Request,
    now: UnixMillis,
    pace: Pace,
) -> Result<Facts, Refusal> {
    let seen = read_group(kafka, group, pace).await;
    let commits = read_commits(kafka, group, pace).await?;
    let first = Instant::now();
    let names = scope::topics(request, &commits);
    let topics = read_topics(kafka, names, pace).await?;
    let keys = scope::resolve(request, &commits, &topics).keys;
    let logs = read_logs(kafka, &keys, &topics, pace).await;
    let times = match scope::moment(request, now) {
        Some(time) => read_times(kafka, &keys, time, pace).await,
        None => HashMap::new(),
    };
    let moving = match &seen {
        Ok(Some(seen)) if guard::is_inactive(seen) => {
            tokio::time::sleep_until(first + pace.settle).await;
            let second = read_commits(kafka, group, pace).await.ok();
            second.map(|second| changes(&commits, &second))
        }
        _ => None,
    };
    Ok(Facts {
        group: seen,
        commits,
        moving,
        topics,
        logs,
        times,
    })
}

/// The group, or why it could not be described.
pub(super) async fn read_group<F: GroupFacts>(
    kafka: &mut F,
    group: &GroupId,
    pace: Pace,
) -> Result<Option<Seen>, Failure> {
    let deadline = pace.deadline();
    let read = pace.answered(deadline, kafka.group(group, deadline)).await;
    let read = read.unwrap_or_else(|| Err(late(Api::DescribeGroups)))?;
    Ok(read.map(|(listed, description)| seen(&listed, description)))
}

/// Every commit of the group.
pub(super) async fn read_commits<F: GroupFacts>(
    kafka: &mut F,
    group: &GroupId,
    pace: Pace,
) -> Result<Commits, Refusal> {
    let deadline = pace.deadline();
    let read = pace.answered(deadline, kafka.commits(group, deadline)).await;
    let commits = read.unwrap_or_else(|| Err(late(Api::OffsetFetch))).map_err(unread)?;
    Ok(commits
        .into_iter()
        .map(|fact| (key(&fact.topic, fact.partition), fact))
        .collect())
}

/// The metadata of topics; what a broker did not mention counts as not understood.
pub(super) async fn read_topics<F: GroupFacts>(
    kafka: &mut F,
    names: Vec<String>,
    pace: Pace,
) -> Result<BTreeMap<String, Heard<TopicMeta>>, Refusal> {
    if names.is_empty() {
        return Ok(BTreeMap::new());
    }
    let asked: Vec<_> = names.iter().map(|name| TopicName::from(name.as_str())).collect();
    let deadline = pace.deadline();
    let read = pace.answered(deadline, kafka.topics(&asked, deadline)).await;
    let mut heard = read.unwrap_or_else(|| Err(late(Api::Metadata))).map_err(unread)?;
    let metas = asked
        .iter()
        .map(|name| heard.remove(name).unwrap_or(Err(Cause::Malformed)));
    Ok(names.into_iter().zip(metas).collect())
}

/// How often limits are asked for while leaders move, and how long that waits: one that was just chosen may not know it yet.
const LEADER_TRIES: u32 = 5;
const LEADER_PAUSE: Duration = Duration::from_millis(100);

/// Starts and ends of the logs of the partitions, and of no other.
pub(super) async fn read_logs<F: GroupFacts>(
    kafka: &mut F,
    keys: &[Key],
    topics: &BTreeMap<String, Heard<TopicMeta>>,
    pace: Pace,
) -> HashMap<Key, PartitionLog> {
    let wanted = only(keys, topics);
    if wanted.is_empty() {
        return HashMap::new();
    }
    let deadline = pace.deadline();
    let mut read = pace
        .answered(deadline, kafka.logs(&wanted, deadline))
        .await
        .unwrap_or_default();
    for _ in 1..LEADER_TRIES {
        if !read.iter().flatten().any(leader_moves) || Instant::now() + LEADER_PAUSE >= deadline {
            break;
        }
        tokio::time::sleep(LEADER_PAUSE).await;
        read = pace
            .answered(deadline, kafka.logs(&wanted, deadline))
            .await
            .unwrap_or_default();
    }
    let logs = wanted.iter().zip(read);
    logs.flat_map(|((topic, _), logs)| logs.into_iter().map(move |log| (key(topic, log.partition), log)))
        .collect()
}

/// True while the metadata names a leader that does not take itself for one.
fn leader_moves(log: &PartitionLog) -> bool {
    let moves = |cause| matches!(cause, Cause::Code(code) if code.reason() == Reason::NoLeader);
    [log.start, log.end].into_iter().filter_map(Result::err).any(moves)
}

/// The first records dated `time` or later.
pub(super) async fn read_times<F: GroupFacts>(kafka: &mut F, keys: &[Key], time: UnixMillis, pace: Pace) -> Dated {
    if keys.is_empty() {
        return HashMap::new();
    }
    let asked: Vec<_> = keys
        .iter()
        .map(|key| (TopicName::from(key.topic.as_str()), Partition(key.partition)))
        .collect();
    let deadline = pace.deadline();
    let read = pace.answered(deadline, kafka.by_time(&asked, time, deadline)).await;
    keys.iter().cloned().zip(read.unwrap_or_default()).collect()
}

fn late(api: Api) -> Failure {
    Failure::new(api, Cause::TimedOut)
}

fn unread(failure: Failure) -> Refusal {
    Refusal::CannotVerify(Unread::Call(failure))
}

/// The topics' metadata with nothing but the partitions that are asked for.
fn only(keys: &[Key], topics: &BTreeMap<String, Heard<TopicMeta>>) -> Vec<(TopicName, TopicMeta)> {
    let wanted: std::collections::HashSet<_> = keys.iter().collect();
    let kept = topics.iter().filter_map(|(name, meta)| {
        let mut meta = meta.clone().ok()?;
        meta.partitions.retain(|partition| {
            wanted.contains(&Key {
                topic: name.clone(),
                partition: partition.partition.0,
            })
        });
        (!meta.partitions.is_empty()).then(|| (TopicName::from(name.as_str()), meta))
    });
    kept.collect()
}

/// Commits that differ between two readings, sorted.
pub(super) fn changes(first: &Commits, second: &Commits) -> Vec<Change> {
    let keys: std::collections::BTreeSet<_> = first.keys().chain(second.keys()).collect();
    let changed = keys.into_iter().filter_map(|key| {
        let (was, is) = (commit(first, key).ok()?, commit(second, key).ok()?);
        (was != is).then(|| Change {
            key: key.clone(),
            was,
            is,
        })
    });
    changed.collect()
}

/// The commit on a partition; `Ok(None)` where there is none.
pub(super) fn commit(commits: &Commits, key: &Key) -> Heard<Option<Offset>> {
    commits.get(key).map(|fact| fact.offset).transpose()
}

fn key(topic: &TopicName, partition: Partition) -> Key {
    Key {
        topic: topic.to_string(),
        partition: partition.0,
    }
}

fn seen(listed: &ListedGroup, description: Description) -> Seen {
    Seen {
        group_type: group_type(listed, &description),
        state: description.state,
        members: description.members,
    }
}

/// The type as ListGroups v5 says it; for classic groups, and from older brokers, as the protocol type does.
fn group_type(listed: &ListedGroup, description: &Description) -> GroupType {
    let said = listed
        .group_type
        .as_ref()
        .map(|text| text.to_string().to_ascii_lowercase());
    match said.as_deref() {
        Some("consumer") => return GroupType::Consumer,
        Some("share") => return GroupType::Share,
        Some("streams") => return GroupType::Streams,
        None | Some("classic" | "unknown" | "") => {}
        Some(_) => return GroupType::Other(listed.group_type.clone().unwrap_or_else(|| Text::from(""))),
    }
    let protocol = if description.protocol_type.is_empty() {
        &listed.protocol_type
    } else {
        &description.protocol_type
    };
    match protocol.bytes() {
        b"consumer" => GroupType::Classic,
        b"connect" => GroupType::Connect,
        b"" => GroupType::Simple,
        _ => GroupType::Other(protocol.clone()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listed(group_type: Option<&str>, protocol_type: &str) -> ListedGroup {
        ListedGroup {
            id: GroupId::from("g"),
            coordinators: Vec::new(),
            protocol_type: Text::from(protocol_type),
            group_type: group_type.map(Text::from),
            state: None,
        }
    }

    fn described(protocol_type: &str) -> Description {
        Description {
            state: GroupState::Empty,
            protocol_type: Text::from(protocol_type),
            protocol: Text::from(""),
            members: Vec::new(),
            epochs: None,
        }
    }

    #[test]
    fn the_type_is_what_the_list_says_in_any_case_and_else_what_the_protocol_says() {
        for (said, protocol, expected) in [
            (Some("Consumer"), "consumer", GroupType::Consumer),
            (Some("share"), "share", GroupType::Share),
            (Some("STREAMS"), "", GroupType::Streams),
            (Some("Classic"), "consumer", GroupType::Classic),
            (Some("classic"), "connect", GroupType::Connect),
            (Some("Classic"), "", GroupType::Simple),
            (None, "consumer", GroupType::Classic),
            (None, "", GroupType::Simple),
            (None, "sr", GroupType::Other(Text::from("sr"))),
            (Some("Quantum"), "consumer", GroupType::Other(Text::from("Quantum"))),
        ] {
            assert_eq!(
                group_type(&listed(said, protocol), &described(protocol)),
                expected,
                "{said:?} {protocol}"
            );
        }
    }

    #[test]
    fn the_description_knows_the_protocol_better_than_the_list() {
        assert_eq!(
            group_type(&listed(None, ""), &described("consumer")),
            GroupType::Classic
        );
        assert_eq!(group_type(&listed(None, "connect"), &described("")), GroupType::Connect);
    }
}
