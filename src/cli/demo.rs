//! `demo`: the exporter on a simulated cluster whose groups have stories.

use std::io::Write;
use std::net::SocketAddr;

use crate::app::App;
use crate::app::terminated;
use crate::clock::Clock;
use crate::config::Config;
use crate::config::Flag;
use crate::config::Source;
use crate::config::load;
use crate::sim::story;
use crate::sim::story::Story;

use super::CliError;
use super::Context;
use super::DemoArgs;
use super::ExitStatus;
use super::logging;

/// The same course of events every time.
const SEED: u64 = 1;
/// Only this machine can look, unless something else is asked for.
const LISTEN: &str = "127.0.0.1:9640";

/// `demo`
pub(super) fn run(args: &DemoArgs, mut context: Context<'_>) -> Result<ExitStatus, CliError> {
    if context.args.config.is_some() || context.args.brokers.is_some() {
        return Err(CliError::DemoBringsItsOwn);
    }
    let runtime = super::runtime()?;
    let ran = runtime.block_on(demo(args, &mut context));
    runtime.shutdown_background();
    ran?;
    Ok(ExitStatus::Done)
}

async fn demo(args: &DemoArgs, context: &mut Context<'_>) -> Result<(), CliError> {
    let clock = Clock::system();
    // Held until the end: the brokers live as long as this.
    let cluster = story::start(args.scenario.as_deref(), clock.clone(), SEED)?;
    let config = config(args, cluster.bootstrap(), std::mem::take(&mut context.environment))?;
    logging::init(config.log, context.args.verbose);
    let shutdown = terminated()?;
    let app = App::build(&config, clock).await?;
    introduce(args, app.address(), context.out)?;
    app.run(shutdown).await?;
    Ok(())
}

/// What `serve --brokers` would have, but for a shorter interval, so that the stories unfold while somebody watches.
fn config(
    args: &DemoArgs,
    brokers: String,
    environment: Vec<(std::ffi::OsString, std::ffi::OsString)>,
) -> Result<Config, CliError> {
    let flag = |name, key, value: String| Flag { name, key, value };
    let listen = args
        .listen
        .map_or_else(|| LISTEN.to_owned(), |listen| listen.to_string());
    let flags = [
        flag("demo", "listen", listen),
        flag("demo", "poll_interval", "1s".to_owned()),
        flag("demo", "status_cycles", "2".to_owned()),
        flag("demo", "max_staleness", "10s".to_owned()),
        flag("demo", "clusters.0.request_timeout", "3s".to_owned()),
        flag("demo", "log.level", "warn".to_owned()),
    ];
    Ok(load(&Source::Brokers(brokers), &flags, environment)?.config)
}

fn introduce(args: &DemoArgs, address: SocketAddr, out: &mut dyn Write) -> Result<(), CliError> {
    let told: Vec<&Story> = story::all()
        .iter()
        .filter(|story| args.scenario.as_deref().is_none_or(|name| name == story.name))
        .collect();
    let width = told.iter().map(|story| story.group.len()).max().unwrap_or(0);
    let stories: String = told
        .iter()
        .map(|story| format!("  {:width$}  {}\n", story.group, story.look_at))
        .collect();
    let text = format!(
        "A simulated Kafka cluster of three brokers, and tidemark on it:\n\n\
         \x20 page     http://{address}/\n\
         \x20 metrics  http://{address}/metrics\n\
         \x20 JSON     http://{address}/api/v1/clusters/main/groups\n\n\
         Its groups, and what to look at:\n\n{stories}\n\
         Statuses show after some twenty seconds, once a group has been watched. Ctrl-C ends it.\n"
    );
    super::write(out, &text)?;
    out.flush().map_err(CliError::Output)
}
