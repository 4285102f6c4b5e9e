//! What the cluster was asked, in order.

use std::collections::HashMap;
use std::collections::VecDeque;
use std::sync::Arc;

use kafka_protocol::messages::ApiKey;
use kafka_protocol::messages::RequestKind;
use kafka_protocol::protocol::StrBytes;

use super::subjects::Mentioned;
use super::subjects::groups;
use super::subjects::topics;

/// How many requests are kept; older ones are only counted.
const KEPT: usize = 20_000;

/// One request.
#[derive(Clone, Debug)]
pub struct Asked {
    /// The cluster's time, in milliseconds since 1970.
    pub at: i64,
    /// The broker that was asked.
    pub broker: i32,
    /// The connection it came on; numbers are never used twice.
    pub connection: u64,
    /// `client.id`, when the client gave one.
    pub client_id: Option<StrBytes>,
    /// The call.
    pub api: ApiKey,
    /// Its version.
    pub version: i16,
    /// All of it.
    pub request: Arc<RequestKind>,
}

impl Asked {
    /// The groups it is about; `None` when it is about all, or about none in particular.
    pub fn groups(&self) -> Option<Vec<&str>> {
        match groups(&self.request) {
            Mentioned::All => None,
            Mentioned::These(ids) => Some(ids),
        }
    }

    /// The topics it names, with partitions where it names them; `None` when it is about all.
    pub fn topics(&self) -> Option<Vec<(&str, Vec<i32>)>> {
        match topics(&self.request) {
            Mentioned::All => None,
            Mentioned::These(topics) => Some(topics),
        }
    }

    /// The kinds of offsets a ListOffsets asks for (-1: ends, -2: starts, -3: newest, else a time), each once.
    pub fn timestamps(&self) -> Vec<i64> {
        let RequestKind::ListOffsets(request) = &*self.request else {
            return Vec::new();
        };
        let partitions = request.topics.iter().flat_map(|topic| &topic.partitions);
        let mut kinds: Vec<i64> = partitions.map(|partition| partition.timestamp).collect();
        kinds.sort_unstable();
        kinds.dedup();
        kinds
    }
}

/// Requests kept and counted.
#[derive(Debug, Default)]
pub(super) struct Trace {
    kept: VecDeque<Asked>,
    counts: HashMap<(i32, ApiKey), u64>,
    /// True to count only: a bench sends requests of many megabytes.
    pub(super) counts_only: bool,
}

impl Trace {
    pub(super) fn add(&mut self, asked: Asked) {
        *self.counts.entry((asked.broker, asked.api)).or_default() += 1;
        if self.counts_only {
            return;
        }
        if self.kept.len() == KEPT {
            self.kept.pop_front();
        }
        self.kept.push_back(asked);
    }

    pub(super) fn all(&self) -> Vec<Asked> {
        self.kept.iter().cloned().collect()
    }

    pub(super) fn take(&mut self) -> Vec<Asked> {
        self.kept.drain(..).collect()
    }

    pub(super) fn count(&self, broker: Option<i32>, api: ApiKey) -> u64 {
        let asked = self.counts.iter();
        asked
            .filter(|((at, what), _)| *what == api && broker.is_none_or(|id| id == *at))
            .map(|(_, count)| count)
            .sum()
    }
}
