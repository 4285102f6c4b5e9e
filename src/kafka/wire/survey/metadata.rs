//! Topics and their leaders. Never creates a topic.

use std::collections::HashMap;
use std::sync::Arc;

use tokio::task::JoinSet;
use tokio::time::Instant;

use super::Client;
use super::groups::Heards;
use crate::failure::Api;
use crate::failure::Cause;
use crate::failure::ErrorCode;
use crate::failure::Failure;
use crate::failure::Heard;
use crate::kafka::wire::answers;
use crate::kafka::wire::answers::Names;
use crate::kafka::wire::call::METADATA_OF_NAMED;
use crate::kafka::wire::call::Metadata;
use crate::kafka::wire::cluster::Cluster;
use crate::kafka::wire::cluster::Link;
use crate::kafka::wire::dial::Address;
use crate::model::TopicName;
use crate::observation::TopicMeta;

/// Topics in one Metadata request.
const BATCH: usize = 2_000;

pub(super) const UNKNOWN_TOPIC: Cause = Cause::Code(ErrorCode::UNKNOWN_TOPIC_OR_PARTITION);

/// One broker's answer about some topics.
struct Answered {
    by: Address,
    topics: HashMap<TopicName, Heard<TopicMeta>>,
    /// What holds for a topic that is not in it.
    unmentioned: Cause,
}

impl Client {
    pub(in super::super) async fn metadata(
        &mut self,
        topics: &[TopicName],
        deadline: Instant,
    ) -> Vec<Heard<TopicMeta>> {
        let mut heard: Vec<Heard<TopicMeta>> = topics.iter().map(|_| Err(Cause::TimedOut)).collect();
        let all = (0..topics.len()).collect();
        let (first, by) = self.ask_metadata(topics, all, None, deadline).await;
        for (index, meta) in first {
            heard[index] = meta;
        }
        // A broker that was just started or a topic that was just made: another broker has to agree that there is no such topic.
        let unknown: Vec<_> = (0..topics.len())
            .filter(|index| heard[*index] == Err(UNKNOWN_TOPIC))
            .collect();
        if !unknown.is_empty() && self.cluster.brokers().len() > 1 {
            let (second, _) = self.ask_metadata(topics, unknown, by.as_ref(), deadline).await;
            for (index, meta) in second.into_iter().filter(|(_, meta)| meta.is_ok()) {
                heard[index] = meta;
            }
        }
        self.remember(topics, &heard);
        heard
    }

    /// Asks whichever broker answers, save one; and says which that was.
    async fn ask_metadata(
        &self,
        topics: &[TopicName],
        indexes: Vec<usize>,
        except: Option<&Address>,
        deadline: Instant,
    ) -> (Heards<TopicMeta>, Option<Address>) {
        let (askable, unaskable): (Vec<_>, Vec<_>) =
            indexes.into_iter().partition(|index| topics[*index].utf8().is_some());
        let mut heard: Heards<TopicMeta> = Vec::with_capacity(askable.len());
        for index in unaskable {
            self.failed(Api::Metadata, Cause::Unaskable);
            heard.push((index, Err(Cause::Unaskable)));
        }
        let mut tasks = JoinSet::new();
        for batch in askable.chunks(BATCH) {
            let call = Metadata {
                topics: batch
                    .iter()
                    .filter_map(|index| topics[*index].utf8().map(str::to_owned))
                    .collect(),
            };
            let (cluster, except, batch) = (Arc::clone(&self.cluster), except.cloned(), batch.to_vec());
            tasks.spawn(async move {
                let attempt = |cluster, link| answered(cluster, link, call.clone(), deadline);
                (batch, cluster.any(Api::Metadata, except.as_ref(), attempt).await)
            });
        }
        let mut by = None;
        while let Some(answer) = tasks.join_next().await {
            let Ok((batch, answer)) = answer else { continue };
            match answer {
                Ok(answered) => by = Some(self.take_over(topics, batch, answered, &mut heard)),
                Err(failure) => heard.extend(batch.into_iter().map(|index| (index, Err(failure.cause)))),
            }
        }
        (heard, by)
    }

    fn take_over(
        &self,
        topics: &[TopicName],
        batch: Vec<usize>,
        mut answered: Answered,
        heard: &mut Heards<TopicMeta>,
    ) -> Address {
        for index in batch {
            let meta = answered
                .topics
                .remove(&topics[index])
                .unwrap_or(Err(answered.unmentioned));
            if let Err(cause) = meta
                && cause != UNKNOWN_TOPIC
            {
                self.failed(Api::Metadata, cause);
            }
            heard.push((index, meta));
        }
        answered.by
    }

    fn remember(&mut self, topics: &[TopicName], heard: &[Heard<TopicMeta>]) {
        for (topic, meta) in topics.iter().zip(heard) {
            match meta {
                Ok(meta) => {
                    self.leaders.insert(topic.clone(), meta.partitions.clone());
                }
                Err(UNKNOWN_TOPIC) => {
                    self.leaders.remove(topic);
                }
                // Nobody could say: what was known stands.
                Err(_) => {}
            }
        }
    }
}

async fn answered(
    cluster: Arc<Cluster>,
    link: Arc<Link>,
    call: Metadata,
    deadline: Instant,
) -> Result<Answered, Failure> {
    let reply = cluster.ask_over(&link, &call, deadline).await?;
    let answer = reply
        .read(|body, version| answers::metadata::read(body, version, &mut Names::new()))
        .map_err(|error| cluster.garbage(Api::Metadata, error))?;
    if !answer.brokers.is_empty() {
        cluster.learn(&answer.brokers);
    }
    Ok(Answered {
        by: link.address().clone(),
        topics: answer.topics.into_iter().collect(),
        // Where the answer is about all topics there are, a topic that is not in it is none.
        unmentioned: if reply.version() < METADATA_OF_NAMED {
            UNKNOWN_TOPIC
        } else {
            Cause::Malformed
        },
    })
}
