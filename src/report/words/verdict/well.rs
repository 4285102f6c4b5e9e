//! A group that nothing is the matter with, or of which nothing can be said.

use std::time::Duration;

use super::super::scene::Scene;
use super::super::speech::count;
use super::super::speech::duration;
use super::super::speech::name;
use super::super::speech::number;
use super::retention;
use super::unread;
use crate::snapshot::Explained;

/// What is caught up in less is not worth a word.
const SOON: Duration = Duration::from_secs(60);
/// Retention is named where it is closer than this.
const CLOSE: Duration = Duration::from_secs(6 * 3600);

pub(super) fn well(scene: &Scene<'_>) -> Vec<String> {
    let group = scene.group;
    if !group.kind.commits_offsets() {
        let kind = name(&group.kind.to_string());
        return vec![
            format!("Nothing to judge: groups of type {kind} commit no offsets"),
            members(scene),
        ];
    }
    let (Some(lag), Some(greatest)) = (group.lag.or(group.readable_lag), group.explained.first()) else {
        return vec!["Nothing to judge: nothing is committed".to_owned(), members(scene)];
    };
    let size = format!(
        "{}, {}",
        members(scene),
        count(
            u128::try_from(scene.total).unwrap_or(u128::MAX),
            "partition",
            "partitions"
        )
    );
    if lag == 0 && group.lag.is_some() {
        return vec!["Fine: everything is read".to_owned(), size];
    }
    let age = group.lag_time.map(|time| Duration::from_millis(time.age_ms));
    let mut parts = vec![opening(greatest), unread(lag, age), size];
    if group.lag.is_none() {
        parts.push("something cannot be read at the moment".to_owned());
    }
    parts.extend(catching_up(scene, lag));
    if scene.until_retention().is_some_and(|left| left < CLOSE) {
        parts.extend(retention(scene));
    }
    parts
}

/// Whether commits move, by the partition with the greatest lag.
fn opening(greatest: &Explained) -> String {
    let why = &greatest.why;
    let place = format!("partition {} of {}", greatest.view.partition, name(&greatest.topic));
    let at_least = if why.begin_seen { "" } else { "at least " };
    let (standing, window) = (duration(why.standing), duration(why.window));
    if greatest.view.at_open_transaction {
        format!("Not stuck: {place} waits at an open transaction")
    } else if greatest.view.lag() == Some(0) || why.standing.is_zero() {
        "Fine: commits move".to_owned()
    } else if why.watched < why.window {
        format!(
            "Not known to be stuck: {place} has not moved for {at_least}{standing}, watched for {} of a window of {window}",
            duration(why.watched)
        )
    } else {
        let usual = why.usual_wait.map(|wait| format!("usually up to {}, ", duration(wait)));
        format!(
            "Fine: {place} has not moved for {at_least}{standing}, {}within its window of {window}",
            usual.unwrap_or_default()
        )
    }
}

fn catching_up(scene: &Scene<'_>, lag: u128) -> Option<String> {
    let pace = scene.group.trend.pace().filter(|pace| pace.growth < 0.0)?;
    #[expect(clippy::cast_precision_loss, reason = "an estimate")]
    let seconds = lag as f64 / -pace.growth;
    let left = Duration::try_from_secs_f64(seconds).ok().filter(|left| *left >= SOON)?;
    Some(format!("caught up in about {} at this pace", duration(left)))
}

fn members(scene: &Scene<'_>) -> String {
    let Some(members) = scene.members() else {
        return "members unknown".to_owned();
    };
    let idle = scene
        .group
        .members
        .as_ref()
        .and_then(|it| it.idle)
        .filter(|idle| *idle > 0);
    match (members, idle) {
        (0, _) => "no members".to_owned(),
        (1, _) => "1 member".to_owned(),
        (members, Some(idle)) => format!(
            "{} members, {} of them without a partition",
            number(members),
            number(idle)
        ),
        (members, None) => format!("{} members", number(members)),
    }
}
