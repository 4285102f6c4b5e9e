//! `check`: an exit status for deploy gates.

use std::fmt;
use std::time::Duration;

use crate::app::Follow;
use crate::clock::Clock;
use crate::model::Status;
use crate::report::Source;
use crate::snapshot::GroupView;
use crate::snapshot::Snapshot;

use super::CheckArgs;
use super::CliError;
use super::Context;
use super::ExitStatus;
use super::lag::only;

/// Between two polls while somebody waits.
const EVERY: Duration = Duration::from_secs(1);
/// So many polls may pass before the time of the oldest unread record is known, though nobody asked to wait.
const TO_KNOW: u32 = 5;

/// Whether the gate is open.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Gate {
    Open(String),
    Shut(String),
    /// It cannot be told yet, and the next poll may know.
    Unknown(String),
}

/// `check`
pub(super) fn run(args: &CheckArgs, mut context: Context<'_>) -> Result<ExitStatus, CliError> {
    let config = context.load(&[])?;
    let cluster = only(args.cluster.one(&config)?, Some(&args.group));
    let gate = super::runtime()?.block_on(async {
        let clock = Clock::system();
        let follow = Follow::new(&config, &cluster, &clock);
        wait(follow, &clock, args).await
    });
    super::write(context.out, &format!("{gate}\n"))?;
    Ok(match gate {
        Gate::Open(_) => ExitStatus::Done,
        Gate::Shut(_) | Gate::Unknown(_) => ExitStatus::Failed,
    })
}

/// Polls until the gate is open or the time is over; what keeps it shut meanwhile goes to stderr, once.
async fn wait(mut follow: Follow, clock: &Clock, args: &CheckArgs) -> Gate {
    let end = clock.now().mono + args.wait.unwrap_or_default();
    let (mut told, mut polls) = (None, 0);
    loop {
        polls += 1;
        let begun = clock.now().mono;
        let gate = judge(follow.next().await.as_ref(), args);
        let soon = matches!(gate, Gate::Unknown(_)) && polls < TO_KNOW;
        let over = begun + EVERY > end && !soon;
        if over || matches!(gate, Gate::Open(_)) {
            return gate;
        }
        if args.wait.is_some() && told.as_ref() != Some(&gate.kind()) {
            eprintln!("tidemark: waiting: {gate}");
            told = Some(gate.kind());
        }
        clock.sleep_until(begun + EVERY).await;
    }
}

impl Gate {
    /// Numbers change with every poll; what is said does not.
    fn kind(&self) -> String {
        self.to_string().chars().filter(|letter| !letter.is_numeric()).collect()
    }
}

impl fmt::Display for Gate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Open(why) => write!(f, "ok: {why}"),
            Self::Shut(why) | Self::Unknown(why) => write!(f, "not ok: {why}"),
        }
    }
}

/// What cannot be told is not ok.
fn judge(seen: &Snapshot, args: &CheckArgs) -> Gate {
    let name = args.group.to_string();
    let Some(group) = seen.groups.iter().find(|group| group.id == args.group) else {
        let failure = seen.cycle.as_ref().and_then(|cycle| cycle.failures.first());
        return Gate::Shut(match failure {
            Some(failure) => format!("group {name:?} could not be read: {failure}"),
            None => format!("there is no group {name:?}"),
        });
    };
    let about = |told: String| format!("group {name:?} {told}");
    let trouble = state(seen, group)
        .or_else(|| unknown(group))
        .or_else(|| late(group, args));
    match trouble {
        Some(Gate::Unknown(told)) => Gate::Unknown(about(told)),
        Some(Gate::Shut(told) | Gate::Open(told)) => Gate::Shut(about(told)),
        None => Gate::Open(about(format!(
            "lags {}, {} records",
            age(group),
            group.lag.unwrap_or_default()
        ))),
    }
}

/// A status that no lag makes up for.
fn state(seen: &Snapshot, group: &GroupView) -> Option<Gate> {
    let bad = [Status::Stalled, Status::Stopped, Status::Unreadable, Status::Lost];
    let words = Source {
        snapshot: seen,
        objectives: &[],
    };
    let told = || format!("is {}: {}", group.status, words.words(group).verdict);
    bad.contains(&group.status).then(|| Gate::Shut(told()))
}

/// What must be known and is not, as of the latest poll.
fn unknown(group: &GroupView) -> Option<Gate> {
    if let Some(cause) = group.failure {
        return Some(Gate::Shut(format!("could not be read in the latest poll: {cause}")));
    }
    if !group.kind.commits_offsets() {
        let told = format!("is of type {}, which commits no offsets and has no lag", group.kind);
        return Some(Gate::Shut(told));
    }
    let partitions = || group.topics.iter().flat_map(|topic| &topic.partitions);
    let stale = partitions().filter(|view| !view.fresh).count();
    if group.lag.is_none() || stale > 0 {
        let commits = partitions().any(|view| view.committed.is_some() || view.unreadable.is_some());
        return Some(Gate::Shut(if commits {
            "has no lag that can be told: not all of it could be read".to_owned()
        } else {
            "has no lag: nothing is committed".to_owned()
        }));
    }
    let undated = group.topics.iter().flat_map(|topic| &topic.unknown_times);
    let undated: u32 = undated.map(|(_, count)| count).sum();
    let dated = group.lag == Some(0) || group.lag_time.is_some();
    (undated > 0 || !dated).then(|| {
        let partitions = undated.max(1);
        let partitions = if partitions == 1 {
            "a partition".to_owned()
        } else {
            format!("{partitions} partitions")
        };
        Gate::Unknown(format!("has {partitions} whose lag in seconds cannot be told"))
    })
}

fn late(group: &GroupView, args: &CheckArgs) -> Option<Gate> {
    let oldest = Duration::from_millis(group.lag_time.map_or(0, |time| time.age_ms));
    if oldest > args.max_lag {
        let most = humantime::format_duration(args.max_lag);
        return Some(Gate::Shut(format!("lags {}, more than {most}", age(group))));
    }
    let (lag, most) = (group.lag?, args.max_lag_records?);
    (lag > u128::from(most)).then(|| Gate::Shut(format!("lags {lag} records, more than {most}")))
}

/// The age of the oldest unread record, to the millisecond below a minute.
fn age(group: &GroupView) -> String {
    let age = Duration::from_millis(group.lag_time.map_or(0, |time| time.age_ms));
    let shown = if age < Duration::from_secs(60) {
        age
    } else {
        Duration::from_secs(age.as_secs())
    };
    humantime::format_duration(shown).to_string()
}

#[cfg(test)]
mod tests;
