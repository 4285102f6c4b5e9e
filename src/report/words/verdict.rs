//! One sentence per status: what holds, who is concerned, how much waits, how the rest is, and how much time is left.

use std::time::Duration;

use super::scene::Holder;
use super::scene::Scene;
use super::speech::because;
use super::speech::count;
use super::speech::duration;
use super::speech::list;
use super::speech::name;
use super::speech::number;
use super::speech::rate;
use super::speech::records;
use super::speech::time;
use crate::model::Status;

mod well;

pub(super) fn sentence(scene: &Scene<'_>) -> String {
    let mut parts = match scene.group.status {
        Status::Stalled => stalled(scene),
        Status::Stopped => stopped(scene),
        Status::Lost => lost(scene),
        Status::Unreadable => unreadable(scene),
        Status::Uncommitted => uncommitted(scene),
        Status::Ahead => ahead(scene),
        Status::Rewound => rewound(scene),
        Status::Behind => behind(scene),
        Status::Dormant => dormant(scene),
        Status::Ok => well::well(scene),
    };
    if scene.group.status != Status::Ok {
        parts.extend(others(scene));
        parts.extend(retention(scene));
    }
    parts.extend(asides(scene));
    parts.join("; ")
}

fn stalled(scene: &Scene<'_>) -> Vec<String> {
    let (since, lasted) = standing(scene);
    let places = scene.places();
    let one = scene.affected.count == 1;
    let lasted = if one {
        format!("for {lasted}")
    } else {
        format!("the longest for {lasted}")
    };
    let told = match scene.holder() {
        Holder::One(member) => {
            let comma = if one { "" } else { "," };
            format!(
                "{} holds {places} and has not moved{comma} {lasted}",
                client(&member.client_id, &member.host)
            )
        }
        Holder::Several(members) => format!("{members} members hold {places} and have not moved, {lasted}"),
        Holder::None if one => format!("{places} has not moved {lasted}"),
        Holder::None => format!("{places} have not moved, {lasted}"),
    };
    vec![format!("Stuck{since}: {told}"), waiting(scene)]
}

fn stopped(scene: &Scene<'_>) -> Vec<String> {
    let (since, lasted) = standing(scene);
    let places = scene.places();
    let who = match scene.members() {
        Some(0) => "the group has no members".to_owned(),
        _ => "nobody holds it".to_owned(),
    };
    let told = match scene.members() {
        Some(0) => format!("{who}, and nothing was committed on {places} for {lasted}"),
        _ => format!("nobody holds {places}, and nothing was committed there for {lasted}"),
    };
    vec![format!("Stopped{since}: {told}"), waiting(scene)]
}

fn lost(scene: &Scene<'_>) -> Vec<String> {
    let mut told = format!(
        "Lost {}: retention took them from {} before they were read",
        records(scene.affected.lost),
        scene.places()
    );
    if scene.affected.lost == 1 {
        told = told.replace("took them", "took it").replace("they were", "it was");
    }
    if let Some((committed, start)) = only(scene).and_then(|view| view.committed.zip(view.start)) {
        told += &format!(
            "; it committed {}, and the log starts at {}",
            number(committed),
            number(start)
        );
    }
    vec![told, waiting(scene)]
}

fn unreadable(scene: &Scene<'_>) -> Vec<String> {
    let group = scene.group;
    if let Some(cause) = group.failure {
        let read = group.topics.iter().any(|topic| !topic.partitions.is_empty());
        let since = if read {
            format!(" since {}", time(group.read_at.wall, scene.now))
        } else {
            String::new()
        };
        return vec![format!(
            "Not readable{since}: the group's members or commits, because {}",
            because(cause)
        )];
    }
    let cause = scene.worst.and_then(|worst| worst.view.unreadable);
    let why = cause.map_or_else(|| "nothing was read of it yet".to_owned(), because);
    if scene.affected.count == 0 {
        return vec![format!("Not readable: {why}")];
    }
    vec![format!("Not readable: {}, because {why}", scene.places())]
}

fn uncommitted(scene: &Scene<'_>) -> Vec<String> {
    let places = scene.places();
    let held_for = scene
        .worst
        .and_then(|worst| worst.why.uncommitted)
        .map(|(held, _)| held);
    let lasted = held_for
        .map(|held| format!(" for {}", duration(held)))
        .unwrap_or_default();
    let told = match scene.holder() {
        Holder::One(member) => format!("{} has held {places}{lasted}", client(&member.client_id, &member.host)),
        Holder::Several(members) => format!("{members} members have held {places}{lasted}"),
        Holder::None => format!("members have held {places}{lasted}"),
    };
    vec![
        format!("Never committed: {told} and committed nothing, while records came"),
        format!("{} there now", count(scene.affected.held, "record is", "records are")),
    ]
}

fn ahead(scene: &Scene<'_>) -> Vec<String> {
    let by = count(scene.affected.ahead.into(), "record", "records");
    let told = match only(scene).and_then(|view| view.committed.zip(view.end)) {
        Some((committed, end)) => format!(
            "the commit on {} is {}, and the log ends at {}, {by} before it",
            scene.places(),
            number(committed),
            number(end)
        ),
        None => format!(
            "the commits on {} are beyond the end of the log, by up to {by}",
            scene.places()
        ),
    };
    vec![format!(
        "Ahead of the log: {told}; the log was cut short or the topic made anew"
    )]
}

fn rewound(scene: &Scene<'_>) -> Vec<String> {
    let back = scene
        .worst
        .and_then(|worst| worst.why.rewound_from.zip(worst.view.committed));
    let told = match back {
        Some((from, committed)) if scene.affected.count == 1 => format!(
            "the commit on {} is at {} and was at {}, so that {} again",
            scene.places(),
            number(committed),
            number(from),
            count(from.since(committed).into(), "record is read", "records are read")
        ),
        _ => format!(
            "the commits on {} went down and are not back where they were",
            scene.places()
        ),
    };
    vec![format!("Went back: {told}"), waiting(scene)]
}

fn behind(scene: &Scene<'_>) -> Vec<String> {
    let mut told = format!(
        "Falling behind: commits move, but the lag of {} only grows",
        scene.places()
    );
    if let (Some((first, last)), Some(worst)) = (scene.worst.and_then(|it| it.why.lowest_lags), scene.worst) {
        let of = if scene.affected.count == 1 {
            String::new()
        } else {
            format!(" of partition {} of {}", worst.view.partition, name(&worst.topic))
        };
        told += &format!(
            ", the least{of} from {} to {} within {}",
            number(format!("{first:.0}")),
            number(format!("{last:.0}")),
            duration(worst.why.window)
        );
    }
    let mut parts = vec![told, waiting(scene)];
    if let Some(pace) = scene.group.trend.pace().filter(|pace| pace.growth > 0.0) {
        parts.push(format!(
            "the group reads {} while {} come, and never catches up at this pace",
            rate(pace.consumed),
            rate(pace.produced())
        ));
    }
    parts
}

fn dormant(scene: &Scene<'_>) -> Vec<String> {
    let (_, lasted) = standing(scene);
    let watched = format!("no members, and no commit was seen for {lasted}");
    vec![
        format!("Dormant: {watched}"),
        format!("{} on {}", waiting(scene), scene.places()),
    ]
}

/// " since 02:14 UTC", and how long that is.
fn standing(scene: &Scene<'_>) -> (String, String) {
    match scene.standing() {
        None => (String::new(), "an unknown time".to_owned()),
        Some((since, lasted, longer)) => {
            let (or_longer, at_least) = if longer { (" or longer", "at least ") } else { ("", "") };
            (
                format!(" since {}{or_longer}", time(since, scene.now)),
                format!("{at_least}{}", duration(lasted)),
            )
        }
    }
}

/// The partition that is concerned, where it is one.
fn only<'a>(scene: &Scene<'a>) -> Option<&'a crate::snapshot::PartitionView> {
    scene
        .worst
        .map(|worst| &worst.view)
        .filter(|_| scene.affected.count == 1)
}

fn client(id: &str, host: &str) -> String {
    format!("client {} on host {}", name(id), name(host))
}

/// What waits on the affected partitions.
fn waiting(scene: &Scene<'_>) -> String {
    unread(scene.affected.lag, scene.affected.age)
}

fn unread(lag: u128, age: Option<Duration>) -> String {
    match (lag, age) {
        (0, _) => "nothing is left to read there".to_owned(),
        (lag, Some(age)) => format!("{}, oldest {} old", records(lag), duration(age)),
        (lag, None) => format!("{} of unknown age", records(lag)),
    }
}

/// How the partitions that are not concerned are.
fn others(scene: &Scene<'_>) -> Option<String> {
    let rest = scene.total.checked_sub(scene.affected.count).filter(|rest| *rest > 0)?;
    let well = scene.with(Status::Ok);
    if well == rest {
        return Some(match rest {
            1 => "the other partition is fine".to_owned(),
            rest => format!(
                "the other {} of {} partitions are fine",
                number(rest),
                number(scene.total)
            ),
        });
    }
    let others = Status::ALL
        .into_iter()
        .filter(|it| *it != scene.group.status && *it != Status::Ok);
    let told = others
        .map(|status| (scene.with(status), status))
        .filter(|(count, _)| *count > 0);
    let mut told: Vec<String> = told
        .map(|(count, status)| format!("{} {status}", number(count)))
        .collect();
    if well > 0 {
        told.insert(0, format!("{} fine", number(well)));
    }
    let partitions = if rest == 1 { "partition" } else { "partitions" };
    Some(format!("of the other {} {partitions}: {}", number(rest), list(&told)))
}

fn retention(scene: &Scene<'_>) -> Option<String> {
    if scene.group.status == Status::Lost {
        return None;
    }
    Some(match scene.until_retention()? {
        Duration::ZERO => "retention may take unread records at any time".to_owned(),
        left => format!("{} until retention takes unread records", duration(left)),
    })
}

/// What is worth saying whatever the status is.
fn asides(scene: &Scene<'_>) -> Vec<String> {
    let group = scene.group;
    let mut asides = Vec::new();
    if let (Some(objective), Some(lag)) = (scene.objective, group.lag_time)
        && Duration::from_millis(lag.age_ms) > objective.lag
    {
        asides.push(format!("above its objective of {}", duration(objective.lag)));
    }
    if group
        .state
        .as_ref()
        .is_some_and(crate::model::GroupState::is_rebalancing)
    {
        asides.push("it is rebalancing now".to_owned());
    }
    if let Some(cause) = group.failure.filter(|_| group.status != Status::Unreadable) {
        let read = time(group.read_at.wall, scene.now);
        asides.push(format!("this is as of {read}, because {}", because(cause)));
    }
    let left: Vec<String> = scene.left().map(|topic| name(&topic.name)).collect();
    match &*left {
        [] => {}
        [only] => asides.push(format!("commits are left on {only}, which is deleted")),
        several if several.len() <= 3 => {
            asides.push(format!("commits are left on {}, which are deleted", list(several)));
        }
        several => asides.push(format!("commits are left on {} deleted topics", number(several.len()))),
    }
    asides
}
