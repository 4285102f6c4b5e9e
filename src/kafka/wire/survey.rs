//! The survey of a whole cluster over the wire protocol: few requests, each about as much as one can be.

mod commits;
mod configs;
mod describe;
mod groups;
mod lists;
mod locate;
mod logs;
mod metadata;
mod presence;
mod round;
mod shares;
#[cfg(test)]
mod tests;

pub(super) use describe::AsClassic;
pub(super) use describe::AsConsumer;
pub(super) use describe::AsShare;
pub(super) use describe::AsStreams;
pub(super) use groups::Question;
pub(super) use groups::Wanted;
pub(super) use logs::Ends;

use std::collections::HashMap;
use std::sync::Arc;

use tokio::time::Instant;

use super::answers::Names;
use super::cluster::Cluster;
use super::read::ReadError;
use crate::config;
use crate::failure::Api;
use crate::failure::Cause;
use crate::failure::Failure;
use crate::failure::Heard;
use crate::kafka::GroupLists;
use crate::kafka::Presence;
use crate::kafka::Survey;
use crate::model::Offset;
use crate::model::Partition;
use crate::model::TopicName;
use crate::model::UnixMillis;
use crate::observation::Broker;
use crate::observation::Calls;
use crate::observation::Description;
use crate::observation::ListedGroup;
use crate::observation::PartitionLog;
use crate::observation::PartitionMeta;
use crate::observation::TopicCommits;
use crate::observation::TopicConfig;
use crate::observation::TopicMeta;
use crate::observation::TopicShares;

/// The wire client of one cluster: reads, never writes. Connects when it is first asked something; dropping it closes everything.
#[derive(Debug)]
pub struct Client {
    pub(super) cluster: Arc<Cluster>,
    /// Each name once for all answers of a cycle.
    pub(super) names: Names,
    /// The partitions that the last metadata named, with their leaders.
    pub(super) leaders: HashMap<TopicName, Vec<PartitionMeta>>,
}

impl Client {
    /// A client of that cluster. Connects to nobody yet.
    pub fn new(cluster: Arc<config::Cluster>) -> Self {
        Self {
            cluster: Arc::new(Cluster::new(cluster)),
            names: Names::new(),
            leaders: HashMap::new(),
        }
    }

    /// An answer that could not be read is one failure of its call.
    fn garbage(&self, api: Api, error: ReadError) -> Failure {
        self.cluster.garbage(api, error)
    }

    fn failed(&self, api: Api, cause: Cause) {
        self.cluster.tally().failed(api, cause);
    }
}

impl Survey for Client {
    async fn brokers(&mut self, deadline: Instant) -> Result<Vec<Broker>, Failure> {
        self.ask_brokers(deadline).await
    }

    async fn list_groups(&mut self, deadline: Instant) -> GroupLists {
        self.ask_lists(deadline).await
    }

    async fn presence(&mut self, groups: &[ListedGroup], deadline: Instant) -> Vec<Heard<Presence>> {
        self.look_for(groups, deadline).await
    }

    async fn describe(&mut self, groups: &mut [ListedGroup], deadline: Instant) -> Vec<Heard<Description>> {
        self.describe_all(groups, deadline).await
    }

    async fn commits(&mut self, groups: &mut [ListedGroup], deadline: Instant) -> Vec<Heard<Vec<TopicCommits>>> {
        self.all_commits(groups, deadline).await
    }

    async fn shares(&mut self, groups: &mut [ListedGroup], deadline: Instant) -> Vec<Heard<Vec<TopicShares>>> {
        self.all_shares(groups, deadline).await
    }

    async fn topics(&mut self, topics: &[TopicName], deadline: Instant) -> Vec<Heard<TopicMeta>> {
        self.metadata(topics, deadline).await
    }

    async fn logs(&mut self, topics: &[(TopicName, TopicMeta)], deadline: Instant) -> Vec<Vec<PartitionLog>> {
        self.limits_of(topics, Ends::Both, deadline).await
    }

    async fn configs(&mut self, topics: &[TopicName], deadline: Instant) -> Vec<Heard<TopicConfig>> {
        self.settings(topics, deadline).await
    }

    async fn newest(
        &mut self,
        partitions: &[(TopicName, Partition)],
        deadline: Instant,
    ) -> Vec<Heard<Option<(Offset, UnixMillis)>>> {
        self.newest_records(partitions, deadline).await
    }

    async fn by_time(
        &mut self,
        partitions: &[(TopicName, Partition, UnixMillis)],
        deadline: Instant,
    ) -> Vec<Heard<Option<(Offset, UnixMillis)>>> {
        self.dated(partitions, deadline).await
    }

    fn take_calls(&mut self) -> Calls {
        // A cycle ends here: what its answers named need not be kept for the next one.
        self.names = Names::new();
        self.cluster.tally().take()
    }
}
