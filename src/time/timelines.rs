//! Every topic of a cluster, and what to ask Kafka next.

use std::collections::HashMap;
use std::collections::HashSet;
use std::time::Duration;

use crate::failure::Heard;
use crate::model::Moment;
use crate::model::Offset;
use crate::model::Partition;
use crate::model::RecordAt;
use crate::model::TimeSource;
use crate::model::TopicId;
use crate::model::TopicName;
use crate::model::UnixMillis;

use super::Settings;
use super::timeline::Urgency;
use super::topic::TopicTimes;

/// The most topics whose newest record is asked for in one plan: such a question costs a broker six times an end.
const COMPARED_PER_PLAN: usize = 200;
/// Topics of which records are read in one cycle have so many partitions together, or are one: whoever reads of a topic concerns itself with
/// all of its partitions, and the cost grows with their square.
const PARTITIONS_READ_OF: usize = 10_000;

/// The histories of one cluster. Owned by its poller.
#[derive(Clone, Debug)]
pub struct Timelines {
    settings: Settings,
    topics: HashMap<TopicName, TopicTimes>,
    planned: Planned,
}

/// What was planned in one cycle.
#[derive(Clone, Debug, Default)]
struct Planned {
    /// When.
    at: Duration,
    /// Reads and questions.
    count: usize,
    /// Topics that records are read of.
    read_of: HashSet<TopicName>,
    /// Partitions that those have.
    partitions: usize,
}

/// What to ask Kafka next; nothing in it twice.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    /// The newest record's offset and time (ListOffsets -3): do record times agree with arrival? One partition a topic.
    pub newest: Vec<(TopicName, Partition)>,
    /// Records to read for their time, most needed and longest waiting first.
    pub reads: Vec<(TopicName, Partition, Offset)>,
    /// ListOffsets by timestamp, where records cannot be read. Each partition once.
    pub by_time: Vec<(TopicName, Partition, UnixMillis)>,
}

impl Plan {
    /// True when there is nothing to ask.
    pub fn is_empty(&self) -> bool {
        self.newest.is_empty() && self.reads.is_empty() && self.by_time.is_empty()
    }
}

impl Timelines {
    /// No history yet.
    pub fn new(settings: Settings) -> Self {
        Self {
            settings,
            topics: HashMap::new(),
            planned: Planned::default(),
        }
    }

    /// Other settings from now on. What is known stays.
    pub fn reconfigure(&mut self, settings: Settings) {
        self.settings = settings;
        for topic in self.topics.values_mut() {
            topic.reconfigure(settings);
        }
    }

    /// The topic of this name and id, made when it is new; one of another id takes its place. `source` is the configured one.
    pub fn topic(&mut self, name: &TopicName, id: Option<TopicId>, source: TimeSource) -> &mut TopicTimes {
        let settings = self.settings;
        let topic = self
            .topics
            .entry(name.clone())
            .or_insert_with(|| TopicTimes::new(settings));
        topic.is(id, source);
        topic
    }

    /// The topic of this name, where it was ever seen.
    pub fn get(&self, name: &TopicName) -> Option<&TopicTimes> {
        self.topics.get(name)
    }

    /// The same, to tell it something.
    pub fn get_mut(&mut self, name: &TopicName) -> Option<&mut TopicTimes> {
        self.topics.get_mut(name)
    }

    /// Drops topics that nobody watches any more.
    pub fn retain(&mut self, mut keep: impl FnMut(&TopicName) -> bool) {
        self.topics.retain(|name, _| keep(name));
    }

    /// What to ask next, after every [`TopicTimes::want`] of the cycle. Another plan of the same moment is another round of the same
    /// cycle, and has what the ones before left of its limit.
    pub fn plan(&mut self, now: Moment) -> Plan {
        if self.planned.at != now.mono {
            self.planned = Planned {
                at: now.mono,
                ..Planned::default()
            };
        }
        let mut plan = self.next(now, self.settings.per_cycle.saturating_sub(self.planned.count));
        let (topics, planned) = (&self.topics, &mut self.planned);
        plan.reads.retain(|(topic, ..)| planned.reads(topic, topics));
        planned.count += plan.reads.len() + plan.by_time.len();
        plan
    }

    fn next(&self, now: Moment, limit: usize) -> Plan {
        let mut newest = Vec::new();
        let mut reads = Vec::new();
        let mut by_time = Vec::new();
        for (name, topic) in &self.topics {
            if newest.len() < COMPARED_PER_PLAN {
                newest.extend(topic.to_compare(now).map(|partition| (name.clone(), partition)));
            }
            let terms = topic.terms(now);
            for (timeline, number) in topic.partitions.iter().zip(0..) {
                if timeline.wants.is_empty() {
                    continue;
                }
                if terms.unreadable.is_some() {
                    let question = timeline.question(now, &terms);
                    by_time.extend(question.map(|(since, asked)| (since, name, Partition(number), asked)));
                    continue;
                }
                let urgent = timeline
                    .wants
                    .iter()
                    .filter_map(|want| Some((timeline.urgency(want, now, &terms)?, want)));
                reads.extend(urgent.map(|(urgency, want)| Read {
                    rank: (urgency, want.since_ms()),
                    place: (name, Partition(number), want.at),
                }));
            }
        }
        first(&mut reads, limit, |read| (read.rank, read.place));
        first(&mut by_time, limit, |asked| *asked);
        let own = |read: Read<'_>| (read.place.0.clone(), read.place.1, read.place.2);
        Plan {
            newest,
            reads: reads.into_iter().map(own).collect(),
            by_time: by_time
                .into_iter()
                .map(|(_, name, partition, asked)| (name.clone(), partition, asked))
                .collect(),
        }
    }

    /// The newest record of a partition.
    pub fn learn_newest(
        &mut self,
        topic: &TopicName,
        partition: Partition,
        newest: &Heard<Option<(Offset, UnixMillis)>>,
        now: Moment,
    ) {
        if let Some(topic) = self.topics.get_mut(topic) {
            topic.learn_newest(partition, newest.ok().flatten(), now);
        }
    }

    /// What a read at an offset of the plan found.
    pub fn learn_read(&mut self, read: &(TopicName, Partition, Offset), found: Heard<RecordAt>, now: Moment) {
        let (topic, partition, at) = read;
        if let Some(topic) = self.topics.get_mut(topic) {
            topic.learn_read(*partition, *at, found, now);
        }
    }

    /// What ListOffsets by timestamp answered to a question of the plan. A failure changes nothing: the question comes again.
    pub fn learn_by_time(
        &mut self,
        question: &(TopicName, Partition, UnixMillis),
        answer: &Heard<Option<(Offset, UnixMillis)>>,
        now: Moment,
    ) {
        let (topic, partition, asked) = question;
        if let (Some(topic), Ok(answer)) = (self.topics.get_mut(topic), answer) {
            topic.learn_by_time(*partition, *asked, *answer, now);
        }
    }

    /// Bytes that the histories take.
    pub fn bytes(&self) -> usize {
        self.topics.values().map(TopicTimes::bytes).sum()
    }
}

impl Planned {
    /// Whether records of the topic may be read in this cycle.
    fn reads(&mut self, name: &TopicName, topics: &HashMap<TopicName, TopicTimes>) -> bool {
        if self.read_of.contains(name) {
            return true;
        }
        let partitions = topics.get(name).map_or(0, |topic| topic.partitions.len());
        let fits = self.read_of.is_empty() || self.partitions + partitions <= PARTITIONS_READ_OF;
        if fits {
            self.partitions += partitions;
            self.read_of.insert(name.clone());
        }
        fits
    }
}

#[derive(Clone, Copy)]
struct Read<'a> {
    rank: (Urgency, u64),
    place: (&'a TopicName, Partition, Offset),
}

/// Keeps the first `limit` in order.
fn first<T, K: Ord>(items: &mut Vec<T>, limit: usize, key: impl Fn(&T) -> K) {
    if items.len() > limit {
        items.select_nth_unstable_by_key(limit, &key);
        items.truncate(limit);
    }
    items.sort_unstable_by_key(key);
}
