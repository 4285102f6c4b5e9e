//! Kafka itself, polled in the background for as long as somebody looks.

use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;

use crate::app::AppError;
use crate::app::Following;
use crate::cli::top::picture;
use crate::cli::top::picture::Cluster;
use crate::cli::top::picture::Key;
use crate::cli::top::picture::Opened;
use crate::cli::top::picture::Picture;
use crate::clock::Clock;
use crate::config;
use crate::config::Config;
use crate::report;
use crate::report::Clusters;
use crate::report::Query;
use crate::snapshot::Snapshot;

/// The clusters of a configuration.
pub(in crate::cli::top) struct Kafka {
    following: Following,
    config: Config,
}

impl Kafka {
    /// Starts to poll these of the configuration's clusters. Has to be called within a tokio runtime.
    pub(in crate::cli::top) fn start(config: Config, clusters: &[Arc<config::Cluster>], every: Duration) -> Self {
        let config = paced(config, every);
        let following = Following::start(&config, clusters, &Clock::system());
        Self { following, config }
    }

    pub(super) async fn changed(&mut self) -> Result<(), AppError> {
        self.following.changed().await
    }

    pub(super) async fn first(&mut self) -> Result<(), AppError> {
        while self
            .following
            .snapshots()
            .iter()
            .any(|snapshot| snapshot.cycle.is_none())
        {
            self.following.changed().await?;
        }
        Ok(())
    }

    pub(super) fn read(&self, open: Option<&Key>) -> Result<Picture, String> {
        let snapshots = self.following.snapshots();
        self.picture(&snapshots, open)
            .map_err(|error| format!("the own documents cannot be read: {error}"))
    }

    fn picture(&self, snapshots: &[Arc<Snapshot>], open: Option<&Key>) -> serde_json::Result<Picture> {
        let sources: Vec<_> = snapshots
            .iter()
            .map(|snapshot| report::Source {
                snapshot,
                objectives: &self.config.objectives,
            })
            .collect();
        let health = picture::clusters(&bytes(&Clusters::new(sources.iter().map(|source| (*source, &[][..]))))?)?;
        let clusters = health.into_iter().zip(&sources).map(|(health, source)| {
            let groups = picture::groups(&bytes(&source.groups(&Query::default()))?)?;
            let groups = Arc::new(groups);
            Ok(Cluster { health, groups })
        });
        let opened = open.and_then(|key| {
            let source = sources.iter().find(|source| *source.snapshot.cluster == *key.cluster)?;
            let opened = match source.find(key.group.as_bytes()) {
                Some(view) => bytes(&source.group(view))
                    .and_then(|document| picture::group(&document))
                    .map(|group| Opened::Found(Box::new(group))),
                None => Ok(Opened::Gone),
            };
            Some(opened.map(|opened| (key.clone(), opened)))
        });
        Ok(Picture {
            clusters: clusters.collect::<serde_json::Result<_>>()?,
            opened: opened.transpose()?,
        })
    }
}

fn bytes(document: &impl Serialize) -> serde_json::Result<Vec<u8>> {
    serde_json::to_vec(document)
}

/// The configuration with another interval, and all that is counted in polls over the same time as before: a group is no more stalled
/// for being looked at more often.
fn paced(mut config: Config, every: Duration) -> Config {
    let window = config.poll_interval.saturating_mul(config.status_cycles);
    let cycles = window.as_nanos().div_ceil(every.as_nanos().max(1));
    config.status_cycles = u32::try_from(cycles).unwrap_or(u32::MAX).max(2);
    config.max_staleness = config.max_staleness.max(every);
    config.poll_interval = every;
    config
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Source;

    fn config() -> Config {
        config::load(&Source::Brokers("kafka:9092".into()), &[], Vec::new())
            .unwrap()
            .config
    }

    #[test]
    fn looking_more_often_judges_nobody_sooner() {
        let usual = config();
        let window = usual.poll_interval * usual.status_cycles;
        for seconds in [1, 5, 7, 60] {
            let every = Duration::from_secs(seconds);
            let paced = paced(config(), every);
            assert_eq!(paced.poll_interval, every);
            let judged = every * paced.status_cycles;
            assert!(judged >= window && judged <= window.max(every) + every, "{seconds}");
            assert!(paced.max_staleness >= every);
        }
    }
}
