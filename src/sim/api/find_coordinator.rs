//! FindCoordinator v0-6.

use kafka_protocol::error::ResponseError;
use kafka_protocol::messages::BrokerId;
use kafka_protocol::messages::FindCoordinatorRequest;
use kafka_protocol::messages::FindCoordinatorResponse;
use kafka_protocol::messages::GroupId;
use kafka_protocol::messages::find_coordinator_response::Coordinator;
use kafka_protocol::protocol::StrBytes;

use super::Call;
use super::HOST;

/// The key is a group's id.
const GROUP: i8 = 0;

pub(super) fn answer(call: &Call<'_>, request: FindCoordinatorRequest) -> FindCoordinatorResponse {
    if call.version < 4 {
        let found = one(call, request.key_type, request.key);
        return FindCoordinatorResponse::default()
            .with_error_code(found.error_code)
            .with_error_message(found.error_message)
            .with_node_id(found.node_id)
            .with_host(found.host)
            .with_port(found.port);
    }
    let keys = request.coordinator_keys.into_iter();
    FindCoordinatorResponse::default().with_coordinators(keys.map(|key| one(call, request.key_type, key)).collect())
}

fn one(call: &Call<'_>, kind: i8, key: StrBytes) -> Coordinator {
    let found = match kind {
        GROUP => call.model.coordinator(&GroupId(key.clone())),
        // Transactions and share states have coordinators that nobody here asks anything.
        _ => None,
    };
    let coordinator = Coordinator::default().with_key(key);
    match found {
        Some(id) => coordinator.with_node_id(id).with_host(HOST).with_port(call.port(id)),
        None => {
            let error = ResponseError::CoordinatorNotAvailable;
            coordinator
                .with_node_id(BrokerId(-1))
                .with_port(-1)
                .with_error_code(error.code())
                .with_error_message(Some(StrBytes::from_static_str("The coordinator is not available.")))
        }
    }
}
