//! DescribeConfigs v1-v4: retention settings of topics.

use std::time::Duration;

use super::Names;
use super::groups::heard;
use super::sorted::sort_and_keep_last;
use super::versions::open;
use crate::failure::Api;
use crate::failure::Cause;
use crate::failure::Heard;
use crate::kafka::wire::read::ReadError;
use crate::kafka::wire::read::Reader;
use crate::model::Text;
use crate::model::TopicName;
use crate::observation::TopicConfig;

/// Kafka's number for resources that are topics.
const TOPIC: i8 = 2;

/// Reads the body of an answer, sorted by topic; resources that are no topics are left out. A topic of which not all three settings are
/// answered, or not as what they should be, is [`Cause::Malformed`].
///
/// # Errors
///
/// When it makes no sense.
pub fn read(body: &[u8], version: i16, names: &mut Names) -> Result<Vec<(TopicName, Heard<TopicConfig>)>, ReadError> {
    let mut reader = open(body, Api::DescribeConfigs, version)?;
    reader.int32("throttle time")?;
    let mut topics = reader.sift::<_, 7>("resources", |reader| resource(reader, version, names))?;
    reader.tags()?;
    reader.finish()?;
    sort_and_keep_last(&mut topics, |topic| &topic.0);
    Ok(topics)
}

fn resource(
    reader: &mut Reader<'_>,
    version: i16,
    names: &mut Names,
) -> Result<Option<(TopicName, Heard<TopicConfig>)>, ReadError> {
    let error = reader.error_code()?;
    reader.nullable_string("error message")?;
    let kind = reader.int8("resource type")?;
    let name = reader.string("resource name")?;
    let mut settings = Settings::default();
    reader.pass::<9>("settings", |reader| setting(reader, version, &mut settings))?;
    reader.tags()?;
    if kind != TOPIC {
        return Ok(None);
    }
    let config = heard(error, settings).and_then(|settings| settings.understand(names).ok_or(Cause::Malformed));
    Ok(Some((names.topic(name), config)))
}

/// The settings as they are written; `None` for those that are not.
#[derive(Default)]
struct Settings<'a> {
    cleanup_policy: Option<&'a [u8]>,
    retention_ms: Option<&'a [u8]>,
    retention_bytes: Option<&'a [u8]>,
}

impl Settings<'_> {
    fn understand(self, names: &mut Names) -> Option<TopicConfig> {
        let cleanup_policy: Text = names.text(Some(self.cleanup_policy?));
        Some(TopicConfig {
            cleanup_policy,
            retention: limit(self.retention_ms?)?.map(Duration::from_millis),
            retention_bytes: limit(self.retention_bytes?)?,
        })
    }
}

/// A number of which -1 stands for no limit; `None` for anything else.
fn limit(text: &[u8]) -> Option<Option<u64>> {
    match str::from_utf8(text).ok()?.parse::<i64>().ok()? {
        -1 => Some(None),
        number => u64::try_from(number).ok().map(Some),
    }
}

fn setting<'a>(reader: &mut Reader<'a>, version: i16, settings: &mut Settings<'a>) -> Result<(), ReadError> {
    let name = reader.string("setting")?;
    let value = reader.nullable_string("value")?;
    reader.boolean("read-only")?;
    reader.int8("source")?;
    reader.boolean("sensitive")?;
    reader.pass::<4>("synonyms", synonym)?;
    if version >= 3 {
        reader.int8("type of the setting")?;
        reader.nullable_string("documentation")?;
    }
    reader.tags()?;
    match name {
        b"cleanup.policy" => settings.cleanup_policy = value,
        b"retention.ms" => settings.retention_ms = value,
        b"retention.bytes" => settings.retention_bytes = value,
        _ => {}
    }
    Ok(())
}

fn synonym(reader: &mut Reader<'_>) -> Result<(), ReadError> {
    reader.nullable_string("synonym")?;
    reader.nullable_string("value")?;
    reader.int8("source")?;
    reader.tags()
}
