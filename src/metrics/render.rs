//! Walks a snapshot family by family and hands each sample to a [`Sink`]: the one place that knows what is there and what is absent.

use super::catalog::Family;
use super::catalog::Values;
use super::compat;
use super::label;
use super::number::Value;
use crate::config::Cluster;
use crate::config::Granularity;
use crate::config::Objective;
use crate::model::Partition;
use crate::model::Status;
use crate::snapshot::GroupTopicView;
use crate::snapshot::GroupView;
use crate::snapshot::PartitionView;
use crate::snapshot::ShareFigures;
use crate::snapshot::Snapshot;

/// One cluster's snapshot, with what the configuration says of each of its groups.
pub(super) struct Scope<'a> {
    pub(super) snapshot: &'a Snapshot,
    pub(super) cluster: &'a Cluster,
    pub(super) objectives: &'a [Objective],
    /// Series that `series_limit` has left out so far, this cycle's included.
    pub(super) series_dropped: u64,
    /// `{kafka_cluster="main"`
    head: Vec<u8>,
    pub(super) groups: Vec<GroupScope<'a>>,
}

/// One group, and how it is shown.
pub(super) struct GroupScope<'a> {
    pub(super) view: &'a GroupView,
    pub(super) granularity: Granularity,
    pub(super) owner_info: bool,
    /// `{kafka_cluster="main",group="g"`
    head: Box<[u8]>,
}

/// Takes samples.
pub(super) trait Sink {
    /// False for one that looks at no label, so that none is made.
    const READS_LABELS: bool = true;

    /// One sample.
    fn sample(&mut self, family: &Family, labels: Labels<'_>, value: Value);
}

/// The labels of one sample, in order.
#[derive(Clone, Copy)]
pub(super) struct Labels<'a> {
    /// Finished text, from the opening brace.
    head: &'a [u8],
    partition: Option<Partition>,
    more: &'a [(&'static str, &'a str)],
}

impl<'a> Scope<'a> {
    pub(super) fn new(snapshot: &'a Snapshot, cluster: &'a Cluster, label: &str, objectives: &'a [Objective]) -> Self {
        let mut head = b"{".to_vec();
        label::push(&mut head, label, &snapshot.cluster);
        let groups = snapshot
            .groups
            .iter()
            .map(|view| GroupScope::new(view, cluster, &head))
            .collect();
        Self {
            snapshot,
            cluster,
            objectives,
            series_dropped: 0,
            head,
            groups,
        }
    }

    /// Every sample of one family.
    pub(super) fn render(&self, family: &Family, sink: &mut impl Sink) {
        if !(family.served)(self.cluster) {
            return;
        }
        match family.values {
            Values::TopicPartition(_) | Values::Topic(_) | Values::TopicWith(..) => self.topics(family, sink),
            Values::Cluster(_, samples) => samples(self, &mut |more, value| {
                sink.sample(family, Labels::new(&self.head, more), value);
            }),
            Values::Scrape(_) | Values::Process(_) => {}
            Values::Other(_, ref source) if !source.is_of_groups() => compat::render(self, family, sink),
            _ => self.groups.iter().for_each(|group| self.group(family, group, sink)),
        }
    }

    /// Every sample of one family of one group.
    pub(super) fn group(&self, family: &Family, group: &GroupScope<'_>, sink: &mut impl Sink) {
        match family.values {
            Values::Group(figure) => {
                if let Some(value) = figure(group.view) {
                    sink.sample(family, Labels::new(&group.head, &[]), value);
                }
            }
            Values::GroupWith(_, samples) => samples(self, group.view, &mut |more, value| {
                sink.sample(family, Labels::new(&group.head, more), value);
            }),
            Values::Other(..) => compat::group(self, family, group, sink),
            _ if group.granularity >= family.granularity() => group.topics(family, sink),
            _ => {}
        }
    }

    /// The beginning of all labels, the cluster's under another name where one is given.
    pub(super) fn head_for(&self, label: Option<&str>) -> Vec<u8> {
        let Some(label) = label else {
            return self.head.clone();
        };
        let mut head = b"{".to_vec();
        label::push(&mut head, label, &self.snapshot.cluster);
        head
    }

    fn topics<S: Sink>(&self, family: &Family, sink: &mut S) {
        let mut head = self.head.clone();
        for topic in &self.snapshot.topics {
            topic_label::<S>(&mut head, self.head.len(), &topic.name);
            match family.values {
                Values::Topic(figure) => {
                    if let Some(value) = figure(topic) {
                        sink.sample(family, Labels::new(&head, &[]), value);
                    }
                }
                Values::TopicWith(_, samples) => {
                    samples(topic, &mut |more, value| {
                        sink.sample(family, Labels::new(&head, more), value);
                    });
                }
                Values::TopicPartition(figure) => {
                    for it in &topic.partitions {
                        if let Some(value) = figure(it) {
                            sink.sample(family, Labels::new(&head, &[]).of(it.partition), value);
                        }
                    }
                }
                _ => {}
            }
        }
    }
}

impl<'a> GroupScope<'a> {
    fn new(view: &'a GroupView, cluster: &Cluster, head: &[u8]) -> Self {
        let id = view.id.bytes();
        let granularity = cluster.granularity.iter().find(|(patterns, _)| patterns.matches(id));
        let mut own = head.to_vec();
        label::push(&mut own, "group", &view.name);
        Self {
            view,
            granularity: granularity.map_or(Granularity::Partition, |&(_, granularity)| granularity),
            owner_info: !cluster.owner_info.is_empty() && cluster.owner_info.matches(id),
            head: own.into_boxed_slice(),
        }
    }

    fn topics<S: Sink>(&self, family: &Family, sink: &mut S) {
        if matches!(family.values, Values::PartitionOwner) && !self.owner_info {
            return;
        }
        let mut head = self.head.to_vec();
        for topic in &self.view.topics {
            topic_label::<S>(&mut head, self.head.len(), &topic.name);
            self.topic(family, topic, &head, sink);
        }
        let Some(share) = &self.view.share else { return };
        for (topic, figures) in share.topics.iter().zip(&share.figures) {
            topic_label::<S>(&mut head, self.head.len(), &topic.name);
            self.share_topic(family, (topic, figures), &head, sink);
        }
    }

    /// A share group has families of its own, and of the others only those that say no lag.
    fn share_topic(
        &self,
        family: &Family,
        (topic, figures): (&GroupTopicView, &[ShareFigures]),
        head: &[u8],
        sink: &mut impl Sink,
    ) {
        match family.values {
            Values::ShareTopic(figure) => {
                if let Some(value) = figure(topic) {
                    sink.sample(family, Labels::new(head, &[]), value);
                }
            }
            Values::SharePartition(figure) => {
                for (it, share) in topic.partitions.iter().zip(figures) {
                    if let Some(value) = figure(it, share) {
                        sink.sample(family, Labels::new(head, &[]).of(it.partition), value);
                    }
                }
            }
            Values::GroupTopicReasons(_) | Values::PartitionStatus => self.topic(family, topic, head, sink),
            _ => {}
        }
    }

    fn topic(&self, family: &Family, topic: &GroupTopicView, head: &[u8], sink: &mut impl Sink) {
        match family.values {
            Values::GroupTopic(figure) => {
                if let Some(value) = figure(self.view, topic) {
                    sink.sample(family, Labels::new(head, &[]), value);
                }
            }
            Values::GroupTopicReasons(counts) => {
                for (reason, count) in counts(topic).iter().filter(|&&(_, count)| count > 0) {
                    let more = [("reason", reason.as_str())];
                    sink.sample(family, Labels::new(head, &more), Value::from(*count));
                }
            }
            Values::Partition(figure) => {
                for it in &topic.partitions {
                    if let Some(value) = figure(it) {
                        sink.sample(family, Labels::new(head, &[]).of(it.partition), value);
                    }
                }
            }
            _ => topic.partitions.iter().for_each(|it| self.told(family, it, head, sink)),
        }
    }

    /// Samples of value 1 that say something by their labels.
    fn told(&self, family: &Family, it: &PartitionView, head: &[u8], sink: &mut impl Sink) {
        let mut one = |more: &[(&'static str, &str)]| {
            sink.sample(family, Labels::new(head, more).of(it.partition), Value::Count(1));
        };
        match family.values {
            Values::PartitionStatus if it.status != Status::Ok => one(&[("status", it.status.as_str())]),
            Values::PartitionOwner => {
                let members = self.view.members.as_ref().map(|members| &members.members);
                let owner = it.owner.and_then(|index| members?.get(usize::try_from(index).ok()?));
                if let Some(owner) = owner {
                    one(&[("client_id", &owner.client_id), ("host", &owner.host)]);
                }
            }
            _ => {}
        }
    }
}

/// Makes the first `kept` bytes of a head that of the topic.
fn topic_label<S: Sink>(head: &mut Vec<u8>, kept: usize, topic: &str) {
    if S::READS_LABELS {
        head.truncate(kept);
        label::push(head, "topic", topic);
    }
}

impl Family {
    /// The coarsest granularity of a group at which the family is served.
    pub(super) fn granularity(&self) -> Granularity {
        match self.values {
            Values::Partition(_) | Values::SharePartition(_) | Values::PartitionStatus | Values::PartitionOwner => {
                Granularity::Partition
            }
            Values::GroupTopic(_) | Values::ShareTopic(_) | Values::GroupTopicReasons(_) => Granularity::Topic,
            Values::Other(_, ref source) => source.granularity(),
            _ => Granularity::Group,
        }
    }
}

impl<'a> Labels<'a> {
    pub(super) fn new(head: &'a [u8], more: &'a [(&'static str, &'a str)]) -> Self {
        Self {
            head,
            partition: None,
            more,
        }
    }

    #[inline]
    fn of(self, partition: Partition) -> Self {
        Self {
            partition: Some(partition),
            ..self
        }
    }

    /// Appends them, closing brace included.
    #[inline]
    pub(super) fn write(self, out: &mut Vec<u8>) {
        out.extend_from_slice(self.head);
        if let Some(Partition(partition)) = self.partition {
            out.extend_from_slice(b",partition=\"");
            out.extend_from_slice(itoa::Buffer::new().format(partition).as_bytes());
            out.push(b'"');
        }
        for (name, value) in self.more {
            label::push(out, name, value);
        }
        out.push(b'}');
    }
}
