//! Offsets as exact JSON integers that are never below 0.

use serde::Deserialize;
use serde::Deserializer;
use serde::Serializer;
use serde::de::Error;

use crate::model::Offset;

pub(in crate::reset) fn serialize<S: Serializer>(offset: &Offset, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_i64(offset.get())
}

pub(in crate::reset) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Offset, D::Error> {
    let raw = i64::deserialize(from)?;
    Offset::new(raw).ok_or_else(|| D::Error::custom(format!("{raw} is no offset: offsets are never below 0")))
}

/// The same where null means that there is none; the key must be there.
pub(in crate::reset) mod maybe {
    use serde::Deserialize;
    use serde::Deserializer;
    use serde::Serialize;
    use serde::Serializer;

    use crate::model::Offset;

    #[derive(Deserialize)]
    struct Wrapped(#[serde(deserialize_with = "super::deserialize")] Offset);

    pub(in crate::reset) fn serialize<S: Serializer>(offset: &Option<Offset>, to: S) -> Result<S::Ok, S::Error> {
        offset.map(Offset::get).serialize(to)
    }

    pub(in crate::reset) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Offset>, D::Error> {
        Ok(Option::<Wrapped>::deserialize(from)?.map(|wrapped| wrapped.0))
    }
}
