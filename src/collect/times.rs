//! The times of records: what the histories still need to know is asked of Kafka, within a deadline of its own, so that it never holds
//! up what is known already.

use std::time::Duration;

use tokio::time::Instant;

use crate::config::Cluster;
use crate::config::Isolation;
use crate::failure::Heard;
use crate::kafka::RecordTimes;
use crate::kafka::Survey;
use crate::model::Moment;
use crate::model::Offset;
use crate::model::Partition;
use crate::model::TimeSource;
use crate::model::TopicName;
use crate::observation::GroupReading;
use crate::observation::Observation;
use crate::observation::Share;
use crate::observation::TopicReading;
use crate::time::Plan;
use crate::time::Timelines;
use crate::time::TopicTimes;

/// An answer can raise one more question (the bracket around a record gets narrower, a gap ends at a marker); more wait for the next
/// cycle.
const ROUNDS: usize = 2;
/// Reading a first record takes librdkafka a connection to every leader.
const LEAST_BUDGET: Duration = Duration::from_secs(1);

/// How long asking for times may take: half an interval, and time enough for a first read where intervals are short.
pub(super) fn budget(interval: Duration, request_timeout: Duration) -> Duration {
    (interval / 2).max(LEAST_BUDGET).min(request_timeout)
}

/// Tells the histories what this cycle saw: every log end, and every offset whose age will be asked for.
pub(super) fn tell(timelines: &mut Timelines, heard: &Observation, cluster: &Cluster) {
    let now = heard.finished;
    for (name, reading) in &heard.topics {
        if let Ok(meta) = &reading.meta {
            let topic = timelines.topic(name, meta.id, source(cluster, name));
            topic.shrink_to(meta.partitions.len());
            for log in &reading.logs {
                if let Ok(end) = log.end {
                    topic.observe_end(log.partition, end, now);
                }
            }
        }
    }
    timelines.retain(|name| heard.topics.contains_key(name));
    // Topic by topic: what is known of one stays at hand for all of its readers.
    let mut places: Vec<Places<'_>> = heard.groups.iter().flat_map(|group| places(group, cluster)).collect();
    places.sort_by_key(|places| places.topic);
    for readers in places.chunk_by(|a, b| a.topic == b.topic) {
        let name = readers[0].topic;
        if let (Some(reading), Some(topic)) = (heard.topics.get(name), timelines.get_mut(name)) {
            readers.iter().for_each(|places| want(topic, places, reading, now));
            topic.settle();
        }
    }
}

/// Where a group is on one topic.
struct Places<'a> {
    topic: &'a TopicName,
    at: At<'a>,
    read_committed: bool,
}

enum At<'a> {
    Commits(&'a [(Partition, Heard<Offset>)]),
    Shares(&'a [(Partition, Heard<Share>)]),
}

fn places<'a>(group: &'a GroupReading, cluster: &Cluster) -> impl Iterator<Item = Places<'a>> {
    let read_committed = cluster.isolation_of(group.listed.id.bytes()) == Isolation::ReadCommitted;
    let commits = group.commits.iter().flatten().flatten();
    let commits = commits.map(|topic| (&topic.topic, At::Commits(&topic.partitions)));
    let shares = group.shares.iter().flatten().flatten();
    let shares = shares.map(|topic| (&topic.topic, At::Shares(&topic.partitions)));
    commits.chain(shares).map(move |(topic, at)| Places {
        topic,
        at,
        read_committed,
    })
}

fn want(topic: &mut TopicTimes, places: &Places<'_>, reading: &TopicReading, now: Moment) {
    let mut one = |partition: Partition, place: Offset| {
        let Some(log) = reading.log(partition) else { return };
        if let (Ok(start), Ok(end)) = (log.start, log.counting_end(places.read_committed)) {
            topic.want(partition, place.max(start), end, now);
        }
    };
    match places.at {
        At::Commits(commits) => {
            let known = commits
                .iter()
                .filter_map(|(partition, offset)| Some((*partition, offset.ok()?)));
            known.for_each(|(partition, offset)| one(partition, offset));
        }
        At::Shares(shares) => {
            let known = shares
                .iter()
                .filter_map(|(partition, share)| Some((*partition, share.ok()?.start?)));
            known.for_each(|(partition, start)| one(partition, start));
        }
    }
}

fn source(cluster: &Cluster, topic: &TopicName) -> TimeSource {
    let rule = cluster.time.iter().find(|(topics, _)| topics.matches(topic.bytes()));
    rule.map_or(TimeSource::Record, |(_, source)| *source)
}

/// Asks what the histories need to know, and tells them the answers.
pub(super) async fn learn<S: Survey, R: RecordTimes>(
    timelines: &mut Timelines,
    survey: &mut S,
    records: &mut R,
    now: Moment,
    deadline: Instant,
) {
    for _ in 0..ROUNDS {
        let plan = timelines.plan(now);
        if plan.is_empty() || Instant::now() >= deadline {
            return;
        }
        ask(&plan, timelines, survey, records, now, deadline).await;
    }
}

async fn ask<S: Survey, R: RecordTimes>(
    plan: &Plan,
    timelines: &mut Timelines,
    survey: &mut S,
    records: &mut R,
    now: Moment,
    deadline: Instant,
) {
    let asked = async {
        let newest = if plan.newest.is_empty() {
            Vec::new()
        } else {
            survey.newest(&plan.newest, deadline).await
        };
        let by_time = if plan.by_time.is_empty() {
            Vec::new()
        } else {
            survey.by_time(&plan.by_time, deadline).await
        };
        (newest, by_time)
    };
    let read = async {
        if plan.reads.is_empty() {
            Vec::new()
        } else {
            records.read(&plan.reads, deadline).await
        }
    };
    let ((newest, by_time), read) = tokio::join!(asked, read);
    for ((topic, partition), answer) in plan.newest.iter().zip(&newest) {
        timelines.learn_newest(topic, *partition, answer, now);
    }
    for (question, answer) in plan.by_time.iter().zip(&by_time) {
        timelines.learn_by_time(question, answer, now);
    }
    for (wanted, found) in plan.reads.iter().zip(read) {
        timelines.learn_read(wanted, found, now);
    }
}
