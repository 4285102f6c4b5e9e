//! A cluster in memory behind the seams, for tests: it can fail, hang, answer late or change at any step.

use std::collections::BTreeMap;
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::Mutex;
use std::sync::MutexGuard;
use std::time::Duration;

use tokio::time::Instant;

use super::document::Key;
use super::engine::Access;
use super::facts::Pace;
use crate::failure::Api;
use crate::failure::Cause;
use crate::failure::ErrorCode;
use crate::failure::Failure;
use crate::failure::Heard;
use crate::kafka::CommitFact;
use crate::kafka::GroupFacts;
use crate::kafka::Write;
use crate::kafka::Writer;
use crate::model::BrokerId;
use crate::model::GroupId;
use crate::model::GroupState;
use crate::model::Offset;
use crate::model::Partition;
use crate::model::Text;
use crate::model::TopicId;
use crate::model::TopicName;
use crate::model::UnixMillis;
use crate::observation::Assignment;
use crate::observation::Description;
use crate::observation::ListedGroup;
use crate::observation::Member;
use crate::observation::PartitionLog;
use crate::observation::PartitionMeta;
use crate::observation::TopicMeta;

/// One question to the cluster, or the write.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Step {
    Group,
    Commits,
    Topics,
    Logs,
    Times,
    Write,
}

type Change = Box<dyn FnOnce(&mut World) + Send>;

/// What happens at a step instead of the plain answer.
pub(crate) enum Twist {
    /// The whole call fails.
    Fail(Cause),
    /// No answer, ever.
    Hang,
    /// Something else happens first, then the plain answer.
    First(Change),
    /// Of a write: these answers; only what is `Ok` is written.
    Answer(Vec<Result<(), Cause>>),
    /// Of a write: everything is written, and no answer comes.
    WrittenInSilence,
}

/// One partition: its log, and the offset and time of records.
#[derive(Clone, Debug)]
pub(crate) struct Log {
    pub(crate) start: Heard<i64>,
    pub(crate) end: Heard<i64>,
    pub(crate) leader: bool,
    pub(crate) times: Vec<(i64, i64)>,
}

#[derive(Default)]
pub(crate) struct World {
    pub(crate) groups: HashMap<GroupId, (ListedGroup, Description)>,
    pub(crate) commits: HashMap<GroupId, BTreeMap<Key, CommitFact>>,
    pub(crate) topics: BTreeMap<String, (Option<TopicId>, Vec<Log>)>,
    pub(crate) twists: HashMap<(Step, usize), Twist>,
    /// Every step so far.
    pub(crate) steps: Vec<Step>,
    /// Every write that took place.
    pub(crate) written: Vec<(GroupId, Write)>,
}

/// A handle on the cluster.
#[derive(Clone, Default)]
pub(crate) struct Cluster(Arc<Mutex<World>>);

pub(crate) fn offset(raw: i64) -> Offset {
    Offset::new(raw).expect("not negative")
}

pub(crate) fn key(topic: &str, partition: i32) -> Key {
    Key {
        topic: topic.to_owned(),
        partition,
    }
}

pub(crate) fn member(client: &str, host: &str, instance: Option<&str>) -> Member {
    Member {
        id: Text::from(format!("{client}-7f3a").as_str()),
        instance_id: instance.map(Text::from),
        client_id: Text::from(client),
        host: Text::from(host),
        assignment: Assignment::Partitions(Vec::new()),
        target: None,
        epoch: None,
        protocol: None,
        tasks: None,
    }
}

pub(crate) const PACE: Pace = Pace {
    step: Duration::from_millis(20),
    grace: Duration::from_millis(20),
    settle: Duration::from_millis(1),
};

impl World {
    pub(crate) fn topic(&mut self, name: &str, logs: &[(i64, i64)]) {
        let number = u8::try_from(self.topics.len() + 1).expect("few topics");
        let logs = logs.iter().map(|(start, end)| Log {
            start: Ok(*start),
            end: Ok(*end),
            leader: true,
            times: Vec::new(),
        });
        self.topics
            .insert(name.to_owned(), (TopicId::new([number; 16]), logs.collect()));
    }

    pub(crate) fn log(&mut self, topic: &str, partition: usize) -> &mut Log {
        &mut self.topics.get_mut(topic).expect("known").1[partition]
    }

    pub(crate) fn group(
        &mut self,
        id: &str,
        group_type: &str,
        protocol: &str,
        state: GroupState,
        members: Vec<Member>,
    ) {
        let id = GroupId::from(id);
        let listed = ListedGroup {
            id: id.clone(),
            coordinators: vec![BrokerId(0)],
            protocol_type: Text::from(protocol),
            group_type: Some(Text::from(group_type)),
            state: Some(state.clone()),
        };
        let description = Description {
            state,
            protocol_type: Text::from(protocol),
            protocol: Text::from(""),
            members,
            epochs: None,
        };
        self.groups.insert(id, (listed, description));
    }

    /// A classic group that had members once and has none now.
    pub(crate) fn empty_group(&mut self, id: &str) {
        self.group(id, "classic", "consumer", GroupState::Empty, Vec::new());
    }

    pub(crate) fn commit(&mut self, group: &str, topic: &str, partition: i32, to: i64) {
        self.commit_fact(group, topic, partition, Ok(offset(to)));
    }

    pub(crate) fn commit_fact(&mut self, group: &str, topic: &str, partition: i32, to: Heard<Offset>) {
        let fact = CommitFact {
            topic: TopicName::from(topic),
            partition: Partition(partition),
            offset: to,
            leader_epoch: Some(3),
            metadata: format!("note {partition}"),
        };
        self.commits
            .entry(GroupId::from(group))
            .or_default()
            .insert(key(topic, partition), fact);
    }

    pub(crate) fn committed(&self, group: &str) -> BTreeMap<Key, i64> {
        let commits = self.commits.get(&GroupId::from(group)).cloned().unwrap_or_default();
        commits
            .into_iter()
            .map(|(key, fact)| (key, fact.offset.map_or(-1, Offset::get)))
            .collect()
    }

    fn apply(&mut self, group: &GroupId, write: &Write) {
        self.written.push((group.clone(), write.clone()));
        let key = key(&write.topic.to_string(), write.partition.0);
        let commits = self.commits.entry(group.clone()).or_default();
        match write.to {
            None => drop(commits.remove(&key)),
            Some(to) => {
                let fact = CommitFact {
                    topic: write.topic.clone(),
                    partition: write.partition,
                    offset: Ok(to),
                    leader_epoch: write.leader_epoch,
                    metadata: write.metadata.clone(),
                };
                commits.insert(key, fact);
            }
        }
    }

    /// As a coordinator does: a write from outside is refused while there are members.
    fn take(&mut self, group: &GroupId, write: &Write) -> Result<(), Cause> {
        if self.groups.get(group).is_some_and(|(_, seen)| !seen.members.is_empty()) {
            return Err(Cause::Code(ErrorCode::UNKNOWN_MEMBER_ID));
        }
        self.apply(group, write);
        Ok(())
    }
}

impl Cluster {
    pub(crate) fn new(build: impl FnOnce(&mut World)) -> Self {
        let cluster = Self::default();
        build(&mut cluster.world());
        cluster
    }

    pub(crate) fn world(&self) -> MutexGuard<'_, World> {
        self.0.lock().expect("no test panicked in here")
    }

    /// The `nth` time that this step comes (counted from 1 over the cluster's life), this happens.
    pub(crate) fn twist(&self, step: Step, nth: usize, twist: Twist) {
        self.world().twists.insert((step, nth), twist);
    }

    pub(crate) fn change(&self, step: Step, nth: usize, change: impl FnOnce(&mut World) + Send + 'static) {
        self.twist(step, nth, Twist::First(Box::new(change)));
    }

    /// What the step's twist leaves to be done; `Err` when it is a failure.
    async fn step(&self, step: Step) -> Result<Option<Twist>, Cause> {
        let twist = {
            let mut world = self.world();
            world.steps.push(step);
            let nth = world.steps.iter().filter(|other| **other == step).count();
            world.twists.remove(&(step, nth))
        };
        match twist {
            Some(Twist::Fail(cause)) => Err(cause),
            Some(Twist::Hang) => std::future::pending().await,
            Some(Twist::First(change)) => {
                change(&mut self.world());
                Ok(None)
            }
            rest => Ok(rest),
        }
    }
}

impl GroupFacts for Cluster {
    async fn group(&mut self, group: &GroupId, _: Instant) -> Result<Option<(ListedGroup, Description)>, Failure> {
        let twist = self.step(Step::Group).await;
        twist.map_err(|cause| Failure::new(Api::DescribeGroups, cause))?;
        Ok(self.world().groups.get(group).cloned())
    }

    async fn commits(&mut self, group: &GroupId, _: Instant) -> Result<Vec<CommitFact>, Failure> {
        let twist = self.step(Step::Commits).await;
        twist.map_err(|cause| Failure::new(Api::OffsetFetch, cause))?;
        let commits = self.world().commits.get(group).cloned().unwrap_or_default();
        Ok(commits.into_values().collect())
    }

    async fn topics(
        &mut self,
        topics: &[TopicName],
        _: Instant,
    ) -> Result<HashMap<TopicName, Heard<TopicMeta>>, Failure> {
        let twist = self.step(Step::Topics).await;
        twist.map_err(|cause| Failure::new(Api::Metadata, cause))?;
        let world = self.world();
        let meta = |(id, logs): &(Option<TopicId>, Vec<Log>)| TopicMeta {
            id: *id,
            internal: false,
            partitions: (0..)
                .zip(logs)
                .map(|(partition, log)| PartitionMeta {
                    partition: Partition(partition),
                    leader: log.leader.then_some(BrokerId(0)),
                    leader_epoch: Some(0),
                    replicas: 1,
                    in_sync: 1,
                })
                .collect(),
        };
        let heard = topics.iter().map(|name| {
            let known = world.topics.get(&name.to_string()).map(meta);
            (
                name.clone(),
                known.ok_or(Cause::Code(ErrorCode::UNKNOWN_TOPIC_OR_PARTITION)),
            )
        });
        Ok(heard.collect())
    }

    async fn logs(&mut self, topics: &[(TopicName, TopicMeta)], _: Instant) -> Vec<Vec<PartitionLog>> {
        let failed = self.step(Step::Logs).await.err();
        let world = self.world();
        let log = |topic: &TopicName, partition: Partition| {
            let index = usize::try_from(partition.0).expect("not negative");
            let log = world
                .topics
                .get(&topic.to_string())
                .and_then(|(_, logs)| logs.get(index));
            let unknown = Cause::Code(ErrorCode::UNKNOWN_TOPIC_OR_PARTITION);
            let heard = |raw: Option<Heard<i64>>| failed.map_or_else(|| raw.unwrap_or(Err(unknown)).map(offset), Err);
            PartitionLog {
                partition,
                start: heard(log.map(|log| log.start)),
                end: heard(log.map(|log| log.end)),
                stable: None,
            }
        };
        let logs = topics.iter().map(|(topic, meta)| {
            meta.partitions
                .iter()
                .map(|partition| log(topic, partition.partition))
                .collect()
        });
        logs.collect()
    }

    async fn by_time(
        &mut self,
        partitions: &[(TopicName, Partition)],
        time: UnixMillis,
        _: Instant,
    ) -> Vec<Heard<Option<(Offset, UnixMillis)>>> {
        let failed = self.step(Step::Times).await.err();
        let world = self.world();
        let first = |(topic, partition): &(TopicName, Partition)| {
            let index = usize::try_from(partition.0).expect("not negative");
            let log = &world.topics[&topic.to_string()].1[index];
            let found = log.times.iter().find(|(_, at)| *at >= time.0);
            failed.map_or_else(|| Ok(found.map(|(at, time)| (offset(*at), UnixMillis(*time)))), Err)
        };
        partitions.iter().map(first).collect()
    }
}

impl Writer for Cluster {
    async fn write(
        &mut self,
        group: &GroupId,
        writes: &[Write],
        _: Instant,
    ) -> Result<Vec<Result<(), Cause>>, Failure> {
        let twist = self.step(Step::Write).await;
        let twist = twist.map_err(|cause| Failure::new(Api::OffsetCommit, cause))?;
        match twist {
            Some(Twist::Answer(answers)) => {
                let mut world = self.world();
                for (write, _) in writes.iter().zip(&answers).filter(|(_, answer)| answer.is_ok()) {
                    world.apply(group, write);
                }
                Ok(answers)
            }
            Some(Twist::WrittenInSilence) => {
                writes.iter().for_each(|write| self.world().apply(group, write));
                std::future::pending().await
            }
            _ => {
                let mut world = self.world();
                Ok(writes.iter().map(|write| world.take(group, write)).collect())
            }
        }
    }
}

impl Access for Cluster {
    type Facts = Self;
    type Writer = Self;

    fn facts(&self, cluster: &str) -> Option<Self> {
        (cluster == "main").then(|| self.clone())
    }

    fn writer(&self, cluster: &str) -> Option<Self> {
        self.facts(cluster)
    }

    fn pace(&self, cluster: &str) -> Option<Pace> {
        (cluster == "main").then_some(PACE)
    }
}
