//! Requests that are under way at the same time.

use std::sync::Arc;

use tokio::task::JoinSet;
use tokio::time::Instant;

use crate::failure::Failure;
use crate::kafka::wire::call::Call;
use crate::kafka::wire::call::Reply;
use crate::kafka::wire::cluster::Cluster;
use crate::model::BrokerId;

/// Requests that are under way, each with what it is about. Dropping it gives them up.
pub(super) struct Round<J> {
    cluster: Arc<Cluster>,
    deadline: Instant,
    tasks: JoinSet<(J, Result<Reply, Failure>)>,
}

impl<J: Send + 'static> Round<J> {
    pub(super) fn new(cluster: &Arc<Cluster>, deadline: Instant) -> Self {
        Self {
            cluster: Arc::clone(cluster),
            deadline,
            tasks: JoinSet::new(),
        }
    }

    /// Sends one more.
    pub(super) fn ask<C: Call>(&mut self, broker: BrokerId, call: C, about: J) {
        let cluster = Arc::clone(&self.cluster);
        let deadline = self.deadline;
        self.tasks
            .spawn(async move { (about, cluster.ask(broker, &call, deadline).await) });
    }

    /// The next answer, whoever it is from; `None` when there are no more.
    pub(super) async fn next(&mut self) -> Option<(J, Result<Reply, Failure>)> {
        loop {
            // One that panicked leaves what it was about unanswered, which its owner has to expect anyway.
            if let Ok(answer) = self.tasks.join_next().await? {
                return Some(answer);
            }
        }
    }
}
