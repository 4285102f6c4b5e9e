//! The command line: what is typed becomes a command, a command an exit status. A command is one variant of `Command` and one line in
//! `Command::run`.

mod args;
mod check;
mod demo;
mod explain;
mod export;
mod gate;
mod http_client;
mod lag;
mod logging;
mod manual;
mod reset;
mod reset_args;
mod status;
#[cfg(test)]
mod tests;
mod top;

pub use args::CheckArgs;
pub use args::ClusterArgs;
pub use args::ConfigArgs;
pub use args::DemoArgs;
pub use args::ExplainArgs;
pub use args::LagArgs;
pub use args::Output;
pub use args::ServeArgs;
pub use args::TopArgs;
pub use args::Usage;
pub use args::duration;
pub use args::group;
pub use manual::CompletionsArgs;
pub use manual::ManArgs;
pub use reset_args::EndpointArgs;
pub use reset_args::ExecuteArgs;
pub use reset_args::ExportArgs;
pub use reset_args::PlanArgs;
pub use reset_args::ResetCommand;
pub use reset_args::Scope;
pub use reset_args::Target;
pub use reset_args::TopicArg;
pub use status::CliError;
pub use status::ExitStatus;

use std::ffi::OsString;
use std::io;
use std::io::Write;

use clap::CommandFactory as _;
use clap::Parser;
use clap::Subcommand;
use clap::error::ErrorKind;
use tokio::runtime::Runtime;

use crate::app;
use crate::app::Origin;
use crate::config::Config;
use crate::config::Flag;
use crate::config::load;

use logging::Level;

/// The lag of Apache Kafka consumer groups, as Prometheus metrics and on the terminal.
#[derive(Debug, Parser)]
#[command(
    name = "tidemark",
    version,
    after_help = "Exit status: 0 done, 1 failed, 2 refused, 64 usage or configuration."
)]
struct Cli {
    #[command(flatten)]
    config: ConfigArgs,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Run the exporter: poll the clusters and serve /metrics.
    Serve(ServeArgs),
    /// Run the exporter on a simulated cluster: no Kafka needed.
    Demo(DemoArgs),
    /// Poll once and print the lag of every group.
    Lag(LagArgs),
    /// Watch the groups live in the terminal, the worst first.
    Top(TopArgs),
    /// Move a group's committed offsets: plan, then execute.
    #[command(subcommand)]
    Reset(Box<ResetCommand>),
    /// Print a group's committed offsets as CSV.
    Export(ExportArgs),
    /// Tell by the exit status whether a group's lag is fine: 0 yes, 1 no or unknown.
    Check(CheckArgs),
    /// Say which rule holds for a group, the numbers it used, and what would have to change.
    Explain(ExplainArgs),
    /// Tell whether the configuration is right: all that is wrong with it at once.
    CheckConfig,
    /// Print the effective configuration with every default, secrets as ***.
    PrintConfig,
    /// Print what a shell needs to complete commands and options.
    Completions(CompletionsArgs),
    /// Print the manual page.
    Man(ManArgs),
}

/// What every command is run with.
struct Context<'a> {
    args: ConfigArgs,
    environment: Vec<(OsString, OsString)>,
    out: &'a mut dyn Write,
}

impl Command {
    fn run(self, mut context: Context<'_>) -> Result<ExitStatus, CliError> {
        match self {
            Self::Serve(args) => serve(&args, context),
            Self::Demo(args) => demo::run(&args, context),
            Self::Lag(args) => lag::run(&args, context),
            Self::Top(args) => top::run(&args, context),
            Self::Reset(command) => reset::run(&command, context),
            Self::Export(args) => export::run(&args, context),
            Self::Check(args) => gate::run(&args, context),
            Self::Explain(args) => explain::run(&args, context),
            Self::CheckConfig => check::config(context),
            Self::PrintConfig => check::print(context),
            Self::Completions(args) => manual::completions(args, &mut context),
            Self::Man(args) => manual::man(&args, &mut context),
        }
    }
}

/// Runs one command line. `arguments` begins with the program's own name; what was asked for goes to `out`, all else to stderr.
///
/// # Errors
///
/// What kept the command from being done; [`CliError::status`] is its exit status.
pub fn run(
    arguments: impl IntoIterator<Item = OsString>,
    environment: Vec<(OsString, OsString)>,
    out: &mut dyn Write,
) -> Result<ExitStatus, CliError> {
    let cli = match Cli::try_parse_from(arguments).and_then(one_source) {
        Ok(cli) => cli,
        Err(error) => return told(&error, out),
    };
    let context = Context {
        args: cli.config,
        environment,
        out,
    };
    cli.command.run(context)
}

/// `-c` and `--brokers` may be typed on either side of the command, where clap does not see that they exclude each other.
fn one_source(cli: Cli) -> Result<Cli, clap::Error> {
    match (&cli.config.config, &cli.config.brokers) {
        (Some(_), Some(_)) => Err(Cli::command().error(
            ErrorKind::ArgumentConflict,
            "the argument '--config <FILE>' cannot be used with '--brokers <HOST:PORT,...>'",
        )),
        _ => Ok(cli),
    }
}

/// Help and version are what was asked for; anything else is wrong usage.
fn told(error: &clap::Error, out: &mut dyn Write) -> Result<ExitStatus, CliError> {
    if error.use_stderr() {
        error.print().map_err(CliError::Output)?;
        return Ok(ExitStatus::Usage);
    }
    write!(out, "{}", error.render()).map_err(CliError::Output)?;
    Ok(ExitStatus::Done)
}

impl Context<'_> {
    /// The configuration, its warnings logged.
    fn load(&mut self, flags: &[Flag]) -> Result<Config, CliError> {
        Ok(self.load_to_follow(flags)?.0)
    }

    /// The same, with the level of the log for one that may change.
    fn load_to_follow(&mut self, flags: &[Flag]) -> Result<(Config, Level), CliError> {
        let loaded = load(&self.args.source(), flags, std::mem::take(&mut self.environment))?;
        let level = logging::init(loaded.config.log, self.args.verbose);
        for warning in &loaded.warnings {
            tracing::warn!("doubtful configuration: {warning}");
        }
        Ok((loaded.config, level))
    }
}

fn serve(args: &ServeArgs, mut context: Context<'_>) -> Result<ExitStatus, CliError> {
    let origin = Origin {
        source: context.args.source(),
        flags: args.flags(),
        environment: context.environment.clone(),
    };
    let (config, level) = context.load_to_follow(&origin.flags)?;
    let runtime = runtime()?;
    let served = runtime.block_on(app::serve(config, origin, move |log| level.follow(log)));
    // A name that is being resolved, or a broker that hangs, holds up nobody.
    runtime.shutdown_background();
    served?;
    Ok(ExitStatus::Done)
}

fn runtime() -> Result<Runtime, CliError> {
    tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(CliError::Runtime)
}

/// Writes what was asked for.
fn write(out: &mut dyn Write, text: &str) -> Result<ExitStatus, CliError> {
    match out.write_all(text.as_bytes()) {
        // Whoever closed the pipe has seen enough.
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(CliError::Output(error)),
        _ => Ok(ExitStatus::Done),
    }
}
