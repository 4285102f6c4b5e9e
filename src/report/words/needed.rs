//! What would have to change for a group to be ok.

use std::time::Duration;

use super::scene::Scene;
use super::speech::duration;
use super::speech::number;
use crate::failure::Reason;
use crate::model::Status;

/// Whoever lags by less is not behind.
const BEHIND_AT_LEAST: Duration = Duration::from_secs(60);

pub(super) fn to_be_ok(scene: &Scene<'_>) -> Option<String> {
    let view = scene
        .worst
        .map(|worst| &worst.view)
        .filter(|_| scene.affected.count == 1);
    let committed = view.and_then(|view| view.committed).map(number);
    let places = scene.places();
    Some(match scene.group.status {
        Status::Stalled | Status::Stopped => moved(scene, &places, committed),
        Status::Lost => match view.and_then(|view| view.start) {
            Some(start) => format!("Ok once the group has committed {} or more there, where the log starts", number(start)),
            None => "Ok once every commit is at or past the start of its log".to_owned(),
        },
        Status::Unreadable => readable(scene),
        Status::Uncommitted => format!("Ok once something is committed on {places}"),
        Status::Ahead => match (committed, view.and_then(|view| view.end)) {
            (Some(committed), Some(end)) => format!(
                "Ok once the log has grown to {committed}, or the commit is reset to {} or less; a consumer that starts before that goes by its auto.offset.reset",
                number(end)
            ),
            _ => "Ok once the logs have grown to their commits, or these are reset".to_owned(),
        },
        Status::Rewound => match scene.worst.and_then(|worst| worst.why.rewound_from).filter(|_| view.is_some()) {
            Some(from) => format!("Ok once the commit is past {} again, or nothing is left to read there", number(from)),
            None => "Ok once the commits are past their old places, or nothing is left to read there".to_owned(),
        },
        Status::Behind => {
            let usual = scene.worst.and_then(|worst| worst.why.usual_wait).unwrap_or_default();
            format!(
                "Ok once the lag no longer grows, or its oldest record is younger than {}",
                duration(BEHIND_AT_LEAST.max(usual.saturating_mul(2)))
            )
        }
        Status::Dormant => {
            "Stopped instead of dormant once a member joins or a commit moves, ok once everything is read, and gone once it is deleted"
                .to_owned()
        }
        Status::Ok => return None,
    })
}

fn moved(scene: &Scene<'_>, places: &str, committed: Option<String>) -> String {
    let ok = match committed {
        Some(committed) => format!("the group commits past {committed} on {places}"),
        None => format!("commits move on {places}"),
    };
    let first = match scene.members() {
        Some(0) => "It needs a consumer first; ok",
        _ => "Ok",
    };
    format!("{first} once {ok}, or nothing is left to read there")
}

fn readable(scene: &Scene<'_>) -> String {
    let cause = scene
        .group
        .failure
        .or(scene.worst.and_then(|worst| worst.view.unreadable));
    match cause.map(crate::failure::Cause::reason) {
        Some(Reason::Authorization) => {
            "Told again once tidemark's user may DESCRIBE the group and its topics".to_owned()
        }
        Some(Reason::NoLeader) => "Told again once the partitions have a leader".to_owned(),
        _ => "Told again once commits and logs can be read".to_owned(),
    }
}
