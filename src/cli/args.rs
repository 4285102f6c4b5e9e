//! Arguments of the commands, except those about resets.

use std::ffi::OsStr;
use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt as _;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use clap::ValueEnum;
use clap::builder::OsStringValueParser;
use clap::builder::TypedValueParser;
use thiserror::Error;

use crate::config::Cluster;
use crate::config::Config;
use crate::config::Flag;
use crate::config::Source;
use crate::config::parse_duration;
use crate::model::GroupId;

/// Where the configuration comes from, and how much is logged. Taken before the command and after it.
#[derive(Clone, Debug, Default, Args)]
pub struct ConfigArgs {
    /// Configuration file: YAML, TOML or JSON [default: ./tidemark.yaml]
    #[arg(short, long, global = true, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// No file: one cluster called `main` with these brokers
    #[arg(long, global = true, value_name = "HOST:PORT,...")]
    pub brokers: Option<String>,
    /// Log more than `log.level` says: -v debug, -vv trace
    #[arg(short, long, global = true, action = clap::ArgAction::Count)]
    pub verbose: u8,
}

impl ConfigArgs {
    /// What is to be loaded.
    pub fn source(&self) -> Source {
        match (&self.config, &self.brokers) {
            (Some(file), _) => Source::File(file.clone()),
            (None, Some(brokers)) => Source::Brokers(brokers.clone()),
            (None, None) => Source::default(),
        }
    }
}

/// `serve`
#[derive(Clone, Debug, Default, Args)]
#[command(after_help = "\
Examples:
  tidemark serve --brokers kafka-1:9092,kafka-2:9092
  tidemark serve -c /etc/tidemark/tidemark.yaml --listen 127.0.0.1:9640")]
pub struct ServeArgs {
    /// Scrape listener, in place of `listen`
    #[arg(long, value_name = "IP:PORT")]
    pub listen: Option<String>,
    /// HTTPS and users of the scrape listener, as Prometheus' exporters take it; in place of `web_config_file`
    #[arg(long = "web.config.file", value_name = "FILE")]
    pub web_config_file: Option<String>,
    /// In place of `poll_interval`, as in 15s
    #[arg(long, value_name = "DURATION")]
    pub poll_interval: Option<String>,
}

impl ServeArgs {
    /// The keys that the flags stand for.
    pub fn flags(&self) -> Vec<Flag> {
        let flag = |name, key, value: &Option<String>| {
            let value = value.clone()?;
            Some(Flag { name, key, value })
        };
        let flags = [
            flag("--listen", "listen", &self.listen),
            flag("--web.config.file", "web_config_file", &self.web_config_file),
            flag("--poll-interval", "poll_interval", &self.poll_interval),
        ];
        flags.into_iter().flatten().collect()
    }
}

/// Which cluster a command is about.
#[derive(Clone, Debug, Default, Args)]
pub struct ClusterArgs {
    /// Which cluster, where the configuration has several
    #[arg(long, value_name = "NAME")]
    pub cluster: Option<String>,
}

/// The arguments do not fit the configuration.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Usage {
    /// `--cluster` names none of them.
    #[error("there is no cluster {asked:?}; configured: {}", known.join(", "))]
    UnknownCluster {
        /// What was asked for.
        asked: String,
        /// The names there are.
        known: Vec<String>,
    },
    /// `--url` is no address.
    #[error("--url {url:?} is no address like http://127.0.0.1:9640 or https://host:port")]
    Url {
        /// What was typed.
        url: String,
    },
    /// `--url` with `--config` or `--brokers`.
    #[error("--url asks a running tidemark: leave out --config and --brokers, or leave out --url")]
    TwoSources,
    /// One is needed and there are several.
    #[error("there are several clusters, name one by --cluster: {}", known.join(", "))]
    WhichCluster {
        /// The names there are.
        known: Vec<String>,
    },
}

impl ClusterArgs {
    /// The one cluster a command works on.
    ///
    /// # Errors
    ///
    /// When there are several and none was named, or none has that name.
    pub fn one<'a>(&self, config: &'a Config) -> Result<&'a Arc<Cluster>, Usage> {
        match (self.some(config)?.as_slice(), config.clusters.as_slice()) {
            ([only], _) => Ok(*only),
            (_, all) => Err(Usage::WhichCluster { known: names(all) }),
        }
    }

    /// The cluster that was named, or all of them.
    ///
    /// # Errors
    ///
    /// When none has that name.
    pub fn some<'a>(&self, config: &'a Config) -> Result<Vec<&'a Arc<Cluster>>, Usage> {
        let Some(asked) = &self.cluster else {
            return Ok(config.clusters.iter().collect());
        };
        match config.clusters.iter().find(|cluster| *cluster.name == **asked) {
            Some(cluster) => Ok(vec![cluster]),
            None => Err(Usage::UnknownCluster {
                asked: asked.clone(),
                known: names(&config.clusters),
            }),
        }
    }
}

fn names(clusters: &[Arc<Cluster>]) -> Vec<String> {
    clusters.iter().map(|cluster| cluster.name.to_string()).collect()
}

/// `lag`
#[derive(Clone, Debug, Args)]
#[command(after_help = "\
Examples:
  tidemark lag --brokers kafka-1:9092
  tidemark lag --group orders --output json | jq .")]
pub struct LagArgs {
    /// Which cluster to ask.
    #[command(flatten)]
    pub cluster: ClusterArgs,
    /// Only this group
    #[arg(short, long, value_name = "GROUP", value_parser = group())]
    pub group: Option<GroupId>,
    /// A table for a person, or the documents of the JSON API
    #[arg(short, long, value_enum, default_value_t)]
    pub output: Output,
}

/// Form of an answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Output {
    /// For a person.
    #[default]
    Table,
    /// For a program.
    Json,
}

/// `explain`
#[derive(Clone, Debug, Args)]
#[command(after_help = "\
Examples:
  tidemark explain orders --url http://127.0.0.1:9640
  tidemark explain orders --brokers kafka-1:9092 --watch 2m

A running tidemark has watched for longer and knows what happened; without --url this command
knows only what it sees itself.")]
pub struct ExplainArgs {
    /// Which cluster to ask.
    #[command(flatten)]
    pub cluster: ClusterArgs,
    /// The group
    #[arg(value_name = "GROUP", value_parser = group())]
    pub group: GroupId,
    /// Ask this running tidemark rather than Kafka
    #[arg(long, value_name = "URL")]
    pub url: Option<String>,
    /// Without --url: how long to watch before judging
    #[arg(long, value_name = "DURATION", default_value = "10s", value_parser = duration)]
    pub watch: Duration,
    /// For a person, or the group's document of the JSON API
    #[arg(short, long, value_enum, default_value_t)]
    pub output: Output,
}

/// `check`
#[derive(Clone, Debug, Args)]
#[command(after_help = "\
Example:
  tidemark check --group orders --max-lag 60s --wait 5m")]
pub struct CheckArgs {
    /// Which cluster to ask.
    #[command(flatten)]
    pub cluster: ClusterArgs,
    /// The group
    #[arg(short, long, value_name = "GROUP", value_parser = group())]
    pub group: GroupId,
    /// The greatest lag in time that is fine
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    pub max_lag: Duration,
    /// The greatest lag in records that is fine
    #[arg(long, value_name = "RECORDS")]
    pub max_lag_records: Option<u64>,
    /// How long to wait until all is fine
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    pub wait: Option<Duration>,
}

/// `demo`
#[derive(Clone, Debug, Default, Args)]
#[command(after_help = "\
Example:
  tidemark demo --listen 127.0.0.1:9640")]
pub struct DemoArgs {
    /// What happens in the simulated cluster
    #[arg(long, value_name = "NAME")]
    pub scenario: Option<String>,
    /// Scrape listener, in place of the default
    #[arg(long, value_name = "IP:PORT")]
    pub listen: Option<std::net::SocketAddr>,
}

/// `top`
#[derive(Clone, Debug, Args)]
#[command(after_help = "\
Examples:
  tidemark top --url http://127.0.0.1:9640
  tidemark top --brokers kafka-1:9092
  tidemark top --url http://127.0.0.1:9640 --once | head")]
pub struct TopArgs {
    /// Ask this running tidemark rather than Kafka
    #[arg(long, value_name = "URL")]
    pub url: Option<String>,
    /// Which cluster to show.
    #[command(flatten)]
    pub cluster: ClusterArgs,
    /// How often to look anew, 1s at least
    #[arg(long, value_name = "DURATION", value_parser = interval, default_value = "5s")]
    pub every: Duration,
    /// Print the groups once, as lines, and end
    #[arg(long)]
    pub once: bool,
}

/// A group id: any bytes, as the shell passes them.
pub fn group() -> impl TypedValueParser<Value = GroupId> {
    OsStringValueParser::new().map(|id: OsString| GroupId::from(OsStr::as_bytes(&id)))
}

/// How often something is done: a duration of a second at least.
fn interval(text: &str) -> Result<Duration, String> {
    let long_enough = |interval: &Duration| *interval >= Duration::from_secs(1);
    let interval = parse_duration(text).filter(long_enough);
    interval.ok_or_else(|| "must be a duration of 1s or longer, as in 5s or 1m".to_owned())
}

/// A duration with its unit, as in `5m`.
///
/// # Errors
///
/// What would be right.
pub fn duration(text: &str) -> Result<Duration, String> {
    parse_duration(text).ok_or_else(|| "must be a duration with its unit, as in 60s or 5m".to_owned())
}
