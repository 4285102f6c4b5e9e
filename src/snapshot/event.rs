//! What happened to a group while this process watched: the last fifty events, and nothing for a group to which nothing happens.

use std::sync::Arc;
use std::time::Duration;

use crate::model::Partition;
use crate::model::Status;
use crate::model::UnixMillis;

/// Events that are kept of a group.
const KEPT: usize = 50;
/// What goes on is one event; after so long without it, it is another.
const SAME_WITHIN: Duration = Duration::from_secs(600);

/// Something that happened to a group, or went on happening.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// End of the cycle that saw it first.
    pub at: UnixMillis,
    /// End of the cycle that saw it last; the same where it happened once.
    pub until: UnixMillis,
    /// What.
    pub what: Happening,
}

/// What can happen to a group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Happening {
    /// Its status changed.
    Status {
        /// What it was.
        from: Status,
        /// What it became.
        to: Status,
        /// Topic and partition that make it so; `None` for what is well or has none.
        place: Option<(Arc<str>, Partition)>,
        /// Since when that partition's commit stands still; `None` where it does not.
        since: Option<UnixMillis>,
    },
    /// Members came.
    Joined {
        /// The first of them by client id and host.
        who: Who,
        /// How many more.
        others: u32,
    },
    /// Members went.
    Left {
        /// The first of them by client id and host.
        who: Who,
        /// How many more.
        others: u32,
    },
    /// It rebalanced, or its assignment changed.
    Rebalanced {
        /// How often.
        times: u64,
    },
    /// Commits went down, and not by a reset through tidemark.
    Rewound {
        /// On this topic.
        topic: Arc<str>,
        /// How many times a partition's commit did.
        partitions: u64,
        /// By how many records in all, as far as known.
        records: u64,
    },
    /// Retention took records before they were read.
    Lost {
        /// Of this topic.
        topic: Arc<str>,
        /// How many.
        records: u64,
    },
    /// A reset through this tidemark's admin endpoint moved commits.
    Reset {
        /// On this topic.
        topic: Arc<str>,
        /// How many partitions.
        partitions: u32,
        /// Who asked for it: the token's name.
        by: Arc<str>,
    },
}

/// A member that came or went.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Who {
    /// `client.id`.
    pub client_id: Arc<str>,
    /// Address without Kafka's leading slash.
    pub host: Arc<str>,
}

/// The events of one group, as its history keeps them.
#[derive(Debug, Default)]
pub(super) struct Chronicle {
    events: Arc<[Event]>,
    /// Seen in the present cycle.
    news: Vec<Happening>,
}

impl Chronicle {
    pub(super) fn note(&mut self, what: Happening) {
        self.news.push(what);
    }

    /// Dates what the cycle saw; everything up to now.
    pub(super) fn conclude(&mut self, now: UnixMillis) -> Arc<[Event]> {
        if !self.news.is_empty() {
            let mut events = self.events.to_vec();
            for what in self.news.drain(..) {
                add(&mut events, what, now);
            }
            let over = events.len().saturating_sub(KEPT);
            events.drain(..over);
            self.events = events.into();
        }
        self.events.clone()
    }
}

fn add(events: &mut Vec<Event>, what: Happening, now: UnixMillis) {
    let lately = |event: &&mut Event| now.since(event.until) <= SAME_WITHIN;
    for event in events.iter_mut().rev().filter(lately) {
        if event.what.takes(&what, event.until == now) {
            event.until = now;
            return;
        }
    }
    events.push(Event {
        at: now,
        until: now,
        what,
    });
}

impl Happening {
    /// Adds another to this one where both are the same that goes on. Resets are deeds: only those of one cycle are one.
    fn takes(&mut self, other: &Self, same_cycle: bool) -> bool {
        match (self, other) {
            (Self::Rebalanced { times }, Self::Rebalanced { times: more }) => *times += more,
            (
                Self::Rewound {
                    topic,
                    partitions,
                    records,
                },
                Self::Rewound {
                    topic: same,
                    partitions: more,
                    records: by,
                },
            ) if topic == same => {
                *partitions += more;
                *records = records.saturating_add(*by);
            }
            (
                Self::Lost { topic, records },
                Self::Lost {
                    topic: same,
                    records: more,
                },
            ) if topic == same => {
                *records = records.saturating_add(*more);
            }
            (
                Self::Reset { topic, partitions, by },
                Self::Reset {
                    topic: same,
                    partitions: more,
                    by: same_one,
                },
            ) if same_cycle && topic == same && by == same_one => *partitions += more,
            _ => return false,
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(cycles: &[(i64, Vec<Happening>)]) -> Arc<[Event]> {
        let mut chronicle = Chronicle::default();
        let mut events = Arc::default();
        for (second, news) in cycles {
            news.iter().cloned().for_each(|what| chronicle.note(what));
            events = chronicle.conclude(UnixMillis(second * 1000));
        }
        events
    }

    fn lost(topic: &str, records: u64) -> Happening {
        Happening::Lost {
            topic: topic.into(),
            records,
        }
    }

    fn reset(partitions: u32) -> Happening {
        Happening::Reset {
            topic: "t".into(),
            partitions,
            by: "on-call".into(),
        }
    }

    #[test]
    fn what_goes_on_is_one_event_and_what_comes_again_another() {
        let events = told(&[
            (0, vec![lost("t", 5), lost("u", 1)]),
            (15, vec![lost("t", 7)]),
            (615, vec![lost("t", 1)]),
            (1300, vec![lost("t", 2)]),
        ]);
        let shown: Vec<_> = events
            .iter()
            .map(|event| (event.at.0, event.until.0, event.what.clone()))
            .collect();
        assert_eq!(
            shown,
            [
                (0, 615_000, lost("t", 13)),
                (0, 0, lost("u", 1)),
                (1_300_000, 1_300_000, lost("t", 2))
            ]
        );
    }

    #[test]
    fn the_partitions_of_a_reset_are_one_event_and_the_next_reset_is_another() {
        let events = told(&[(0, vec![reset(1), reset(1), reset(1)]), (15, vec![reset(1)])]);
        let shown: Vec<_> = events.iter().map(|event| event.what.clone()).collect();
        assert_eq!(shown, [reset(3), reset(1)]);
    }

    #[test]
    fn no_more_than_fifty_are_kept_and_the_newest_stay() {
        let cycles: Vec<_> = (0..200).map(|cycle| (cycle * 15, vec![reset(1)])).collect();
        let events = told(&cycles);
        assert_eq!(events.len(), KEPT);
        assert_eq!(events.last().map(|event| event.at), Some(UnixMillis(199 * 15_000)));
        assert!(events.is_sorted_by_key(|event| event.at));
    }

    #[test]
    fn a_cycle_without_news_costs_nothing() {
        let mut chronicle = Chronicle::default();
        chronicle.note(reset(1));
        let first = chronicle.conclude(UnixMillis(0));
        assert!(Arc::ptr_eq(&first, &chronicle.conclude(UnixMillis(15_000))));
    }

    #[test]
    fn a_clock_that_was_set_back_merges_and_never_panics() {
        let events = told(&[(1000, vec![lost("t", 5)]), (10, vec![lost("t", 7)])]);
        assert_eq!(events.len(), 1);
    }
}
