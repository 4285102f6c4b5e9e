//! `reset plan` and `reset execute`: the same guards as the endpoint's, straight on Kafka with the credentials of whoever runs them, or
//! through an endpoint. What a program reads goes to stdout, what a person reads to stderr.

mod ask;
mod caller;
mod console;
mod endpoint;
mod progress;
mod show;
mod undo_file;
mod way;

#[cfg(test)]
mod tests;

pub(super) use console::Console;
pub(super) use way::Stop;
pub(super) use way::Way;

use std::future::Future;
use std::time::Duration;

use tokio::signal::unix::Signal;
use tokio::signal::unix::SignalKind;
use tokio::signal::unix::signal;
use tokio::time::Instant;

use super::CliError;
use super::Context;
use super::ExecuteArgs;
use super::ExitStatus;
use super::Output;
use super::PlanArgs;
use super::ResetCommand;
use crate::model::GroupId;
use crate::reset;
use crate::reset::Executed;
use crate::reset::Order;
use crate::reset::Planned;
use crate::reset::engine::Place;

use progress::Progress;
use undo_file::UndoFile;

/// The largest plan file that is read.
const PLAN_LIMIT: u64 = 64 << 20;
/// How often a group that is waited for is looked at.
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// The same through an endpoint, which has others to answer.
const TRY_EVERY: Duration = Duration::from_secs(5);

/// `reset`
pub(super) fn run(command: &ResetCommand, mut context: Context<'_>) -> Result<ExitStatus, CliError> {
    let runtime = super::runtime()?;
    let ended = runtime.block_on(typed(command, &mut context));
    // A disk or a name server that hangs was given up, and holds up nobody.
    runtime.shutdown_background();
    ended
}

async fn typed(command: &ResetCommand, context: &mut Context<'_>) -> Result<ExitStatus, CliError> {
    let verbose = context.args.verbose;
    match command {
        ResetCommand::Plan(args) => {
            let found = way::to(&args.endpoint, None, &args.cluster, context)?;
            let mut console = Console::of_process(context.out).verbose(verbose);
            let (way, cluster) = match found {
                Ok(found) => found,
                Err(problem) => return console.usage(&problem),
            };
            let at = Place {
                cluster,
                group: args.group.clone(),
            };
            Box::pin(plan(args, &at, &way, &mut console)).await
        }
        ResetCommand::Execute(args) => {
            let planned = match read_plan(args) {
                Ok(planned) => planned,
                Err(problem) => return Console::of_process(context.out).usage(&problem),
            };
            let found = way::to(&args.endpoint, Some(&planned.plan.cluster), &args.cluster, context)?;
            let mut console = Console::of_process(context.out).verbose(verbose);
            let (way, cluster) = match found {
                Ok(found) => found,
                Err(problem) => return console.usage(&problem),
            };
            let at = Place {
                cluster,
                group: GroupId::from(planned.plan.group.as_str()),
            };
            Box::pin(execute(args, planned, &at, &way, &mut console)).await
        }
    }
}

/// Plans, and prints the plan.
async fn plan<A: reset::Access>(
    args: &PlanArgs,
    at: &Place,
    way: &Way<A>,
    console: &mut Console<'_>,
) -> Result<ExitStatus, CliError> {
    let asked = match ask::asked(args) {
        Ok(asked) => asked,
        Err(ask::Problem::Usage(problem)) => return console.usage(&problem),
        Err(ask::Problem::Input(problem)) => return console.refused("invalid_request", &problem),
    };
    let progress = way.progress(console.progress());
    let planned = match shown(way.plan(at, asked.clone()), progress, console).await {
        Ok(planned) => planned,
        Err(stop) => return console.stopped(&stop),
    };
    let table = show::plan(&planned, &asked, console.zone());
    let json = pretty(&planned);
    match args.output {
        Output::Json => console.print(&json, &table)?,
        Output::Table => console.print(&table, &json)?,
    }
    Ok(ExitStatus::Done)
}

/// Waits if that was asked for, executes, and prints what became of it.
async fn execute<A: reset::Access>(
    args: &ExecuteArgs,
    planned: Planned,
    at: &Place,
    way: &Way<A>,
    console: &mut Console<'_>,
) -> Result<ExitStatus, CliError> {
    let undo = match UndoFile::write(&args.plan, &planned.plan) {
        Ok(undo) => undo,
        Err(problem) => return console.failed(&problem),
    };
    let mut order = planned.confirmed(String::new());
    // A name that is not UTF-8 is no group's that a plan can be for.
    order.confirm = args.confirm.utf8().map(str::to_owned);
    match when_empty(args.wait, at, way, &order, console).await {
        Ok(executed) => {
            done(&executed, &undo, console)?;
            Ok(ExitStatus::Done)
        }
        Err(Stop::Failed(executed)) => {
            done(&executed, &undo, console)?;
            console.stopped(&Stop::Failed(executed))
        }
        Err(stop) => {
            if matches!(stop, Stop::Refused { .. }) {
                undo.take_back();
            }
            console.stopped(&stop)
        }
    }
}

fn done(executed: &Executed, undo: &UndoFile, console: &mut Console<'_>) -> Result<(), CliError> {
    console.print(&pretty(executed), &show::results(executed))?;
    for warning in show::notes(executed) {
        console.say(&warning)?;
    }
    console.say(&format!("the way back is in {}", undo.path().display()))
}

/// Executes as soon as the group is empty, or at once when no waiting was asked for. Whoever interrupts the waiting ends it.
async fn when_empty<A: reset::Access>(
    wait: Option<Duration>,
    at: &Place,
    way: &Way<A>,
    order: &Order,
    console: &mut Console<'_>,
) -> Result<Executed, Stop> {
    let until = wait.map(|wait| Instant::now() + wait);
    let mut signals = Signals::new();
    let mut told = String::new();
    loop {
        // A look records nothing: the attempt is made, and recorded, when there is nobody left, or no time.
        let in_the_way = match until {
            Some(until) if Instant::now() < until => way.look(at).await,
            _ => None,
        };
        let ended = match in_the_way {
            Some(stop) => Err(stop),
            None => {
                let progress = way.progress(console.progress());
                finished(way.execute(at, order.clone()), progress, &mut signals, console).await
            }
        };
        match (ended, until) {
            (Err(stop), Some(until)) if stop.may_pass() && Instant::now() < until => {
                let message = stop.to_string();
                if message != told {
                    // A terminal that is gone is no reason to stop.
                    let _ = console.say(&format!("waiting: {message}"));
                    told = message;
                }
                let every = if way.is_endpoint() { TRY_EVERY } else { LOOK_EVERY };
                tokio::select! {
                    () = tokio::time::sleep_until((Instant::now() + every).min(until)) => {}
                    () = signals.next() => return Err(stop),
                }
            }
            (ended, _) => return ended,
        }
    }
}

/// Work whose progress is shown. Whoever interrupts it ends it.
async fn shown<T>(work: impl Future<Output = T>, mut progress: Progress, console: &mut Console<'_>) -> T {
    let mut work = std::pin::pin!(work);
    loop {
        tokio::select! {
            ended = &mut work => {
                progress.clear(console);
                return ended;
            }
            () = progress.changed() => progress.draw(console),
        }
    }
}

/// One attempt. Whoever interrupts it is told that it is finished first: half a reset is worse than a late one.
async fn finished<T>(
    work: impl Future<Output = T>,
    mut progress: Progress,
    signals: &mut Signals,
    console: &mut Console<'_>,
) -> T {
    let mut work = std::pin::pin!(work);
    loop {
        tokio::select! {
            ended = &mut work => {
                progress.clear(console);
                return ended;
            }
            () = progress.changed() => progress.draw(console),
            () = signals.next() => {
                progress.clear(console);
                let _ = console.say("finishing what has begun: it takes no longer than a few requests to Kafka");
            }
        }
    }
}

/// SIGINT and SIGTERM; neither ends the process by itself once this is there.
struct Signals([Option<Signal>; 2]);

impl Signals {
    fn new() -> Self {
        Self([SignalKind::interrupt(), SignalKind::terminate()].map(|kind| signal(kind).ok()))
    }

    /// Returns when one of them comes.
    async fn next(&mut self) {
        async fn of(signal: &mut Option<Signal>) {
            let came = match signal {
                Some(signal) => signal.recv().await,
                None => None,
            };
            if came.is_none() {
                std::future::pending::<()>().await;
            }
        }
        let [interrupt, terminate] = &mut self.0;
        tokio::select! {
            () = of(interrupt) => {}
            () = of(terminate) => {}
        }
    }
}

/// The plan in a file.
fn read_plan(args: &ExecuteArgs) -> Result<Planned, String> {
    let file = args.plan.display();
    let bytes = console::read_file(&args.plan, PLAN_LIMIT)?;
    serde_json::from_slice(&bytes).map_err(|error| format!("{file} is no plan as `reset plan` prints it: {error}"))
}

fn pretty<T: serde::Serialize>(document: &T) -> String {
    let mut text = serde_json::to_string_pretty(document).expect("documents have text keys and finite numbers");
    text.push('\n');
    text
}
