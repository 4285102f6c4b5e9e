//! When the configuration is read anew: on SIGHUP, when one of its files has another content, and after a failure now and then.

mod look;

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use tokio::signal::unix::Signal;
use tokio::signal::unix::SignalKind;
use tokio::signal::unix::signal;
use tokio::time::Instant;

use crate::config::Config;
use crate::config::ConfigErrors;
use crate::config::Flag;
use crate::config::Loaded;
use crate::config::Log;
use crate::config::Problem;
use crate::config::Source;
use crate::config::load;

use super::AppError;

use look::Look;

/// How often the files are looked at. They are read, not only asked for their dates: names that lead elsewhere than before, as those of a
/// mounted ConfigMap, have the dates of the files they lead to.
const LOOK_EVERY: Duration = Duration::from_secs(2);
/// What was wrong may be a file that the configuration only names.
const RETRY_EVERY: Duration = Duration::from_secs(60);

/// Where the configuration came from, to be read again.
#[derive(Clone, Debug)]
pub struct Origin {
    /// The file, or what stands for it.
    pub source: Source,
    /// The flags of the command line.
    pub flags: Vec<Flag>,
    /// The environment at the start: that of a running process does not change.
    pub environment: Vec<(OsString, OsString)>,
}

/// Waits until the configuration is to be read anew.
pub(super) struct Reload {
    origin: Origin,
    /// Told when the log is wanted otherwise.
    log: Box<dyn Fn(Log) + Send>,
    hangup: Signal,
    /// The files as they were when they were last read.
    read: Look,
    /// What was seen last, when that is something else: it counts when it is seen twice, as a file may be half written.
    seen: Option<Look>,
    /// When to try again, and what was wrong.
    failed: Option<(Instant, String)>,
}

impl Reload {
    /// SIGHUP is caught from here on.
    ///
    /// # Errors
    ///
    /// When the system does not let it be caught.
    pub(super) fn new(origin: Origin, config: &Config, log: Box<dyn Fn(Log) + Send>) -> Result<Self, AppError> {
        let read = Look::at(files(&origin, config));
        Ok(Self {
            origin,
            log,
            hangup: signal(SignalKind::hangup()).map_err(AppError::Signals)?,
            read,
            seen: None,
            failed: None,
        })
    }

    /// Returns when it is time. Nothing is lost when it is dropped.
    pub(super) async fn due(&mut self) {
        loop {
            tokio::select! {
                _ = self.hangup.recv() => {
                    tracing::info!(signal = "SIGHUP", "reading the configuration anew");
                    self.failed = None;
                    return;
                }
                () = tokio::time::sleep(LOOK_EVERY) => {}
            }
            if self.failed.as_ref().is_some_and(|(again, _)| Instant::now() >= *again) || self.has_changed().await {
                return;
            }
        }
    }

    async fn has_changed(&mut self) -> bool {
        let now = look(self.read.files()).await;
        if now == self.read {
            self.seen = None;
            return false;
        }
        if self.seen.as_ref() == Some(&now) {
            tracing::info!(files = ?now.other_than(&self.read), "reading the configuration anew: files have changed");
            self.failed = None;
            return true;
        }
        self.seen = Some(now);
        false
    }

    /// Reads the configuration. What changes from now on is seen by a later [`Reload::due`].
    ///
    /// # Errors
    ///
    /// Everything that is wrong with it.
    pub(super) async fn load(&mut self) -> Result<Loaded, ConfigErrors> {
        self.seen = None;
        self.read = look(self.read.files()).await;
        let origin = self.origin.clone();
        let loading = tokio::task::spawn_blocking(move || origin.load());
        let loaded = loading.await.expect("reading a configuration does not panic")?;
        let files = files(&self.origin, &loaded.config);
        let new = look(files.iter().filter(|file| !self.read.has(file)).cloned().collect()).await;
        self.read = std::mem::take(&mut self.read).join(new).only(&files);
        Ok(loaded)
    }

    /// What was loaded is in force.
    pub(super) fn taken(&mut self, config: &Config) {
        self.failed = None;
        (self.log)(config.log);
    }

    /// It is not; true when this was not known.
    pub(super) fn refused(&mut self, why: &str) -> bool {
        let known = self.failed.take().is_some_and(|(_, before)| before == why);
        self.failed = Some((Instant::now() + RETRY_EVERY, why.to_owned()));
        !known
    }
}

impl Origin {
    fn load(&self) -> Result<Loaded, ConfigErrors> {
        match &self.source {
            // Whoever opens a pipe a second time waits for somebody who writes into it.
            Source::File(path) if path.exists() && !path.is_file() => Err(ConfigErrors {
                of: path.display().to_string(),
                problems: vec![Problem {
                    key: String::new(),
                    origin: None,
                    what: "cannot be read a second time: it is no regular file".to_owned(),
                }],
            }),
            source => load(source, &self.flags, self.environment.clone()),
        }
    }
}

async fn look(files: Vec<PathBuf>) -> Look {
    let looking = tokio::task::spawn_blocking(|| Look::at(files));
    looking.await.expect("looking at files does not panic")
}

/// The files whose content matters to what runs. Those that are read anew whenever they are needed are not among them.
fn files(origin: &Origin, config: &Config) -> Vec<PathBuf> {
    let mut files = Vec::new();
    if let Source::File(path) = &origin.source {
        files.push(path.clone());
    }
    if let Some(tls) = config.admin.as_ref().and_then(|admin| admin.tls.as_ref()) {
        files.extend([tls.cert_file.clone(), tls.key_file.clone()]);
        files.extend(tls.client_ca_file.clone());
    }
    if let Some(web) = &config.web {
        files.push(web.file.clone());
        let tls = web.tls.iter();
        files.extend(tls.flat_map(|tls| {
            let pair = [tls.cert_file.clone(), tls.key_file.clone()];
            pair.into_iter().chain(tls.client_ca_file.clone())
        }));
    }
    files
}
