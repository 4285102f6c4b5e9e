//! One cluster: where it is and what of it is watched.

use std::time::Duration;

use config::ValueKind;

use super::security;
use crate::config::Cluster;
use crate::config::Compatibility;
use crate::config::Filter;
use crate::config::Granularity;
use crate::config::HostPort;
use crate::config::Isolation;
use crate::config::LeftTopics;
use crate::config::NoHostPort;
use crate::config::PartitionFamilies;
use crate::config::Patterns;
use crate::config::RecordTime;
use crate::config::Sasl;
use crate::config::TimeSource;
use crate::config::node::Node;
use crate::config::node::Section;
use crate::config::read;

/// A poll interval's worth of reading that costs a broker next to nothing.
const DEFAULT_RECORDS_PER_CYCLE: usize = 5_000;
/// Prometheus copes with this many from one target.
const DEFAULT_SERIES_LIMIT: usize = 1_000_000;
/// Kafka's clients wait 30 s; a poll every 15 s cannot.
const DEFAULT_REQUEST_TIMEOUT: Duration = Duration::from_secs(10);
/// A name is a label value and a part of a path.
const LONGEST_NAME: usize = 255;

/// The list of clusters: at least one, each name once.
pub(super) fn clusters(node: &Node<'_>, max_staleness: Duration) -> Option<Vec<Cluster>> {
    let nodes = node.filled_list()?;
    let mut names: Vec<String> = Vec::new();
    read::all(nodes.iter().map(|node| cluster(node, &mut names, max_staleness)))
}

fn cluster(node: &Node<'_>, names: &mut Vec<String>, max_staleness: Duration) -> Option<Cluster> {
    let mut section = node.section()?;
    let name = section.required("name", "what the cluster is called in labels and paths", |n| {
        name(n, names)
    });
    let bootstrap_servers = section.required("bootstrap_servers", "host:port of one or more brokers", servers);
    let (security, client_properties) = security::security(&mut section);
    let watched = Watched::read(&mut section);
    if watched.record_time.read && matches!(&security.sasl, Some(Sasl::Bearer(login)) if !login.extensions.is_empty()) {
        section.refuse(
            "record_time",
            "must be {read: false} beside sasl.extensions: the client that reads records can say none",
        );
    }
    let shown = Shown::read(&mut section);
    let request_timeout = request_timeout(&mut section, max_staleness);
    section.end();
    Some(Cluster {
        name: name?.into(),
        bootstrap_servers: bootstrap_servers?,
        tls: security.tls,
        sasl: security.sasl,
        client_properties,
        groups: watched.groups,
        topics: watched.topics,
        left_topics: watched.left_topics,
        isolation: watched.isolation,
        record_time: watched.record_time,
        time: watched.time,
        granularity: shown.granularity,
        partition_families: shown.partition_families,
        owner_info: shown.owner_info,
        compatibility: shown.compatibility,
        series_limit: shown.series_limit,
        request_timeout,
    })
}

/// What is read of a cluster.
struct Watched {
    groups: Filter,
    topics: Filter,
    left_topics: LeftTopics,
    isolation: Vec<(Patterns, Isolation)>,
    record_time: RecordTime,
    time: Vec<(Patterns, TimeSource)>,
}

impl Watched {
    fn read(section: &mut Section<'_>) -> Self {
        Self {
            groups: section.optional("groups", filter).unwrap_or_else(everything),
            topics: section.optional("topics", filter).unwrap_or_else(everything),
            left_topics: section.or("left_topics", LeftTopics::Keep, |n| read::one_of(n, &LeftTopics::WORDS)),
            isolation: section.or("isolation", Vec::new(), |n| ISOLATION.read(n)),
            record_time: section.or("record_time", RecordTime::default(), record_time),
            time: section.or("time", Vec::new(), |n| TIME.read(n)),
        }
    }
}

/// What is served of a cluster.
struct Shown {
    granularity: Vec<(Patterns, Granularity)>,
    partition_families: PartitionFamilies,
    owner_info: Patterns,
    compatibility: Compatibility,
    series_limit: usize,
}

impl Shown {
    fn read(section: &mut Section<'_>) -> Self {
        let limit = |n: &Node<'_>| read::number(n, 1, 100_000_000);
        Self {
            granularity: section.or("granularity", Vec::new(), |n| GRANULARITY.read(n)),
            partition_families: section.or("partition_families", PartitionFamilies::default(), families),
            owner_info: section.or("owner_info", Patterns::none(), read::patterns),
            compatibility: section.or("compatibility", Compatibility::default(), compatibility),
            series_limit: section.or("series_limit", DEFAULT_SERIES_LIMIT, limit),
        }
    }
}

fn name(node: &Node<'_>, names: &mut Vec<String>) -> Option<String> {
    let text = read::text(node)?;
    if text.len() > LONGEST_NAME || text.chars().any(char::is_control) {
        return node.refuse("must be at most 255 bytes long and free of control characters");
    }
    if names.contains(&text) {
        return node.refuse("must be unique: a cluster before this one has the same name");
    }
    names.push(text.clone());
    Some(text)
}

/// `host:port,host:port`, or a list.
fn servers(node: &Node<'_>) -> Option<Vec<HostPort>> {
    let texts = read::texts(node)?;
    let servers: Vec<_> = texts
        .iter()
        .flat_map(|(at, text)| {
            text.split(',')
                .map(str::trim)
                .filter(|part| !part.is_empty())
                .map(move |part| (at, part))
        })
        .collect();
    if servers.is_empty() {
        return node.refuse("must not be empty");
    }
    read::all(servers.into_iter().map(|(at, text)| match text.parse() {
        Ok(server) => Some(server),
        Err(NoHostPort) => at.refuse("must be host:port, as in kafka-1:9092 or [2001:db8::1]:9092"),
    }))
}

fn filter(node: &Node<'_>) -> Option<Filter> {
    let mut section = node.section()?;
    let include = section.optional("include", read::some_patterns).unwrap_or_else(all);
    let exclude = section.or("exclude", Patterns::none(), read::patterns);
    section.end();
    Some(Filter::new(include, exclude))
}

fn everything() -> Filter {
    Filter::new(all(), Patterns::none())
}

fn all() -> Patterns {
    Patterns::new([".*"]).expect("a valid expression")
}

impl Default for RecordTime {
    fn default() -> Self {
        Self {
            read: true,
            per_cycle: DEFAULT_RECORDS_PER_CYCLE,
        }
    }
}

fn record_time(node: &Node<'_>) -> Option<RecordTime> {
    let mut section = node.section()?;
    let defaults = RecordTime::default();
    let read = section.or("read", defaults.read, read::boolean);
    let per_cycle = section.or("per_cycle", defaults.per_cycle, |n| read::number(n, 1, 1_000_000));
    section.end();
    Some(RecordTime { read, per_cycle })
}

/// Rules by pattern, in the two forms they are written in: one word for everything, or a list.
struct Rules<T: 'static> {
    /// The key of the patterns.
    of: &'static str,
    /// The key of the word.
    word: &'static str,
    words: &'static [(&'static str, T)],
    /// What holds without a rule.
    default: T,
}

const TIME: Rules<TimeSource> = Rules {
    of: "topics",
    word: "time",
    words: &TimeSource::WORDS,
    default: TimeSource::Record,
};

const ISOLATION: Rules<Isolation> = Rules {
    of: "groups",
    word: "isolation",
    words: &Isolation::WORDS,
    default: Isolation::ReadUncommitted,
};

const GRANULARITY: Rules<Granularity> = Rules {
    of: "groups",
    word: "granularity",
    words: &Granularity::WORDS,
    default: Granularity::Partition,
};

impl<T: Copy + PartialEq> Rules<T> {
    fn read(&self, node: &Node<'_>) -> Option<Vec<(Patterns, T)>> {
        match node.kind() {
            ValueKind::Array(elements) => read::all(node.elements(elements).iter().map(|rule| self.rule(rule))),
            ValueKind::String(text) => match self.words.iter().find(|(word, _)| word == text) {
                Some((_, value)) if *value == self.default => Some(Vec::new()),
                Some((_, value)) => Some(vec![(all(), *value)]),
                None => self.refuse(node),
            },
            _ => self.refuse(node),
        }
    }

    fn rule(&self, node: &Node<'_>) -> Option<(Patterns, T)> {
        let mut section = node.section()?;
        let of = section.required(
            self.of,
            "regular expressions of what the rule is for",
            read::some_patterns,
        );
        let value = section.required(self.word, &self.choice(), |n| read::one_of(n, self.words));
        section.end();
        Some((of?, value?))
    }

    fn choice(&self) -> String {
        read::either(self.words.iter().map(|(word, _)| *word))
    }

    fn refuse<V>(&self, node: &Node<'_>) -> Option<V> {
        node.refuse(format!("must be {}, or a list of rules", self.choice()))
    }
}

fn families(node: &Node<'_>) -> Option<PartitionFamilies> {
    let mut families = PartitionFamilies::NONE;
    let texts = read::texts(node)?;
    read::all(texts.iter().map(|(at, family)| match families.switch_on(family) {
        true => Some(()),
        false => at.refuse("must be lag_records, lag_seconds, committed_offset or stalled_seconds"),
    }))?;
    Some(families)
}

fn compatibility(node: &Node<'_>) -> Option<Compatibility> {
    let mut chosen = Compatibility::default();
    let texts = read::texts(node)?;
    read::all(texts.iter().map(|(at, exporter)| match chosen.switch_on(exporter) {
        true => Some(()),
        false => at.refuse(format!("must be {}", read::either(Compatibility::NAMES))),
    }))?;
    Some(chosen)
}

fn request_timeout(section: &mut Section<'_>, max_staleness: Duration) -> Duration {
    let longest = Duration::from_secs(600);
    let timeout = section.or("request_timeout", DEFAULT_REQUEST_TIMEOUT, |n| {
        read::duration(n, longest)
    });
    if timeout > max_staleness / 2 {
        section.warn(
            "request_timeout",
            "is above half of max_staleness: one broker that hangs can make good readings too old",
        );
    }
    timeout
}
