//! How reading the configuration anew went: a handle for whoever does it.

use prometheus::Gauge;
use prometheus::IntGauge;
use prometheus::Opts;
use prometheus::Registry;

use super::catalog::cluster::RELOAD_SUCCESS;
use super::catalog::cluster::RELOAD_SUCCESSFUL;
use super::catalog::families;
use crate::model::UnixMillis;

/// `tidemark_config_last_reload_successful` and `tidemark_config_last_reload_success_timestamp_seconds`. Clones set the same figures.
#[derive(Clone, Debug)]
pub struct Reloads {
    successful: IntGauge,
    success: Gauge,
}

impl Reloads {
    /// The configuration was read at this time, at the start of the process, and was good.
    ///
    /// # Panics
    ///
    /// Never: the names are valid.
    pub fn new(at: UnixMillis) -> Self {
        let reloads = Self {
            successful: IntGauge::with_opts(opts(RELOAD_SUCCESSFUL)).expect("the name is valid"),
            success: Gauge::with_opts(opts(RELOAD_SUCCESS)).expect("the name is valid"),
        };
        reloads.succeeded(at);
        reloads
    }

    /// It was read anew at this time, and is in force.
    #[expect(
        clippy::cast_precision_loss,
        reason = "exact for the next quarter of a million years"
    )]
    pub fn succeeded(&self, at: UnixMillis) {
        self.success.set(at.0 as f64 / 1000.0);
        self.successful.set(1);
    }

    /// It was read anew and was wrong: the one before is in force.
    pub fn failed(&self) {
        self.successful.set(0);
    }

    pub(super) fn register(&self, registry: &Registry) {
        for collector in [
            Box::new(self.successful.clone()) as Box<dyn prometheus::core::Collector>,
            Box::new(self.success.clone()),
        ] {
            registry.register(collector).expect("no name is taken");
        }
    }
}

fn opts(name: &str) -> Opts {
    let help = families()
        .find(|family| family.name == name)
        .map_or("", |family| family.help);
    Opts::new(name, help)
}
