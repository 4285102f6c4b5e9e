//! The form most answers about groups have: a value per group, or the error that stands for it.

use super::sorted::sort_and_keep_last;
use crate::failure::Cause;
use crate::failure::ErrorCode;
use crate::failure::Heard;
use crate::model::GroupId;

/// A value or an error per group, sorted by group. A group that is not in it was not mentioned by the broker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Groups<T>(Vec<(GroupId, Heard<T>)>);

impl<T> Groups<T> {
    /// What the answer says of one group.
    pub fn get(&self, group: &GroupId) -> Option<&Heard<T>> {
        let found = self.0.binary_search_by(|entry| entry.0.cmp(group)).ok()?;
        self.0.get(found).map(|entry| &entry.1)
    }

    /// Group by group.
    pub fn iter(&self) -> std::slice::Iter<'_, (GroupId, Heard<T>)> {
        self.0.iter()
    }

    /// Everything, group by group.
    pub fn into_vec(self) -> Vec<(GroupId, Heard<T>)> {
        self.0
    }

    /// Sorts what was read and leaves each group once.
    pub(super) fn arrange(mut groups: Vec<(GroupId, Heard<T>)>) -> Self {
        sort_and_keep_last(&mut groups, |entry| &entry.0);
        Self(groups)
    }

    /// The answer to a request that could ask about one group only.
    pub(super) fn of_one(group: GroupId, value: Heard<T>) -> Self {
        Self(vec![(group, value)])
    }
}

impl<'a, T> IntoIterator for &'a Groups<T> {
    type Item = &'a (GroupId, Heard<T>);
    type IntoIter = std::slice::Iter<'a, (GroupId, Heard<T>)>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

/// The value, unless the error beside it says that it is none.
pub(super) fn heard<T>(error: Option<ErrorCode>, value: T) -> Heard<T> {
    error.map_or(Ok(value), |code| Err(Cause::Code(code)))
}
