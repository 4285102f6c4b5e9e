//! `check`: an exit status for deploy gates.

use std::fmt;
use std::time::Duration;

use crate::app::Follow;
use crate::clock::Clock;
use crate::model::Status;
use crate::snapshot::GroupView;
use crate::snapshot::Snapshot;

use super::CheckArgs;
use super::CliError;
use super::Context;
use super::ExitStatus;
use super::lag::only;

/// Between two polls while somebody waits.
const EVERY: Duration = Duration::from_secs(1);

/// Whether the gate is open.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Gate {
    Open(String),
    Shut(String),
}

/// `check`
pub(super) fn run(args: &CheckArgs, mut context: Context<'_>) -> Result<ExitStatus, CliError> {
    let config = context.load(&[])?;
    let cluster = only(args.cluster.one(&config)?, Some(&args.group));
    let gate = super::runtime()?.block_on(async {
        let clock = Clock::system();
        let mut follow = Follow::new(&config, &cluster, &clock);
        let end = clock.now().mono + args.wait.unwrap_or_default();
        loop {
            let begun = clock.now().mono;
            let gate = judge(follow.next().await.as_ref(), args);
            if matches!(gate, Gate::Open(_)) || begun + EVERY > end {
                return gate;
            }
            clock.sleep_until(begun + EVERY).await;
        }
    });
    super::write(context.out, &format!("{gate}\n"))?;
    Ok(match gate {
        Gate::Open(_) => ExitStatus::Done,
        Gate::Shut(_) => ExitStatus::Failed,
    })
}

impl fmt::Display for Gate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Open(why) => write!(f, "ok: {why}"),
            Self::Shut(why) => write!(f, "not ok: {why}"),
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
    match trouble(group, args) {
        Some(trouble) => Gate::Shut(format!("group {name:?} {trouble}")),
        None => {
            let age = group.lag_time.map_or(0.0, crate::model::LagTime::seconds);
            Gate::Open(format!(
                "group {name:?} lags {age} s, {} records",
                group.lag.unwrap_or_default()
            ))
        }
    }
}

fn trouble(group: &GroupView, args: &CheckArgs) -> Option<String> {
    if matches!(
        group.status,
        Status::Stalled | Status::Stopped | Status::Unreadable | Status::Lost
    ) {
        return Some(format!("is {}", group.status));
    }
    let Some(lag) = group.lag else {
        return Some("has no lag that can be told: nothing is committed, or not all of it could be read".to_owned());
    };
    let undated: u32 = group
        .topics
        .iter()
        .flat_map(|t| &t.unknown_times)
        .map(|(_, count)| count)
        .sum();
    if undated > 0 {
        return Some(format!("has {undated} partitions whose lag in seconds cannot be told"));
    }
    let age = Duration::from_millis(group.lag_time.map_or(0, |time| time.age_ms));
    if age > args.max_lag {
        let age = Duration::from_secs(age.as_secs());
        let most = humantime::format_duration(args.max_lag);
        return Some(format!("lags {}, more than {most}", humantime::format_duration(age)));
    }
    let most = args.max_lag_records?;
    (lag > u128::from(most)).then(|| format!("lags {lag} records, more than {most}"))
}
