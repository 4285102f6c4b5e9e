//! The schema: reads the merged tree into the typed configuration. Every key, its default and its limits stand here and in the files
//! below; `docs/configuration.md` is held to them by a test.

mod admin;
mod cluster;
mod security;
mod web;

pub(super) use security::is_extension;
pub(super) use security::is_url;

use std::time::Duration;

use super::Config;
use super::Log;
use super::LogFormat;
use super::LogLevel;
use super::Objective;
use super::node::Node;
use super::node::Section;
use super::read;

/// Beside the ports of Kafka's other exporters.
const DEFAULT_LISTEN: &str = "0.0.0.0:9640";
/// Prometheus scrapes every 15 s in most places: each scrape finds something new.
const DEFAULT_POLL_INTERVAL: Duration = Duration::from_secs(15);
/// Two failed polls in a row leave no gap in a graph.
const DEFAULT_STALENESS_POLLS: u32 = 3;
/// Enough readings to tell standing still from a pause between two commits.
const DEFAULT_STATUS_CYCLES: u32 = 5;
/// Whoever commits less often than this is told from a stuck one no sooner.
const DEFAULT_STATUS_WINDOW_MAX: Duration = Duration::from_secs(30 * 60);
/// A weekend job is not abandoned, a console consumer of yesterday is.
const DEFAULT_DORMANT_AFTER: Duration = DAY;
/// `cluster` belongs to the platform that scrapes.
const DEFAULT_CLUSTER_LABEL: &str = "kafka_cluster";
/// Well within the 30 s that Kubernetes leaves.
const DEFAULT_SHUTDOWN_GRACE: Duration = Duration::from_secs(10);

pub(super) const HOUR: Duration = Duration::from_secs(60 * 60);
pub(super) const DAY: Duration = Duration::from_secs(24 * 60 * 60);
/// The longest duration of all: far from what a clock can hold, far above what anybody means.
pub(super) const YEAR: Duration = Duration::from_secs(365 * 24 * 60 * 60);

/// Labels that tidemark's own families have; the cluster's must be another.
const TAKEN_LABELS: [&str; 28] = [
    "group",
    "topic",
    "partition",
    "status",
    "state",
    "reason",
    "client_id",
    "host",
    "type",
    "protocol",
    "team",
    "severity",
    "cleanup_policy",
    "stage",
    "result",
    "api",
    "code",
    "why",
    "le",
    // Those of other exporters, which `compatibility` may serve.
    "consumergroup",
    "group_id",
    "topic_name",
    "partition_id",
    "member_host",
    "coordinator_id",
    "protocol_type",
    "partition_count",
    "replication_factor",
];

/// Reads the whole tree. `None` only where something was refused; what was refused may also have been replaced by its default, so the
/// caller looks at the report.
pub(super) fn read(root: &Node<'_>) -> Option<Config> {
    let mut top = root.section()?;
    let listen = top.optional("listen", read::socket).unwrap_or_else(default_listen);
    let web = top.optional("web_config_file", web::read);
    let times = Times::read(&mut top);
    let cluster_label = top.or("cluster_label", DEFAULT_CLUSTER_LABEL.to_owned(), label);
    let shutdown_grace = top.or("shutdown_grace", DEFAULT_SHUTDOWN_GRACE, |n| read::duration(n, HOUR));
    let log = top.or("log", Log::default(), log);
    let objectives = top.or("objectives", Vec::new(), |n| read::all(n.list()?.iter().map(objective)));
    let clusters = top.required("clusters", "a list of at least one cluster", |n| {
        cluster::clusters(n, times.max_staleness)
    });
    let names: Option<Vec<&str>> = clusters
        .as_ref()
        .map(|all| all.iter().map(|cluster| &*cluster.name).collect());
    let admin = top.optional("admin", |n| admin::read(n, listen, names.as_deref()));
    top.end();
    Some(Config {
        listen,
        web,
        poll_interval: times.poll_interval,
        max_staleness: times.max_staleness,
        status_cycles: times.status_cycles,
        status_window_max: times.status_window_max,
        dormant_after: times.dormant_after,
        cluster_label,
        shutdown_grace,
        log,
        objectives,
        clusters: clusters?.into_iter().map(Into::into).collect(),
        admin,
    })
}

fn default_listen() -> std::net::SocketAddr {
    DEFAULT_LISTEN.parse().expect("the default is an address")
}

/// The keys that bound one another.
struct Times {
    poll_interval: Duration,
    max_staleness: Duration,
    status_cycles: u32,
    status_window_max: Duration,
    dormant_after: Duration,
}

impl Times {
    fn read(top: &mut Section<'_>) -> Self {
        let poll_interval = top.or("poll_interval", DEFAULT_POLL_INTERVAL, |n| read::duration(n, DAY));
        let default_staleness = poll_interval * DEFAULT_STALENESS_POLLS;
        let times = Self {
            poll_interval,
            max_staleness: top.or("max_staleness", default_staleness, |n| read::duration(n, 30 * DAY)),
            status_cycles: top.or("status_cycles", DEFAULT_STATUS_CYCLES, |n| read::number(n, 2, 1_000)),
            status_window_max: top.or("status_window_max", DEFAULT_STATUS_WINDOW_MAX, |n| {
                read::duration(n, 30 * DAY)
            }),
            dormant_after: top.or("dormant_after", DEFAULT_DORMANT_AFTER, |n| read::duration(n, YEAR)),
        };
        times.check(top);
        times
    }

    fn check(&self, top: &Section<'_>) {
        if self.max_staleness < self.poll_interval {
            top.refuse(
                "max_staleness",
                "must be at least poll_interval: a reading must stand until the next one",
            );
        }
        if self.status_window_max < self.poll_interval * self.status_cycles {
            top.warn(
                "status_window_max",
                "is shorter than status_cycles polls: statuses are judged by fewer readings",
            );
        }
    }
}

impl Default for Log {
    fn default() -> Self {
        Self {
            level: LogLevel::Info,
            format: LogFormat::Text,
        }
    }
}

fn log(node: &Node<'_>) -> Option<Log> {
    let mut section = node.section()?;
    let defaults = Log::default();
    let level = section.or("level", defaults.level, |n| read::one_of(n, &LogLevel::WORDS));
    let format = section.or("format", defaults.format, |n| read::one_of(n, &LogFormat::WORDS));
    section.end();
    Some(Log { level, format })
}

fn objective(node: &Node<'_>) -> Option<Objective> {
    let mut section = node.section()?;
    let groups = section.required(
        "groups",
        "regular expressions of the groups it is for",
        read::some_patterns,
    );
    let lag = section.required("lag", "the greatest lag that is fine, as in 60s", |n| {
        read::duration(n, YEAR)
    });
    let labels = section.or("labels", Labels::default(), Labels::read);
    section.end();
    Some(Objective {
        groups: groups?,
        lag: lag?,
        team: labels.team,
        severity: labels.severity,
    })
}

#[derive(Default)]
struct Labels {
    team: String,
    severity: String,
}

impl Labels {
    fn read(node: &Node<'_>) -> Option<Self> {
        let mut section = node.section()?;
        let team = section.or("team", String::new(), read::text);
        let severity = section.or("severity", String::new(), read::text);
        section.end();
        Some(Self { team, severity })
    }
}

/// A label's name as Prometheus wants it, and free.
fn label(node: &Node<'_>) -> Option<String> {
    let text = read::text(node)?;
    let starts = text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') && !text.starts_with("__");
    if !starts || !text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
        return node
            .refuse("must be a label's name: letters, digits and underscores, no digit and no two underscores first");
    }
    if TAKEN_LABELS.contains(&text.as_str()) {
        return node.refuse("is a label of tidemark's own families; the cluster's must be another");
    }
    Some(text)
}
