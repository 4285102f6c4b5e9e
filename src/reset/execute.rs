//! Carrying out a plan: read everything again, compare, write once, read back. The order of the steps is the point of this file:
//! nothing is written before every guard has passed and `ready` (which puts the intent on disk) has agreed; nothing is asked twice of the
//! writer; and what is not known afterwards is called unknown.

use std::collections::HashMap;

use super::document::DONE;
use super::document::Executed;
use super::document::Key;
use super::document::OVERWRITTEN;
use super::document::Plan;
use super::document::Row;
use super::document::RowResult;
use super::document::UNKNOWN;
use super::facts::Commits;
use super::facts::Pace;
use super::facts::commit;
use super::facts::read_commits;
use super::facts::read_group;
use super::facts::read_logs;
use super::facts::read_topics;
use super::guard;
use super::refusal::Active;
use super::refusal::Refusal;
use super::refusal::Unread;
use super::undo::Undo;
use super::undo::undo;
use crate::failure::Cause;
use crate::failure::ErrorCode;
use crate::kafka::GroupFacts;
use crate::kafka::Write;
use crate::kafka::Writer;
use crate::model::GroupId;
use crate::model::Partition;
use crate::model::TopicName;

#[cfg(test)]
mod tests;

/// A plan that has passed every guard.
#[derive(Clone, Debug)]
pub struct Ready<'a> {
    /// The plan.
    pub plan: &'a Plan,
    /// Rows that are still to be written.
    pub pending: Vec<&'a Row>,
    /// The group's commits, read last.
    pub commits: Commits,
    /// The way back.
    pub undo: Undo,
}

/// Reads everything again and holds the plan against it.
///
/// # Errors
///
/// Every refusal of [`guard`]; nothing was written.
pub async fn check<'a, F: GroupFacts>(
    kafka: &mut F,
    group: &GroupId,
    plan: &'a Plan,
    pace: Pace,
) -> Result<Ready<'a>, Refusal> {
    let seen = read_group(kafka, group, pace)
        .await
        .map_err(|failure| guard::unverified(&failure))?;
    let first = read_commits(kafka, group, pace).await?;
    let read_at = tokio::time::Instant::now();
    if is_written(plan, &first) {
        return Ok(ready(plan, Vec::new(), first, &HashMap::new()));
    }
    let inactive = |seen: Option<&_>, commits: &_| {
        let Some(seen) = guard::known(group, seen, commits)? else {
            return Ok(());
        };
        guard::group_type(group, seen)?;
        guard::active(group, seen).map_or(Ok(()), Err)
    };
    inactive(seen.as_ref(), &first)?;
    let pending = guard::unchanged(plan, &first)?;
    if pending.is_empty() {
        return Ok(ready(plan, pending, first, &HashMap::new()));
    }
    let names = plan.topics.iter().map(|topic| topic.topic.clone()).collect();
    let metas = read_topics(kafka, names, pace).await?;
    guard::same_topics(plan, &pending, &metas)?;
    let keys: Vec<_> = pending.iter().map(|row| row.key()).collect();
    let logs = read_logs(kafka, &keys, &metas, pace).await;
    guard::in_range(&pending, &logs)?;
    tokio::time::sleep_until(read_at + pace.settle).await;
    let second = read_commits(kafka, group, pace).await?;
    guard::still(group, plan, &first, &second)?;
    // The group last: whoever joins after this is left to the coordinator, which refuses a write from outside a group that has members.
    let seen = read_group(kafka, group, pace)
        .await
        .map_err(|failure| guard::unverified(&failure))?;
    inactive(seen.as_ref(), &second)?;
    Ok(ready(plan, pending, second, &logs))
}

/// True when an earlier try of the plan has done all of it: every commit is where the plan wants it, and at least one was elsewhere.
fn is_written(plan: &Plan, commits: &Commits) -> bool {
    let there = |row: &Row| commit(commits, &row.key()) == Ok(row.to);
    plan.partitions.iter().all(there) && plan.partitions.iter().any(|row| row.from != row.to)
}

fn ready<'a>(
    plan: &'a Plan,
    pending: Vec<&'a Row>,
    commits: Commits,
    logs: &HashMap<Key, crate::observation::PartitionLog>,
) -> Ready<'a> {
    Ready {
        undo: undo(plan, &commits, logs),
        plan,
        pending,
        commits,
    }
}

/// Writes what is pending, once, and reads it back.
///
/// # Errors
///
/// `group_active` when the coordinator found members and wrote nothing; `cannot_verify` when nothing was sent. Everything else is an
/// [`Executed`], whose results say what became of each partition.
pub async fn write<F: GroupFacts, W: Writer>(
    kafka: &mut F,
    writer: &mut W,
    group: &GroupId,
    ready: Ready<'_>,
    pace: Pace,
) -> Result<Executed, Refusal> {
    let mut answers = HashMap::new();
    let mut warnings = Vec::new();
    if !ready.pending.is_empty() {
        answers = send(writer, group, &ready, pace).await?;
        if let Some(code) = only_active(&answers) {
            return Err(joined(kafka, group, code, pace).await);
        }
        let after = read_commits(kafka, group, pace).await;
        if let Err(refusal) = &after {
            warnings.push(format!("the commits could not be read back: {refusal}"));
        }
        settle(&mut answers, after.ok().as_ref());
    }
    let results = ready.plan.partitions.iter().map(|row| RowResult {
        topic: row.topic.clone(),
        partition: row.partition,
        from: row.from,
        to: row.to,
        result: answers
            .get(&row.key())
            .map_or_else(|| DONE.to_owned(), |answer| answer.result.clone()),
    });
    Ok(Executed {
        results: results.collect(),
        undo: ready.undo.request,
        not_undoable: ready.undo.not_undoable,
        warnings,
    })
}

/// What the coordinator answered for one row.
struct Answer<'a> {
    row: &'a Row,
    heard: Result<(), Cause>,
    /// The word of the contract.
    result: String,
}

type Answers<'a> = HashMap<Key, Answer<'a>>;

async fn send<'a, W: Writer>(
    writer: &mut W,
    group: &GroupId,
    ready: &Ready<'a>,
    pace: Pace,
) -> Result<Answers<'a>, Refusal> {
    let writes: Vec<_> = ready.pending.iter().map(|row| one_write(row, &ready.commits)).collect();
    let deadline = pace.deadline();
    let heard = match pace.answered(deadline, writer.write(group, &writes, deadline)).await {
        Some(Ok(heard)) => heard,
        Some(Err(failure)) => return Err(Refusal::CannotVerify(Unread::Unsent(failure))),
        // It may have been sent.
        None => Vec::new(),
    };
    let heard = heard.into_iter().chain(std::iter::repeat(Err(Cause::TimedOut)));
    let answers = ready.pending.iter().zip(heard).map(|(row, heard)| {
        let result = word(heard);
        (row.key(), Answer { row, heard, result })
    });
    Ok(answers.collect())
}

/// The metadata that the consumer left beside its commit is its own, and stays. The leader epoch is that of the record before the commit:
/// beside another offset it would make the consumer believe that the log was truncated, so it goes; rows that stay where they are are not
/// written at all.
fn one_write(row: &Row, commits: &Commits) -> Write {
    let metadata = commits.get(&row.key()).map(|fact| fact.metadata.clone());
    Write {
        topic: TopicName::from(row.topic.as_str()),
        partition: Partition(row.partition),
        to: row.to,
        leader_epoch: None,
        metadata: row.to.and(metadata).unwrap_or_default(),
    }
}

fn word(heard: Result<(), Cause>) -> String {
    match heard {
        Ok(()) => DONE.to_owned(),
        Err(Cause::TimedOut | Cause::Disconnected | Cause::Malformed) => UNKNOWN.to_owned(),
        Err(cause) => cause.label().into_owned(),
    }
}

/// True when the write may have taken place, or may yet, all the same. A coordinator that lost its log's followers, its lead or its time
/// over an append says so by these codes after it has appended.
pub(super) fn is_doubtful(cause: Cause) -> bool {
    match cause {
        Cause::TimedOut | Cause::Disconnected | Cause::Malformed => true,
        Cause::Code(code) => {
            [
                ErrorCode::REQUEST_TIMED_OUT,
                ErrorCode::COORDINATOR_NOT_AVAILABLE,
                ErrorCode::NOT_COORDINATOR,
                ErrorCode::KAFKA_STORAGE_ERROR,
            ]
            .contains(&code)
                || code.get() < 0
        }
        _ => false,
    }
}

/// The code by which the coordinator says that the group has members, when it wrote nothing at all.
fn only_active(answers: &Answers<'_>) -> Option<ErrorCode> {
    let nothing = answers
        .values()
        .all(|answer| answer.heard.is_err_and(|cause| !is_doubtful(cause)));
    let code = |answer: &Answer<'_>| answer.heard.err().and_then(guard::says_active);
    nothing.then(|| answers.values().find_map(code)).flatten()
}

/// Who joined between the check and the write.
async fn joined<F: GroupFacts>(kafka: &mut F, group: &GroupId, code: ErrorCode, pace: Pace) -> Refusal {
    let seen = read_group(kafka, group, pace).await.ok().flatten();
    Refusal::GroupActive(Active {
        group: group.clone(),
        state: seen.as_ref().map(|seen| seen.state.clone()),
        members: seen.map_or_else(Vec::new, |seen| seen.members),
        answer: Some(code),
    })
}

/// Holds the answers against the commits as they are after the write.
fn settle(answers: &mut Answers<'_>, after: Option<&Commits>) {
    let Some(after) = after else { return };
    for (key, answer) in answers {
        let Ok(is) = commit(after, key) else { continue };
        match answer.heard {
            Ok(()) if is != answer.row.to => answer.result = OVERWRITTEN.to_owned(),
            Err(cause) if is_doubtful(cause) && is == answer.row.to => answer.result = DONE.to_owned(),
            _ => {}
        }
    }
}
