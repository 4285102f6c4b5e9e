//! What a reset is doing right now, for whoever waits for a large one. Told by a reader and a writer that stand before the real ones, so
//! that those who plan and execute need not think of it.

use std::collections::HashMap;

use tokio::sync::broadcast;
use tokio::time::Instant;

use crate::failure::Cause;
use crate::failure::Failure;
use crate::failure::Heard;
use crate::kafka::CommitFact;
use crate::kafka::GroupFacts;
use crate::kafka::Write;
use crate::kafka::Writer;
use crate::model::GroupId;
use crate::model::Offset;
use crate::model::Partition;
use crate::model::TopicName;
use crate::model::UnixMillis;
use crate::observation::Description;
use crate::observation::ListedGroup;
use crate::observation::PartitionLog;
use crate::observation::TopicMeta;

/// Stages that a slow reader may be behind; older ones are of no interest to it.
const KEPT: usize = 64;

/// What has just begun.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Asking who is in the group.
    Group,
    /// Reading its commits.
    Commits,
    /// Reading the metadata of so many topics.
    Topics(usize),
    /// Reading where the logs of so many partitions begin and end.
    Logs(usize),
    /// Looking for a time in the logs of so many partitions.
    Times(usize),
    /// Writing to so many partitions.
    Write(usize),
}

/// Where stages are told. Sent by the one reset that runs, received by the command line; a daemon has nobody who listens.
#[derive(Clone, Debug)]
pub struct Stages(broadcast::Sender<Stage>);

impl Default for Stages {
    fn default() -> Self {
        Self(broadcast::Sender::new(KEPT))
    }
}

impl Stages {
    /// From now on.
    pub fn watch(&self) -> broadcast::Receiver<Stage> {
        self.0.subscribe()
    }

    /// Something that tells what it is asked.
    pub(super) fn of<K>(&self, kafka: K) -> Told<K> {
        Told {
            kafka,
            stages: self.clone(),
        }
    }

    fn begin(&self, stage: Stage) {
        // Nobody may be listening.
        let _ = self.0.send(stage);
    }
}

/// A reader or writer that tells what it is asked.
pub(super) struct Told<K> {
    kafka: K,
    stages: Stages,
}

impl<F: GroupFacts> GroupFacts for Told<F> {
    async fn group(
        &mut self,
        group: &GroupId,
        deadline: Instant,
    ) -> Result<Option<(ListedGroup, Description)>, Failure> {
        self.stages.begin(Stage::Group);
        self.kafka.group(group, deadline).await
    }

    async fn commits(&mut self, group: &GroupId, deadline: Instant) -> Result<Vec<CommitFact>, Failure> {
        self.stages.begin(Stage::Commits);
        self.kafka.commits(group, deadline).await
    }

    async fn topics(
        &mut self,
        topics: &[TopicName],
        deadline: Instant,
    ) -> Result<HashMap<TopicName, Heard<TopicMeta>>, Failure> {
        self.stages.begin(Stage::Topics(topics.len()));
        self.kafka.topics(topics, deadline).await
    }

    async fn logs(&mut self, topics: &[(TopicName, TopicMeta)], deadline: Instant) -> Vec<Vec<PartitionLog>> {
        let partitions = topics.iter().map(|(_, meta)| meta.partitions.len()).sum();
        self.stages.begin(Stage::Logs(partitions));
        self.kafka.logs(topics, deadline).await
    }

    async fn by_time(
        &mut self,
        partitions: &[(TopicName, Partition)],
        time: UnixMillis,
        deadline: Instant,
    ) -> Vec<Heard<Option<(Offset, UnixMillis)>>> {
        self.stages.begin(Stage::Times(partitions.len()));
        self.kafka.by_time(partitions, time, deadline).await
    }
}

impl<W: Writer> Writer for Told<W> {
    async fn write(
        &mut self,
        group: &GroupId,
        writes: &[Write],
        deadline: Instant,
    ) -> Result<Vec<Result<(), Cause>>, Failure> {
        self.stages.begin(Stage::Write(writes.len()));
        self.kafka.write(group, writes, deadline).await
    }
}
