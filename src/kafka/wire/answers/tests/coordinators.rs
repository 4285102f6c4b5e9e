//! Who coordinates a group.

use kafka_protocol::messages::BrokerId as WireBroker;
use kafka_protocol::messages::FindCoordinatorResponse;
use kafka_protocol::messages::find_coordinator_response::Coordinator;

use super::*;
use crate::model::BrokerId;
use crate::model::GroupId;
use crate::observation::Broker;

/// Id, host and port; any port beside the negative id that is no broker.
fn broker(draw: &mut Draw<'_>) -> (WireBroker, StrBytes, i32) {
    let id = draw.int32();
    let port = match id {
        ..0 => draw.int32(),
        _ => i32::from(draw.int16().cast_unsigned()),
    };
    (WireBroker(id), draw.text(), port)
}

fn answer(draw: &mut Draw<'_>, version: i16) -> FindCoordinatorResponse {
    let answer = FindCoordinatorResponse::default()
        .with_throttle_time_ms(draw.int32())
        .with_unknown_tagged_fields(draw.tags());
    if version >= 4 {
        return answer.with_coordinators(draw.list(coordinator));
    }
    let (id, host, port) = broker(draw);
    let answer = answer
        .with_error_code(draw.error())
        .with_node_id(id)
        .with_host(host)
        .with_port(port);
    match version {
        0 => answer,
        _ => answer.with_error_message(draw.option(Draw::text)),
    }
}

fn coordinator(draw: &mut Draw<'_>) -> Coordinator {
    let (id, host, port) = broker(draw);
    Coordinator::default()
        .with_key(draw.text())
        .with_node_id(id)
        .with_host(host)
        .with_port(port)
        .with_error_code(draw.error())
        .with_error_message(draw.option(Draw::text))
        .with_unknown_tagged_fields(draw.tags())
}

fn found(error: i16, id: WireBroker, host: &StrBytes, port: i32) -> Heard<Broker> {
    heard(error, ())?;
    if id.0 < 0 {
        return Err(Cause::NoCoordinator);
    }
    Ok(Broker {
        id: BrokerId(id.0),
        host: name(host),
        port: u16::try_from(port).unwrap(),
    })
}

fn expect(answer: &FindCoordinatorResponse, version: i16) -> Vec<(GroupId, Heard<Broker>)> {
    if version < 4 {
        let broker = found(answer.error_code, answer.node_id, &answer.host, answer.port);
        return vec![(GroupId::from("asked"), broker)];
    }
    sorted(answer.coordinators.iter().map(|coordinator| {
        let broker = found(
            coordinator.error_code,
            coordinator.node_id,
            &coordinator.host,
            coordinator.port,
        );
        (name(&coordinator.key), broker)
    }))
}

#[test]
fn coordinators_are_read_in_every_version() {
    let asked = GroupId::from("asked");
    hold(
        Api::FindCoordinator,
        answer,
        |body, version| find_coordinator::read(body, version, &asked, &mut Names::new()).map(Groups::into_vec),
        expect,
    );
}
