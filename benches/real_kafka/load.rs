//! What is put on the broker: topics, records, and groups with commits.

use std::fmt;

use kafka_protocol::messages::OffsetCommitRequest;

use crate::it::support::Kafka;
use crate::it::support::Tidemark;
use crate::it::support::groups::commit_request;
use crate::it::support::wire::Wire;

const GROUPS: usize = 2_000;
const TOPICS: usize = 50;
/// Of a topic; each group has a commit on all partitions of one topic.
const PARTITIONS: i32 = 100;
/// In each partition; group `n` has read `n % (RECORDS + 1)` of each.
const RECORDS: usize = 3;
/// Commits that are under way at a time.
const IN_FLIGHT: usize = 32;
/// The version of OffsetCommit.
const VERSION: i16 = 8;

/// What is on the broker.
pub(crate) struct Load {
    pub(crate) topics: Vec<String>,
    pub(crate) groups: Vec<String>,
    pub(crate) partitions: i32,
}

impl fmt::Display for Load {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let partitions = i32::try_from(TOPICS).expect("few") * PARTITIONS;
        write!(
            f,
            "{GROUPS} groups × {PARTITIONS} committed partitions over {partitions} partitions"
        )
    }
}

impl Load {
    /// Puts it there.
    pub(crate) fn put(kafka: &Kafka) -> Self {
        let topics: Vec<String> = (0..TOPICS).map(|_| kafka.topic(PARTITIONS)).collect();
        let places = topics
            .iter()
            .flat_map(|topic| (0..PARTITIONS).map(move |partition| (topic.as_str(), partition)));
        kafka.produce_to(&places.collect::<Vec<_>>(), RECORDS, None);
        let groups: Vec<String> = (0..GROUPS).map(|n| format!("group-{n:04}")).collect();
        let load = Self {
            topics,
            groups,
            partitions: PARTITIONS,
        };
        // The first by the patient way: it makes the coordinator.
        kafka.commit(&load.groups[0], &load.commits(0));
        load.commit_all(kafka.port(0)).expect("the coordinator takes commits");
        load
    }

    fn commits(&self, group: usize) -> Vec<(&str, i32, i64)> {
        let read = i64::try_from(group % (RECORDS + 1)).expect("few");
        (0..self.partitions)
            .map(|partition| (self.topics[group % TOPICS].as_str(), partition, read))
            .collect()
    }

    fn commit_all(&self, port: u16) -> std::io::Result<()> {
        let mut wire = Wire::to(port)?;
        for n in 0..GROUPS + IN_FLIGHT {
            if let Some(group) = self.groups.get(n) {
                wire.send(&commit_request(group, &self.commits(n)), VERSION)?;
            }
            if n >= IN_FLIGHT {
                let answer = wire.answer::<OffsetCommitRequest>(VERSION)?;
                let failed = answer
                    .topics
                    .iter()
                    .flat_map(|t| &t.partitions)
                    .find(|p| p.error_code != 0);
                assert!(failed.is_none(), "{failed:?}");
            }
        }
        Ok(())
    }

    /// Holds what is served against what was put there: what is measured is right.
    pub(crate) fn check(&self, tidemark: &Tidemark) {
        let scrape = tidemark.next_cycle();
        for (n, group) in self.groups.iter().enumerate() {
            let behind = RECORDS - n % (RECORDS + 1);
            let lag = f64::from(self.partitions) * f64::from(u32::try_from(behind).expect("few"));
            assert_eq!(scrape.lag(group), Some(lag), "{group}");
        }
        println!("served:  {} series", scrape.count(""));
    }
}
