//! What whoever confirms a plan should know, in plain words.

use crate::model::GroupType;
use crate::model::Offset;
use crate::reset::document::Key;
use crate::reset::document::Row;
use crate::reset::facts::Facts;

/// How many partitions one warning names.
const NAMED: usize = 5;

/// Warnings as they come up; one of a kind, however many partitions it is about.
#[derive(Debug, Default)]
pub(super) struct Warnings {
    no_record: Vec<String>,
    clamped: Vec<String>,
    gone: Vec<String>,
    group: Vec<String>,
}

impl Warnings {
    /// No record is dated as late as was asked for.
    pub(super) fn no_record(&mut self, key: &Key, end: Offset) {
        self.no_record.push(format!("{key} to {end}"));
    }

    /// An offset outside the log became the nearest one inside.
    pub(super) fn clamped(&mut self, key: &Key, wanted: i128, taken: Offset) {
        self.clamped.push(format!("{key}: {taken} instead of {wanted}"));
    }

    /// Commits on what is no more.
    pub(super) fn left_out(&mut self, gone: &[Key]) {
        self.gone.extend(gone.iter().map(ToString::to_string));
    }

    /// What the group itself gives reason to say.
    pub(super) fn about_the_group(&mut self, group: &str, rows: &[Row], facts: &Facts) {
        if let Some(moved) = facts.moving.as_ref().filter(|moved| !moved.is_empty()) {
            let keys = named(moved.iter().map(|change| change.key.to_string()).collect());
            self.group.push(format!(
                "commits move though the group has no members ({keys}): an application that assigns its partitions itself is running, \
                 and would go on from where it is"
            ));
        }
        if let Ok(Some(seen)) = &facts.group
            && seen.group_type == GroupType::Simple
        {
            self.group.push(
                "no member was ever seen in this group: an application that assigns its partitions itself may keep its offsets elsewhere \
                 and ignore these"
                    .to_owned(),
            );
        }
        let own = streams_topics(group, rows);
        if !own.is_empty() {
            self.group.push(format!(
                "topics of Kafka Streams' own are among these ({}): moving them alone breaks the application's state; use \
                 kafka-streams-application-reset",
                named(own)
            ));
        }
    }

    /// One text for every kind of warning.
    pub(super) fn into_texts(self) -> Vec<String> {
        let mut texts = self.group;
        if !self.no_record.is_empty() {
            texts.push(format!(
                "no record is dated that late, so the end of the log is taken: {}",
                named(self.no_record)
            ));
        }
        if !self.clamped.is_empty() {
            texts.push(format!(
                "outside the log, so the nearest offset is taken: {}",
                named(self.clamped)
            ));
        }
        if !self.gone.is_empty() {
            texts.push(format!(
                "left out, as the topic or partition does not exist any more: {}",
                named(self.gone)
            ));
        }
        texts
    }
}

/// Topics that a Streams application makes for itself: `APPLICATION-NAME-changelog` and `-repartition`; the application's id is the group.
fn streams_topics(group: &str, rows: &[Row]) -> Vec<String> {
    let own = |topic: &str| {
        topic
            .strip_prefix(group)
            .and_then(|rest| rest.strip_prefix('-'))
            .is_some_and(|rest| rest.ends_with("-changelog") || rest.ends_with("-repartition"))
    };
    let topics: std::collections::BTreeSet<_> = rows.iter().map(|row| &row.topic).filter(|topic| own(topic)).collect();
    topics.into_iter().cloned().collect()
}

fn named(all: Vec<String>) -> String {
    let more = all.len().saturating_sub(NAMED);
    let named = all.into_iter().take(NAMED).collect::<Vec<_>>().join(", ");
    if more == 0 {
        named
    } else {
        format!("{named} and {more} more")
    }
}
