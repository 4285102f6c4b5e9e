//! What the configuration adds to the page.

use std::sync::Arc;
use std::time::Duration;

use crate::config::Admin;
use crate::config::Config;

/// A page is asked for again no more often than this, and no more seldom than [`SELDOM`].
const OFTEN: Duration = Duration::from_secs(1);
/// See [`OFTEN`].
const SELDOM: Duration = Duration::from_secs(60);

/// What the configuration adds to the page.
#[derive(Clone, Debug)]
pub struct PageSettings {
    /// A snapshot older than this is called stale.
    pub max_staleness: Duration,
    /// How often the page asks whether there is something new.
    pub refresh: Duration,
    /// The admin listener, for the command that plans a reset; absent where there is none.
    pub admin: Option<Arc<Admin>>,
}

impl PageSettings {
    /// What a configuration says.
    pub fn of(config: &Config) -> Self {
        Self {
            max_staleness: config.max_staleness,
            refresh: config.poll_interval.clamp(OFTEN, SELDOM),
            admin: config.admin.clone().map(Arc::new),
        }
    }
}

impl Default for PageSettings {
    /// What the configuration's own defaults make of it.
    fn default() -> Self {
        Self {
            max_staleness: Duration::from_secs(45),
            refresh: Duration::from_secs(15),
            admin: None,
        }
    }
}
