//! `explain`: which rule holds for a group, and the numbers it used.

use std::sync::Arc;
use std::time::Duration;

use crate::app::Follow;
use crate::clock::Clock;
use crate::config::Config;
use crate::report;
use crate::snapshot::Snapshot;

use super::CliError;
use super::Context;
use super::ExitStatus;
use super::ExplainArgs;
use super::lag::only;

/// Between two polls while somebody waits.
const EVERY: Duration = Duration::from_secs(1);

/// `explain`
pub(super) fn run(args: &ExplainArgs, mut context: Context<'_>) -> Result<ExitStatus, CliError> {
    let mut config = context.load(&[])?;
    // Windows are counted in polls: whoever watches for seconds polls every second.
    config.poll_interval = EVERY;
    let cluster = only(args.cluster.one(&config)?, Some(&args.group));
    let seen = super::runtime()?.block_on(watch(&config, &cluster, args.watch));
    let Some(group) = seen.groups.iter().find(|group| group.id == args.group) else {
        super::lag::tell_failures(&seen);
        eprintln!("tidemark: there is no group {:?}", args.group.to_string());
        return Ok(ExitStatus::Failed);
    };
    super::write(context.out, &report::explain(group, args.watch))
}

async fn watch(config: &Config, cluster: &Arc<crate::config::Cluster>, long: Duration) -> Arc<Snapshot> {
    let clock = Clock::system();
    let mut follow = Follow::new(config, cluster, &clock);
    let end = clock.now().mono + long;
    loop {
        let begun = clock.now().mono;
        let seen = follow.next().await;
        if begun + EVERY > end {
            return seen;
        }
        clock.sleep_until(begun + EVERY).await;
    }
}
