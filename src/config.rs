//! The typed configuration: what [`load`] hands out cannot be wrong. The way in: file, environment and flags are merged into one tree, a
//! walk over the tree finds all problems at once, and these types come out. Secrets are a type whose `Debug` prints `***`.

mod compatibility;
mod duration;
mod environment;
mod families;
mod files;
mod filter;
mod host_port;
mod load;
mod material;
mod node;
mod print;
mod problem;
mod properties;
mod read;
mod schema;
mod secret;
mod security;
#[cfg(test)]
mod tests;
mod web;
mod words;

pub use duration::parse_duration;
pub use duration::show_duration;
pub use environment::environment;
pub use filter::Filter;
pub use filter::Patterns;
pub use host_port::NoHostPort;
pub use load::Flag;
pub use load::Loaded;
pub use load::Source;
pub use load::load;
pub use material::Fault;
pub use material::Material;
pub use material::MaterialError;
pub use material::Place;
pub use print::print;
pub use problem::ConfigErrors;
pub use problem::Problem;
pub use properties::PropertiesError;
pub use secret::Secret;
pub use security::Authorities;
pub use security::Bearer;
pub use security::Identity;
pub use security::Mechanism;
pub use security::MskIam;
pub use security::PasswordLogin;
pub use security::PasswordMechanism;
pub use security::Sasl;
pub use security::Security;
pub use security::Store;
pub use security::Tls;
pub use security::TokenEndpoint;
pub use security::TokenSource;

pub use web::ClientAuth;
pub use web::TlsVersion;
pub use web::Web;
pub use web::WebTls;
pub use web::WebUser;

pub use crate::model::TimeSource;

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// Everything tidemark can be told.
#[derive(Clone, Debug, PartialEq)]
pub struct Config {
    /// The scrape listener.
    pub listen: SocketAddr,
    /// HTTPS and who may come to it; plain HTTP for everybody when absent.
    pub web: Option<Web>,
    /// How often every cluster is polled.
    pub poll_interval: Duration,
    /// How long a last good reading stands for one that failed.
    pub max_staleness: Duration,
    /// Polls that a window has at least.
    pub status_cycles: u32,
    /// Longest window.
    pub status_window_max: Duration,
    /// After how long without members and progress a group is dormant.
    pub dormant_after: Duration,
    /// The label that names the cluster.
    pub cluster_label: String,
    /// How long a shutdown may take.
    pub shutdown_grace: Duration,
    /// What is logged and how.
    pub log: Log,
    /// Lag objectives, first match wins.
    pub objectives: Vec<Objective>,
    /// The clusters; at least one, names unique.
    pub clusters: Vec<Arc<Cluster>>,
    /// The admin listener; absent: no listener, no route, no writer.
    pub admin: Option<Admin>,
}

/// What is logged and how.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Log {
    /// The least severe level that is shown.
    pub level: LogLevel,
    /// Text or JSON lines.
    pub format: LogFormat,
}

/// Severity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogLevel {
    /// Only what needs somebody.
    Error,
    /// And what may.
    Warn,
    /// And changes of health.
    Info,
    /// And one line a cycle.
    Debug,
    /// Everything.
    Trace,
}

/// Form of the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogFormat {
    /// For a person.
    Text,
    /// One object a line.
    Json,
}

/// How late the groups of a pattern may be.
#[derive(Clone, Debug, PartialEq)]
pub struct Objective {
    /// Which groups.
    pub groups: Patterns,
    /// The greatest lag in seconds that is fine.
    pub lag: Duration,
    /// `team`; empty when not given.
    pub team: String,
    /// `severity`; empty when not given.
    pub severity: String,
}

/// One cluster.
#[derive(Clone, Debug, PartialEq)]
pub struct Cluster {
    /// The value of the cluster label.
    pub name: Arc<str>,
    /// Where to begin; at least one.
    pub bootstrap_servers: Vec<HostPort>,
    /// Present: TLS.
    pub tls: Option<Tls>,
    /// Present: SASL.
    pub sasl: Option<Sasl>,
    /// Present: a client file that the two above come from, read anew by [`Cluster::security`].
    pub client_properties: Option<PathBuf>,
    /// Which groups are watched.
    pub groups: Filter,
    /// Which topics are watched.
    pub topics: Filter,
    /// What happens to topics that a group with members left behind.
    pub left_topics: LeftTopics,
    /// Which end the lag of a group is counted from; first match wins, the high watermark without one.
    pub isolation: Vec<(Patterns, Isolation)>,
    /// Whether records may be read for their time.
    pub record_time: RecordTime,
    /// Whose time counts, by topic; first match wins, record time without one.
    pub time: Vec<(Patterns, TimeSource)>,
    /// How finely a group is shown; first match wins, by partition without one.
    pub granularity: Vec<(Patterns, Granularity)>,
    /// Which families of a partition are served.
    pub partition_families: PartitionFamilies,
    /// Groups whose partitions name their owner.
    pub owner_info: Patterns,
    /// Other exporters whose names are served too.
    pub compatibility: Compatibility,
    /// The most `kafka_` series of this cluster.
    pub series_limit: usize,
    /// Deadline of one request to Kafka.
    pub request_timeout: Duration,
}

impl Cluster {
    /// Which end the lag of a group is counted from.
    pub fn isolation_of(&self, group: &[u8]) -> Isolation {
        let rule = self.isolation.iter().find(|(groups, _)| groups.matches(group));
        rule.map_or(Isolation::ReadUncommitted, |(_, isolation)| *isolation)
    }

    /// The isolation of every group there may be; of the high watermark where groups differ.
    pub fn isolation_of_all(&self) -> Isolation {
        match self.isolation.as_slice() {
            [(all, isolation)] if all.expressions().eq([".*"]) => *isolation,
            _ => Isolation::ReadUncommitted,
        }
    }

    /// True where the lag of some group may be counted from the last stable offset.
    pub fn knows_read_committed(&self) -> bool {
        self.isolation
            .iter()
            .any(|(_, isolation)| *isolation == Isolation::ReadCommitted)
    }

    /// How the cluster is reached as of now: as it is configured, or as its client file says at this moment. May block.
    ///
    /// # Errors
    ///
    /// When the client file cannot be read or says what is not served.
    pub fn security(&self) -> Result<Security, PropertiesError> {
        match &self.client_properties {
            Some(file) => properties::read(file),
            None => Ok(Security {
                tls: self.tls.clone(),
                sasl: self.sasl.clone(),
            }),
        }
    }
}

/// A bootstrap address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostPort {
    /// Name or address, without brackets.
    pub host: String,
    /// Port.
    pub port: u16,
}

/// Topics that a group with members holds old commits on, but no member is assigned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LeftTopics {
    /// Shown like any other.
    Keep,
    /// Left out.
    Drop,
}

/// Which end of the log counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Isolation {
    /// The high watermark.
    ReadUncommitted,
    /// The last stable offset.
    ReadCommitted,
}

/// May records be read for their time, and how many.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecordTime {
    /// Whether at all.
    pub read: bool,
    /// How many a cycle.
    pub per_cycle: usize,
}

/// How finely the families of a group are served.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Granularity {
    /// Group figures only.
    Group,
    /// Group and topic figures.
    Topic,
    /// Everything.
    Partition,
}

/// Which families of a partition are served.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PartitionFamilies {
    /// `kafka_group_partition_lag_records`
    pub lag_records: bool,
    /// `kafka_group_partition_lag_seconds`
    pub lag_seconds: bool,
    /// `kafka_group_partition_committed_offset`
    pub committed_offset: bool,
    /// `kafka_group_partition_stalled_seconds`
    pub stalled_seconds: bool,
}

/// Other exporters whose names are served besides tidemark's own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Compatibility {
    /// kafka_exporter, also what Strimzi deploys.
    pub kafka_exporter: bool,
    /// kafka-lag-exporter and klag-exporter.
    pub kafka_lag_exporter: bool,
    /// KMinion.
    pub kminion: bool,
}

/// The admin listener.
#[derive(Clone, Debug, PartialEq)]
pub struct Admin {
    /// Where it listens.
    pub listen: SocketAddr,
    /// Who may come: names and the files their tokens are in.
    pub tokens: Vec<AdminToken>,
    /// What they may touch; nothing else.
    pub allow: Vec<Allow>,
    /// Where every reset is recorded.
    pub audit_log: PathBuf,
    /// Whether a reset must say why.
    pub require_reason: bool,
    /// Present: HTTPS, with client certificates when `client_ca_file` is given.
    pub tls: Option<AdminTls>,
}

/// One token of the admin listener.
#[derive(Clone, Debug, PartialEq)]
pub struct AdminToken {
    /// Who this is, for the audit log; `admin` for a lone `token_file`.
    pub name: String,
    /// Where the token is; read again when it changes.
    pub file: PathBuf,
}

/// Groups of one cluster that may be reset.
#[derive(Clone, Debug, PartialEq)]
pub struct Allow {
    /// The cluster's name.
    pub cluster: String,
    /// Its groups.
    pub groups: Patterns,
}

/// TLS of the admin listener.
#[derive(Clone, Debug, PartialEq)]
pub struct AdminTls {
    /// The server's certificate chain.
    pub cert_file: PathBuf,
    /// Its private key.
    pub key_file: PathBuf,
    /// Authorities whose client certificates are asked for and required; none asked for when absent.
    pub client_ca_file: Option<PathBuf>,
}
