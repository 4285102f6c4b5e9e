//! One request per leader and kind, each partition once; and once more to the new leader where one has moved.

use std::collections::BTreeMap;
use std::collections::HashMap;

use tokio::time::Instant;

use super::Want;
use super::What;
use crate::failure::Api;
use crate::failure::Cause;
use crate::failure::ErrorCode;
use crate::failure::Failure;
use crate::failure::Heard;
use crate::kafka::wire::answers;
use crate::kafka::wire::answers::list_offsets::Listed;
use crate::kafka::wire::call::ListOffsets;
use crate::kafka::wire::call::ListedPartition;
use crate::kafka::wire::call::NEWEST;
use crate::kafka::wire::call::Reply;
use crate::kafka::wire::survey::Client;
use crate::kafka::wire::survey::metadata::UNKNOWN_TOPIC;
use crate::kafka::wire::survey::round::Round;
use crate::model::BrokerId;
use crate::model::Partition;
use crate::model::TopicName;
use crate::observation::PartitionMeta;

/// Partitions in one ListOffsets request.
const BATCH: usize = 20_000;

/// Kafka's numbers for the ends of a log.
const START: i64 = -2;
const END: i64 = -1;

/// Who is to be asked about a partition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Aim {
    leader: BrokerId,
    /// As far as it is known.
    epoch: Option<i32>,
}

/// What may stand together in one request to one leader: a partition may not be in it twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Lane {
    leader: BrokerId,
    read_committed: bool,
    /// 0 for starts, 1 for ends; dated offsets from 2 on, as often as the same partition was asked about before.
    turn: usize,
}

/// A lane, and the places of what is asked in it.
type Batch = (Lane, Vec<usize>);

/// What is asked of each leader at once, and what only when that is answered: last stable offsets come after the ends, for what was
/// written in between would look like an open transaction.
#[derive(Default)]
struct Turns {
    first: Vec<Batch>,
    /// How many of the first are not answered, and what comes after them.
    later: HashMap<BrokerId, (usize, Vec<Batch>)>,
}

impl Turns {
    fn add(&mut self, lane: Lane, batch: Vec<usize>) {
        let (waits_for, later) = self.later.entry(lane.leader).or_default();
        if lane.read_committed {
            later.push((lane, batch));
        } else {
            *waits_for += 1;
            self.first.push((lane, batch));
        }
    }

    /// What is asked first: of a leader that is asked for nothing else, its last stable offsets.
    fn first(&mut self) -> Vec<Batch> {
        let mut first = std::mem::take(&mut self.first);
        for (waits_for, later) in self.later.values_mut() {
            if *waits_for == 0 {
                first.append(later);
            }
        }
        first
    }

    /// What comes after an answer.
    fn after(&mut self, answered: Lane) -> Vec<Batch> {
        let Some((waits_for, later)) = self.later.get_mut(&answered.leader) else {
            return Vec::new();
        };
        *waits_for = waits_for.saturating_sub(usize::from(!answered.read_committed));
        if *waits_for > 0 {
            return Vec::new();
        }
        std::mem::take(later)
    }
}

impl Client {
    /// Same order as asked.
    pub(super) async fn list_offsets(&mut self, wants: &[Want<'_>], deadline: Instant) -> Vec<Heard<Listed>> {
        let mut heard: Vec<Heard<Listed>> = wants.iter().map(|_| Err(Cause::TimedOut)).collect();
        let aims = self.aims(wants);
        let all = (0..wants.len()).collect();
        self.ask_leaders(wants, &aims, all, &mut heard, deadline).await;
        let astray: Vec<_> = (0..wants.len())
            .filter(|index| aims[*index].is_ok() && heard[*index].is_err_and(may_have_moved))
            .collect();
        if astray.is_empty() {
            return heard;
        }
        self.look_again(wants, &astray, deadline).await;
        let fresh = self.aims(wants);
        let again = astray
            .into_iter()
            .filter(|index| match (fresh[*index], heard[*index]) {
                // A leader that cannot be reached is worth no second try, only its successor is.
                (Ok(aim), Err(Cause::Disconnected)) => aims[*index].is_ok_and(|before| before.leader != aim.leader),
                _ => true,
            })
            .collect();
        self.ask_leaders(wants, &fresh, again, &mut heard, deadline).await;
        heard
    }

    /// Metadata of topics that have none yet; why there still is none.
    pub(super) async fn metadata_of_unknown(
        &mut self,
        topics: &[TopicName],
        deadline: Instant,
    ) -> HashMap<TopicName, Cause> {
        if topics.is_empty() {
            return HashMap::new();
        }
        let heard = self.metadata(topics, deadline).await;
        let failed = topics.iter().zip(heard);
        failed
            .filter_map(|(topic, meta)| Some((topic.clone(), meta.err()?)))
            .collect()
    }

    async fn look_again(&mut self, wants: &[Want<'_>], indexes: &[usize], deadline: Instant) {
        let mut topics: Vec<_> = indexes.iter().map(|index| wants[*index].topic.clone()).collect();
        topics.sort_unstable();
        topics.dedup();
        self.metadata(&topics, deadline).await;
    }

    /// Whom to ask about each partition, by the last metadata.
    fn aims(&self, wants: &[Want<'_>]) -> Vec<Heard<Aim>> {
        let mut aims = Vec::with_capacity(wants.len());
        let mut last: Option<(&TopicName, Option<&[PartitionMeta]>)> = None;
        for want in wants {
            // Partitions of one topic mostly come one after another.
            let known = match last {
                Some((topic, known)) if std::ptr::eq(topic, want.topic) => known,
                _ => self.leaders.get(want.topic).map(Vec::as_slice),
            };
            last = Some((want.topic, known));
            aims.push(aim(known.unwrap_or_default(), want.partition));
        }
        aims
    }

    async fn ask_leaders(
        &mut self,
        wants: &[Want<'_>],
        aims: &[Heard<Aim>],
        indexes: Vec<usize>,
        heard: &mut [Heard<Listed>],
        deadline: Instant,
    ) {
        let mut lanes: BTreeMap<Lane, Vec<usize>> = BTreeMap::new();
        let mut repeats = HashMap::new();
        for index in indexes {
            match aims[index] {
                Ok(aim) => {
                    let lane = lane(&wants[index], aim.leader, &mut repeats);
                    lanes.entry(lane).or_default().push(index);
                }
                Err(cause) => {
                    if cause != UNKNOWN_TOPIC {
                        self.failed(Api::ListOffsets, cause);
                    }
                    heard[index] = Err(cause);
                }
            }
        }
        let mut turns = Turns::default();
        for (lane, indexes) in lanes {
            for batch in indexes.chunks(BATCH) {
                turns.add(lane, batch.to_vec());
            }
        }
        let mut round = Round::new(&self.cluster, deadline);
        let patience = self.cluster.limits(deadline).timeout;
        let ask = |round: &mut Round<_>, lane: Lane, batch: Vec<usize>| {
            let call = ListOffsets {
                read_committed: lane.read_committed,
                topics: by_topic(wants, aims, &batch),
                patience,
            };
            round.ask(lane.leader, call, (lane, batch));
        };
        for (lane, batch) in turns.first() {
            ask(&mut round, lane, batch);
        }
        while let Some(((lane, batch), reply)) = round.next().await {
            let failed = reply.as_ref().err().map(|failure| failure.cause);
            self.hear_leader(wants, &batch, reply, heard);
            for (lane, batch) in turns.after(lane) {
                match failed {
                    None => ask(&mut round, lane, batch),
                    // Who did not answer that is not asked for more.
                    Some(cause) => batch.iter().for_each(|index| heard[*index] = Err(cause)),
                }
            }
        }
    }

    fn hear_leader(
        &mut self,
        wants: &[Want<'_>],
        batch: &[usize],
        reply: Result<Reply, Failure>,
        heard: &mut [Heard<Listed>],
    ) {
        let names = &mut self.names;
        let answer = reply.and_then(|reply| {
            reply
                .read(|body, version| answers::list_offsets::read(body, version, names))
                .map_err(|error| self.cluster.garbage(Api::ListOffsets, error))
        });
        let answer = match &answer {
            Ok(answer) => answer,
            Err(failure) => return batch.iter().for_each(|index| heard[*index] = Err(failure.cause)),
        };
        let mut last: Option<(&TopicName, Partitions<'_>)> = None;
        for &index in batch {
            let want = &wants[index];
            // Partitions of one topic mostly come one after another, in their order.
            let rest = match last {
                Some((topic, rest)) if std::ptr::eq(topic, want.topic) => rest,
                _ => answer.of(want.topic),
            };
            let (listed, rest) = listed(rest, want.partition).unwrap_or_else(|| {
                let all = answer.of(want.topic);
                listed(all, want.partition).unwrap_or((Err(Cause::Malformed), all))
            });
            last = Some((want.topic, rest));
            if let Err(cause) = listed {
                self.failed(Api::ListOffsets, cause);
            }
            heard[index] = listed;
        }
    }
}

type Partitions<'a> = &'a [(Partition, Heard<Listed>)];

/// What is said of a partition, and what comes after it.
fn listed(partitions: Partitions<'_>, partition: Partition) -> Option<(Heard<Listed>, Partitions<'_>)> {
    let place = match partitions.first() {
        Some((first, _)) if *first == partition => 0,
        _ => partitions.binary_search_by_key(&partition, |entry| entry.0).ok()?,
    };
    Some((partitions[place].1, &partitions[place + 1..]))
}

/// Whom to ask about a partition of a topic with these partitions.
fn aim(known: &[PartitionMeta], partition: Partition) -> Heard<Aim> {
    let place = known
        .binary_search_by_key(&partition, |meta| meta.partition)
        .map_err(|_| UNKNOWN_TOPIC)?;
    let leader = known[place].leader.ok_or(Cause::NoLeader)?;
    Ok(Aim {
        leader,
        epoch: known[place].leader_epoch,
    })
}

fn lane<'a>(want: &Want<'a>, leader: BrokerId, turns: &mut HashMap<(&'a TopicName, Partition), usize>) -> Lane {
    let turn = match want.what {
        What::Start => 0,
        What::End | What::Stable => 1,
        What::Newest | What::Since(_) => {
            let turn = turns.entry((want.topic, want.partition)).or_insert(1);
            *turn += 1;
            *turn
        }
    };
    Lane {
        leader,
        read_committed: want.what == What::Stable,
        turn,
    }
}

/// The partitions of one request, topic by topic.
fn by_topic(wants: &[Want<'_>], aims: &[Heard<Aim>], batch: &[usize]) -> Vec<(String, Vec<ListedPartition>)> {
    let mut topics: Vec<(String, Vec<ListedPartition>)> = Vec::new();
    let mut last = None;
    for &index in batch {
        let want = &wants[index];
        let asked = ListedPartition {
            partition: want.partition,
            leader_epoch: aims[index].ok().and_then(|aim| aim.epoch),
            timestamp: match want.what {
                What::Start => START,
                What::End | What::Stable => END,
                What::Newest => NEWEST,
                What::Since(time) => time.0,
            },
        };
        match topics.last_mut() {
            Some((_, partitions)) if last == Some(want.topic) => partitions.push(asked),
            // A topic without a name in UTF-8 has no metadata, hence no leader.
            _ => topics.push((want.topic.to_string(), vec![asked])),
        }
        last = Some(want.topic);
    }
    topics
}

/// True when another broker may lead the partition by now.
fn may_have_moved(cause: Cause) -> bool {
    matches!(
        cause,
        Cause::Disconnected
            | Cause::Code(
                ErrorCode::NOT_LEADER_OR_FOLLOWER
                    | ErrorCode::LEADER_NOT_AVAILABLE
                    | ErrorCode::FENCED_LEADER_EPOCH
                    | ErrorCode::UNKNOWN_LEADER_EPOCH
                    | ErrorCode::UNKNOWN_TOPIC_OR_PARTITION
                    | ErrorCode::KAFKA_STORAGE_ERROR
            )
    )
}
