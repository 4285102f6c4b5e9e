//! What was typed, as a plan request.

use std::path::Path;

use super::super::PlanArgs;
use super::super::Scope as Typed;
use super::super::Target;
use super::super::TopicArg;
use super::console::read_file;
use crate::model::Partition;
use crate::model::TopicName;
use crate::reset::Asked;
use crate::reset::file;
use crate::reset::file::Form;
use crate::reset::moment;
use crate::reset::request::Scope;
use crate::reset::request::To;
use crate::reset::request::TopicScope;

/// Why there is no request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Problem {
    /// What was typed makes no sense.
    Usage(String),
    /// What is in the file does not.
    Input(String),
}

/// The request that the arguments make.
pub(super) fn asked(args: &PlanArgs) -> Result<Asked, Problem> {
    let scope = args.scope().map_err(Problem::Usage)?;
    let mut asked = match (args.target(), scope) {
        (Target::File(path), Typed::File { topic }) => from_file(path, topic)?,
        (target, scope) => Asked {
            scope: Some(typed_scope(&scope)?),
            to: to(target).map_err(Problem::Usage)?,
            clamp: false,
            allow_new_partitions: false,
            reason: None,
        },
    };
    asked.clamp |= args.clamp;
    asked.allow_new_partitions |= args.allow_new_partitions;
    asked.reason = args.reason.clone().or(asked.reason);
    Ok(asked)
}

fn typed_scope(scope: &Typed<'_>) -> Result<Scope, Problem> {
    Ok(match scope {
        Typed::Committed { exclude: [] } => Scope::Committed,
        Typed::Committed { exclude } => Scope::CommittedExcept(exclude.iter().map(ToString::to_string).collect()),
        Typed::Topics(topics) => Scope::Topics(joined(topics)),
        Typed::File { .. } => return Err(Problem::Usage("--from-file names its own partitions".to_owned())),
    })
}

/// `--topic t:0 --topic t:1` is one topic with two partitions.
fn joined(topics: &[TopicArg]) -> Vec<TopicScope> {
    let mut all: Vec<TopicScope> = Vec::new();
    for TopicArg { topic, partitions } in topics {
        let topic = topic.to_string();
        let partitions: Option<Vec<i32>> = partitions
            .as_ref()
            .map(|some| some.iter().map(|Partition(partition)| *partition).collect());
        match all.iter_mut().find(|other| other.topic == topic) {
            Some(TopicScope {
                partitions: Some(known),
                ..
            }) if partitions.is_some() => known.extend(partitions.unwrap_or_default()),
            // The same topic whole and in part is left to the request's own check, which names it.
            _ => all.push(TopicScope { topic, partitions }),
        }
    }
    all
}

fn to(target: Target<'_>) -> Result<To, String> {
    Ok(match target {
        Target::Offset(offset) => To::Offset(offset),
        Target::Earliest => To::Earliest,
        Target::Latest => To::Latest,
        Target::Current => To::Current,
        Target::Shift(by) => To::Shift(by),
        Target::Datetime(text) => {
            let time = moment::datetime_or_utc(text).map_err(|problem| format!("--to-datetime: {problem}"))?;
            To::Datetime(moment::utc(time))
        }
        Target::Ago(text) => {
            moment::ago(text).map_err(|problem| format!("--by-duration: {problem}"))?;
            To::Ago(text.to_owned())
        }
        Target::Forget => To::Forget,
        Target::File(path) => return Err(format!("{} is a file", path.display())),
    })
}

/// Offsets of a file: CSV of either form, or a plan request as `reset execute` leaves for the way back.
fn from_file(path: &Path, topic: Option<&TopicName>) -> Result<Asked, Problem> {
    let bytes = read_file(path, file::LIMIT).map_err(Problem::Usage)?;
    if bytes.trim_ascii_start().first() == Some(&b'{') {
        if topic.is_some() {
            return Err(Problem::Usage(
                "a plan request names its own topics: leave --topic out".to_owned(),
            ));
        }
        return Asked::parse(&bytes).map_err(|refusal| Problem::Input(format!("{}: {refusal}", path.display())));
    }
    let topic = topic.map(ToString::to_string);
    let form = topic.as_deref().map_or(Form::Topics, Form::OneTopic);
    let rows = file::parse(&bytes, form).map_err(|bad| {
        let lines: Vec<_> = bad.iter().map(|bad| format!("\n  {bad}")).collect();
        Problem::Input(format!(
            "{}: nothing is taken from it:{}",
            path.display(),
            lines.concat()
        ))
    })?;
    Ok(Asked {
        scope: None,
        to: To::Offsets(rows),
        clamp: false,
        allow_new_partitions: false,
        reason: None,
    })
}
