//! ListGroups v0-5.

use kafka_protocol::messages::GroupId;
use kafka_protocol::messages::ListGroupsRequest;
use kafka_protocol::messages::ListGroupsResponse;
use kafka_protocol::messages::list_groups_response::ListedGroup;
use kafka_protocol::protocol::StrBytes;

use super::Call;
use super::text;
use crate::sim::model::Group;

pub(super) fn answer(call: &Call<'_>, request: &ListGroupsRequest) -> ListGroupsResponse {
    let now = call.model.now();
    let groups = call.model.groups().filter(|(_, group)| is_listed(call, group));
    let wanted = groups.filter(|(_, group)| {
        passes(&request.states_filter, &group.state(now).to_string())
            && passes(&request.types_filter, &group.listed_type())
    });
    ListGroupsResponse::default().with_groups(wanted.map(|(id, group)| listed(call, id, group)).collect())
}

fn is_listed(call: &Call<'_>, group: &Group) -> bool {
    match &group.listed_by {
        Some(brokers) => brokers.contains(&call.broker),
        None => group.coordinator == call.broker,
    }
}

/// An empty filter lets everything pass; case is ignored.
fn passes(filter: &[StrBytes], value: &str) -> bool {
    filter.is_empty() || filter.iter().any(|wanted| wanted.eq_ignore_ascii_case(value))
}

fn listed(call: &Call<'_>, id: &GroupId, group: &Group) -> ListedGroup {
    let kind = group.listed_type();
    let kind = match call.model.lower_case_types {
        true => kind.to_lowercase(),
        false => kind,
    };
    ListedGroup::default()
        .with_group_id(id.clone())
        .with_protocol_type(StrBytes::from_static_str(group.protocol_type()))
        .with_group_state(text(&group.state(call.model.now()).to_string()))
        .with_group_type(StrBytes::from_string(kind))
}
