//! What a group's page is asked for: its address, read and written.

use std::cmp::Ordering;
use std::cmp::Reverse;

use super::Sight;
use super::markup::segment;
use super::problem::Problem;
use crate::http::query;
use crate::http::query::QueryError;
use crate::http::state::Published;
use crate::snapshot::GroupView;
use crate::snapshot::PartitionView;

/// Partitions of one page.
pub(super) const PAGE: usize = 200;

/// A state of a group's page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct GroupAsk {
    cluster: Vec<u8>,
    group: Vec<u8>,
    pub(super) place: Place,
}

/// What is shown of a group.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Place {
    /// The group's id, where no path can name it.
    id: Option<String>,
    /// Only partitions of this topic.
    pub(super) topic: Option<String>,
    pub(super) order: Order,
    pub(super) offset: usize,
    /// Whether all members are shown.
    pub(super) all_members: bool,
}

/// Orders of partitions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Order {
    /// The worst first; within a status the greatest lag.
    #[default]
    Status,
    /// By topic and number.
    Partition,
    /// The greatest first; unknown ones last.
    Lag,
}

impl Order {
    const ALL: [Self; 3] = [Self::Status, Self::Partition, Self::Lag];

    fn as_str(self) -> &'static str {
        match self {
            Self::Status => "status",
            Self::Partition => "partition",
            Self::Lag => "lag_records",
        }
    }

    /// Of two partitions of a list that is in the order of topics and numbers.
    pub(super) fn compare(self, a: &PartitionView, b: &PartitionView) -> Ordering {
        match self {
            Self::Status => (a.status, Reverse(a.lag())).cmp(&(b.status, Reverse(b.lag()))),
            Self::Partition => Ordering::Equal,
            Self::Lag => b.lag().cmp(&a.lag()),
        }
    }
}

impl GroupAsk {
    pub(super) fn parse(cluster: &[u8], group: &[u8], raw: &str) -> Result<Self, Problem> {
        let mut place = Place::default();
        for pair in query::pairs(raw) {
            match &*pair.key {
                "id" => place.id = Some(pair.value),
                "topic" => place.topic = Some(pair.value),
                "order" => {
                    let found = Order::ALL.into_iter().find(|order| order.as_str() == pair.value);
                    place.order = found.ok_or(Problem::Parameter(pair.value))?;
                }
                "offset" => place.offset = pair.value.parse().map_err(|_| QueryError::Number("offset"))?,
                "members" => place.all_members = pair.value == "all",
                _ => return Err(Problem::Parameter(pair.key)),
            }
        }
        let group = match &place.id {
            Some(id) if group.is_empty() => id.as_bytes(),
            _ => group,
        };
        Ok(Self {
            cluster: cluster.to_vec(),
            group: group.to_vec(),
            place,
        })
    }

    /// The group that the address names.
    pub(super) fn find<'a>(&self, sight: &'a Sight) -> Result<(&'a Published, &'a GroupView), Problem> {
        let shown = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let mut clusters = sight.clusters.iter();
        let published = clusters
            .find(|it| it.snapshot.cluster.as_bytes() == self.cluster)
            .ok_or_else(|| Problem::UnknownCluster(shown(&self.cluster)))?;
        let found = published.source(&sight.objectives).find(&self.group);
        let view = found.ok_or_else(|| Problem::UnknownGroup(shown(&self.group)))?;
        Ok((published, view))
    }
}

impl Place {
    /// The address of this state, relative to the page's own; `fragment` is the part of the page that is meant.
    pub(super) fn address(&self, fragment: &str) -> String {
        let mut pairs = Vec::new();
        let mut add = |key: &str, value: &str| pairs.push(format!("{key}={}", segment(value.as_bytes())));
        if let Some(id) = &self.id {
            add("id", id);
        }
        if let Some(topic) = &self.topic {
            add("topic", topic);
        }
        if self.order != Order::Status {
            add("order", self.order.as_str());
        }
        if self.offset > 0 {
            add("offset", &self.offset.to_string());
        }
        if self.all_members {
            add("members", "all");
        }
        format!("?{}#{fragment}", pairs.join("&"))
    }

    /// The same from the first partition on, changed.
    pub(super) fn with(&self, fragment: &str, change: impl FnOnce(&mut Self)) -> String {
        let mut other = self.clone();
        other.offset = 0;
        change(&mut other);
        other.address(fragment)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_comes_back_as_it_was_written() {
        let place = Place {
            id: Some("..".into()),
            topic: Some("a&b".into()),
            order: Order::Lag,
            offset: 200,
            all_members: true,
        };
        let address = place.address("partitions");
        assert_eq!(
            address,
            "?id=..&topic=a%26b&order=lag_records&offset=200&members=all#partitions"
        );
        let (query, _) = address[1..].split_once('#').expect("a fragment");
        let ask = GroupAsk::parse(b"main", b"", query).expect("readable");
        assert_eq!((ask.place, &*ask.group), (place, &b".."[..]));
        assert!(GroupAsk::parse(b"main", b"g", "order=x").is_err());
        assert!(GroupAsk::parse(b"main", b"g", "x=1").is_err());
    }
}
