//! The log: to stderr, as text or as JSON lines.

use std::io;
use std::io::IsTerminal as _;

use tracing::level_filters::LevelFilter;
use tracing_subscriber::Registry;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::reload;
use tracing_subscriber::reload::Handle;
use tracing_subscriber::util::SubscriberInitExt as _;

use crate::config::Log;
use crate::config::LogFormat;
use crate::config::LogLevel;

/// How much is logged, to be changed.
pub(super) struct Level {
    /// `None` in a process whose log somebody else began.
    filter: Option<Handle<Targets, Registry>>,
    verbose: u8,
}

impl Level {
    /// Logs as much as this says from now on; the form stays.
    pub(super) fn follow(&self, log: Log) {
        if let Some(handle) = &self.filter {
            // Fails only when the log is gone, and then nobody can be told.
            let _ = handle.reload(filter(log.level, self.verbose));
        }
    }
}

/// Starts the log. `verbose` raises the level: 1 to debug, 2 to trace. Only the first call in a process counts.
pub(super) fn init(log: Log, verbose: u8) -> Level {
    let (filter, handle) = reload::Layer::new(filter(log.level, verbose));
    let lines = tracing_subscriber::fmt::layer()
        .with_writer(io::stderr)
        .with_ansi(io::stderr().is_terminal());
    let started = match log.format {
        LogFormat::Text => tracing_subscriber::registry().with(filter).with(lines).try_init(),
        LogFormat::Json => tracing_subscriber::registry()
            .with(filter)
            .with(lines.json())
            .try_init(),
    };
    // Two commands in one process happen in tests alone: they share the first one's log.
    Level {
        filter: started.is_ok().then_some(handle),
        verbose,
    }
}

/// Libraries speak up only about what may need somebody, unless everything is wanted.
fn filter(level: LogLevel, verbose: u8) -> Targets {
    let own = match level {
        LogLevel::Error => LevelFilter::ERROR,
        LogLevel::Warn => LevelFilter::WARN,
        LogLevel::Info => LevelFilter::INFO,
        LogLevel::Debug => LevelFilter::DEBUG,
        LogLevel::Trace => LevelFilter::TRACE,
    };
    let own = match verbose {
        0 => own,
        1 => own.max(LevelFilter::DEBUG),
        _ => LevelFilter::TRACE,
    };
    let others = if own == LevelFilter::TRACE {
        own
    } else {
        own.min(LevelFilter::WARN)
    };
    Targets::new().with_default(others).with_target("tidemark", own)
}

#[cfg(test)]
mod tests {
    use tracing::Level;

    use super::*;

    #[test]
    fn libraries_are_quiet_until_everything_is_wanted() {
        let usual = filter(LogLevel::Info, 0);
        assert!(usual.would_enable("tidemark::collect", &Level::INFO));
        assert!(!usual.would_enable("tidemark::collect", &Level::DEBUG));
        assert!(usual.would_enable("hyper::proto", &Level::WARN) && !usual.would_enable("hyper::proto", &Level::INFO));
        assert!(filter(LogLevel::Trace, 0).would_enable("hyper::proto", &Level::TRACE));
    }

    #[test]
    fn the_flag_raises_the_level_and_never_lowers_it() {
        let debug = filter(LogLevel::Warn, 1);
        assert!(debug.would_enable("tidemark", &Level::DEBUG) && !debug.would_enable("tidemark", &Level::TRACE));
        assert!(filter(LogLevel::Trace, 1).would_enable("tidemark", &Level::TRACE));
        assert!(filter(LogLevel::Error, 3).would_enable("tidemark", &Level::TRACE));
        assert!(!filter(LogLevel::Error, 0).would_enable("hyper", &Level::WARN));
    }
}
