//! What is shown, read from the documents of the JSON API: a running tidemark's answers and this process's own snapshots come the same way.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::model::Status;

/// Everything that is known at one moment.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Picture {
    /// The clusters, in the order of the configuration.
    pub(super) clusters: Vec<Cluster>,
    /// The group that was asked for besides.
    pub(super) opened: Option<(Key, Opened)>,
}

/// One cluster and its groups.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Cluster {
    /// How reading it goes.
    pub(super) health: Health,
    /// In no order; shared, since most refreshes find most clusters unchanged.
    pub(super) groups: Arc<Vec<Figures>>,
}

/// What a group is found by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Key {
    /// The cluster's name.
    pub(super) cluster: String,
    /// The group's name as the documents have it: bytes that are not UTF-8 as `\xNN`.
    pub(super) group: String,
}

/// A group that was asked for.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Opened {
    /// It is there.
    Found(Box<Group>),
    /// It is not, or no more.
    Gone,
}

/// How reading a cluster goes.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub(super) struct Health {
    pub(super) cluster: String,
    pub(super) up: bool,
    /// RFC 3339; absent before anything was read.
    pub(super) read_at: Option<String>,
    /// Absent before the first has ended.
    pub(super) cycle: Option<Cycle>,
}

/// The last cycle.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub(super) struct Cycle {
    /// The first few, in words.
    pub(super) failures: Vec<String>,
}

/// A group in a list of groups.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub(super) struct Figures {
    pub(super) group: String,
    /// Hex, where the id is no UTF-8.
    group_bytes: Option<String>,
    #[serde(rename = "type")]
    pub(super) kind: String,
    pub(super) state: Option<String>,
    pub(super) status: String,
    pub(super) lag_records: Option<u128>,
    pub(super) lag_seconds: Option<f64>,
    pub(super) stalled_seconds: Option<f64>,
    pub(super) members: Option<u64>,
    pub(super) empty_seconds: Option<f64>,
    pub(super) error_code: Option<String>,
    #[serde(default)]
    pub(super) absent: Absent,
}

/// A group, whole.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Group {
    pub(super) figures: Figures,
    pub(super) partitions: Vec<Partition>,
}

/// One partition of one topic of a group.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub(super) struct Partition {
    /// Told by the topic around it.
    #[serde(skip)]
    pub(super) topic: Arc<str>,
    pub(super) partition: i32,
    pub(super) status: String,
    pub(super) committed_offset: Option<i64>,
    pub(super) end_offset: Option<i64>,
    pub(super) lag_records: Option<u64>,
    pub(super) lag_seconds: Option<f64>,
    pub(super) lag_seconds_error: Option<f64>,
    pub(super) lag_seconds_method: Option<String>,
    pub(super) stalled_seconds: Option<f64>,
    pub(super) lost_records: Option<u64>,
    pub(super) commit_ahead_records: Option<u64>,
    pub(super) owner: Option<Owner>,
    pub(super) error_code: Option<String>,
    pub(super) fresh: bool,
    #[serde(default)]
    pub(super) absent: Absent,
}

/// Who a partition is assigned to.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub(super) struct Owner {
    pub(super) client_id: String,
    pub(super) host: String,
}

/// Why a figure has no value, by its field.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(transparent)]
pub(super) struct Absent(BTreeMap<String, String>);

/// A figure, as far as it is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Told<'a, T> {
    /// This is it.
    Known(T),
    /// There is none, which is known; the reason's word.
    None(&'a str),
    /// It is not known; the reason's word.
    Unknown(&'a str),
}

/// Reasons that say there is nothing to know.
const NOTHING: [&str; 4] = ["not_committed", "not_applicable", "no_members", "has_members"];

impl Absent {
    /// The figure of that field.
    pub(super) fn tell<T>(&self, field: &str, value: Option<T>) -> Told<'_, T> {
        let why = || self.0.get(field).map_or("other", String::as_str);
        match value {
            Some(value) => Told::Known(value),
            None if NOTHING.contains(&why()) => Told::None(why()),
            None => Told::Unknown(why()),
        }
    }
}

impl Figures {
    /// The group's id as Kafka has it.
    pub(super) fn id(&self) -> Vec<u8> {
        let bytes = self.group_bytes.as_deref().and_then(unhex);
        bytes.unwrap_or_else(|| self.group.clone().into_bytes())
    }

    /// Whether it has commits that could be reset: share groups have none.
    pub(super) fn commits_offsets(&self) -> bool {
        !matches!(self.lag(), Told::None("not_applicable"))
    }

    pub(super) fn lag(&self) -> Told<'_, u128> {
        self.absent.tell("lag_records", self.lag_records)
    }

    pub(super) fn time(&self) -> Told<'_, f64> {
        self.absent.tell("lag_seconds", self.lag_seconds)
    }

    pub(super) fn members(&self) -> Told<'_, u64> {
        self.absent.tell("members", self.members)
    }

    pub(super) fn state(&self) -> Told<'_, &str> {
        self.absent.tell("state", self.state.as_deref())
    }
}

/// Where a status stands, the worst first. A word that this version does not know is shown before all others rather than below them.
pub(super) fn rank(status: &str) -> usize {
    let place = Status::ALL.iter().position(|known| known.as_str() == status);
    place.map_or(0, |place| place + 1)
}

fn unhex(text: &str) -> Option<Vec<u8>> {
    let digits: Vec<u32> = text.chars().map(|digit| digit.to_digit(16)).collect::<Option<_>>()?;
    let pairs = digits.chunks(2).map(|pair| match pair {
        [high, low] => u8::try_from(high * 16 + low).ok(),
        _ => None,
    });
    pairs.collect()
}

/// The clusters of a document of clusters.
pub(super) fn clusters(document: &[u8]) -> serde_json::Result<Vec<Health>> {
    #[derive(Deserialize)]
    struct Clusters {
        clusters: Vec<Health>,
    }
    Ok(read::<Clusters>(document)?.clusters)
}

/// The groups of a document of groups.
pub(super) fn groups(document: &[u8]) -> serde_json::Result<Vec<Figures>> {
    #[derive(Deserialize)]
    struct Groups {
        groups: Vec<Figures>,
    }
    Ok(read::<Groups>(document)?.groups)
}

/// The group of a document of one.
pub(super) fn group(document: &[u8]) -> serde_json::Result<Group> {
    #[derive(Deserialize)]
    struct Topics {
        topics: Vec<Topic>,
    }
    #[derive(Deserialize)]
    struct Topic {
        topic: String,
        partitions: Vec<Partition>,
    }
    // Twice, since serde's way of having both in one loses integers beyond 64 bits.
    let topics = read::<Topics>(document)?.topics;
    let partitions = topics.into_iter().flat_map(|topic| {
        let name: Arc<str> = topic.topic.into();
        topic.partitions.into_iter().map(move |partition| Partition {
            topic: name.clone(),
            ..partition
        })
    });
    Ok(Group {
        figures: read(document)?,
        partitions: partitions.collect(),
    })
}

fn read<T: DeserializeOwned>(document: &[u8]) -> serde_json::Result<T> {
    serde_json::from_slice(document)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::fixture;
    use crate::report::Clusters;
    use crate::report::Query;
    use crate::report::Source;

    fn bytes(document: &impl serde::Serialize) -> Vec<u8> {
        serde_json::to_vec(document).unwrap()
    }

    #[test]
    fn the_documents_of_the_api_are_read_with_integers_of_every_size() {
        let snapshot = fixture::motley("main");
        let source = Source {
            snapshot: &snapshot,
            objectives: &[],
        };
        let listed = groups(&bytes(&source.groups(&Query::default()))).unwrap();
        assert_eq!(listed.len(), snapshot.groups.len());
        let great = listed.iter().find(|it| it.group == "a\"b\\c\nd").unwrap();
        assert_eq!(great.lag(), Told::Known(55_340_232_221_128_654_845));
        let whole = group(&bytes(&source.group(source.find(b"orders").unwrap()))).unwrap();
        assert_eq!(Some(&whole.figures), listed.iter().find(|it| it.group == "orders"));
        let topics: Vec<_> = whole.partitions.iter().map(|it| &*it.topic).collect();
        assert_eq!(topics[0], "orders-in");
        let health = clusters(&bytes(&Clusters::new([(source, &[][..])]))).unwrap();
        assert_eq!((health[0].cluster.as_str(), health[0].up), ("main", true));
    }

    #[test]
    fn what_is_not_known_differs_from_what_is_not_there() {
        let snapshot = fixture::motley("main");
        let source = Source {
            snapshot: &snapshot,
            objectives: &[],
        };
        let listed = groups(&bytes(&source.groups(&Query::default()))).unwrap();
        let of = |name: &str| listed.iter().find(|it| it.group == name).unwrap();
        assert_eq!(of("stale").members(), Told::Unknown("timeout"));
        let share = of("not utf-8 \\xff");
        assert_eq!(share.lag(), Told::None("not_applicable"));
        assert!(!share.commits_offsets() && of("stale").commits_offsets());
        assert_eq!(share.id(), b"not utf-8 \xff");
        assert_eq!(of("orders").id(), b"orders");
    }

    #[test]
    fn a_reason_that_is_left_out_is_no_knowledge() {
        assert_eq!(
            Absent::default().tell("lag_records", None::<u64>),
            Told::Unknown("other")
        );
    }

    #[test]
    fn a_status_of_a_later_version_comes_first() {
        assert!(rank("exploded") < rank("stalled") && rank("stalled") < rank("stopped"));
        assert!(rank("dormant") < rank("ok"));
    }
}
