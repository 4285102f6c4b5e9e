//! What is wrong and what to do, in one or two sentences each. Names are quoted, so that control characters in them stay harmless.

use std::fmt;

use super::Active;
use super::BadPartition;
use super::Difference;
use super::Fault;
use super::Refusal;
use super::Unread;
use crate::model::GroupId;
use crate::model::GroupType;
use crate::model::Text;
use crate::observation::Member;
use crate::reset::moment::utc;

/// How many of a kind a message names; the details have them all.
const NAMED: usize = 5;

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unauthenticated => {
                f.write_str("no valid token: send the header \"Authorization: Bearer TOKEN\" with a token of this listener")
            }
            Self::TooManyRequests { retry_after } => {
                write!(f, "too many requests: come again in {} s", retry_after.as_secs().max(1))
            }
            Self::NotFound => f.write_str(
                "no such route: POST /admin/v1/clusters/{cluster}/groups/{group}/reset/plan or …/reset/execute, names percent-encoded",
            ),
            Self::MethodNotAllowed => f.write_str("only POST is taken here"),
            Self::TooLarge { limit } => write!(f, "the body is above {limit} bytes: reset fewer partitions at a time"),
            Self::NotAllowed { cluster, group } => write!(
                f,
                "group {} of cluster {cluster:?} may not be reset here: admin.allow of the configuration does not name it",
                quoted(group)
            ),
            Self::UnknownCluster { cluster } => write!(f, "no cluster {cluster:?} is configured"),
            Self::InvalidRequest(problems) => write!(f, "the request makes no sense: {}", problems.join("; ")),
            Self::BadFingerprint => {
                f.write_str("the plan is not the one that the fingerprint was made for: send the plan exactly as it was answered, or plan anew")
            }
            Self::WrongConfirmation { group, given } => confirmation(group, given.as_deref(), f),
            Self::PlanExpired { created, now } => write!(
                f,
                "the plan was made at {}, now it is {}, and a plan is good for an hour: plan anew",
                utc(*created),
                utc(*now)
            ),
            Self::Busy => f.write_str("another reset is running, and there is one at a time: send this one again when it is through"),
            Self::AuditUnavailable { problem } => {
                write!(f, "the audit log cannot be written, and without it nothing is reset: {problem}")
            }
            of_the_group => about_the_group(of_the_group, f),
        }
    }
}

fn confirmation(group: &GroupId, given: Option<&str>, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let group = quoted(group);
    match given {
        Some(given) => write!(
            f,
            "the confirmation {given:?} is not the name of the group, which is {group}"
        ),
        None => write!(f, "\"confirm\" is missing: it must be the name of the group, {group}"),
    }
}

fn about_the_group(refusal: &Refusal, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    match refusal {
        Refusal::UnknownGroup { group } => write!(
            f,
            "the cluster knows no group {} and no commit of it: check the spelling; a reset does not create groups",
            quoted(group)
        ),
        Refusal::WrongGroupType { group, group_type } => {
            write!(
                f,
                "group {} is of type {group_type}, {}",
                quoted(group),
                instead(group_type)
            )
        }
        Refusal::GroupActive(active) => f.write_str(&active_group(active)),
        Refusal::CommitsMoving { group, moved } => write!(
            f,
            "the commits of group {} move though it has no members ({}): an application that assigns its partitions itself is \
             running; stop it, then plan anew",
            quoted(group),
            some(moved, |change| format!(
                "{}: {} became {}",
                change.key,
                or_none(change.was),
                or_none(change.is)
            ))
        ),
        Refusal::PlanChanged(differences) => write!(
            f,
            "things are no longer as the plan has them ({}): look at what happened, then plan anew",
            some(differences, difference)
        ),
        Refusal::Partitions(bad) => f.write_str(&bad_partitions(bad)),
        Refusal::NothingCommitted { group } => write!(
            f,
            "group {} has no commit on any existing topic that is asked for: name the topics, and allow new partitions to give it one",
            quoted(group)
        ),
        Refusal::CannotVerify(unread) => cannot_verify(unread, f),
        _ => f.write_str(refusal.word()),
    }
}

fn cannot_verify(unread: &Unread, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    match unread {
        Unread::Call(failure) => write!(
            f,
            "what must be known before a reset could not be read ({failure}), so nothing was changed: try again when Kafka answers"
        ),
        Unread::Unsent(failure) => {
            write!(
                f,
                "the write could not be sent ({failure}), so nothing was changed: send the same plan again"
            )
        }
        Unread::Name(group) => write!(
            f,
            "the group's id {} is not UTF-8, and Kafka's requests carry only UTF-8: it cannot be reset from here",
            quoted(group)
        ),
    }
}

fn instead(group_type: &GroupType) -> &'static str {
    match group_type {
        GroupType::Share => "which has no committed offsets: use kafka-share-groups --reset-offsets",
        GroupType::Streams => "whose offsets belong together with its state: use kafka-streams-groups --reset-offsets",
        GroupType::Connect => {
            "the workers of a Connect cluster, which commit nothing: a sink connector's offsets are in its own group, connect-NAME"
        }
        _ => "which is no consumer group: its offsets, if it has any, mean something else",
    }
}

fn active_group(active: &Active) -> String {
    let group = quoted(&active.group);
    let state = match (&active.state, active.answer) {
        (_, Some(code)) => format!("group {group} got members while the reset was under way (Kafka answered {code})"),
        (Some(state), None) => format!("group {group} is active: its state is {state}"),
        (None, None) => format!("group {group} is active"),
    };
    let members = match active.members.len() {
        0 => String::new(),
        1 => format!(", it has 1 member: {}", some(&active.members, member)),
        count => format!(", it has {count} members: {}", some(&active.members, member)),
    };
    format!("{state}{members}. {}", how_to_stop(active))
}

fn member(member: &Member) -> String {
    let name = format!("{} on {}", quoted_text(&member.client_id), quoted_text(&member.host));
    match &member.instance_id {
        Some(id) => format!("{name} (static {})", quoted_text(id)),
        None => name,
    }
}

fn how_to_stop(active: &Active) -> String {
    let mut steps = vec!["Stop these consumers and wait until the group is empty; nothing was changed".to_owned()];
    if active.members.iter().any(|member| member.instance_id.is_some()) {
        steps.push("a static member stays until its session times out, even after it was stopped".to_owned());
    }
    if let Some(connector) = connector(active) {
        steps.push(format!(
            "a sink connector must be stopped, not paused (PUT /connectors/{connector}/stop)"
        ));
    }
    steps.join("; ")
}

/// The name of the sink connector whose group this is: Connect names the group `connect-NAME` and the clients `connector-consumer-NAME-0`.
fn connector(active: &Active) -> Option<String> {
    let group = active.group.to_string();
    let sink = group.strip_prefix("connect-");
    let client = active
        .members
        .iter()
        .any(|member| member.client_id.bytes().starts_with(b"connector-consumer-"));
    match sink {
        Some(name) => Some(name.escape_debug().to_string()),
        None => client.then(|| "NAME".to_owned()),
    }
}

fn difference(difference: &Difference) -> String {
    match difference {
        Difference::Commit(change) => format!(
            "{}: the commit was {}, now it is {}",
            change.key,
            or_none(change.was),
            or_none(change.is)
        ),
        Difference::Topic { topic, .. } => format!("topic {topic:?} was made anew"),
    }
}

fn bad_partitions(bad: &[BadPartition]) -> String {
    let Some(first) = bad.first() else { return String::new() };
    let same: Vec<_> = bad
        .iter()
        .filter(|other| other.fault.word() == first.fault.word())
        .collect();
    let others = bad.len() - same.len();
    let more = if others > 0 {
        format!(" ({others} more for other reasons: see the details)")
    } else {
        String::new()
    };
    format!(
        "{}: {}{more}",
        some(&same, |bad| one_bad(bad)),
        what_to_do(&first.fault)
    )
}

fn one_bad(bad: &BadPartition) -> String {
    let place = match bad.partition {
        Some(partition) => format!("{}/{partition}", bad.topic.escape_debug()),
        None => bad.topic.escape_debug().to_string(),
    };
    match &bad.fault {
        Fault::UnknownTopic => format!("topic {place} does not exist"),
        Fault::UnknownPartition { partitions } => format!("{place} does not exist (the topic has {partitions})"),
        Fault::NoLeader => format!("{place} has no leader"),
        Fault::Unreadable { what, cause } => format!("{what} of {place} could not be read ({cause})"),
        Fault::NotCommitted => format!("the group has no commit on {place}"),
        Fault::OutOfRange { to, start, end } => format!("{to} is outside {place}, which goes from {start} to {end}"),
    }
}

fn what_to_do(fault: &Fault) -> &'static str {
    match fault {
        Fault::UnknownTopic | Fault::UnknownPartition { .. } => "check the names",
        Fault::NoLeader => "try again when the partition has a leader",
        Fault::Unreadable { .. } => "nothing was changed, try again when Kafka answers",
        Fault::NotCommitted => "leave it out, or allow new partitions to give the group a commit there",
        Fault::OutOfRange { .. } => "choose an offset inside, or clamp to take the nearest one",
    }
}

fn quoted(group: &GroupId) -> String {
    format!("{:?}", group.to_string())
}

fn quoted_text(text: &Text) -> String {
    text.to_string().escape_debug().to_string()
}

fn or_none(offset: Option<crate::model::Offset>) -> String {
    offset.map_or_else(|| "none".to_owned(), |offset| offset.to_string())
}

/// The first few, and how many more there are.
fn some<T>(all: &[T], mut show: impl FnMut(&T) -> String) -> String {
    let named: Vec<_> = all.iter().take(NAMED).map(&mut show).collect();
    match all.len().saturating_sub(NAMED) {
        0 => named.join(", "),
        more => format!("{} and {more} more", named.join(", ")),
    }
}
