//! Topics, whoever reads them: last good limits, what was produced, and what the metadata says.

use std::collections::BTreeMap;
use std::collections::HashMap;
use std::sync::Arc;

use crate::failure::Cause;
use crate::failure::ErrorCode;
use crate::failure::Reason;
use crate::model::Moment;
use crate::model::Partition;
use crate::model::TopicName;
use crate::observation::Observation;
use crate::observation::PartitionLog;
use crate::observation::TopicMeta;
use crate::observation::TopicReading;

use super::evaluate::Context;
use super::evaluate::without_clashes;
use super::history::LogHistory;
use super::history::TopicHistory;
use super::view::TopicPartitionView;
use super::view::TopicView;

/// True when Kafka itself said that there is no such topic or partition: an answer, which nothing older stands against.
pub(super) fn says_it_does_not_exist(cause: Cause) -> bool {
    matches!(
        cause,
        Cause::Code(ErrorCode::UNKNOWN_TOPIC_OR_PARTITION | ErrorCode::UNKNOWN_TOPIC_ID)
    )
}

/// Takes in what a cycle heard of topics, and forgets those that are gone or that nobody reads any more.
pub(super) fn learn(topics: &mut HashMap<TopicName, TopicHistory>, heard: &Observation) {
    let now = heard.finished;
    topics.retain(|name, _| {
        heard
            .topics
            .get(name)
            .is_some_and(|reading| !matches!(reading.meta, Err(cause) if says_it_does_not_exist(cause)))
    });
    for (name, reading) in &heard.topics {
        if let Ok(meta) = &reading.meta {
            let topic = topics
                .entry(name.clone())
                .or_insert_with(|| TopicHistory::new(meta.clone(), now));
            topic.take_in(meta, reading, now);
        }
    }
    for (name, config) in &heard.configs {
        let Some(topic) = topics.get_mut(name) else { continue };
        match config {
            Ok(config) => topic.config = Some(config.clone()),
            // Not allowed to see it: asked again when it is due.
            Err(cause) if cause.reason() == Reason::Authorization => topic.config = None,
            // No answer is none: asked again in the next cycle.
            Err(_) => topic.config_asked = None,
        }
    }
}

impl TopicHistory {
    fn new(meta: TopicMeta, now: Moment) -> Self {
        Self {
            meta,
            meta_at: now,
            logs: Vec::new(),
            open: BTreeMap::new(),
            produced: 0,
            config: None,
            config_asked: None,
        }
    }

    fn take_in(&mut self, meta: &TopicMeta, reading: &TopicReading, now: Moment) {
        if self.meta.id != meta.id {
            // Made anew under the same name: its offsets have nothing to do with the old ones.
            self.logs.clear();
            self.open.clear();
            self.config = None;
            self.config_asked = None;
        }
        self.meta.clone_from(meta);
        self.meta_at = now;
        let mut old = std::mem::take(&mut self.logs).into_iter().peekable();
        for log in &reading.logs {
            while old.next_if(|o| o.log.partition < log.partition).is_some() {}
            let before = old.next_if(|o| o.log.partition == log.partition);
            self.note_open_transaction(before.map(|before| before.log), log, now);
            self.logs.extend(merged(before, log, now, &mut self.produced));
        }
    }
}

impl TopicHistory {
    /// A transaction is open while records lie beyond the last stable offset; a newer one begins where that moves.
    fn note_open_transaction(&mut self, before: Option<PartitionLog>, log: &PartitionLog, now: Moment) {
        let (Ok(end), Some(Ok(stable))) = (log.end, log.stable) else {
            return;
        };
        let moved = before.and_then(|before| before.stable) != Some(Ok(stable));
        if end <= stable {
            self.open.remove(&log.partition);
        } else if moved {
            self.open.insert(log.partition, now.mono);
        } else {
            self.open.entry(log.partition).or_insert(now.mono);
        }
    }
}

/// The newer reading where it is whole, else the older one.
fn merged(before: Option<LogHistory>, log: &PartitionLog, now: Moment, produced: &mut u64) -> Option<LogHistory> {
    if log.start.is_err() || log.end.is_err() || matches!(log.stable, Some(Err(_))) {
        return before;
    }
    if let (Some(Ok(earlier)), Ok(end)) = (before.map(|b| b.log.end), log.end) {
        *produced += end.since(earlier);
    }
    Some(LogHistory {
        log: *log,
        read_at: now.mono,
    })
}

/// The views of every topic that exists, sorted by name.
pub(super) fn views(
    topics: &HashMap<TopicName, TopicHistory>,
    context: &Context<'_>,
    clashes: &mut u64,
) -> Vec<Arc<TopicView>> {
    let named = |name: &TopicName| {
        context
            .names
            .get(name)
            .cloned()
            .unwrap_or_else(|| name.to_string().into())
    };
    let seen: Vec<(bool, Arc<TopicView>)> = topics
        .iter()
        .filter(|(_, topic)| context.still_good(topic.meta_at.mono))
        .map(|(name, topic)| (name.utf8().is_some(), Arc::new(view(named(name), topic, context))))
        .collect();
    let seen = without_clashes(seen, |(_, view)| &view.name, |(is_text, _)| *is_text, clashes);
    seen.into_iter().map(|(_, view)| view).collect()
}

fn view(name: Arc<str>, topic: &TopicHistory, context: &Context<'_>) -> TopicView {
    let parts = &topic.meta.partitions;
    let number = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
    let config = topic.config.as_ref();
    TopicView {
        name,
        id: topic.meta.id,
        partitions: partitions(topic, context),
        partition_count: number(parts.len()),
        replication: parts.clone(),
        leaderless: number(parts.iter().filter(|p| p.leader.is_none()).count()),
        under_replicated: number(parts.iter().filter(|p| p.in_sync < p.replicas).count()),
        produced: topic.produced,
        retention: config.and_then(|c| c.retention),
        retention_bytes: config.and_then(|c| c.retention_bytes),
        cleanup_policy: config.map(|c| c.cleanup_policy.to_string().into()),
    }
}

fn partitions(topic: &TopicHistory, context: &Context<'_>) -> Vec<TopicPartitionView> {
    let good = topic.logs.iter().filter(|log| context.still_good(log.read_at));
    good.map(|kept| TopicPartitionView {
        partition: kept.log.partition,
        start: kept.log.start.ok(),
        end: kept.log.end.ok(),
        stable: kept.log.stable.and_then(Result::ok),
        open_for: topic
            .open
            .get(&kept.log.partition)
            .map(|since| context.now.mono.saturating_sub(*since).as_secs_f32()),
    })
    .collect()
}

/// What this cycle says of one topic.
#[derive(Clone, Copy)]
pub(super) enum TopicNow<'a> {
    /// It exists.
    There(&'a TopicReading, &'a TopicMeta),
    /// Kafka says that it does not.
    Gone,
    /// Nobody could say.
    Unknown(Cause),
}

impl<'a> TopicNow<'a> {
    pub(super) fn of(name: &TopicName, context: &Context<'a>) -> Self {
        match context.topics.get(name) {
            Some(reading) => match &reading.meta {
                Ok(meta) => Self::There(reading, meta),
                Err(cause) if says_it_does_not_exist(*cause) => Self::Gone,
                Err(cause) => Self::Unknown(*cause),
            },
            // Asked for by no one: the collector asks for every topic that it hands on, so this is a topic that is left out.
            None => Self::Unknown(Cause::Malformed),
        }
    }

    /// The limits of one partition; `Err` with UNKNOWN_TOPIC_OR_PARTITION for one that does not exist.
    pub(super) fn log(self, partition: Partition) -> Result<&'a PartitionLog, Cause> {
        match self {
            Self::There(reading, _) => reading
                .log(partition)
                .ok_or(Cause::Code(ErrorCode::UNKNOWN_TOPIC_OR_PARTITION)),
            Self::Gone => Err(Cause::Code(ErrorCode::UNKNOWN_TOPIC_OR_PARTITION)),
            Self::Unknown(cause) => Err(cause),
        }
    }
}
