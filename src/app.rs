//! Config → build → spawn → drain: the only place that knows all.

mod access;
mod admin;
mod cluster;
mod effective;
mod error;
mod fleet;
mod follow;
mod following;
mod live;
mod once;
mod reload;
mod signal;

pub use access::Access;
pub use error::AppError;
pub use follow::Follow;
pub use following::Following;
pub use once::poll_once;
pub use reload::Origin;
pub use signal::terminated;

use std::future::Future;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use crate::clock::Clock;
use crate::config::Config;
use crate::config::Log;
use crate::http;
use crate::http::Gate;
use crate::http::Guarded;
use crate::http::Latest;
use crate::http::Server;
use crate::metrics::Reloads;
use crate::metrics::ResetCounters;

use admin::AdminListener;
use fleet::Fleet;
use live::Live;
use live::WebParts;
use reload::Reload;

/// Everything bound and wired, nothing running yet.
pub struct App {
    scrape: Server<Guarded<Latest>>,
    address: SocketAddr,
    admin: Option<AdminListener>,
    live: Live,
    reload: Option<Reload>,
    grace: Duration,
}

impl App {
    /// Binds the listeners and wires the parts. No connection to Kafka is made before [`App::run`].
    ///
    /// # Errors
    ///
    /// When an address cannot be listened on, or certificates cannot be used.
    pub async fn build(config: &Config, clock: Clock) -> Result<Self, AppError> {
        let (listener, address) = bind(config.listen).await?;
        let config = Arc::new(config.clone());
        let fleet = Fleet::new(config.clone(), clock.clone());
        let names = config.clusters.iter().map(|cluster| cluster.name.clone());
        let resets = config.admin.as_ref().map(|_| ResetCounters::new(names));
        let (admin, admin_parts) = match (&config.admin, &resets) {
            (Some(admin), Some(counters)) => {
                let told = (counters.clone(), fleet.told());
                let (listener, parts) = AdminListener::build(&config, admin, clock.clone(), told).await?;
                (Some(listener), Some(parts))
            }
            _ => (None, None),
        };
        let reloads = Reloads::new(clock.now().wall);
        let state = live::state(&config, &fleet, &clock, (resets.as_ref(), &reloads));
        let (state, latest) = watch::channel(Arc::new(state));
        let (tls, latest_tls) = watch::channel(live::web_tls(&config)?);
        let (gate, latest_gate) = watch::channel(Arc::new(Gate::new(config.web.as_ref())));
        let handler = Guarded::new(Latest(latest), latest_gate, clock.clone());
        let scrape = Server::new(listener, handler, http::Limits::default(), None).with_tls(latest_tls);
        Ok(Self {
            scrape,
            address,
            admin,
            grace: config.shutdown_grace,
            live: Live {
                config,
                clock,
                fleet,
                state,
                web: WebParts { tls, gate },
                resets,
                reloads,
                admin: admin_parts,
            },
            reload: None,
        })
    }

    /// Takes another configuration whenever its origin has one, on SIGHUP at the latest. `log` is told of the log's section.
    ///
    /// # Errors
    ///
    /// When the signal cannot be caught.
    pub fn reloading(mut self, origin: Origin, log: impl Fn(Log) + Send + 'static) -> Result<Self, AppError> {
        self.reload = Some(Reload::new(origin, &self.live.config, Box::new(log))?);
        Ok(self)
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
            error = tend(self.live, self.reload) => Err(error),
        }
    }
}

/// Polls the clusters, by whatever configuration is in force. Ends when one of them does.
async fn tend(mut live: Live, mut reload: Option<Reload>) -> AppError {
    live.fleet.start();
    loop {
        let due = async {
            match &mut reload {
                Some(reload) => reload.due().await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            error = live.fleet.tend() => return error,
            () = due => {}
        }
        if let Some(reload) = &mut reload {
            live.reload(reload).await;
        }
    }
}

/// Runs the exporter until it is told to stop. Takes another configuration whenever `origin` has one; `log` is told of the log's section.
///
/// # Errors
///
/// When an address cannot be listened on, or a part of the process ended that never should.
pub async fn serve(config: Config, origin: Origin, log: impl Fn(Log) + Send + 'static) -> Result<(), AppError> {
    let shutdown = terminated()?;
    let app = App::build(&config, Clock::system()).await?;
    app.reloading(origin, log)?.run(shutdown).await
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
