//! The commit itself: one attempt, an answer for every partition.

use std::collections::BTreeMap;
use std::collections::BTreeSet;
use std::sync::Arc;

use tokio::time::Instant;

use crate::config;
use crate::failure::Api;
use crate::failure::Cause;
use crate::failure::Failure;
use crate::failure::Heard;
use crate::kafka;
use crate::kafka::Write;
use crate::kafka::wire::answers;
use crate::kafka::wire::answers::Names;
use crate::kafka::wire::answers::Topics;
use crate::kafka::wire::call::OffsetCommit;
use crate::kafka::wire::call::OffsetDelete;
use crate::kafka::wire::survey::Client;
use crate::model::BrokerId;
use crate::model::GroupId;
use crate::model::Offset;
use crate::model::Partition;

/// The one thing in tidemark that changes something in Kafka. Connects when it first writes.
#[derive(Debug)]
pub struct Writer(Client);

impl Writer {
    /// A writer for that cluster. Connects to nobody yet.
    pub fn new(cluster: Arc<config::Cluster>) -> Self {
        Self(Client::new(cluster))
    }
}

impl kafka::Writer for Writer {
    async fn write(
        &mut self,
        group: &GroupId,
        writes: &[Write],
        deadline: Instant,
    ) -> Result<Vec<Result<(), Cause>>, Failure> {
        let plan = Plan::of(group, writes)?;
        let coordinator = self.0.coordinator(group, deadline).await?;
        self.make_sure(&plan, coordinator, deadline).await?;
        let mut results = vec![Ok(()); writes.len()];
        if let Some(call) = &plan.commit {
            let outcome = self.commit(coordinator, call, deadline).await;
            tell(Kind::Commit, writes, &outcome, &mut results);
        }
        if let Some(call) = &plan.delete {
            // After the first half has failed, or may have, the second is not begun.
            let outcome = match results.iter().find_map(|result| result.err()) {
                Some(cause) => Err(cause),
                None => self.delete(coordinator, call, deadline).await,
            };
            tell(Kind::Delete, writes, &outcome, &mut results);
        }
        Ok(results)
    }
}

impl Writer {
    /// Nothing is sent unless the coordinator speaks all that is to be sent.
    async fn make_sure(&self, plan: &Plan, coordinator: BrokerId, deadline: Instant) -> Result<(), Failure> {
        let cluster = &self.0.cluster;
        if let Some(call) = &plan.commit {
            cluster.version(coordinator, call, deadline).await?;
        }
        if let Some(call) = &plan.delete {
            cluster.version(coordinator, call, deadline).await?;
        }
        Ok(())
    }

    async fn commit(&self, coordinator: BrokerId, call: &OffsetCommit, deadline: Instant) -> Outcome {
        let reply = self.0.cluster.ask(coordinator, call, deadline).await;
        reply
            .map_err(|failure| failure.cause)?
            .read(|body, version| answers::offset_commit::read(body, version, &mut Names::new()))
            .map_err(|error| self.0.cluster.garbage(Api::OffsetCommit, error).cause)
    }

    async fn delete(&self, coordinator: BrokerId, call: &OffsetDelete, deadline: Instant) -> Outcome {
        let reply = self.0.cluster.ask(coordinator, call, deadline).await;
        reply
            .map_err(|failure| failure.cause)?
            .read(|body, version| answers::offset_delete::read(body, version, &mut Names::new()))
            .map_err(|error| self.0.cluster.garbage(Api::OffsetDelete, error).cause)?
    }
}

/// What the coordinator said of each partition, or why it is not known.
type Outcome = Heard<Topics<Heard<()>>>;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Commit,
    Delete,
}

impl Kind {
    fn of(write: &Write) -> Self {
        if write.to.is_some() { Self::Commit } else { Self::Delete }
    }
}

/// The requests that carry out the writes: one commit, then one delete.
struct Plan {
    commit: Option<OffsetCommit>,
    delete: Option<OffsetDelete>,
}

impl Plan {
    /// Fails, before anything is sent, where a request could not say exactly what is wanted.
    fn of(group: &GroupId, writes: &[Write]) -> Result<Self, Failure> {
        let unaskable = |why: &str| Failure::because(Api::OffsetCommit, Cause::Unaskable, why);
        let group = group.utf8().ok_or_else(|| unaskable("the group id is not UTF-8"))?;
        let mut seen = BTreeSet::new();
        let mut commits: BTreeMap<String, Vec<(Write, Offset)>> = BTreeMap::new();
        let mut deletes: BTreeMap<String, Vec<Partition>> = BTreeMap::new();
        for write in writes {
            let topic = write
                .topic
                .utf8()
                .ok_or_else(|| unaskable("a topic's name is not UTF-8"))?;
            if !seen.insert((topic, write.partition)) {
                return Err(unaskable("a partition is to be written twice"));
            }
            match write.to {
                Some(to) => commits.entry(topic.to_owned()).or_default().push((write.clone(), to)),
                None => deletes.entry(topic.to_owned()).or_default().push(write.partition),
            }
        }
        Ok(Self {
            commit: (!commits.is_empty()).then(|| OffsetCommit {
                group: group.to_owned(),
                topics: commits.into_iter().collect(),
            }),
            delete: (!deletes.is_empty()).then(|| OffsetDelete {
                group: group.to_owned(),
                topics: deletes.into_iter().collect(),
            }),
        })
    }
}

/// An answer for every write of the kind; a partition that the coordinator does not mention may or may not have been written.
fn tell(kind: Kind, writes: &[Write], outcome: &Outcome, results: &mut [Result<(), Cause>]) {
    for (write, result) in writes.iter().zip(results) {
        if Kind::of(write) == kind {
            *result = match outcome {
                Ok(topics) => topics
                    .get(&write.topic, write.partition)
                    .copied()
                    .unwrap_or(Err(Cause::Malformed)),
                Err(cause) => Err(*cause),
            };
        }
    }
}
