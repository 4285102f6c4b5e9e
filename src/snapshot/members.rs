//! Members, their loads, and who owns what.

use std::collections::BTreeMap;
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

use super::view::MemberView;
use super::view::MembersView;

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
    }
}

fn load(assignment: &Assignment) -> Option<u32> {
    match assignment {
        Assignment::Partitions(topics) => Some(number(topics.iter().map(|(_, partitions)| partitions.len()).sum())),
        Assignment::Opaque => None,
    }
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
