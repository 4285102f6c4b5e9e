//! A cluster of which one per cent goes and as much comes every minute.

use std::collections::BTreeSet;
use std::collections::VecDeque;
use std::time::Duration;

use tidemark::clock::Clock;
use tidemark::model::UnixMillis;
use tidemark::sim::Cluster;
use tidemark::sim::Member;
use tidemark::sim::Model;
use tidemark::sim::Pace;
use tokio::runtime::Runtime;

/// 2026-01-01, so that no test depends on the day it runs.
pub(super) const BEGIN: UnixMillis = UnixMillis(1_767_225_600_000);
/// Between two cycles.
pub(super) const INTERVAL: Duration = Duration::from_secs(15);
const TOPICS: u32 = 100;
const PARTITIONS: i32 = 4;
const GROUPS: u32 = 100;
/// How many topics a group reads.
const READ: usize = 2;
const BROKERS: u16 = 3;
/// One per cent of three brokers a minute: one of them every 33 minutes, gone for two.
const BROKER_EVERY: u32 = 33;
const BROKER_GONE: u32 = 2;
/// How far back the logs of a new topic reach.
const PAST: Duration = Duration::from_secs(3600);

pub(super) struct World {
    cluster: Cluster,
    clock: Clock,
    runtime: Runtime,
    /// The oldest in front; names are never used twice.
    topics: VecDeque<String>,
    groups: VecDeque<String>,
    made: u32,
    minute: u32,
}

impl World {
    pub(super) fn new() -> Self {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .expect("a runtime");
        let clock = Clock::stepped(BEGIN);
        let mut model = Model::new(BROKERS, 5);
        model.set_now(BEGIN.0);
        let inside = runtime.enter();
        let cluster = Cluster::start(model, clock.clone()).expect("ports");
        drop(inside);
        cluster.trace_counts_only();
        let mut world = Self {
            cluster,
            clock,
            runtime,
            topics: VecDeque::new(),
            groups: VecDeque::new(),
            made: 0,
            minute: 0,
        };
        (0..TOPICS).for_each(|_| world.add_topic());
        (0..GROUPS).for_each(|_| world.add_group());
        world
    }

    pub(super) fn bootstrap(&self) -> String {
        self.cluster.bootstrap()
    }

    pub(super) fn topics(&self) -> BTreeSet<String> {
        self.topics.iter().cloned().collect()
    }

    pub(super) fn groups(&self) -> BTreeSet<String> {
        self.groups.iter().cloned().collect()
    }

    /// True when no broker is lost, nor has just come back.
    pub(super) fn is_whole(&self) -> bool {
        self.minute < BROKER_EVERY || self.minute % BROKER_EVERY > 3 * BROKER_GONE
    }

    /// The next fifteen seconds.
    pub(super) fn step(&self) {
        self.clock.step(INTERVAL);
    }

    /// What goes and comes in a minute.
    pub(super) fn churn(&mut self) {
        self.minute += 1;
        let gone = self.topics.pop_front().expect("there are topics");
        self.cluster.edit(|m| m.delete_topic(&gone)).expect("it was there");
        self.add_topic();
        let gone = self.groups.pop_front().expect("there are groups");
        self.cluster.edit(|m| m.delete_group(&gone)).expect("it was there");
        self.add_group();
        self.another_member();
        self.brokers();
    }

    fn add_topic(&mut self) {
        let name = self.name("topic");
        self.cluster
            .edit(|m| {
                m.create_topic(&name, PARTITIONS);
                (0..PARTITIONS).try_for_each(|p| m.produce_since(&name, p, (1, Duration::from_secs(1)), PAST))
            })
            .expect("it was just made");
        self.topics.push_back(name);
    }

    /// Every tenth group is always behind, by what was written before it came: the time of its lag must be read from records.
    fn add_group(&mut self) {
        let name = self.name("group");
        let first = usize::try_from(self.made).expect("small") * 7;
        let topics: Vec<String> = (0..READ)
            .map(|nth| self.topics[(first + nth * 13) % self.topics.len()].clone())
            .collect();
        let read: Vec<&str> = topics.iter().map(String::as_str).collect();
        let member = Member::new(&format!("{name}-1")).subscribed(&read);
        let behind = if self.made.is_multiple_of(10) { 45 } else { 0 };
        let pace = Pace::keeping_up(Duration::from_secs(5)).behind(behind);
        let partitions: Vec<i32> = (0..PARTITIONS).collect();
        self.cluster
            .edit(|m| {
                m.join(&name, member);
                read.iter()
                    .try_for_each(|topic| m.read(&name, topic, &partitions, pace))
            })
            .expect("all of it is there");
        self.groups.push_back(name);
    }

    /// A member of some group is replaced by one with another client id.
    fn another_member(&mut self) {
        let place = usize::try_from(self.minute).expect("small") % self.groups.len();
        let (group, client) = (self.groups[place].clone(), self.name("client"));
        self.cluster.edit(|m| {
            let id = tidemark::sim::model::group_id(&group);
            let before = m.group(&id).expect("it is there").members[0].clone();
            let topics: Vec<String> = before.topics.iter().map(|topic| topic.to_string()).collect();
            let topics: Vec<&str> = topics.iter().map(String::as_str).collect();
            m.leave(&group, &before.id).expect("it is there");
            m.join(&group, Member::new(&client).subscribed(&topics));
        });
    }

    fn brokers(&mut self) {
        let broker = i32::try_from(self.minute / BROKER_EVERY % u32::from(BROKERS)).expect("small") + 1;
        match self.minute % BROKER_EVERY {
            0 => {
                self.runtime.block_on(self.cluster.down(broker)).expect("its port");
                self.cluster.edit(|m| m.fail_over(broker)).expect("it is known");
            }
            BROKER_GONE => {
                let _inside = self.runtime.enter();
                self.cluster.up(broker).expect("its port");
            }
            _ => {}
        }
    }

    fn name(&mut self, word: &str) -> String {
        self.made += 1;
        format!("{word}-{:06}", self.made)
    }
}
