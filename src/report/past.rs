//! What happened to a group, and how its lag went.

use serde::Serialize;

use super::json::Date;
use super::json::Seconds;
use super::words;
use crate::model::Partition;
use crate::snapshot::Event;
use crate::snapshot::Happening;
use crate::snapshot::Trend;
use crate::snapshot::Who;

/// One event. What does not apply to its kind is left out.
#[derive(Debug, Serialize)]
pub(super) struct Happened<'a> {
    at: Date,
    until: Date,
    event: &'static str,
    text: String,
    #[serde(flatten)]
    details: Details<'a>,
}

#[derive(Debug, Default, Serialize)]
struct Details<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    from: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    to: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    since: Option<Date>,
    #[serde(skip_serializing_if = "Option::is_none")]
    topic: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    partition: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    client_id: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    host: Option<&'a str>,
    /// Who asked for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    by: Option<&'a str>,
    /// How many it was: members, rebalances, commits.
    #[serde(skip_serializing_if = "Option::is_none")]
    count: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    records: Option<u64>,
}

/// The last hour.
#[derive(Debug, Serialize)]
pub(super) struct Course {
    every_seconds: Seconds,
    until: Date,
    /// Oldest first; `null` where it could not be told.
    lag_records: Vec<Option<u64>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    consumed_records_per_second: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    produced_records_per_second: Option<f64>,
}

impl<'a> From<&'a Event> for Happened<'a> {
    fn from(event: &'a Event) -> Self {
        Self {
            at: event.at.into(),
            until: event.until.into(),
            event: kind(&event.what),
            text: words::event(event),
            details: Details::from(&event.what),
        }
    }
}

fn kind(what: &Happening) -> &'static str {
    match what {
        Happening::Status { .. } => "status",
        Happening::Joined { .. } => "joined",
        Happening::Left { .. } => "left",
        Happening::Rebalanced { .. } => "rebalanced",
        Happening::Rewound { .. } => "rewound",
        Happening::Lost { .. } => "lost",
        Happening::Reset { .. } => "reset",
    }
}

impl<'a> From<&'a Happening> for Details<'a> {
    fn from(what: &'a Happening) -> Self {
        let none = Self::default();
        match what {
            Happening::Status { from, to, place, since } => Self {
                from: Some(from.as_str()),
                to: Some(to.as_str()),
                since: since.map(Date::from),
                topic: place.as_ref().map(|(topic, _)| &**topic),
                partition: place.as_ref().map(|(_, Partition(partition))| *partition),
                ..none
            },
            Happening::Joined { who, others } | Happening::Left { who, others } => {
                let Who { client_id, host } = who;
                Self {
                    client_id: Some(client_id),
                    host: Some(host),
                    count: Some(u64::from(*others) + 1),
                    ..none
                }
            }
            Happening::Rebalanced { times } => Self {
                count: Some(*times),
                ..none
            },
            Happening::Rewound {
                topic,
                partitions,
                records,
            } => Self {
                topic: Some(topic),
                count: Some(*partitions),
                records: Some(*records),
                ..none
            },
            Happening::Lost { topic, records } => Self {
                topic: Some(topic),
                records: Some(*records),
                ..none
            },
            Happening::Reset { topic, partitions, by } => Self {
                by: Some(by),
                topic: Some(topic),
                count: Some(u64::from(*partitions)),
                ..none
            },
        }
    }
}

impl Course {
    /// `None` before there was a point.
    pub(super) fn of(trend: &Trend) -> Option<Self> {
        let pace = trend.pace();
        Some(Self {
            every_seconds: trend.every().into(),
            until: trend.until()?.into(),
            lag_records: trend.lags().map(|lag| lag.map(whole)).collect(),
            consumed_records_per_second: pace.map(|pace| to_thousandths(pace.consumed)),
            produced_records_per_second: pace.map(|pace| to_thousandths(pace.produced())),
        })
    }
}

/// More digits than that are noise.
fn to_thousandths(rate: f64) -> f64 {
    (rate * 1000.0).round() / 1000.0
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a lag is not below zero, and one beyond 64 bits saturates"
)]
fn whole(lag: f64) -> u64 {
    lag.round() as u64
}
