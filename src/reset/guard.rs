//! Every reason to refuse, in one place. Pure: facts in, a refusal or nothing out.

use std::collections::BTreeMap;
use std::collections::HashMap;
use std::time::Duration;

use jiff::Timestamp;

use super::document::Key;
use super::document::Order;
use super::document::Plan;
use super::document::Row;
use super::facts::Commits;
use super::facts::Seen;
use super::facts::changes;
use super::facts::commit;
use super::fingerprint::fingerprint;
use super::plan::topic_id;
use super::refusal::Active;
use super::refusal::BadPartition;
use super::refusal::Change;
use super::refusal::Difference;
use super::refusal::Fault;
use super::refusal::Refusal;
use super::refusal::Unread;
use super::scope;
use crate::failure::Cause;
use crate::failure::ErrorCode;
use crate::failure::Failure;
use crate::failure::Heard;
use crate::model::GroupId;
use crate::model::GroupState;
use crate::model::GroupType;
use crate::model::UnixMillis;
use crate::observation::PartitionLog;
use crate::observation::TopicMeta;

#[cfg(test)]
mod tests;

/// How long a plan is good.
pub const GOOD_FOR: Duration = Duration::from_secs(3600);
/// How far ahead of our clock the clock of whoever made the plan may be.
const AHEAD: Duration = Duration::from_secs(300);

/// The group's id as text.
///
/// # Errors
///
/// `cannot_verify` when it is not UTF-8: Kafka's requests cannot carry it.
pub fn name(group: &GroupId) -> Result<&str, Refusal> {
    group
        .utf8()
        .ok_or_else(|| Refusal::CannotVerify(Unread::Name(group.clone())))
}

/// The group; `None` where its coordinator knows none, but it has commits: nobody is in it.
///
/// # Errors
///
/// `unknown_group` when there are no commits either, or nothing but a dead group.
pub fn known<'a>(group: &GroupId, seen: Option<&'a Seen>, commits: &Commits) -> Result<Option<&'a Seen>, Refusal> {
    let exists = seen.is_some_and(|seen| seen.state != GroupState::Dead);
    if exists || !commits.is_empty() {
        return Ok(seen);
    }
    Err(Refusal::UnknownGroup { group: group.clone() })
}

/// # Errors
///
/// `wrong_group_type` when the group's offsets are no commits of a consumer.
pub fn group_type(group: &GroupId, seen: &Seen) -> Result<(), Refusal> {
    match &seen.group_type {
        GroupType::Classic | GroupType::Consumer | GroupType::Simple => Ok(()),
        other => Err(Refusal::WrongGroupType {
            group: group.clone(),
            group_type: other.clone(),
        }),
    }
}

/// True when nobody is in the group and nobody is joining. A state that nobody here knows is none of those.
pub fn is_inactive(seen: &Seen) -> bool {
    seen.members.is_empty() && matches!(seen.state, GroupState::Empty | GroupState::Dead)
}

/// Who keeps the group active; `None` when nobody does.
pub fn active(group: &GroupId, seen: &Seen) -> Option<Refusal> {
    (!is_inactive(seen)).then(|| {
        Refusal::GroupActive(Active {
            group: group.clone(),
            state: Some(seen.state.clone()),
            members: seen.members.clone(),
            answer: None,
        })
    })
}

/// The refusal of a group whose state could not be read.
pub fn unverified(failure: &Failure) -> Refusal {
    Refusal::CannotVerify(Unread::Call(failure.clone()))
}

/// Holds an order against itself, where it was sent to, and the time.
///
/// # Errors
///
/// `bad_fingerprint`, `invalid_request`, `wrong_confirmation`, `plan_expired`, in this order.
pub fn order(order: &Order, cluster: &str, group: &GroupId, now: UnixMillis) -> Result<(), Refusal> {
    let plan = &order.plan;
    let made = fingerprint(plan);
    if !made.eq_ignore_ascii_case(&order.fingerprint) {
        return Err(Refusal::BadFingerprint);
    }
    let name = name(group)?;
    let mut problems = shape(plan);
    if (plan.cluster.as_str(), plan.group.as_str()) != (cluster, name) {
        problems.push(format!(
            "the plan is for group {:?} of cluster {:?}, not for group {name:?} of cluster {cluster:?}",
            plan.group, plan.cluster
        ));
    }
    let created = plan
        .created
        .parse::<Timestamp>()
        .map(|time| UnixMillis(time.as_millisecond()));
    let created = created.map_err(|_| problems.push(format!("{:?} is no time", plan.created)));
    let (Ok(created), true) = (created, problems.is_empty()) else {
        return Err(Refusal::InvalidRequest(problems));
    };
    if order.confirm.as_deref() != Some(name) {
        return Err(Refusal::WrongConfirmation {
            group: group.clone(),
            given: order.confirm.clone(),
        });
    }
    if now.since(created) > GOOD_FOR || created.since(now) > AHEAD {
        return Err(Refusal::PlanExpired { created, now });
    }
    Ok(())
}

/// What no plan of tidemark's own would look like: the fingerprint is no signature.
fn shape(plan: &Plan) -> Vec<String> {
    let mut problems = Vec::new();
    let mut keys: Vec<_> = plan.partitions.iter().map(Row::key).collect();
    if keys.is_empty() {
        problems.push("the plan has no partitions".to_owned());
    }
    let ids: BTreeMap<_, _> = plan
        .topics
        .iter()
        .map(|topic| (&topic.topic, &topic.topic_id))
        .collect();
    if ids.len() != plan.topics.len() {
        problems.push("the plan has a topic twice".to_owned());
    }
    problems.extend(
        keys.iter()
            .filter(|key| key.partition < 0 || !ids.contains_key(&key.topic))
            .map(|key| format!("{key} is not a partition of the plan's topics")),
    );
    keys.sort();
    problems.extend(
        keys.windows(2)
            .filter(|pair| pair[0] == pair[1])
            .map(|pair| format!("{} is in the plan twice", pair[0])),
    );
    problems
}

/// The rows that are still to be written. A row whose commit is already where the plan wants it, by an earlier try, needs nothing.
///
/// # Errors
///
/// `plan_changed` when a commit is neither where the plan found it nor where it wants it; `cannot_verify` when it cannot be told.
pub fn unchanged<'a>(plan: &'a Plan, commits: &Commits) -> Result<Vec<&'a Row>, Refusal> {
    let (mut pending, mut moved, mut bad) = (Vec::new(), Vec::new(), Vec::new());
    for row in &plan.partitions {
        match commit(commits, &row.key()) {
            Ok(is) if is == row.to => {}
            Ok(is) if is == row.from => pending.push(row),
            Ok(is) => moved.push(Difference::Commit(Change {
                key: row.key(),
                was: row.from,
                is,
            })),
            Err(cause) => bad.push(bad_row(row, scope::unreadable("the commit", cause))),
        }
    }
    if !moved.is_empty() {
        return Err(Refusal::PlanChanged(moved));
    }
    Refusal::of(bad).map_or(Ok(pending), Err)
}

/// Holds two readings of the plan's commits against each other.
///
/// # Errors
///
/// `commits_moving` when one of them moved in between; `cannot_verify` when the second reading does not tell one of them.
pub fn still(group: &GroupId, plan: &Plan, first: &Commits, second: &Commits) -> Result<(), Refusal> {
    let bad = plan.partitions.iter().filter_map(|row| {
        let cause = commit(second, &row.key()).err()?;
        Some(bad_row(row, scope::unreadable("the commit", cause)))
    });
    if let Some(refusal) = Refusal::of(bad.collect()) {
        return Err(refusal);
    }
    let planned: std::collections::HashSet<_> = plan.partitions.iter().map(Row::key).collect();
    let mut moved = changes(first, second);
    moved.retain(|change| planned.contains(&change.key));
    if moved.is_empty() {
        return Ok(());
    }
    Err(Refusal::CommitsMoving {
        group: group.clone(),
        moved,
    })
}

/// Holds the topics against the plan's.
///
/// # Errors
///
/// `unknown_topic`, `unknown_partition`, `no_leader`, `cannot_verify` for rows that cannot be written; `plan_changed` for a topic that was
/// made anew.
pub fn same_topics(plan: &Plan, pending: &[&Row], metas: &BTreeMap<String, Heard<TopicMeta>>) -> Result<(), Refusal> {
    let mut anew = Vec::new();
    for topic in &plan.topics {
        let Some(Ok(meta)) = metas.get(&topic.topic) else {
            continue;
        };
        let is = topic_id(&Ok(meta.clone()));
        // A plan made while the brokers told no ids holds none to compare; one that has an id needs the same again.
        if let Some(was) = &topic.topic_id
            && is.as_ref() != Some(was)
        {
            anew.push(Difference::Topic {
                topic: topic.topic.clone(),
                was: was.clone(),
                is,
            });
        }
    }
    if !anew.is_empty() {
        return Err(Refusal::PlanChanged(anew));
    }
    let bad = pending
        .iter()
        .filter_map(|row| scope::fault(&row.key(), metas).map(|fault| bad_row(row, fault)));
    Refusal::of(bad.collect()).map_or(Ok(()), Err)
}

/// Holds the targets against the logs as they are now.
///
/// # Errors
///
/// `out_of_range` when retention, or a truncation, has passed a target since the plan; `no_leader`, `cannot_verify` when a log cannot be
/// read. A row that forgets its commit needs no log.
pub fn in_range(pending: &[&Row], logs: &HashMap<Key, PartitionLog>) -> Result<(), Refusal> {
    let bad = pending.iter().filter_map(|row| {
        let to = row.to?;
        let limits = || -> Result<_, Fault> {
            let log = logs.get(&row.key()).ok_or(Cause::TimedOut).map_err(scope::log_fault)?;
            Ok((log.start.map_err(scope::log_fault)?, log.end.map_err(scope::log_fault)?))
        };
        let fault = match limits() {
            Err(fault) => fault,
            Ok((start, end)) if start <= to && to <= end => return None,
            Ok((start, end)) => Fault::OutOfRange {
                to: to.get().into(),
                start,
                end,
            },
        };
        Some(bad_row(row, fault))
    });
    Refusal::of(bad.collect()).map_or(Ok(()), Err)
}

/// The answers to a write by which a coordinator says that the group has members.
pub fn says_active(cause: Cause) -> Option<ErrorCode> {
    match cause {
        Cause::Code(
            code @ (ErrorCode::UNKNOWN_MEMBER_ID
            | ErrorCode::ILLEGAL_GENERATION
            | ErrorCode::REBALANCE_IN_PROGRESS
            | ErrorCode::NON_EMPTY_GROUP
            | ErrorCode::GROUP_SUBSCRIBED_TO_TOPIC),
        ) => Some(code),
        _ => None,
    }
}

fn bad_row(row: &Row, fault: Fault) -> BadPartition {
    BadPartition {
        fault,
        topic: row.topic.clone(),
        partition: Some(row.partition),
    }
}
