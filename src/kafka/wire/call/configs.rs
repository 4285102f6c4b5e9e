//! Configuration of topics.

use kafka_protocol::messages::DescribeConfigsRequest;
use kafka_protocol::messages::describe_configs_request::DescribeConfigsResource;
use kafka_protocol::protocol::StrBytes;

use super::Call;
use super::text;
use crate::failure::Api;

/// Kafka's number for resources that are topics.
const TOPIC: i8 = 2;

/// What is asked for of each topic.
const SETTINGS: [&str; 3] = ["cleanup.policy", "retention.ms", "retention.bytes"];

/// Retention settings of these topics.
#[derive(Clone, Debug)]
pub(in super::super) struct DescribeConfigs {
    pub(in super::super) topics: Vec<String>,
}

impl Call for DescribeConfigs {
    const API: Api = Api::DescribeConfigs;
    type Request = DescribeConfigsRequest;

    fn request(&self, _version: i16) -> DescribeConfigsRequest {
        let settings: Vec<_> = SETTINGS.map(StrBytes::from_static_str).into();
        let resource = |topic: &String| {
            DescribeConfigsResource::default()
                .with_resource_type(TOPIC)
                .with_resource_name(text(topic))
                .with_configuration_keys(Some(settings.clone()))
        };
        DescribeConfigsRequest::default().with_resources(self.topics.iter().map(resource).collect())
    }
}
