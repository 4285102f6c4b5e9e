//! Every family that is served: its name, labels and help, and where its values come from. The one list: what is rendered, and the
//! reference in `docs/metrics.md`, are made from it.

pub(super) mod cluster;
mod group;
mod partition;
mod share;
mod topic;

use std::fmt::Write as _;

use super::compat;
use super::compat::Source;
use super::compat::Words;
use super::number::Value;
use super::render::Scope;
use crate::config::Cluster;
use crate::failure::Reason;
use crate::snapshot::GroupTopicView;
use crate::snapshot::GroupView;
use crate::snapshot::PartitionView;
use crate::snapshot::ShareFigures;
use crate::snapshot::TopicPartitionView;
use crate::snapshot::TopicView;

/// One metric family.
pub struct Family {
    /// Its name.
    pub name: &'static str,
    /// What it says, for a person.
    pub help: &'static str,
    pub(super) values: Values,
    pub(super) served: fn(&Cluster) -> bool,
}

/// What Prometheus should take a family for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Only ever grows, from the start of the process.
    Counter,
    /// Goes up and down.
    Gauge,
}

/// Takes one sample: its labels beyond the cluster's, and its value.
pub(super) type Emit<'a> = &'a mut dyn FnMut(&[(&'static str, &str)], Value);

/// Where the values of a family come from, which also says what labels it has.
pub(super) enum Values {
    /// A figure of a partition of a group.
    Partition(fn(&PartitionView) -> Option<Value>),
    /// The present status of such a partition, where it is not `ok`.
    PartitionStatus,
    /// Who owns such a partition, for the groups that are configured so.
    PartitionOwner,
    /// A figure of a partition of a share group.
    SharePartition(fn(&PartitionView, &ShareFigures) -> Option<Value>),
    /// A figure of a topic of a share group.
    ShareTopic(fn(&GroupTopicView) -> Option<Value>),
    /// A figure of a topic of a group.
    GroupTopic(fn(&GroupView, &GroupTopicView) -> Option<Value>),
    /// Partitions of a topic of a group by reason.
    GroupTopicReasons(fn(&GroupTopicView) -> &[(Reason, u32)]),
    /// A figure of a group.
    Group(fn(&GroupView) -> Option<Value>),
    /// Samples of a group that carry the named labels besides.
    GroupWith(&'static [&'static str], fn(&Scope<'_>, &GroupView, Emit<'_>)),
    /// A figure of a partition of a topic, whoever reads it.
    TopicPartition(fn(&TopicPartitionView) -> Option<Value>),
    /// A figure of a topic.
    Topic(fn(&TopicView) -> Option<Value>),
    /// Samples of a topic that carry the named labels besides.
    TopicWith(&'static [&'static str], fn(&TopicView, Emit<'_>)),
    /// Samples of the cluster that carry the named labels besides.
    Cluster(&'static [&'static str], fn(&Scope<'_>, Emit<'_>)),
    /// Told of the scrape's own moment by [`Exposition`](super::Exposition), of each cluster and with the named labels.
    Scrape(&'static [&'static str]),
    /// Told by the `prometheus` crate, of the process and with the named labels.
    Process(&'static [&'static str]),
    /// Under the name and labels of another exporter.
    Other(&'static Words, Source),
}

impl Family {
    pub(super) const fn new(name: &'static str, help: &'static str, values: Values) -> Self {
        Self {
            name,
            help,
            values,
            served: |_| true,
        }
    }

    pub(super) const fn only_if(mut self, served: fn(&Cluster) -> bool) -> Self {
        self.served = served;
        self
    }

    /// Whether it is served only where `compatibility` asks for another exporter's names.
    pub fn is_of_another_exporter(&self) -> bool {
        matches!(self.values, Values::Other(..))
    }

    /// By the convention of names.
    pub fn kind(&self) -> Kind {
        if self.name.ends_with("_total") {
            Kind::Counter
        } else {
            Kind::Gauge
        }
    }

    /// The labels in their order, the cluster's under its usual name.
    pub fn labels(&self) -> Vec<&'static str> {
        let (fixed, more): (&[_], &[_]) = match self.values {
            Values::Partition(_) | Values::SharePartition(_) => {
                (&["kafka_cluster", "group", "topic", "partition"], &[])
            }
            Values::PartitionStatus => (&["kafka_cluster", "group", "topic", "partition"], &["status"]),
            Values::PartitionOwner => (
                &["kafka_cluster", "group", "topic", "partition"],
                &["client_id", "host"],
            ),
            Values::GroupTopic(_) | Values::ShareTopic(_) => (&["kafka_cluster", "group", "topic"], &[]),
            Values::GroupTopicReasons(_) => (&["kafka_cluster", "group", "topic"], &["reason"]),
            Values::Group(_) => (&["kafka_cluster", "group"], &[]),
            Values::GroupWith(more, _) => (&["kafka_cluster", "group"], more),
            Values::TopicPartition(_) => (&["kafka_cluster", "topic", "partition"], &[]),
            Values::Topic(_) => (&["kafka_cluster", "topic"], &[]),
            Values::TopicWith(more, _) => (&["kafka_cluster", "topic"], more),
            Values::Cluster(more, _) | Values::Scrape(more) => (&["kafka_cluster"], more),
            Values::Process(more) => (&[], more),
            Values::Other(words, ref source) => return source.labels(words),
        };
        [fixed, more].concat()
    }

    /// The two lines that come before the samples.
    pub(super) fn header(&self) -> String {
        let Self { name, help, .. } = self;
        format!("# HELP {name} {help}\n# TYPE {name} {}\n", self.kind().as_str())
    }
}

impl Kind {
    /// The word of the text format.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Counter => "counter",
            Self::Gauge => "gauge",
        }
    }
}

/// Every family, in the order in which they are served.
pub fn families() -> impl Iterator<Item = &'static Family> {
    [
        partition::FAMILIES,
        group::TOPICS,
        group::FAMILIES,
        share::FAMILIES,
        topic::FAMILIES,
        cluster::FAMILIES,
    ]
    .into_iter()
    .chain(compat::FAMILIES)
    .flatten()
}

/// The reference of tidemark's own families as a Markdown table.
pub fn reference() -> String {
    let mut out = String::from("| name | labels | kind | what it says |\n|---|---|---|---|\n");
    for family in families().filter(|family| !family.is_of_another_exporter()) {
        let labels: Vec<_> = family.labels().iter().map(|label| format!("`{label}`")).collect();
        writeln!(
            out,
            "| `{}` | {} | {} | {} |",
            family.name,
            labels.join(" "),
            family.kind().as_str(),
            family.help.replace('|', "\\|")
        )
        .expect("a string takes every write");
    }
    out
}
