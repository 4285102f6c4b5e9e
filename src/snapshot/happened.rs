//! What is different from the cycle before: the news of a group's chronicle.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use crate::model::Moment;
use crate::model::Status;
use crate::model::Text;
use crate::model::UnixMillis;
use crate::observation::Description;
use crate::observation::Member;

use super::event::Chronicle;
use super::event::Happening;
use super::event::Who;
use super::view::GroupTopicView;
use super::view::GroupView;

/// Letters of a client id or host that an event keeps.
const LETTERS: usize = 120;

/// Who came and who went between two descriptions. A static member that was restarted is the same.
pub(super) fn to_members(before: &Description, now: &Description, chronicle: &mut Chronicle) {
    let same = before.members.len() == now.members.len();
    if same && before.members.iter().zip(&now.members).all(|(a, b)| key(a) == key(b)) {
        return;
    }
    let (was, is) = (keys(before), keys(now));
    if let Some((who, others)) = those(&before.members, &is) {
        chronicle.note(Happening::Left { who, others });
    }
    if let Some((who, others)) = those(&now.members, &was) {
        chronicle.note(Happening::Joined { who, others });
    }
}

fn key(member: &Member) -> &Text {
    member.instance_id.as_ref().unwrap_or(&member.id)
}

fn keys(described: &Description) -> HashSet<&Text> {
    described.members.iter().map(key).collect()
}

/// The first of the members that are not among `others`, and how many more.
fn those(members: &[Member], others: &HashSet<&Text>) -> Option<(Who, u32)> {
    let missing = || members.iter().filter(|member| !others.contains(key(member)));
    let first = missing().min_by_key(|member| (&member.client_id, &member.host))?;
    let who = Who {
        client_id: short(&first.client_id),
        host: short(&first.host),
    };
    Some((who, u32::try_from(missing().count() - 1).unwrap_or(u32::MAX)))
}

fn short(text: &Text) -> Arc<str> {
    text.to_string().chars().take(LETTERS).collect::<String>().into()
}

/// What retention took and which commits went down between two views of a topic.
pub(super) fn to_topic(before: &GroupTopicView, now: &GroupTopicView, chronicle: &mut Chronicle) {
    if now.lost > before.lost {
        chronicle.note(Happening::Lost {
            topic: now.name.clone(),
            records: now.lost - before.lost,
        });
    }
    if now.rewinds > before.rewinds {
        chronicle.note(Happening::Rewound {
            topic: now.name.clone(),
            partitions: now.rewinds - before.rewinds,
            records: went_back(before, now),
        });
    }
}

fn went_back(before: &GroupTopicView, now: &GroupTopicView) -> u64 {
    let by = now.partitions.iter().filter_map(|view| {
        let at = before
            .partitions
            .binary_search_by_key(&view.partition, |earlier| earlier.partition)
            .ok()?;
        Some(before.partitions[at].committed?.since(view.committed?))
    });
    by.fold(0, u64::saturating_add)
}

/// Whether the status changed, and by which partition.
pub(super) fn to_status(before: &GroupView, now: &GroupView, at: Moment, chronicle: &mut Chronicle) {
    if before.status == now.status {
        return;
    }
    let worst = now.explained.first().filter(|worst| worst.view.status == now.status);
    let worst = worst.filter(|_| now.status != Status::Ok);
    let standing = worst
        .map(|worst| worst.why.standing)
        .filter(|standing| !standing.is_zero());
    chronicle.note(Happening::Status {
        from: before.status,
        to: now.status,
        place: worst.map(|worst| (worst.topic.clone(), worst.view.partition)),
        since: standing.map(|standing| earlier(at.wall, standing)),
    });
}

fn earlier(wall: UnixMillis, by: Duration) -> UnixMillis {
    UnixMillis(wall.0.saturating_sub(i64::try_from(by.as_millis()).unwrap_or(i64::MAX)))
}
