//! Starts, ends and dated offsets of partitions, asked of their leaders.

mod leaders;

use tokio::time::Instant;

use super::Client;
use crate::failure::Cause;
use crate::failure::Heard;
use crate::kafka::wire::answers::list_offsets::Listed;
use crate::model::Offset;
use crate::model::Partition;
use crate::model::TopicName;
use crate::model::UnixMillis;
use crate::observation::PartitionLog;
use crate::observation::TopicMeta;

/// What is to be known of one partition.
#[derive(Clone, Copy, Debug)]
struct Want<'a> {
    topic: &'a TopicName,
    partition: Partition,
    what: What,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum What {
    /// The first offset.
    Start,
    /// The high watermark.
    End,
    /// The last stable offset.
    Stable,
    /// The newest record.
    Newest,
    /// The first record that is dated then or later.
    Since(UnixMillis),
}

/// Which ends of a log are asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) enum Ends {
    /// The high watermark.
    Watermark,
    /// The last stable offset too.
    Both,
}

impl Client {
    pub(in super::super) async fn limits_of(
        &mut self,
        topics: &[(TopicName, TopicMeta)],
        ends: Ends,
        deadline: Instant,
    ) -> Vec<Vec<PartitionLog>> {
        self.remember_only(topics);
        let kinds = match ends {
            Ends::Watermark => &[What::Start, What::End][..],
            Ends::Both => &[What::Start, What::End, What::Stable],
        };
        let wants = everywhere(topics, kinds);
        let heard = self.list_offsets(&wants, deadline).await;
        let mut kinds = heard.chunks(wants.len().div_ceil(kinds.len()).max(1));
        let (starts, ends) = (kinds.next().unwrap_or_default(), kinds.next().unwrap_or_default());
        arrange(topics, starts, ends, kinds.next())
    }

    pub(super) async fn newest_records(
        &mut self,
        partitions: &[(TopicName, Partition)],
        deadline: Instant,
    ) -> Vec<Heard<Option<(Offset, UnixMillis)>>> {
        let wants: Vec<_> = partitions
            .iter()
            .map(|(topic, partition)| Want {
                topic,
                partition: *partition,
                what: What::Newest,
            })
            .collect();
        self.dates(&wants, deadline).await
    }

    pub(in super::super) async fn dated(
        &mut self,
        partitions: &[(TopicName, Partition, UnixMillis)],
        deadline: Instant,
    ) -> Vec<Heard<Option<(Offset, UnixMillis)>>> {
        let wants: Vec<_> = partitions
            .iter()
            .map(|(topic, partition, time)| Want {
                topic,
                partition: *partition,
                what: What::Since(*time),
            })
            .collect();
        self.dates(&wants, deadline).await
    }

    /// Offsets with the times of their records, of topics that need not have been asked about before.
    async fn dates(&mut self, wants: &[Want<'_>], deadline: Instant) -> Vec<Heard<Option<(Offset, UnixMillis)>>> {
        let mut unknown: Vec<_> = wants
            .iter()
            .filter(|want| !self.leaders.contains_key(want.topic))
            .map(|want| want.topic.clone())
            .collect();
        unknown.sort_unstable();
        unknown.dedup();
        let failed = self.metadata_of_unknown(&unknown, deadline).await;
        let heard = self.list_offsets(wants, deadline).await;
        let told = |(want, listed): (&Want<'_>, Heard<Listed>)| match failed.get(want.topic) {
            Some(cause) => Err(*cause),
            None => listed.map(|listed| listed.offset.zip(listed.time)),
        };
        wants.iter().zip(heard).map(told).collect()
    }

    /// The last metadata of these topics stands for those that are not asked about, which are forgotten.
    fn remember_only(&mut self, topics: &[(TopicName, TopicMeta)]) {
        let mut kept = std::mem::take(&mut self.leaders);
        for (topic, meta) in topics {
            // What `topics` or a second look told later than the caller knows comes first.
            let partitions = kept.remove(topic).unwrap_or_else(|| meta.partitions.clone());
            self.leaders.insert(topic.clone(), partitions);
        }
    }
}

/// Every partition, once for each kind, kind after kind.
fn everywhere<'a>(topics: &'a [(TopicName, TopicMeta)], kinds: &[What]) -> Vec<Want<'a>> {
    let partitions = || {
        topics
            .iter()
            .flat_map(|(topic, meta)| meta.partitions.iter().map(move |meta| (topic, meta)))
    };
    let of = |what: &What| {
        let what = *what;
        partitions().map(move |(topic, meta)| Want {
            topic,
            partition: meta.partition,
            what,
        })
    };
    kinds.iter().flat_map(of).collect()
}

/// One entry per partition of the metadata. The offsets are in the order of the topics and their partitions.
fn arrange(
    topics: &[(TopicName, TopicMeta)],
    starts: &[Heard<Listed>],
    ends: &[Heard<Listed>],
    stables: Option<&[Heard<Listed>]>,
) -> Vec<Vec<PartitionLog>> {
    let mut place = 0..;
    let mut next = || place.next().unwrap_or(usize::MAX);
    let log = |partition: Partition, place: usize| PartitionLog {
        partition,
        start: offset(starts.get(place)),
        end: offset(ends.get(place)),
        stable: stables.map(|stables| offset(stables.get(place))),
    };
    topics
        .iter()
        .map(|(_, meta)| meta.partitions.iter().map(|meta| log(meta.partition, next())).collect())
        .collect()
}

/// Every log has a start and an end.
fn offset(listed: Option<&Heard<Listed>>) -> Heard<Offset> {
    (*listed.unwrap_or(&Err(Cause::Malformed)))?
        .offset
        .ok_or(Cause::Malformed)
}
