//! DescribeConfigs v1-4, of topics.

use kafka_protocol::error::ResponseError;
use kafka_protocol::messages::DescribeConfigsRequest;
use kafka_protocol::messages::DescribeConfigsResponse;
use kafka_protocol::messages::TopicName;
use kafka_protocol::messages::describe_configs_request::DescribeConfigsResource;
use kafka_protocol::messages::describe_configs_response::DescribeConfigsResourceResult;
use kafka_protocol::messages::describe_configs_response::DescribeConfigsResult;

use super::Call;
use super::text;
use crate::sim::model::Topic;

const TOPIC: i8 = 2;
/// Where a value comes from: set on the topic.
const DYNAMIC_TOPIC_CONFIG: i8 = 1;
/// Where a value comes from: nobody set it.
const DEFAULT_CONFIG: i8 = 5;

pub(super) fn answer(call: &Call<'_>, request: DescribeConfigsRequest) -> DescribeConfigsResponse {
    let resources = request.resources.into_iter();
    DescribeConfigsResponse::default().with_results(resources.map(|resource| one(call, resource)).collect())
}

fn one(call: &Call<'_>, resource: DescribeConfigsResource) -> DescribeConfigsResult {
    let result = DescribeConfigsResult::default()
        .with_resource_type(resource.resource_type)
        .with_resource_name(resource.resource_name.clone());
    if resource.resource_type != TOPIC {
        // Brokers' own settings are not simulated: they have none.
        return result;
    }
    let Some(topic) = call.model.topic(&TopicName(resource.resource_name)) else {
        let error = ResponseError::UnknownTopicOrPartition;
        return result.with_error_code(error.code()).with_error_message(Some(text("")));
    };
    let wanted = |key: &&str| match &resource.configuration_keys {
        Some(keys) => keys.iter().any(|asked| asked.as_str() == *key),
        None => true,
    };
    let keys = topic.config_keys().into_iter().filter(wanted);
    result.with_configs(keys.filter_map(|key| entry(topic, key)).collect())
}

fn entry(topic: &Topic, key: &str) -> Option<DescribeConfigsResourceResult> {
    let (value, own) = topic.config(key)?;
    let source = if own { DYNAMIC_TOPIC_CONFIG } else { DEFAULT_CONFIG };
    Some(
        DescribeConfigsResourceResult::default()
            .with_name(text(key))
            .with_value(Some(text(value)))
            .with_config_source(source),
    )
}
