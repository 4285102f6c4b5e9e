//! Names of other exporters, served besides where `compatibility` asks for them: their names, their labels, tidemark's figures. What cannot be
//! said is absent here too, where the others say -1, 0 or NaN; docs/migrating.md tells the differences name by name.

mod kafka_exporter;
mod kafka_lag_exporter;
mod kminion;
#[cfg(test)]
mod tests;

use super::catalog::Emit;
use super::catalog::Family;
use super::catalog::Values;
use super::label;
use super::number::Value;
use super::render::GroupScope;
use super::render::Labels;
use super::render::Scope;
use super::render::Sink;
use crate::config::Granularity;
use crate::model::Partition;
use crate::observation::PartitionMeta;
use crate::snapshot::GroupTopicView;
use crate::snapshot::GroupView;
use crate::snapshot::MemberView;
use crate::snapshot::PartitionView;
use crate::snapshot::Snapshot;
use crate::snapshot::TopicPartitionView;
use crate::snapshot::TopicView;

/// The families of every other exporter, in the order in which they are served.
pub(super) const FAMILIES: [&[Family]; 3] = [
    kafka_exporter::FAMILIES,
    kafka_lag_exporter::FAMILIES,
    kminion::FAMILIES,
];

/// How another exporter calls the labels.
#[derive(Debug)]
pub(super) struct Words {
    /// `None` where it knows one cluster only: then the cluster's label is the configured one, in addition.
    cluster: Option<&'static str>,
    group: &'static str,
    topic: &'static str,
    partition: &'static str,
}

/// Where the values of such a family come from.
pub(super) enum Source {
    /// A figure of a partition of a group, and whether it names the member that owns it.
    Partition(fn(&PartitionView) -> Option<Value>, Owner),
    /// A figure of a topic of a group.
    GroupTopic(fn(&GroupTopicView) -> Option<Value>),
    /// A figure of a group.
    Group(fn(&GroupView) -> Option<Value>),
    /// Samples of a group that carry the named labels besides.
    GroupWith(&'static [&'static str], fn(&GroupView, Emit<'_>)),
    /// A figure of a partition's log.
    Log(fn(&TopicPartitionView) -> Option<Value>),
    /// A figure of a partition's replicas.
    Replicas(fn(&PartitionMeta) -> Option<Value>),
    /// A figure of a topic.
    Topic(fn(&TopicView) -> Option<Value>),
    /// Samples of a topic that carry the named labels besides.
    TopicWith(&'static [&'static str], fn(&TopicView, Emit<'_>)),
    /// A figure of the cluster.
    Cluster(fn(&Snapshot) -> Option<Value>),
}

/// Whether a family names the owner of a partition: where `owner_info` says so, and never by the member's id, which changes with every
/// start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Owner {
    /// It has no such labels.
    Unnamed,
    /// `member_host` and `client_id`.
    Named,
}

impl Source {
    /// The labels in their order, the cluster's under its usual name.
    pub(super) fn labels(&self, words: &Words) -> Vec<&'static str> {
        let Words {
            group,
            topic,
            partition,
            ..
        } = *words;
        let mut labels = vec![words.cluster.unwrap_or("kafka_cluster")];
        match self {
            Self::Partition(_, Owner::Unnamed) => labels.extend([group, topic, partition]),
            Self::Partition(_, Owner::Named) => labels.extend([group, topic, partition, "member_host", "client_id"]),
            Self::GroupTopic(_) => labels.extend([group, topic]),
            Self::Group(_) => labels.push(group),
            Self::GroupWith(more, _) => labels.extend([&[group], *more].concat()),
            Self::Log(_) | Self::Replicas(_) => labels.extend([topic, partition]),
            Self::Topic(_) => labels.push(topic),
            Self::TopicWith(more, _) => labels.extend([&[topic], *more].concat()),
            Self::Cluster(_) => {}
        }
        labels
    }

    /// Whether it is told of groups.
    pub(super) fn is_of_groups(&self) -> bool {
        matches!(
            self,
            Self::Partition(..) | Self::GroupTopic(_) | Self::Group(_) | Self::GroupWith(..)
        )
    }

    /// The coarsest granularity of a group at which it is served.
    pub(super) fn granularity(&self) -> Granularity {
        match self {
            Self::Partition(..) => Granularity::Partition,
            Self::GroupTopic(_) => Granularity::Topic,
            _ => Granularity::Group,
        }
    }
}

/// Every sample of a family that is not about a group.
pub(super) fn render(scope: &Scope<'_>, family: &Family, sink: &mut impl Sink) {
    let Values::Other(words, source) = &family.values else {
        return;
    };
    let head = scope.head_for(words.cluster);
    if let Source::Cluster(figure) = source {
        if let Some(value) = figure(scope.snapshot) {
            sink.sample(family, Labels::new(&head, &[]), value);
        }
        return;
    }
    for topic in &scope.snapshot.topics {
        let mut head = head.clone();
        label::push(&mut head, words.topic, &topic.name);
        of_topic(family, topic, &mut head, sink);
    }
}

fn of_topic(family: &Family, topic: &TopicView, head: &mut Vec<u8>, sink: &mut impl Sink) {
    let Values::Other(words, source) = &family.values else {
        return;
    };
    match source {
        Source::Topic(figure) => {
            if let Some(value) = figure(topic) {
                sink.sample(family, Labels::new(head, &[]), value);
            }
        }
        Source::TopicWith(_, samples) => {
            samples(topic, &mut |more, value| {
                sink.sample(family, Labels::new(head, more), value);
            });
        }
        Source::Log(figure) => {
            for it in &topic.partitions {
                of_partition(family, words, (head, it.partition), figure(it), sink);
            }
        }
        Source::Replicas(figure) => {
            for it in &topic.replication {
                of_partition(family, words, (head, it.partition), figure(it), sink);
            }
        }
        _ => {}
    }
}

/// Every sample of one family of one group.
pub(super) fn group(scope: &Scope<'_>, family: &Family, group: &GroupScope<'_>, sink: &mut impl Sink) {
    let Values::Other(words, source) = &family.values else {
        return;
    };
    let mut head = scope.head_for(words.cluster);
    label::push(&mut head, words.group, &group.view.name);
    match source {
        Source::Group(figure) => {
            if let Some(value) = figure(group.view) {
                sink.sample(family, Labels::new(&head, &[]), value);
            }
        }
        Source::GroupWith(_, samples) => {
            samples(group.view, &mut |more, value| {
                sink.sample(family, Labels::new(&head, more), value);
            });
        }
        Source::GroupTopic(_) | Source::Partition(..) if group.granularity >= source.granularity() => {
            let length = head.len();
            for topic in &group.view.topics {
                head.truncate(length);
                label::push(&mut head, words.topic, &topic.name);
                of_group_topic(family, group, topic, (&mut head, sink));
            }
        }
        _ => {}
    }
}

fn of_group_topic(
    family: &Family,
    group: &GroupScope<'_>,
    topic: &GroupTopicView,
    (head, sink): (&mut Vec<u8>, &mut impl Sink),
) {
    let Values::Other(words, source) = &family.values else {
        return;
    };
    match source {
        Source::GroupTopic(figure) => {
            if let Some(value) = figure(topic) {
                sink.sample(family, Labels::new(head, &[]), value);
            }
        }
        Source::Partition(figure, owner) => {
            for it in &topic.partitions {
                let Some(value) = figure(it) else { continue };
                let length = head.len();
                push_partition(head, words, it.partition);
                match named(group, it).filter(|_| *owner == Owner::Named) {
                    Some(member) => {
                        let more = [("member_host", &*member.host), ("client_id", &*member.client_id)];
                        sink.sample(family, Labels::new(head, &more), value);
                    }
                    None => sink.sample(family, Labels::new(head, &[]), value),
                }
                head.truncate(length);
            }
        }
        _ => {}
    }
}

/// The owner of a partition, for the groups that are configured so.
fn named<'a>(group: &GroupScope<'a>, it: &PartitionView) -> Option<&'a MemberView> {
    let members = group.view.members.as_ref().filter(|_| group.owner_info)?;
    members.members.get(usize::try_from(it.owner?).ok()?)
}

fn of_partition(
    family: &Family,
    words: &Words,
    (head, partition): (&mut Vec<u8>, Partition),
    value: Option<Value>,
    sink: &mut impl Sink,
) {
    let Some(value) = value else { return };
    let length = head.len();
    push_partition(head, words, partition);
    sink.sample(family, Labels::new(head, &[]), value);
    head.truncate(length);
}

fn push_partition(head: &mut Vec<u8>, words: &Words, Partition(partition): Partition) {
    label::push(head, words.partition, itoa::Buffer::new().format(partition));
}

fn members(group: &GroupView) -> Option<Value> {
    let members = group.members.as_ref()?;
    u32::try_from(members.members.len()).ok().map(Value::from)
}

/// Of the partitions with a commit; absent where none has one.
fn committed_sum(topic: &GroupTopicView) -> Option<Value> {
    let mut offsets = topic.partitions.iter().filter_map(|it| it.committed).peekable();
    offsets.peek()?;
    Some(Value::Count(
        offsets.map(|offset| u128::from(offset.get().unsigned_abs())).sum(),
    ))
}
