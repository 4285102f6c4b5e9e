//! Where the words go: what was asked for to stdout, all else to stderr.

use std::fs::File;
use std::io;
use std::io::IsTerminal as _;
use std::io::Read as _;
use std::io::Write;
use std::path::Path;

use jiff::tz::TimeZone;

use super::super::CliError;
use super::super::ExitStatus;
use super::progress::Shown;
use super::way::Stop;

/// Stdout and stderr, and what is known of whoever reads them.
pub(in crate::cli) struct Console<'a> {
    out: &'a mut dyn Write,
    err: Box<dyn Write + 'a>,
    /// Whether a person reads stderr.
    watched: bool,
    progress: Shown,
    zone: TimeZone,
}

impl<'a> Console<'a> {
    /// This process's stderr beside that stdout.
    pub(in crate::cli) fn of_process(out: &'a mut dyn Write) -> Self {
        let err = io::stderr();
        let watched = err.is_terminal();
        Self::new(out, Box::new(err), watched, TimeZone::system())
    }

    pub(in crate::cli) fn new(out: &'a mut dyn Write, err: Box<dyn Write + 'a>, watched: bool, zone: TimeZone) -> Self {
        let progress = if watched { Shown::Line } else { Shown::Nothing };
        Self {
            out,
            err,
            watched,
            progress,
            zone,
        }
    }

    /// With `-v` progress is told in whole lines, between those of the log.
    pub(in crate::cli) fn verbose(mut self, verbose: u8) -> Self {
        if verbose > 0 {
            self.progress = Shown::Lines;
        }
        self
    }

    /// How progress is shown.
    pub(super) fn progress(&self) -> Shown {
        self.progress
    }

    /// Writes over the line that the cursor is in, and leaves it there. A terminal that is gone is no reason to stop.
    pub(super) fn draw(&mut self, line: &str) {
        let _ = write!(self.err, "\r\x1b[K{line}").and_then(|()| self.err.flush());
    }

    /// Local time.
    pub(super) fn zone(&self) -> &TimeZone {
        &self.zone
    }

    /// What was asked for, and the other form of it for a person at a terminal.
    pub(super) fn print(&mut self, wanted: &str, other: &str) -> Result<(), CliError> {
        if self.watched {
            self.err.write_all(other.as_bytes()).map_err(CliError::Output)?;
        }
        self.write(wanted)
    }

    /// What was asked for.
    pub(in crate::cli) fn write(&mut self, wanted: &str) -> Result<(), CliError> {
        self.out
            .write_all(wanted.as_bytes())
            .and_then(|()| self.out.flush())
            .map_err(CliError::Output)
    }

    /// One line for a person.
    pub(super) fn say(&mut self, line: &str) -> Result<(), CliError> {
        writeln!(self.err, "tidemark: {}", harmless(line)).map_err(CliError::Output)
    }

    pub(in crate::cli) fn usage(&mut self, problem: &str) -> Result<ExitStatus, CliError> {
        self.say(problem).map(|()| ExitStatus::Usage)
    }

    pub(in crate::cli) fn failed(&mut self, problem: &str) -> Result<ExitStatus, CliError> {
        self.say(problem).map(|()| ExitStatus::Failed)
    }

    pub(in crate::cli) fn refused(&mut self, word: &str, message: &str) -> Result<ExitStatus, CliError> {
        self.say(&format!("refused: {word}: {message}"))
            .map(|()| ExitStatus::Refused)
    }

    pub(super) fn stopped(&mut self, stop: &Stop) -> Result<ExitStatus, CliError> {
        match stop {
            Stop::Refused { word, message } => self.refused(word, message),
            Stop::Failed(_) | Stop::Broken(_) => self.failed(&stop.to_string()),
        }
    }
}

/// Words that may hold what somebody else chose, a group's name or an endpoint's answer: nothing in them moves the cursor.
fn harmless(line: &str) -> String {
    let shown = |letter: char| match letter {
        '\n' => "\n".to_owned(),
        letter if letter.is_control() => letter.escape_default().to_string(),
        letter => letter.to_string(),
    };
    line.chars().map(shown).collect()
}

/// A file of limited size.
pub(super) fn read_file(path: &Path, limit: u64) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    let read = File::open(path).and_then(|file| file.take(limit + 1).read_to_end(&mut bytes));
    match read {
        Err(error) => Err(format!("{}: {error}", path.display())),
        Ok(_) if bytes.len() as u64 > limit => Err(format!("{}: longer than {limit} bytes", path.display())),
        Ok(_) => Ok(bytes),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_said_moves_no_cursor_and_keeps_its_lines() {
        let (mut out, mut err) = (Vec::new(), Vec::new());
        let mut console = Console::new(&mut out, Box::new(&mut err), true, TimeZone::UTC);
        console
            .refused("unknown_group", "a\u{1b}[2J\rb\n  c消")
            .expect("written");
        drop(console);
        let said = String::from_utf8(err).expect("text");
        assert_eq!(said, "tidemark: refused: unknown_group: a\\u{1b}[2J\\rb\n  c消\n");
    }
}
