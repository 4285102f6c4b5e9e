//! How long a replay takes: the records that are read again, by a rate that was measured. A rate is what the group itself read when it was
//! watched last, or what was written to the partitions lately: a group that keeps up reads as fast as that. Never a guess: where neither is
//! known, the reason stands in its place. Commits come in steps of seconds, so that two readings while a plan is made would measure the
//! step and not the rate; none are made. Pure, but for the asking.

use std::time::Duration;

use serde::Deserialize;
use serde::Serialize;

use super::document::Key;
use super::document::Row;
use super::facts;
use super::facts::Dated;
use super::facts::Pace;
use super::moment::utc;
use crate::kafka::GroupFacts;
use crate::model::Offset;
use crate::model::UnixMillis;

#[cfg(test)]
mod tests;

/// What was written is counted over the last hour, or over the last day where nothing was in that hour.
const LATELY: [Duration; 2] = [Duration::from_secs(3_600), Duration::from_secs(86_400)];
/// Over less than this nothing is called a rate.
pub const SHORTEST: Duration = Duration::from_secs(30);

/// How long the replay of a plan takes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Replay {
    /// Seconds from the first record to the last that is read again, at that rate; null where it cannot be told.
    pub seconds: Option<u64>,
    /// The rate; null where there is none.
    pub rate: Option<Rate>,
    /// Why it cannot be told; left out where it can.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unknown: Option<String>,
}

/// So many records in so many seconds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rate {
    /// Whose.
    pub of: Of,
    /// Records (offsets of the log, like `replayed`); above 0.
    pub records: u64,
    /// Seconds; above 0.
    pub seconds: u64,
    /// When that time ended: RFC 3339, UTC.
    pub until: String,
}

/// What was measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Of {
    /// What the group read, of all its topics together, as the poller of this process saw it: the last minutes in which it did.
    Group,
    /// What was written to the partitions that are read again.
    Partitions,
}

impl Rate {
    /// A rate over whole seconds; `None` where nothing was counted, or over too short a time.
    pub fn new(of: Of, records: u64, over: Duration, until: UnixMillis) -> Option<Self> {
        let seconds = (over.as_millis() + 500) / 1000;
        (records > 0 && over >= SHORTEST).then(|| Self {
            of,
            records,
            seconds: u64::try_from(seconds).unwrap_or(u64::MAX),
            until: utc(until),
        })
    }

    /// Seconds that so many records take, rounded up.
    fn takes(&self, records: u128) -> u64 {
        let seconds = records
            .saturating_mul(self.seconds.into())
            .div_ceil(self.records.max(1).into());
        u64::try_from(seconds).unwrap_or(u64::MAX)
    }
}

/// How long the replay of these rows takes; `None` where nothing is replayed.
pub(super) fn of(rows: &[Row], rate: Result<Rate, String>) -> Option<Replay> {
    let records: u128 = rows.iter().filter_map(|row| row.replayed).map(u128::from).sum();
    (records > 0).then(|| match rate {
        Ok(rate) => Replay {
            seconds: Some(rate.takes(records)),
            rate: Some(rate),
            unknown: None,
        },
        Err(why) => Replay {
            seconds: None,
            rate: None,
            unknown: Some(why),
        },
    })
}

/// How fast the partitions that are read again were written to lately, by the times of their records.
pub(super) async fn written<F: GroupFacts>(
    kafka: &mut F,
    rows: &[Row],
    now: UnixMillis,
    pace: Pace,
) -> Result<Rate, String> {
    let replayed: Vec<_> = rows.iter().filter(|row| row.replayed.is_some_and(|n| n > 0)).collect();
    let keys: Vec<_> = replayed.iter().map(|row| row.key()).collect();
    for over in LATELY {
        let since = UnixMillis(
            now.0
                .saturating_sub(i64::try_from(over.as_millis()).unwrap_or(i64::MAX)),
        );
        let dated = facts::read_times(kafka, &keys, since, pace).await;
        let counted = count(&replayed, &dated, (since, now))?;
        if counted.records > 0 {
            return Rate::new(Of::Partitions, counted.records, counted.over, now).ok_or_else(|| {
                format!(
                    "their logs reach back {} s, which is too short to tell a rate from",
                    counted.over.as_secs()
                )
            });
        }
    }
    Err(
        "nothing was written to these partitions in the last day, and this process has not seen the group read"
            .to_owned(),
    )
}

/// Records, and the time in which they came.
#[derive(Debug, PartialEq, Eq)]
struct Counted {
    records: u64,
    over: Duration,
}

/// What came in a time. Where a log begins within that time only the rest of it is counted, or the rate would be too low: retention may
/// have taken what was before.
fn count(rows: &[&Row], dated: &Dated, (since, now): (UnixMillis, UnixMillis)) -> Result<Counted, String> {
    let mut counted = Counted {
        records: 0,
        over: Duration::ZERO,
    };
    for row in rows {
        let key = row.key();
        let Some((first, time)) = found(&key, dated)? else {
            counted.over = counted.over.max(now.since(since));
            continue;
        };
        let begins = if first <= row.start { time.max(since) } else { since };
        counted.records = counted.records.saturating_add(row.end.since(first));
        counted.over = counted.over.max(now.since(begins));
    }
    Ok(counted)
}

fn found(key: &Key, dated: &Dated) -> Result<Option<(Offset, UnixMillis)>, String> {
    match dated.get(key) {
        Some(Ok(found)) => Ok(*found),
        Some(Err(cause)) => Err(format!(
            "what was written to {key} lately could not be read ({cause}), and this process has not seen the group read"
        )),
        None => Err(format!(
            "Kafka did not say what was written to {key} lately, and this process has not seen the group read"
        )),
    }
}
