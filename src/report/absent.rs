//! Why a figure is absent.

use std::collections::BTreeMap;

use serde::Serialize;
use serde::Serializer;

use crate::failure::Reason;

/// Why a figure is absent: something of the closed list could not be read, or there is nothing to tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Why {
    /// It could not be read.
    Unreadable(Reason),
    /// The group never committed there.
    NotCommitted,
    /// It makes no sense for groups of this type.
    NotApplicable,
    /// It was not read yet, or the last good reading is too old.
    NotRead,
    /// There are no members.
    NoMembers,
    /// There are members.
    HasMembers,
}

impl Why {
    /// The word the documents use.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Unreadable(reason) => reason.as_str(),
            Self::NotCommitted => "not_committed",
            Self::NotApplicable => "not_applicable",
            Self::NotRead => "not_read",
            Self::NoMembers => "no_members",
            Self::HasMembers => "has_members",
        }
    }
}

impl Serialize for Why {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

/// The absent figures of one object by the name of their field.
#[derive(Debug, Default, Serialize)]
#[serde(transparent)]
pub struct Absent(BTreeMap<&'static str, Why>);

impl Absent {
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Why the field has no value; `None` when it has one.
    pub fn get(&self, field: &str) -> Option<Why> {
        self.0.get(field).copied()
    }

    /// Notes the field where there is no value.
    pub(super) fn note<T>(&mut self, field: &'static str, value: Option<&T>, why: impl FnOnce() -> Why) {
        if value.is_none() {
            self.0.insert(field, why());
        }
    }
}
