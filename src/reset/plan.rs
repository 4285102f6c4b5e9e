//! The plan: request + fresh facts + now → a document that says everything that would happen. Pure.

use std::collections::BTreeMap;

use super::document::Blocked;
use super::document::Key;
use super::document::Plan;
use super::document::PlanTopic;
use super::document::Planned;
use super::document::Row;
use super::facts::Facts;
use super::facts::commit;
use super::fingerprint::fingerprint;
use super::guard;
use super::moment::utc;
use super::refusal::BadPartition;
use super::refusal::Fault;
use super::refusal::Refusal;
use super::request::Request;
use super::request::Target;
use super::request::Wish;
use super::scope;
use crate::failure::Cause;
use crate::failure::Heard;
use crate::model::GroupId;
use crate::model::Offset;
use crate::model::UnixMillis;

#[cfg(test)]
mod tests;
mod warnings;

use warnings::Warnings;

/// The plan that the facts give the request.
///
/// # Errors
///
/// Every refusal that concerns the request, the group's existence and type, and the partitions; all bad partitions at once. A group that
/// is active, or whose state is unknown, is told in `blocked`.
pub fn draft(
    cluster: &str,
    group: &GroupId,
    request: &Request,
    facts: &Facts,
    now: UnixMillis,
) -> Result<Planned, Refusal> {
    let name = guard::name(group)?;
    let seen = match &facts.group {
        Ok(seen) => Ok(guard::known(group, seen.as_ref(), &facts.commits)?),
        Err(failure) => Err(failure),
    };
    if let Ok(Some(seen)) = seen {
        guard::group_type(group, seen)?;
    }
    let mut warnings = Warnings::default();
    let partitions = rows(group, request, facts, &mut warnings)?;
    warnings.about_the_group(name, &partitions, facts);
    let plan = Plan {
        cluster: cluster.to_owned(),
        group: name.to_owned(),
        created: utc(now),
        reason: request.asked.reason.clone(),
        topics: topics(&partitions, facts),
        partitions,
    };
    let blocked = match seen {
        Ok(seen) => seen.and_then(|seen| guard::active(group, seen)),
        Err(failure) => Some(guard::unverified(failure)),
    };
    Ok(Planned {
        fingerprint: fingerprint(&plan),
        plan,
        warnings: warnings.into_texts(),
        blocked: blocked.as_ref().map(Blocked::from),
        // Measured by who makes the plan: it takes more than the facts.
        replay: None,
    })
}

fn rows(group: &GroupId, request: &Request, facts: &Facts, warnings: &mut Warnings) -> Result<Vec<Row>, Refusal> {
    let scope::Resolved { keys, mut bad, gone } = scope::resolve(request, &facts.commits, &facts.topics);
    if keys.is_empty() && bad.is_empty() {
        return Err(Refusal::NothingCommitted { group: group.clone() });
    }
    warnings.left_out(&gone);
    let mut rows = Vec::with_capacity(keys.len());
    let targets = Targets::new(request);
    for key in keys {
        match row(&key, targets.of(&key), request, facts, warnings) {
            Ok(row) => rows.push(row),
            Err(fault) => bad.push(BadPartition {
                fault,
                topic: key.topic,
                partition: Some(key.partition),
            }),
        }
    }
    Refusal::of(bad).map_or(Ok(rows), Err)
}

/// Where each partition is to go.
enum Targets {
    All(Target),
    Each(BTreeMap<Key, Option<Offset>>),
}

impl Targets {
    fn new(request: &Request) -> Self {
        match &request.wish {
            Wish::All(_, target) => Self::All(*target),
            Wish::Each(rows) => Self::Each(rows.iter().map(|row| (row.key(), row.offset)).collect()),
        }
    }

    fn of(&self, key: &Key) -> Target {
        match self {
            Self::All(target) => *target,
            Self::Each(offsets) => offsets
                .get(key)
                .copied()
                .flatten()
                .map_or(Target::Forget, Target::Offset),
        }
    }
}

/// One partition as it is.
struct Spot<'a> {
    key: &'a Key,
    from: Option<Offset>,
    start: Offset,
    end: Offset,
}

fn row(key: &Key, target: Target, request: &Request, facts: &Facts, warnings: &mut Warnings) -> Result<Row, Fault> {
    let (start, end) = log(key, facts)?;
    let from = commit(&facts.commits, key).map_err(|cause| scope::unreadable("the commit", cause))?;
    if from.is_none() && !request.asked.allow_new_partitions {
        return Err(Fault::NotCommitted);
    }
    let spot = Spot { key, from, start, end };
    let to = match wanted(&spot, target, facts, warnings)? {
        None => None,
        Some(wanted) => Some(within(&spot, wanted, request.asked.clamp, warnings)?),
    };
    let (replayed, skipped) = distance(from, to, (start, end));
    Ok(Row {
        topic: key.topic.clone(),
        partition: key.partition,
        start,
        end,
        from,
        to,
        replayed,
        skipped,
    })
}

/// Start and end of the partition's log.
fn log(key: &Key, facts: &Facts) -> Result<(Offset, Offset), Fault> {
    let log = facts.logs.get(key).ok_or_else(|| scope::log_fault(Cause::TimedOut))?;
    Ok((log.start.map_err(scope::log_fault)?, log.end.map_err(scope::log_fault)?))
}

/// Where the target is, before it is held against the log; `None` for no commit.
fn wanted(spot: &Spot<'_>, target: Target, facts: &Facts, warnings: &mut Warnings) -> Result<Option<i128>, Fault> {
    let offset = match target {
        Target::Forget => return Ok(None),
        Target::Offset(offset) => offset,
        Target::Earliest => spot.start,
        Target::Latest => spot.end,
        Target::Current => spot.from.unwrap_or(spot.end),
        Target::Shift(by) => {
            let from = spot.from.ok_or(Fault::NotCommitted)?;
            return Ok(Some(i128::from(from.get()) + i128::from(by)));
        }
        Target::At(_) | Target::Ago(_) => {
            let found = facts.times.get(spot.key).copied().unwrap_or(Err(Cause::TimedOut));
            let found = found.map_err(scope::log_fault)?.map(|(offset, _)| offset);
            found.unwrap_or_else(|| {
                warnings.no_record(spot.key, spot.end);
                spot.end
            })
        }
    };
    Ok(Some(offset.get().into()))
}

/// The target if it is in the log, or the nearest one that is where that is allowed.
fn within(spot: &Spot<'_>, wanted: i128, clamp: bool, warnings: &mut Warnings) -> Result<Offset, Fault> {
    let Spot { key, start, end, .. } = *spot;
    let nearest = wanted.clamp(start.get().into(), end.get().max(start.get()).into());
    let out_of_range = Fault::OutOfRange { to: wanted, start, end };
    if nearest != wanted && !clamp {
        return Err(out_of_range);
    }
    let offset = i64::try_from(nearest).ok().and_then(Offset::new).ok_or(out_of_range)?;
    if nearest != wanted {
        warnings.clamped(key, wanted, offset);
    }
    Ok(offset)
}

/// How many offsets of the log are read again and how many are never read. Only what still exists counts: of a log from 10 to 40, a
/// group at 3 that goes to 12 skips 2.
fn distance(from: Option<Offset>, to: Option<Offset>, (start, end): (Offset, Offset)) -> (Option<u64>, Option<u64>) {
    let (Some(from), Some(to)) = (from, to) else {
        return (None, None);
    };
    let inside = |offset: Offset| offset.min(end).max(start);
    let (from, to) = (inside(from), inside(to));
    (Some(from.since(to)), Some(to.since(from)))
}

fn topics(rows: &[Row], facts: &Facts) -> Vec<PlanTopic> {
    let names: std::collections::BTreeSet<_> = rows.iter().map(|row| &row.topic).collect();
    let id = |meta: &Heard<_>| topic_id(meta);
    names
        .into_iter()
        .map(|topic| PlanTopic {
            topic: topic.clone(),
            topic_id: facts.topics.get(topic).and_then(id),
        })
        .collect()
}

/// A topic's id as a plan shows it.
pub(super) fn topic_id(meta: &Heard<crate::observation::TopicMeta>) -> Option<String> {
    meta.as_ref().ok().and_then(|meta| meta.id).map(|id| id.to_string())
}
