//! Lists of groups: filter, sort, page.

use std::cmp::Ordering;
use std::cmp::Reverse;

use serde::Serialize;

use super::Source;
use super::group::Figures;
use super::json::Date;
use crate::model::Status;
use crate::snapshot::GroupView;

/// Groups of one cluster.
#[derive(Debug, Serialize)]
pub struct Groups<'a> {
    cluster: &'a str,
    read_at: Option<Date>,
    /// How many groups the cluster has.
    total: usize,
    /// How many of them the filters let through.
    matched: usize,
    groups: Vec<Figures<'a>>,
    /// The `offset` of the next page; `null` on the last.
    next_offset: Option<usize>,
}

/// Which groups are wanted, in which order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Query {
    /// Only these statuses; all when empty.
    pub statuses: Vec<Status>,
    /// Only groups whose name has this in it, whatever its case.
    pub text: String,
    /// The order.
    pub sort: Sort,
    /// Only groups whose name comes after this one, for paging by name while groups come and go.
    pub after: Option<String>,
    /// How many to leave out at the beginning.
    pub offset: usize,
    /// How many at most; all when absent.
    pub limit: Option<usize>,
}

/// Orders of groups. Within one rank groups are in the order of their names.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sort {
    /// By name.
    #[default]
    Group,
    /// The worst first; within a status the greatest lag.
    Status,
    /// The greatest first; unknown ones last.
    LagRecords,
    /// The greatest first; unknown ones last.
    LagSeconds,
    /// The most first; unknown ones last.
    Members,
}

impl Sort {
    /// Every order.
    pub const ALL: [Self; 5] = [
        Self::Group,
        Self::Status,
        Self::LagRecords,
        Self::LagSeconds,
        Self::Members,
    ];

    /// The word for it: the name of the field.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Group => "group",
            Self::Status => "status",
            Self::LagRecords => "lag_records",
            Self::LagSeconds => "lag_seconds",
            Self::Members => "members",
        }
    }

    /// Which of two groups comes first; those of several clusters can be ranked together.
    pub fn compare(self, a: &GroupView, b: &GroupView) -> Ordering {
        let rank = match self {
            Self::Group => Ordering::Equal,
            Self::Status => (a.status, Reverse(a.lag)).cmp(&(b.status, Reverse(b.lag))),
            Self::LagRecords => b.lag.cmp(&a.lag),
            Self::LagSeconds => age(b).cmp(&age(a)),
            Self::Members => members(b).cmp(&members(a)),
        };
        rank.then_with(|| a.name.cmp(&b.name))
    }
}

fn age(group: &GroupView) -> Option<u64> {
    group.lag_time.map(|time| time.age_ms)
}

fn members(group: &GroupView) -> Option<usize> {
    group.members.as_ref().map(|members| members.members.len())
}

impl Query {
    fn wants(&self, group: &GroupView, text: &str) -> bool {
        (self.statuses.is_empty() || self.statuses.contains(&group.status))
            && (text.is_empty() || group.name.to_lowercase().contains(text))
    }

    fn comes(&self, group: &GroupView) -> bool {
        self.after.as_deref().is_none_or(|after| &*group.name > after)
    }
}

impl<'a> Source<'a> {
    /// The views of the groups that the filters let through, in order, and how many there are in all pages.
    pub fn select(self, query: &Query) -> (Vec<&'a GroupView>, usize) {
        let text = query.text.to_lowercase();
        let groups = self.snapshot.groups.iter().map(AsRef::as_ref);
        let mut groups: Vec<_> = groups.filter(|group| query.wants(group, &text)).collect();
        let matched = groups.len();
        groups.retain(|group| query.comes(group));
        groups.sort_by(|a, b| query.sort.compare(a, b));
        let page = groups
            .into_iter()
            .skip(query.offset)
            .take(query.limit.unwrap_or(usize::MAX));
        (page.collect(), matched)
    }

    /// One page of the groups.
    pub fn groups(self, query: &Query) -> Groups<'a> {
        let (page, matched) = self.select(query);
        let end = query.offset.saturating_add(page.len());
        let more = query.limit.is_some_and(|limit| page.len() == limit) && self.has_more(query, end);
        Groups {
            cluster: &self.snapshot.cluster,
            read_at: self.snapshot.read_at.map(Date::from),
            total: self.snapshot.groups.len(),
            matched,
            groups: page.into_iter().map(|group| self.figures(group)).collect(),
            next_offset: more.then_some(end),
        }
    }

    fn has_more(self, query: &Query, end: usize) -> bool {
        let text = query.text.to_lowercase();
        let groups = self.snapshot.groups.iter();
        groups
            .filter(|group| query.wants(group, &text) && query.comes(group))
            .count()
            > end
    }
}
