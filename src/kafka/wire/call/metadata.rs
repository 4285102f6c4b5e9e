//! Brokers, topics, leaders.

use kafka_protocol::messages::MetadataRequest;
use kafka_protocol::messages::TopicName as WireTopic;
use kafka_protocol::messages::metadata_request::MetadataRequestTopic;

use super::Call;
use super::text;
use crate::failure::Api;

/// From this version on a request can say that the topics it names are not to be created. Before, all topics are asked for.
pub(in super::super) const METADATA_OF_NAMED: i16 = 4;

/// The brokers, and the topics of these names.
#[derive(Clone, Debug)]
pub(in super::super) struct Metadata {
    pub(in super::super) topics: Vec<String>,
}

impl Call for Metadata {
    const API: Api = Api::Metadata;
    type Request = MetadataRequest;

    fn request(&self, version: i16) -> MetadataRequest {
        let request = MetadataRequest::default();
        if version < METADATA_OF_NAMED {
            // Naming a topic would create it: ask for all there are instead, which v0 writes as none at all.
            let all = self.topics.is_empty() || version == 0;
            return request.with_topics(all.then(Vec::new));
        }
        let named = |name: &String| MetadataRequestTopic::default().with_name(Some(WireTopic(text(name))));
        request
            .with_topics(Some(self.topics.iter().map(named).collect()))
            .with_allow_auto_topic_creation(false)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_request_of_any_version_creates_a_topic() {
        let named = Metadata {
            topics: vec!["orders".to_owned()],
        };
        for version in 0..=12 {
            let request = named.request(version);
            let names = request.topics.as_ref().map_or(0, Vec::len);
            assert!(names == 0 || !request.allow_auto_topic_creation, "v{version}");
        }
    }

    #[test]
    fn where_no_topic_is_wanted_none_is_asked_for() {
        let none = Metadata { topics: Vec::new() };
        for version in 0..=12 {
            assert_eq!(none.request(version).topics, Some(Vec::new()), "v{version}");
        }
    }

    #[test]
    fn an_old_broker_is_asked_for_all_topics() {
        let named = Metadata {
            topics: vec!["orders".to_owned()],
        };
        assert_eq!(
            named.request(0).topics,
            Some(Vec::new()),
            "v0 has no null: an empty list is all"
        );
        for version in 1..=3 {
            assert_eq!(named.request(version).topics, None, "v{version}");
        }
    }
}
