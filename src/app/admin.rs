//! The admin listener: absent unless configured, and with it everything that could write to Kafka.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::PoisonError;
use std::sync::RwLock;
use std::time::Duration;

use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use crate::clock::Clock;
use crate::collect::Moved;
use crate::collect::OwnResets;
use crate::config;
use crate::config::Config;
use crate::http;
use crate::http::Server;
use crate::http::Tls;
use crate::http::admin::Admin;
use crate::http::admin::Rights;
use crate::http::admin::Running;
use crate::metrics::ResetCounters;
use crate::model::GroupId;
use crate::model::Offset;
use crate::model::Partition;
use crate::model::TopicName;
use crate::model::UnixMillis;
use crate::reset::Observer;
use crate::reset::Resets;
use crate::reset::audit::Audit;
use crate::reset::document::Key;
use crate::reset::engine::Ending;
use crate::reset::engine::Witness;
use crate::reset::replay::Of;
use crate::reset::replay::Rate;
use crate::reset::request::Reason;
use crate::snapshot::Snapshot;

use super::AppError;
use super::access::Access;
use super::bind;

/// The listener, bound.
pub(super) struct AdminListener {
    server: Server<Admin<Access>>,
    address: SocketAddr,
    running: Running,
    grace: Duration,
}

impl AdminListener {
    /// Binds the listener.
    ///
    /// # Errors
    ///
    /// When its address cannot be listened on, or its certificates cannot be used.
    pub(super) async fn build(
        config: &Config,
        admin: &config::Admin,
        clock: Clock,
        (counters, pollers): (ResetCounters, HashMap<Arc<str>, Told>),
    ) -> Result<(Self, AdminParts), AppError> {
        let (listener, address) = bind(admin.listen).await?;
        let (tls, latest_tls) = watch::channel(tls(config)?);
        let access = Access::new(config.clusters.clone());
        let pollers = Pollers(Arc::new(RwLock::new(pollers)));
        let watching = Watching {
            counters,
            pollers: pollers.clone(),
        };
        let reason = if admin.require_reason {
            Reason::Required
        } else {
            Reason::Optional
        };
        let watching = Arc::new(watching);
        let resets = Resets::new(access.clone(), Some(Audit::new(admin.audit_log.clone())), clock.clone())
            .reason(reason)
            .observed_by(Arc::clone(&watching) as Arc<dyn Observer>)
            .witnessed_by(watching);
        let handler = Admin::new(Arc::new(resets), admin, clock);
        let running = handler.running();
        let parts = AdminParts {
            access,
            rights: handler.rights(),
            pollers,
            tls,
        };
        let server = Server::new(listener, handler, http::Limits::default(), None).with_tls(latest_tls);
        let listener = Self {
            server,
            address,
            running,
            grace: config.shutdown_grace,
        };
        Ok((listener, parts))
    }

    /// Where it listens.
    pub(super) fn address(&self) -> SocketAddr {
        self.address
    }

    /// Serves until `shutdown`, then lets a reset that has begun finish, within the grace period.
    pub(super) async fn run(self, shutdown: CancellationToken) {
        tracing::info!(address = %self.address, listener = "admin", "listening");
        let drained = self.server.run(shutdown.cancelled_owned(), self.grace).await;
        let finished = tokio::time::timeout(self.grace, self.running.finished()).await;
        tracing::info!(
            ?drained,
            resets_finished = finished.is_ok(),
            listener = "admin",
            "stopped"
        );
    }
}

/// The listener's certificates as they are now; `None` for plain HTTP, and where there is no listener.
pub(super) fn tls(config: &Config) -> Result<Option<Tls>, AppError> {
    let Some(tls) = config.admin.as_ref().and_then(|admin| admin.tls.as_ref()) else {
        return Ok(None);
    };
    let read = Tls::new(&tls.cert_file, &tls.key_file, tls.client_ca_file.as_deref());
    read.map(Some).map_err(AppError::Tls)
}

/// What another configuration changes of it.
pub(super) struct AdminParts {
    access: Access,
    rights: Rights,
    pollers: Pollers,
    /// The listener looks at the latest for every connection.
    tls: watch::Sender<Option<Tls>>,
}

impl AdminParts {
    pub(super) fn replace(
        &self,
        config: &Config,
        section: &config::Admin,
        pollers: HashMap<Arc<str>, Told>,
        tls: Option<Tls>,
    ) {
        self.access.replace(config.clusters.clone());
        self.rights.replace(section);
        *self.pollers.0.write().unwrap_or_else(PoisonError::into_inner) = pollers;
        self.tls.send_replace(tls);
    }
}

/// What a poller is told, and tells.
#[derive(Clone)]
pub(super) struct Told {
    /// Where resets of the cluster's groups are told.
    pub(super) own_resets: OwnResets,
    /// What it saw last.
    pub(super) snapshots: watch::Receiver<Arc<Snapshot>>,
}

/// The pollers, by cluster.
#[derive(Clone)]
struct Pollers(
    /// Written when clusters come and go; held for moments only.
    Arc<RwLock<HashMap<Arc<str>, Told>>>,
);

impl Pollers {
    fn of(&self, cluster: &str) -> Option<Told> {
        let all = self.0.read().unwrap_or_else(PoisonError::into_inner);
        all.get(cluster).cloned()
    }
}

/// Who is told of every reset: the counters, and the poller of the cluster, which also knows how fast groups read.
struct Watching {
    counters: ResetCounters,
    pollers: Pollers,
}

impl Witness for Watching {
    fn read(&self, cluster: &str, group: &GroupId) -> Option<Rate> {
        let snapshot = self.pollers.of(cluster)?.snapshots.borrow().clone();
        let seen = snapshot.groups.iter().find(|seen| seen.id == *group)?;
        let (reading, newest) = (seen.trend.reading()?, seen.trend.until()?);
        let before = i64::try_from(reading.before.as_millis()).ok()?;
        let until = UnixMillis(newest.wall.0.checked_sub(before)?);
        Rate::new(Of::Group, rounded(reading.records), reading.over, until)
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "never below 0, and a float beyond 64 bits becomes the largest number"
)]
fn rounded(records: f64) -> u64 {
    records.round() as u64
}

impl Observer for Watching {
    fn ended(&self, cluster: &str, ending: Ending) {
        self.counters.ended(cluster, ending);
    }

    fn moved(&self, cluster: &str, group: &GroupId, to: &[(Key, Option<Offset>)], who: &str) {
        let by: Arc<str> = who.into();
        if let Some(Told { own_resets: poller, .. }) = self.pollers.of(cluster) {
            poller.tell(to.iter().filter_map(|(key, to)| {
                Some(Moved {
                    group: group.clone(),
                    topic: TopicName::from(key.topic.as_str()),
                    partition: Partition(key.partition),
                    to: (*to)?,
                    by: by.clone(),
                })
            }));
        }
    }
}
