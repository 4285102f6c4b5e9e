//! DeleteGroups v0-2.

use kafka_protocol::error::ResponseError;
use kafka_protocol::messages::DeleteGroupsRequest;
use kafka_protocol::messages::DeleteGroupsResponse;
use kafka_protocol::messages::GroupId;
use kafka_protocol::messages::delete_groups_response::DeletableGroupResult;

use super::Call;
use super::NONE;
use super::Subject;

pub(super) fn answer(call: &mut Call<'_>, request: DeleteGroupsRequest) -> DeleteGroupsResponse {
    let results = request.groups_names.into_iter().map(|id| {
        let error = delete(call, &id);
        DeletableGroupResult::default().with_group_id(id).with_error_code(error)
    });
    DeleteGroupsResponse::default().with_results(results.collect())
}

fn delete(call: &mut Call<'_>, id: &GroupId) -> i16 {
    let subject = Subject {
        group: Some(id),
        ..Subject::default()
    };
    if let Some(refused) = (call.refusal)(&subject) {
        return refused;
    }
    if let Err(error) = call.coordinates(id) {
        return error.code();
    }
    match call.model.group(id) {
        None => ResponseError::GroupIdNotFound.code(),
        Some(group) if !group.members.is_empty() => ResponseError::NonEmptyGroup.code(),
        Some(_) => {
            // It is there: the line above saw it.
            let _ = call.model.delete_group(id);
            NONE
        }
    }
}
