//! ApiVersions v0-v4: what a broker speaks.

use std::ops::RangeInclusive;

use super::sorted::sort_and_keep_last;
use super::versions::open;
use crate::failure::Api;
use crate::failure::ErrorCode;
use crate::kafka::wire::read::Encoding;
use crate::kafka::wire::read::ReadError;

/// What a broker speaks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// UNSUPPORTED_VERSION: the broker does not speak this version of ApiVersions; from Kafka 2.4 on `apis` says which ones it does.
    pub error: Option<ErrorCode>,
    /// API key and the versions of it, sorted by key.
    pub apis: Vec<(i16, RangeInclusive<i16>)>,
}

impl Answer {
    /// The versions of one API; `None` when the broker does not speak it.
    pub fn versions(&self, api_key: i16) -> Option<RangeInclusive<i16>> {
        let found = self.apis.binary_search_by_key(&api_key, |api| api.0).ok()?;
        self.apis.get(found).map(|api| api.1.clone())
    }
}

/// Reads the body of an answer.
///
/// # Errors
///
/// When it makes no sense.
pub fn read(body: &[u8], version: i16) -> Result<Answer, ReadError> {
    let mut reader = open(body, Api::ApiVersions, version)?;
    let error = reader.error_code()?;
    // A broker that does not know the version answers in v0 (KIP-511).
    let version = if error == Some(ErrorCode::UNSUPPORTED_VERSION) {
        reader.switch(Encoding::Classic);
        0
    } else {
        version
    };
    let mut apis = reader.list::<_, 6>("APIs", |reader| {
        let key = reader.int16("API key")?;
        let range = reader.int16("first version")?..=reader.int16("last version")?;
        reader.tags()?;
        Ok((key, range))
    })?;
    if version >= 1 {
        reader.int32("throttle time")?;
    }
    reader.tags()?;
    reader.finish()?;
    sort_and_keep_last(&mut apis, |api| &api.0);
    Ok(Answer { error, apis })
}
