//! `explain`: which rule holds for a group, the numbers it used, what would have to change, and what happened.

mod remote;
mod told;

use std::sync::Arc;
use std::time::Duration;

use crate::app::Follow;
use crate::clock::Clock;
use crate::config::Cluster;
use crate::config::Config;
use crate::report::Source;
use crate::snapshot::Snapshot;

use super::CliError;
use super::Context;
use super::ExitStatus;
use super::ExplainArgs;
use super::Output;
use super::Usage;
use super::http_client::Address;
use super::lag::only;
use super::lag::tell_failures;

use told::Told;

/// Between two polls while somebody waits.
const EVERY: Duration = Duration::from_secs(1);

/// The group's document, or why there is none.
type Document = Result<String, String>;

/// `explain`
pub(super) fn run(args: &ExplainArgs, mut context: Context<'_>) -> Result<ExitStatus, CliError> {
    let document = match &args.url {
        Some(url) => ask(url, args, &context)?,
        None => look(args, &mut context)?,
    };
    let document = match document {
        Ok(document) => document,
        Err(problem) => {
            eprintln!("tidemark: {problem}");
            return Ok(ExitStatus::Failed);
        }
    };
    let watched = args.url.is_none().then_some(args.watch);
    let text = match args.output {
        Output::Json => format!("{}\n", document.trim_end()),
        Output::Table => match Told::read(&document) {
            Some(told) => told.text(watched),
            None => {
                eprintln!("tidemark: the answer explains nothing: it is of an older tidemark, or of something else");
                return Ok(ExitStatus::Failed);
            }
        },
    };
    super::write(context.out, &text)
}

/// Asks a running tidemark, which has watched for longer.
fn ask(url: &str, args: &ExplainArgs, context: &Context<'_>) -> Result<Document, CliError> {
    if context.args.config.is_some() || context.args.brokers.is_some() {
        return Err(Usage::TwoSources.into());
    }
    let address = Address::parse(url).ok_or_else(|| Usage::Url { url: url.to_owned() })?;
    let cluster = args.cluster.cluster.as_deref();
    Ok(super::runtime()?.block_on(remote::document(&address, cluster, &args.group)))
}

/// Looks for itself. Windows are those of `serve` with the same configuration, so that both say the same of the same group.
fn look(args: &ExplainArgs, context: &mut Context<'_>) -> Result<Document, CliError> {
    let config = context.load(&[])?;
    let cluster = only(args.cluster.one(&config)?, Some(&args.group));
    let long = humantime::format_duration(args.watch);
    eprintln!("tidemark: watching cluster {} for {long}", cluster.name);
    let seen = super::runtime()?.block_on(watch(&config, &cluster, args.watch));
    let Some(group) = seen.groups.iter().find(|group| group.id == args.group) else {
        tell_failures(&seen);
        return Ok(Err(format!("there is no group {:?}", args.group.to_string())));
    };
    let source = Source {
        snapshot: &seen,
        objectives: &config.objectives,
    };
    let document = serde_json::to_string_pretty(&source.group(group));
    Ok(Ok(document.expect("documents have text keys and finite numbers")))
}

async fn watch(config: &Config, cluster: &Arc<Cluster>, long: Duration) -> Arc<Snapshot> {
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
