//! Retention settings of topics.

use std::collections::HashMap;
use std::sync::Arc;

use tokio::task::JoinSet;
use tokio::time::Instant;

use super::Client;
use crate::failure::Api;
use crate::failure::Cause;
use crate::failure::Failure;
use crate::failure::Heard;
use crate::kafka::wire::answers;
use crate::kafka::wire::answers::Names;
use crate::kafka::wire::call::DescribeConfigs;
use crate::kafka::wire::cluster::Cluster;
use crate::kafka::wire::cluster::Link;
use crate::model::TopicName;
use crate::observation::TopicConfig;

/// Topics in one DescribeConfigs request.
const BATCH: usize = 1_000;

type Answered = HashMap<TopicName, Heard<TopicConfig>>;

impl Client {
    pub(super) async fn settings(&mut self, topics: &[TopicName], deadline: Instant) -> Vec<Heard<TopicConfig>> {
        let mut heard: Vec<Heard<TopicConfig>> = topics.iter().map(|_| Err(Cause::Unaskable)).collect();
        let askable: Vec<_> = (0..topics.len())
            .filter(|index| topics[*index].utf8().is_some())
            .collect();
        let mut tasks = JoinSet::new();
        for batch in askable.chunks(BATCH) {
            let call = DescribeConfigs {
                topics: batch
                    .iter()
                    .filter_map(|index| topics[*index].utf8().map(str::to_owned))
                    .collect(),
            };
            let (cluster, batch) = (Arc::clone(&self.cluster), batch.to_vec());
            tasks.spawn(async move {
                let attempt = |cluster, link| answered(cluster, link, call.clone(), deadline);
                (batch, cluster.any(Api::DescribeConfigs, None, attempt).await)
            });
        }
        while let Some(answer) = tasks.join_next().await {
            let Ok((batch, answer)) = answer else { continue };
            self.take_over_configs(topics, &batch, answer, &mut heard);
        }
        for _ in heard.iter().filter(|config| **config == Err(Cause::Unaskable)) {
            self.failed(Api::DescribeConfigs, Cause::Unaskable);
        }
        heard
    }

    fn take_over_configs(
        &self,
        topics: &[TopicName],
        batch: &[usize],
        answer: Result<Answered, Failure>,
        heard: &mut [Heard<TopicConfig>],
    ) {
        let mut answer = match answer {
            Ok(answer) => answer,
            Err(failure) => {
                for index in batch {
                    heard[*index] = Err(failure.cause);
                }
                return;
            }
        };
        for index in batch {
            let config = answer.remove(&topics[*index]).unwrap_or(Err(Cause::Malformed));
            if let Err(cause) = config {
                self.failed(Api::DescribeConfigs, cause);
            }
            heard[*index] = config;
        }
    }
}

async fn answered(
    cluster: Arc<Cluster>,
    link: Arc<Link>,
    call: DescribeConfigs,
    deadline: Instant,
) -> Result<Answered, Failure> {
    let reply = cluster.ask_over(&link, &call, deadline).await?;
    reply
        .read(|body, version| answers::describe_configs::read(body, version, &mut Names::new()))
        .map(|topics| topics.into_iter().collect())
        .map_err(|error| cluster.garbage(Api::DescribeConfigs, error))
}
