//! Members, their loads, and who owns what.

use std::collections::BTreeMap;
use std::collections::BTreeSet;
use std::sync::Arc;

use crate::model::GroupState;
use crate::model::GroupType;
use crate::model::Partition;
use crate::model::Text;
use crate::model::TopicName;
use crate::observation::Assignment;
use crate::observation::Description;
use crate::observation::ListedGroup;
use crate::observation::Member;
use crate::observation::MemberProtocol;
use crate::observation::SomeTasks;

use super::view::MemberView;
use super::view::MembersView;
use super::view::TaskCounts;

/// By topic, sorted by partition: the index of the owner among the members.
pub(super) type Owners = BTreeMap<TopicName, Vec<(Partition, u32)>>;

/// The type of a group, from what its broker lists it as and what its coordinator says of it. `had_members`: a group without a
/// protocol type is `simple` only while no member of it was ever seen.
pub fn kind(listed: &ListedGroup, described: Option<&Description>, had_members: bool) -> GroupType {
    let named = listed
        .group_type
        .as_ref()
        .map(|text| text.to_string().to_ascii_lowercase());
    match named.as_deref() {
        Some("consumer") => GroupType::Consumer,
        Some("share") => GroupType::Share,
        Some("streams") => GroupType::Streams,
        Some("classic") | None => classic_kind(protocol_type(listed, described), had_members),
        Some(_) => listed.group_type.clone().map_or(GroupType::Classic, GroupType::Other),
    }
}

fn protocol_type<'a>(listed: &'a ListedGroup, described: Option<&'a Description>) -> &'a Text {
    described
        .map(|d| &d.protocol_type)
        .filter(|text| !text.is_empty())
        .unwrap_or(&listed.protocol_type)
}

/// The classic protocol carries other things than consumers: its protocol type says which.
fn classic_kind(protocol_type: &Text, had_members: bool) -> GroupType {
    match protocol_type.bytes() {
        b"consumer" => GroupType::Classic,
        b"connect" => GroupType::Connect,
        b"" if had_members => GroupType::Classic,
        b"" => GroupType::Simple,
        _ => GroupType::Other(protocol_type.clone()),
    }
}

/// The members in a fixed order with their loads, and who owns what.
pub(super) fn members(described: &Description, kind: &GroupType) -> (MembersView, Owners) {
    let mut sorted: Vec<&Member> = described.members.iter().collect();
    sorted.sort_by(|a, b| (&a.client_id, &a.host, &a.id).cmp(&(&b.client_id, &b.host, &b.id)));
    let members: Vec<MemberView> = sorted.iter().map(|member| member_view(member)).collect();
    let loads: Option<Vec<u32>> = if kind.assigns_partitions() {
        members.iter().map(|m| m.partitions).collect()
    } else {
        None
    };
    let view = MembersView {
        idle: loads
            .as_ref()
            .map(|l| number(l.iter().filter(|load| **load == 0).count())),
        partitions_max: loads.as_ref().and_then(|l| l.iter().copied().max()),
        partitions_min: loads.as_ref().and_then(|l| l.iter().copied().min()),
        pending: pending(&sorted),
        behind: behind(described),
        epoch_min: sorted.iter().filter_map(|member| member.epoch).min(),
        classic: classic(&sorted),
        tasks: (*kind == GroupType::Streams).then(|| tasks(&sorted)),
        members,
    };
    (view, owners(&sorted, &described.state))
}

fn member_view(member: &Member) -> MemberView {
    let text = |text: &Text| -> Arc<str> { text.to_string().into() };
    MemberView {
        id: text(&member.id),
        instance_id: member.instance_id.as_ref().map(text),
        client_id: text(&member.client_id),
        host: text(&member.host),
        partitions: load(&member.assignment),
        epoch: member.epoch,
        target: member.target.as_ref().and_then(load),
        protocol: member.protocol,
        tasks: member.tasks.clone(),
    }
}

fn load(assignment: &Assignment) -> Option<u32> {
    match assignment {
        Assignment::Partitions(topics) => Some(number(topics.iter().map(|(_, partitions)| partitions.len()).sum())),
        Assignment::Opaque => None,
    }
}

/// Partitions whose present owner is not the one that the target assignment gives them: given up by nobody yet, or taken by nobody.
fn pending(members: &[&Member]) -> Option<u32> {
    if members.is_empty() || members.iter().any(|member| member.target.is_none()) {
        return None;
    }
    let mut places = BTreeSet::new();
    for member in members
        .iter()
        .filter(|member| member.target.as_ref() != Some(&member.assignment))
    {
        let (Some(has), Some(wanted)) = (places_of(Some(&member.assignment)), places_of(member.target.as_ref())) else {
            return None;
        };
        places.extend(has.symmetric_difference(&wanted).copied());
    }
    Some(number(places.len()))
}

fn places_of(assignment: Option<&Assignment>) -> Option<BTreeSet<(&TopicName, Partition)>> {
    let Some(Assignment::Partitions(topics)) = assignment else {
        return None;
    };
    let places = topics
        .iter()
        .flat_map(|(topic, partitions)| partitions.iter().map(move |partition| (topic, *partition)));
    Some(places.collect())
}

fn behind(described: &Description) -> Option<u32> {
    let epoch = described.epochs?.group;
    let behind = |member: &&Member| member.epoch.is_some_and(|reached| reached < epoch);
    Some(number(described.members.iter().filter(behind).count()))
}

fn classic(members: &[&Member]) -> Option<u32> {
    members.iter().any(|member| member.protocol.is_some()).then(|| {
        let classic = |member: &&&Member| member.protocol == Some(MemberProtocol::Classic);
        number(members.iter().filter(classic).count())
    })
}

fn tasks(members: &[&Member]) -> TaskCounts {
    let count = |tasks: &SomeTasks| number(tasks.iter().map(|(_, partitions)| partitions.len()).sum());
    members
        .iter()
        .filter_map(|member| member.tasks.as_deref())
        .fold(TaskCounts::default(), |sum, tasks| TaskCounts {
            active: sum.active + count(&tasks.active),
            standby: sum.standby + count(&tasks.standby),
            warmup: sum.warmup + count(&tasks.warmup),
        })
}

/// While a classic group rebalances the assignments that a broker shows are old ones or none: owners are unknown then. Members of
/// the newer protocols keep what they have until they gave it up.
pub(super) fn owners_are_moving(state: &GroupState) -> bool {
    matches!(state, GroupState::PreparingRebalance | GroupState::CompletingRebalance)
}

fn owners(members: &[&Member], state: &GroupState) -> Owners {
    let mut owners = Owners::new();
    if owners_are_moving(state) {
        return owners;
    }
    for (index, member) in members.iter().enumerate() {
        if let Assignment::Partitions(topics) = &member.assignment {
            for (topic, partitions) in topics {
                let owned = partitions.iter().map(|partition| (*partition, number(index)));
                owners.entry(topic.clone()).or_default().extend(owned);
            }
        }
    }
    for owned in owners.values_mut() {
        owned.sort_unstable();
        owned.dedup_by_key(|(partition, _)| *partition);
    }
    owners
}

fn number(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}
