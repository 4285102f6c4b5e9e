//! All that another configuration changes while the process runs.

use std::sync::Arc;

use tokio::sync::watch;

use crate::clock::Clock;
use crate::config::Config;
use crate::config::ConfigErrors;
use crate::http::Gate;
use crate::http::PageSettings;
use crate::http::State;
use crate::http::Tls;
use crate::metrics::Exposition;
use crate::metrics::Reloads;
use crate::metrics::ResetCounters;

use super::AppError;
use super::admin;
use super::admin::AdminParts;
use super::effective::effective;
use super::fleet::Fleet;
use super::reload::Reload;

/// The parts, and the configuration that is in force.
pub(super) struct Live {
    pub(super) config: Arc<Config>,
    pub(super) clock: Clock,
    pub(super) fleet: Fleet,
    /// What the scrape listener serves from; the listener looks at the latest.
    pub(super) state: watch::Sender<Arc<State>>,
    pub(super) web: WebParts,
    pub(super) resets: Option<ResetCounters>,
    pub(super) reloads: Reloads,
    /// There when there is an admin listener.
    pub(super) admin: Option<AdminParts>,
}

/// What a web configuration changes of the scrape listener, which looks at the latest.
pub(super) struct WebParts {
    /// For every connection.
    pub(super) tls: watch::Sender<Option<Tls>>,
    /// For every request.
    pub(super) gate: watch::Sender<Arc<Gate>>,
}

/// The scrape listener's certificates as they are now; `None` for plain HTTP.
pub(super) fn web_tls(config: &Config) -> Result<Option<Tls>, AppError> {
    let tls = config.web.as_ref().and_then(|web| web.tls.as_ref());
    tls.map(Tls::of).transpose().map_err(AppError::WebTls)
}

/// What the scrape listener serves from.
pub(super) fn state(
    config: &Config,
    fleet: &Fleet,
    clock: &Clock,
    (resets, reloads): (Option<&ResetCounters>, &Reloads),
) -> State {
    let exposition = Exposition::new(config.cluster_label.as_str().into(), resets.cloned()).with_reloads(reloads);
    State::new(fleet.feeds(), clock.clone(), exposition, fleet.objectives()).with_page(PageSettings::of(config))
}

impl Live {
    /// Reads the configuration anew. A wrong one changes nothing.
    pub(super) async fn reload(&mut self, reload: &mut Reload) {
        let loaded = match reload.load().await {
            Ok(loaded) => loaded,
            Err(errors) => return self.refused(reload, &Wrong::Config(errors)),
        };
        for warning in &loaded.warnings {
            tracing::warn!("doubtful configuration: {warning}");
        }
        match self.take(loaded.config) {
            Ok(waiting) => {
                for key in waiting {
                    tracing::warn!(key, "this change of the configuration waits for a restart");
                }
                reload.taken(&self.config);
                self.reloads.succeeded(self.clock.now().wall);
                tracing::info!(clusters = self.config.clusters.len(), "configuration taken");
            }
            Err(error) => self.refused(reload, &Wrong::App(error)),
        }
    }

    fn refused(&self, reload: &mut Reload, wrong: &Wrong) {
        self.reloads.failed();
        let lines = wrong.lines();
        if !reload.refused(&lines.join("\n")) {
            return;
        }
        for line in &lines {
            tracing::error!("wrong configuration: {line}");
        }
        tracing::error!(
            problems = lines.len(),
            "the new configuration is not taken; the one before stays in force"
        );
    }

    /// Everything or nothing. Gives back the keys that wait for a restart.
    fn take(&mut self, wanted: Config) -> Result<Vec<&'static str>, AppError> {
        let (config, waiting) = effective(&self.config, wanted);
        let admin_tls = admin::tls(&config)?;
        let tls = web_tls(&config)?;
        // From here on nothing can fail.
        let config = Arc::new(config);
        self.fleet.apply(config.clone());
        if let Some(counters) = &self.resets {
            counters.serve(config.clusters.iter().map(|cluster| cluster.name.clone()));
        }
        if let (Some(parts), Some(section)) = (&self.admin, &config.admin) {
            parts.replace(&config, section, self.fleet.told(), admin_tls);
        }
        self.web.tls.send_replace(tls);
        let gate = Gate::new(config.web.as_ref());
        self.web
            .gate
            .send_modify(|before| *before = Arc::new(gate.after(before)));
        let state = state(&config, &self.fleet, &self.clock, (self.resets.as_ref(), &self.reloads));
        self.state.send_modify(|before| *before = Arc::new(state.after(before)));
        self.config = config;
        Ok(waiting)
    }
}

/// Why a configuration is not taken.
enum Wrong {
    Config(ConfigErrors),
    App(AppError),
}

impl Wrong {
    fn lines(&self) -> Vec<String> {
        match self {
            Self::Config(errors) => {
                let of = &errors.of;
                let lines = errors.problems.iter().map(|problem| format!("{of}: {problem}"));
                lines.collect()
            }
            Self::App(error) => {
                let mut line = error.to_string();
                let mut cause = std::error::Error::source(error);
                while let Some(error) = cause {
                    line.push_str(&format!(": {error}"));
                    cause = error.source();
                }
                vec![line]
            }
        }
    }
}
