//! Which requests a fault hits, and what in their answers.

use std::ops::Range;
use std::time::Duration;

use kafka_protocol::messages::ApiKey;
use kafka_protocol::messages::RequestKind;

use crate::sim::api::Subject;
use crate::sim::model::millis;
use crate::sim::subjects::Mentioned;
use crate::sim::subjects::groups;
use crate::sim::subjects::topics;

/// All that is said here must hold for a request to be hit. In an answer, what is named here is hit; where nothing is named, all of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct When {
    broker: Option<i32>,
    api: Option<ApiKey>,
    pub(super) group: Option<String>,
    pub(super) topic: Option<String>,
    pub(super) partition: Option<i32>,
    nth: Option<Range<u64>>,
    time: Option<Range<i64>>,
}

impl When {
    /// Every request.
    pub fn any() -> Self {
        Self::default()
    }

    /// Requests of this call.
    pub fn api(api: ApiKey) -> Self {
        Self::any().and_api(api)
    }

    /// Requests to this broker.
    pub fn broker(broker: i32) -> Self {
        Self::any().and_broker(broker)
    }

    /// Only of this call.
    pub fn and_api(self, api: ApiKey) -> Self {
        let api = Some(api);
        Self { api, ..self }
    }

    /// Only to this broker.
    pub fn and_broker(self, broker: i32) -> Self {
        let broker = Some(broker);
        Self { broker, ..self }
    }

    /// Only about this group.
    pub fn group(self, group: &str) -> Self {
        let group = Some(group.to_owned());
        Self { group, ..self }
    }

    /// Only about this topic.
    pub fn topic(self, topic: &str) -> Self {
        let topic = Some(topic.to_owned());
        Self { topic, ..self }
    }

    /// Only about this partition, of the topic that is named or of any.
    pub fn partition(self, partition: i32) -> Self {
        let partition = Some(partition);
        Self { partition, ..self }
    }

    /// Only these of the requests that fit otherwise, counted from 0 since the fault was added.
    pub fn nth(self, nth: Range<u64>) -> Self {
        let nth = Some(nth);
        Self { nth, ..self }
    }

    /// Only the first request that fits.
    pub fn once(self) -> Self {
        self.nth(0..1)
    }

    /// Only in this stretch of the cluster's time, counted from when the fault was added.
    pub fn during(self, time: Range<Duration>) -> Self {
        let time = Some(millis(time.start)..millis(time.end));
        Self { time, ..self }
    }

    /// True when the request is one of those, whatever its number and time.
    pub(super) fn concerns(&self, broker: i32, api: ApiKey, request: &RequestKind) -> bool {
        self.broker.is_none_or(|id| id == broker)
            && self.api.is_none_or(|wanted| wanted == api)
            && self.concerns_group(request)
            && self.concerns_topic(request)
    }

    fn concerns_group(&self, request: &RequestKind) -> bool {
        let Some(wanted) = &self.group else {
            return true;
        };
        match groups(request) {
            Mentioned::All => true,
            Mentioned::These(ids) => ids.contains(&wanted.as_str()),
        }
    }

    fn concerns_topic(&self, request: &RequestKind) -> bool {
        if self.topic.is_none() && self.partition.is_none() {
            return true;
        }
        match topics(request) {
            Mentioned::All => true,
            Mentioned::These(found) => found.iter().any(|(name, partitions)| {
                let fits = |wanted: i32| partitions.is_empty() || partitions.contains(&wanted);
                self.hits_topic(name) && self.partition.is_none_or(fits)
            }),
        }
    }

    pub(super) fn is_due(&self, nth: u64, since: i64) -> bool {
        self.nth.as_ref().is_none_or(|range| range.contains(&nth))
            && self.time.as_ref().is_none_or(|range| range.contains(&since))
    }

    /// True when the subject is among what is named here.
    pub(super) fn covers(&self, subject: &Subject<'_>) -> bool {
        subject.group.is_none_or(|id| self.hits_group(id))
            && subject.topic.is_none_or(|name| self.hits_topic(name))
            && subject.partition.is_none_or(|index| self.hits_partition(index))
    }

    pub(super) fn hits_group(&self, group: &str) -> bool {
        self.group.as_ref().is_none_or(|wanted| wanted == group)
    }

    pub(super) fn hits_topic(&self, topic: &str) -> bool {
        self.topic.as_ref().is_none_or(|wanted| wanted == topic)
    }

    pub(super) fn hits_partition(&self, partition: i32) -> bool {
        self.partition.is_none_or(|wanted| wanted == partition)
    }

    /// True when single topics or partitions are meant, not a group or a request as a whole.
    pub(super) fn is_about_topics(&self) -> bool {
        self.topic.is_some() || self.partition.is_some()
    }
}
