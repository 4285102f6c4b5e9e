//! `completions` and `man`: what packages ship beside the binary, made from the command line itself.

use std::io::Write;
use std::path::PathBuf;

use clap::Args;
use clap::Command;
use clap::CommandFactory as _;

use super::Cli;
use super::CliError;
use super::Context;
use super::ExitStatus;
use super::write;

/// `completions`
#[derive(Clone, Copy, Debug, Args)]
#[command(after_help = "\
Example:
  tidemark completions bash > /etc/bash_completion.d/tidemark")]
pub struct CompletionsArgs {
    /// For which shell
    #[arg(value_enum)]
    pub shell: clap_complete::Shell,
}

/// `man`
#[derive(Clone, Debug, Args)]
#[command(after_help = "\
Examples:
  tidemark man | man -l -
  tidemark man --all /usr/local/share/man/man1")]
pub struct ManArgs {
    /// One page for each command as well, as files in this folder
    #[arg(long, value_name = "FOLDER")]
    pub all: Option<PathBuf>,
}

/// `completions`
pub(super) fn completions(args: CompletionsArgs, context: &mut Context<'_>) -> Result<ExitStatus, CliError> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut command(), "tidemark", &mut script);
    print(&script, context.out)
}

/// `man`
pub(super) fn man(args: &ManArgs, context: &mut Context<'_>) -> Result<ExitStatus, CliError> {
    if let Some(folder) = &args.all {
        clap_mangen::generate_to(command(), folder).map_err(CliError::Manual)?;
        return Ok(ExitStatus::Done);
    }
    let mut page = Vec::new();
    clap_mangen::Man::new(command())
        .render(&mut page)
        .map_err(CliError::Output)?;
    print(&page, context.out)
}

/// The command line as it is, but for `help`, which has no page of its own.
fn command() -> Command {
    Cli::command().disable_help_subcommand(true)
}

fn print(made: &[u8], out: &mut dyn Write) -> Result<ExitStatus, CliError> {
    write(out, &String::from_utf8_lossy(made))
}

#[cfg(test)]
mod tests {
    use crate::cli::run;

    fn ran(arguments: &[&str]) -> String {
        let mut out = Vec::new();
        let arguments = ["tidemark"].iter().chain(arguments).map(Into::into);
        run(arguments, Vec::new(), &mut out).expect("done");
        String::from_utf8(out).expect("UTF-8")
    }

    #[test]
    fn every_shell_completes_every_command() {
        for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
            let script = ran(&["completions", shell]);
            for command in ["serve", "check-config", "reset", "completions"] {
                assert!(script.contains(command), "{shell}: {command}");
            }
        }
    }

    #[test]
    fn the_page_names_every_command_and_each_has_a_page_of_its_own() {
        let page = ran(&["man"]);
        assert!(
            page.contains(".TH tidemark 1") && page.contains("tidemark\\-check\\-config(1)"),
            "{page}"
        );
        let folder = tempfile::tempdir().expect("a folder");
        ran(&["man", "--all", folder.path().to_str().expect("UTF-8")]);
        for file in ["tidemark.1", "tidemark-serve.1", "tidemark-reset-plan.1"] {
            assert!(folder.path().join(file).is_file(), "{file}");
        }
    }
}
