//! How a command ends.

use std::io;
use std::process::ExitCode;

use thiserror::Error;

use crate::app::AppError;
use crate::config::ConfigErrors;
use crate::sim::story::StoryError;

/// The exit statuses that scripts rely on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExitStatus {
    /// 0: done.
    Done,
    /// 1: failed, or partly failed.
    Failed,
    /// 2: refused, and nothing was changed.
    Refused,
    /// 64: wrong usage or configuration (`EX_USAGE`).
    Usage,
}

impl ExitStatus {
    /// The number.
    pub const fn code(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::Failed => 1,
            Self::Refused => 2,
            Self::Usage => 64,
        }
    }
}

impl From<ExitStatus> for ExitCode {
    fn from(status: ExitStatus) -> Self {
        status.code().into()
    }
}

/// Why a command could not be done.
#[derive(Debug, Error)]
pub enum CliError {
    /// There is no configuration.
    #[error(transparent)]
    Config(#[from] ConfigErrors),
    /// The arguments do not fit the configuration.
    #[error(transparent)]
    Usage(#[from] super::Usage),
    /// The system gave no threads or no I/O.
    #[error("cannot start the runtime")]
    Runtime(#[source] io::Error),
    /// What was asked for could not be written.
    #[error("cannot write to stdout")]
    Output(#[source] io::Error),
    /// The manual pages could not be written.
    #[error("cannot write the manual pages")]
    Manual(#[source] io::Error),
    /// `demo` with `--config` or `--brokers`.
    #[error("demo brings its own cluster: leave out --config and --brokers, or use serve")]
    DemoBringsItsOwn,
    /// The simulated cluster could not be started.
    #[error(transparent)]
    Story(#[from] StoryError),
    /// The terminal cannot be used.
    #[error("cannot use the terminal")]
    Terminal(#[source] io::Error),
    /// The exporter failed.
    #[error(transparent)]
    App(#[from] AppError),
}

impl CliError {
    /// How the process ends.
    pub fn status(&self) -> ExitStatus {
        match self {
            Self::Config(_) | Self::Usage(_) | Self::DemoBringsItsOwn | Self::Story(StoryError::Unknown { .. }) => {
                ExitStatus::Usage
            }
            Self::Runtime(_)
            | Self::Output(_)
            | Self::Manual(_)
            | Self::Terminal(_)
            | Self::App(_)
            | Self::Story(_) => ExitStatus::Failed,
        }
    }
}
