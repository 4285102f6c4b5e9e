//! `top`: the groups live in the terminal, the worst first; as lines where there is no terminal.

mod command;
mod cursor;
#[cfg(test)]
mod fixture;
mod order;
mod picture;
mod plain;
mod rows;
mod screen;
mod sheet;
mod source;
mod state;
mod view;
mod words;

use std::io;
use std::io::IsTerminal as _;
use std::io::Write;
use std::time::Duration;

use tokio::runtime::Runtime;

use super::CliError;
use super::Context;
use super::ExitStatus;
use super::TopArgs;
use super::Usage;
use super::http_client::Address;
use super::logging;
use crate::app;
use crate::config;
use crate::report::printable;

use command::PlanCommand;
use picture::Picture;
use source::Kafka;
use source::Remote;
use source::Source;
use state::State;

/// How it is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// On a screen of its own.
    Screen,
    /// As lines, one refresh after the other.
    Lines,
    /// As lines, one refresh.
    Once,
}

/// `top`
pub(super) fn run(args: &TopArgs, mut context: Context<'_>) -> Result<ExitStatus, CliError> {
    let form = match (args.once, io::stdout().is_terminal()) {
        (true, _) => Form::Once,
        (false, true) => Form::Screen,
        (false, false) => Form::Lines,
    };
    let runtime = super::runtime()?;
    let ended = start(args, form, &runtime, &mut context).and_then(|(source, origin)| match form {
        Form::Screen => {
            let state = State::new(origin, PlanCommand::new(&context.args));
            screen::run(&runtime, source, state, args.every)
        }
        Form::Lines | Form::Once => runtime.block_on(lines(source, form, args.every, context.out)),
    });
    // A name that is being resolved, or a broker that hangs, holds up nobody.
    runtime.shutdown_background();
    ended
}

/// The source, and its name to be shown.
fn start(
    args: &TopArgs,
    form: Form,
    runtime: &Runtime,
    context: &mut Context<'_>,
) -> Result<(Source, String), CliError> {
    if let Some(url) = &args.url {
        if context.args.config.is_some() || context.args.brokers.is_some() {
            return Err(Usage::TwoSources.into());
        }
        let address = Address::parse(url).ok_or_else(|| Usage::Url { url: url.clone() })?;
        let remote = Remote::new(address, args.cluster.cluster.clone());
        return Ok((Source::Tidemark(Box::new(remote)), url.clone()));
    }
    let loaded = config::load(&context.args.source(), &[], std::mem::take(&mut context.environment))?;
    // On the screen a line of the log would be dirt.
    if form != Form::Screen || !io::stderr().is_terminal() {
        logging::init(loaded.config.log, context.args.verbose);
    }
    for warning in &loaded.warnings {
        eprintln!("tidemark: doubtful configuration: {warning}");
    }
    let clusters: Vec<_> = args.cluster.some(&loaded.config)?.into_iter().cloned().collect();
    let names: Vec<&str> = clusters.iter().map(|cluster| &*cluster.name).collect();
    let origin = format!("Kafka ({})", names.join(", "));
    let _inside = runtime.enter();
    let kafka = Kafka::start(loaded.config, &clusters, args.every);
    Ok((Source::Kafka(Box::new(kafka)), origin))
}

/// Writes refreshes until told to stop, or until nobody reads them.
async fn lines(mut source: Source, form: Form, every: Duration, out: &mut dyn Write) -> Result<ExitStatus, CliError> {
    let stop = app::terminated()?;
    let refreshes = async {
        source.first().await?;
        loop {
            let status = refresh(&mut source, out).await?;
            if form == Form::Once {
                return Ok(status);
            }
            tokio::time::sleep(every).await;
            write(out, "\n")?;
        }
    };
    let ended = tokio::select! {
        ended = refreshes => ended,
        () = stop => Ok(ExitStatus::Done),
    };
    match ended {
        // Whoever closed the pipe has seen enough.
        Err(CliError::Output(error)) if error.kind() == io::ErrorKind::BrokenPipe => Ok(ExitStatus::Done),
        ended => ended,
    }
}

/// Writes what is known now. Failed where a cluster could not be read, of which the lines tell, or the source, of which stderr does.
async fn refresh(source: &mut Source, out: &mut dyn Write) -> Result<ExitStatus, CliError> {
    match source.read(None).await {
        Ok(picture) => {
            write(out, &plain::text(&picture))?;
            Ok(verdict(&picture))
        }
        Err(problem) => {
            eprintln!("tidemark: {}", printable(&problem));
            Ok(ExitStatus::Failed)
        }
    }
}

fn write(out: &mut dyn Write, text: &str) -> Result<(), CliError> {
    out.write_all(text.as_bytes())
        .and_then(|()| out.flush())
        .map_err(CliError::Output)
}

fn verdict(picture: &Picture) -> ExitStatus {
    match words::troubles(&picture.clusters).as_slice() {
        [] => ExitStatus::Done,
        _ => ExitStatus::Failed,
    }
}

#[cfg(test)]
mod tests;
