//! Config → build → spawn → drain: the only place that knows all.

mod access;
mod admin;
mod cluster;
mod error;
mod follow;
mod following;
mod once;
mod signal;

pub use access::Access;
pub use error::AppError;
pub use follow::Follow;
pub use following::Following;
pub use once::poll_once;
pub use signal::terminated;

use std::future::Future;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use tokio::net::TcpListener;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::clock::Clock;
use crate::config::Config;
use crate::config::Objective;
use crate::http;
use crate::http::Feed;
use crate::http::PageSettings;
use crate::http::Scrape;
use crate::http::Server;
use crate::http::State;
use crate::metrics::Exposition;
use crate::metrics::ResetCounters;

use admin::AdminListener;
use admin::Watching;
use cluster::Watch;

/// Everything bound and wired, nothing running yet.
pub struct App {
    scrape: Server<Scrape>,
    address: SocketAddr,
    admin: Option<AdminListener>,
    watches: Vec<Watch>,
    grace: Duration,
}

impl App {
    /// Binds the listeners and wires the parts. No connection to Kafka is made before [`App::run`].
    ///
    /// # Errors
    ///
    /// When an address cannot be listened on.
    pub async fn build(config: &Config, clock: Clock) -> Result<Self, AppError> {
        let (listener, address) = bind(config.listen).await?;
        let label: Arc<str> = config.cluster_label.as_str().into();
        let objectives: Arc<[Objective]> = config.objectives.clone().into();
        let watch = |cluster| Watch::new(config, cluster, &label, &objectives, &clock);
        let (watches, feeds): (Vec<Watch>, Vec<Feed>) = config.clusters.iter().map(watch).unzip();
        let resets = config
            .admin
            .as_ref()
            .map(|_| ResetCounters::new(config.clusters.iter().map(|c| c.name.clone())));
        let admin = match (&config.admin, &resets) {
            (Some(admin), Some(counters)) => {
                let pollers = watches.iter().map(Watch::own_resets).collect();
                let snapshots = watches.iter().map(Watch::latest).collect();
                let watching = Watching {
                    counters: counters.clone(),
                    pollers,
                    snapshots,
                };
                Some(AdminListener::build(config, admin, clock.clone(), watching).await?)
            }
            _ => None,
        };
        let exposition = Exposition::new(label, resets);
        let state = Arc::new(State::new(feeds, clock, exposition, objectives).with_page(PageSettings::of(config)));
        let scrape = Server::new(listener, Scrape(state), http::Limits::default(), None);
        Ok(Self {
            scrape,
            address,
            admin,
            watches,
            grace: config.shutdown_grace,
        })
    }

    /// Where the scrape listener listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Where the admin listener listens; `None` where there is none.
    pub fn admin_address(&self) -> Option<SocketAddr> {
        self.admin.as_ref().map(AdminListener::address)
    }

    /// Polls and serves until `shutdown`, then finishes what has begun, within the grace period whatever Kafka does.
    ///
    /// # Errors
    ///
    /// When a poller ends, which none ever should: whoever supervises the process starts it anew.
    pub async fn run(self, shutdown: impl Future<Output = ()>) -> Result<(), AppError> {
        tracing::info!(address = %self.address, listener = "scrape", "listening");
        let mut pollers = JoinSet::new();
        for watch in self.watches {
            watch.spawn(&mut pollers);
        }
        let stopping = CancellationToken::new();
        let listeners = async {
            let scrape = self.scrape.run(stopping.clone().cancelled_owned(), self.grace);
            let admin = async {
                if let Some(admin) = self.admin {
                    admin.run(stopping.clone()).await;
                }
            };
            let (drained, ()) = tokio::join!(scrape, admin);
            tracing::info!(?drained, listener = "scrape", "stopped");
        };
        let told = async {
            shutdown.await;
            stopping.cancel();
            std::future::pending::<()>().await;
        };
        tokio::select! {
            () = listeners => Ok(()),
            () = told => Ok(()),
            Some(ended) = pollers.join_next() => {
                tracing::error!(?ended, "a task ended that never should");
                Err(AppError::TaskEnded)
            }
        }
    }
}

/// Runs the exporter until it is told to stop.
///
/// # Errors
///
/// When an address cannot be listened on, or a part of the process ended that never should.
pub async fn serve(config: Config) -> Result<(), AppError> {
    let shutdown = terminated()?;
    App::build(&config, Clock::system()).await?.run(shutdown).await
}

async fn bind(wanted: SocketAddr) -> Result<(TcpListener, SocketAddr), AppError> {
    let cannot = |source| AppError::Listen {
        address: wanted,
        source,
    };
    let listener = TcpListener::bind(wanted).await.map_err(cannot)?;
    let address = listener.local_addr().map_err(cannot)?;
    Ok((listener, address))
}
