//! Settings of topics.

use std::time::Duration;

use kafka_protocol::messages::DescribeConfigsResponse;
use kafka_protocol::messages::describe_configs_response::DescribeConfigsResourceResult;
use kafka_protocol::messages::describe_configs_response::DescribeConfigsResult;
use kafka_protocol::messages::describe_configs_response::DescribeConfigsSynonym;

use super::*;
use crate::observation::TopicConfig;

const KEYS: [&str; 3] = ["cleanup.policy", "retention.ms", "retention.bytes"];

fn answer(draw: &mut Draw<'_>, version: i16) -> DescribeConfigsResponse {
    DescribeConfigsResponse::default()
        .with_throttle_time_ms(draw.int32())
        .with_results(draw.list(|draw| {
            DescribeConfigsResult::default()
                .with_error_code(draw.error())
                .with_error_message(draw.option(Draw::text))
                .with_resource_type(if draw.byte() < 230 { 2 } else { draw.int8() })
                .with_resource_name(draw.text())
                .with_configs(settings(draw, version))
                .with_unknown_tagged_fields(draw.tags())
        }))
        .with_unknown_tagged_fields(draw.tags())
}

/// Mostly all three that are looked for, among others and in any order.
fn settings(draw: &mut Draw<'_>, version: i16) -> Vec<DescribeConfigsResourceResult> {
    let mut settings: Vec<_> = draw.list(|draw| {
        let key = draw.one_of(&KEYS);
        setting(draw, key, version)
    });
    if draw.byte() > 30 {
        for key in KEYS {
            let at = draw.below(settings.len() + 1);
            settings.insert(at, setting(draw, StrBytes::from_static_str(key), version));
        }
    }
    settings
}

fn setting(draw: &mut Draw<'_>, key: StrBytes, version: i16) -> DescribeConfigsResourceResult {
    let value = match draw.byte() {
        0..150 => Some(draw.one_of(&["604800000", "-1", "9223372036854775807", "-2", "delete", ""])),
        150..220 => Some(StrBytes::from_string(draw.int64().to_string())),
        _ => draw.option(Draw::text),
    };
    let setting = DescribeConfigsResourceResult::default()
        .with_name(key)
        .with_value(value)
        .with_read_only(draw.flag())
        .with_config_source(draw.int8())
        .with_is_sensitive(draw.flag())
        .with_synonyms(draw.list(|draw| {
            DescribeConfigsSynonym::default()
                .with_name(draw.text())
                .with_value(draw.option(Draw::text))
                .with_source(draw.int8())
                .with_unknown_tagged_fields(draw.tags())
        }))
        .with_unknown_tagged_fields(draw.tags());
    match version {
        ..3 => setting,
        _ => setting
            .with_config_type(draw.int8())
            .with_documentation(draw.option(Draw::text)),
    }
}

/// `None` when one of the three is missing or not what it should be.
fn config(settings: &[DescribeConfigsResourceResult]) -> Option<TopicConfig> {
    let value = |key: &str| settings.iter().rfind(|setting| &*setting.name == key)?.value.clone();
    let limit = |key| match value(key)?.parse() {
        Ok(-1) => Some(None),
        Ok(limit @ 0_i64..) => Some(Some(limit.unsigned_abs())),
        _ => None,
    };
    Some(TopicConfig {
        cleanup_policy: name(&value(KEYS[0])?),
        retention: limit(KEYS[1])?.map(Duration::from_millis),
        retention_bytes: limit(KEYS[2])?,
    })
}

#[test]
fn retention_is_read_in_every_version() {
    hold(
        Api::DescribeConfigs,
        answer,
        |body, version| describe_configs::read(body, version, &mut Names::new()),
        |answer, _| {
            let topics = answer.results.iter().filter(|resource| resource.resource_type == 2);
            sorted(topics.map(|topic| {
                let config = config(&topic.configs).ok_or(Cause::Malformed);
                (name(&topic.resource_name), heard(topic.error_code, ()).and(config))
            }))
        },
    );
}
