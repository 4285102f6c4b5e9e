//! What is remembered from cycle to cycle: last good readings, counters, and what the verdicts need. Owned by one poller.

use std::collections::BTreeMap;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use crate::model::GroupId;
use crate::model::Moment;
use crate::model::Offset;
use crate::model::Partition;
use crate::model::TopicId;
use crate::model::TopicName;
use crate::model::UnixMillis;
use crate::observation::Description;
use crate::observation::ListedGroup;
use crate::observation::PartitionLog;
use crate::observation::TopicConfig;
use crate::observation::TopicMeta;
use crate::time;
use crate::time::Timelines;
use crate::verdict::GroupWatch;
use crate::verdict::PairState;

use super::event::Chronicle;
use super::event::Happening;
use super::trend::Trend;
use super::view::GroupView;
use super::view::Totals;

/// Everything one poller remembers of its cluster.
#[derive(Debug)]
pub struct History {
    /// When the logs grew, and what is known of the times of records.
    pub timelines: Timelines,
    pub(super) groups: HashMap<GroupId, GroupHistory>,
    pub(super) topics: HashMap<TopicName, TopicHistory>,
    pub(super) totals: Totals,
    pub(super) read_at: Option<Moment>,
    pub(super) last_success: Option<UnixMillis>,
    pub(super) brokers: Option<u32>,
}

impl History {
    /// Nothing is remembered yet.
    pub fn new(times: time::Settings) -> Self {
        Self {
            timelines: Timelines::new(times),
            groups: HashMap::new(),
            topics: HashMap::new(),
            totals: Totals::default(),
            read_at: None,
            last_success: None,
            brokers: None,
        }
    }

    /// The groups that are shown at present, as they were last listed: who is missing from a new list must be asked for by name.
    pub fn known_groups(&self) -> impl Iterator<Item = &ListedGroup> {
        self.groups.values().map(|group| &group.listed)
    }

    /// The topics that a group was last seen to have something on: what must still be asked for while the group cannot be read.
    pub fn topics_of(&self, group: &GroupId) -> impl Iterator<Item = &TopicName> {
        self.groups.get(group).into_iter().flat_map(|group| group.topics.keys())
    }

    /// Takes the topics whose configuration is due: new ones, and those asked for longer than `every` ago.
    pub fn take_due_configs(&mut self, now: Moment, every: Duration) -> Vec<TopicName> {
        let is_due = |asked: Option<Duration>| asked.is_none_or(|at| now.mono.saturating_sub(at) >= every);
        let due = self.topics.iter_mut().filter(|(_, topic)| is_due(topic.config_asked));
        due.map(|(name, topic)| {
            topic.config_asked = Some(now.mono);
            name.clone()
        })
        .collect()
    }

    /// A reset of our own, asked for by somebody, moved a commit: that is no consumption, and readers start anew from there.
    pub fn reset_to(
        &mut self,
        group: &GroupId,
        (topic, partition): (&TopicName, Partition),
        to: Offset,
        by: &Arc<str>,
    ) {
        let Some(group) = self.groups.get_mut(group) else {
            return;
        };
        group.chronicle.note(Happening::Reset {
            topic: topic.to_string().into(),
            partitions: 1,
            by: by.clone(),
        });
        if let Some(topic) = group.topics.get_mut(topic) {
            topic.pair(partition, 0).reset_to(to);
        }
    }

    /// Forgets the groups and topics that are no longer watched: nobody asks for them any more, so that no answer would end them.
    pub fn retain(&mut self, group: impl Fn(&GroupId) -> bool, topic: impl Fn(&TopicName) -> bool) {
        self.groups.retain(|id, _| group(id));
        self.topics.retain(|name, _| topic(name));
        self.timelines.retain(&topic);
        for group in self.groups.values_mut() {
            group.retain(&topic);
        }
    }

    /// Counts cycles that did not take place because the one before had not ended.
    pub fn skipped(&mut self, cycles: u64) {
        self.totals.cycles_skipped += cycles;
    }
}

/// One group.
#[derive(Debug)]
pub(super) struct GroupHistory {
    /// As last listed.
    pub(super) listed: ListedGroup,
    /// Last good description and when it was heard.
    pub(super) description: Option<(Arc<Description>, Moment)>,
    /// When the commits were last heard.
    pub(super) commits_at: Option<Moment>,
    /// The view of the last cycle: what stands while a reading fails.
    pub(super) view: Option<Arc<GroupView>>,
    /// By topic.
    pub(super) topics: BTreeMap<TopicName, GroupTopicHistory>,
    /// Rebalances, and when somebody was last seen to work.
    pub(super) watch: GroupWatch,
    /// True once a member was seen: the group is not `simple`, whatever it looks like later.
    pub(super) had_members: bool,
    /// What happened.
    pub(super) chronicle: Chronicle,
    /// The last hour.
    pub(super) trend: Arc<Trend>,
}

impl GroupHistory {
    pub(super) fn new(listed: ListedGroup) -> Self {
        Self {
            listed,
            description: None,
            commits_at: None,
            view: None,
            topics: BTreeMap::new(),
            watch: GroupWatch::new(),
            had_members: false,
            chronicle: Chronicle::default(),
            trend: Arc::default(),
        }
    }
}

impl GroupHistory {
    /// Forgets topics, also in what stands while a reading fails.
    fn retain(&mut self, topic: impl Fn(&TopicName) -> bool) {
        let before = self.topics.len();
        self.topics.retain(|name, _| topic(name));
        let Some(view) = self.view.as_mut().filter(|_| self.topics.len() < before) else {
            return;
        };
        let view = Arc::make_mut(view);
        let stood = std::mem::take(&mut view.topics);
        for kept in self.topics.values_mut() {
            let stands = kept.place.and_then(|place| stood.get(place));
            kept.place = stands.map(|_| view.topics.len());
            view.topics.extend(stands.cloned());
        }
    }
}

/// One topic of one group.
#[derive(Debug, Default)]
pub(super) struct GroupTopicHistory {
    /// The incarnation all of this is about.
    pub(super) id: Option<TopicId>,
    /// Where the topic stands in the group's last view.
    pub(super) place: Option<usize>,
    /// Sorted by partition.
    pub(super) pairs: Vec<PairHistory>,
    pub(super) consumed: u64,
    pub(super) lost: u64,
    pub(super) rewinds: u64,
}

/// One partition of one topic of one group.
#[derive(Clone, Copy, Debug)]
pub(super) struct PairHistory {
    pub(super) partition: Partition,
    /// The last reading, and what the verdict follows from.
    pub(super) state: PairState,
}

/// One topic, whoever reads it.
#[derive(Debug)]
pub(super) struct TopicHistory {
    /// Last good metadata and when it was heard.
    pub(super) meta: TopicMeta,
    pub(super) meta_at: Moment,
    /// Last good limits, sorted by partition.
    pub(super) logs: Vec<LogHistory>,
    /// Since when the last stable offset has stood still with records beyond it, where it has.
    pub(super) open: BTreeMap<Partition, Duration>,
    pub(super) produced: u64,
    pub(super) config: Option<TopicConfig>,
    /// When the configuration was last asked for, whatever came of it.
    pub(super) config_asked: Option<Duration>,
}

/// One partition's log.
#[derive(Clone, Copy, Debug)]
pub(super) struct LogHistory {
    /// The last reading in which both ends were heard.
    pub(super) log: PartitionLog,
    /// When that was.
    pub(super) read_at: Duration,
}
