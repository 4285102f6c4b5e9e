//! What happened, in words.

use super::speech::count;
use super::speech::name;
use super::speech::records;
use super::speech::time;
use crate::model::Status;
use crate::snapshot::Event;
use crate::snapshot::Happening;
use crate::snapshot::Who;

/// An event in a few words, without its time.
pub fn event(event: &Event) -> String {
    match &event.what {
        Happening::Status { from, to, place, since } => {
            let mut told = match to {
                Status::Stalled | Status::Stopped => format!("commits stopped: {from} became {to}"),
                _ => format!("{from} became {to}"),
            };
            if let Some((topic, partition)) = place {
                told += &format!(", partition {partition} of {}", name(topic));
            }
            if let Some(since) = since {
                told += &format!(", no commit since {}", time(*since, event.at));
            }
            told
        }
        Happening::Joined { who, others } => members(who, *others, "joined"),
        Happening::Left { who, others } => members(who, *others, "left"),
        Happening::Rebalanced { times: 1 } => "rebalanced".to_owned(),
        Happening::Rebalanced { times } => format!("rebalanced {times} times"),
        Happening::Rewound {
            topic,
            partitions,
            records: by,
        } => {
            let went = count((*partitions).into(), "commit went", "commits went");
            let by = match by {
                0 => String::new(),
                by => format!(" by {}", records((*by).into())),
            };
            format!("{went} back on {}{by}", name(topic))
        }
        Happening::Lost { topic, records: lost } => {
            let lost = records((*lost).into());
            format!("retention took {lost} of {} before they were read", name(topic))
        }
        Happening::Reset { topic, partitions, by } => {
            let partitions = count((*partitions).into(), "partition", "partitions");
            format!("{partitions} of {} reset through tidemark by {}", name(topic), name(by))
        }
    }
}

fn members(who: &Who, others: u32, did: &str) -> String {
    let first = format!("client {} on host {}", name(&who.client_id), name(&who.host));
    match others {
        0 => format!("{first} {did}"),
        others => format!("{first} and {} {did}", count(others.into(), "other", "others")),
    }
}
