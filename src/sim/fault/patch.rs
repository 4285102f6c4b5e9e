//! Error codes and omissions, written into an answer.

use kafka_protocol::messages::BrokerId;
use kafka_protocol::messages::FindCoordinatorResponse;
use kafka_protocol::messages::MetadataResponse;
use kafka_protocol::messages::OffsetFetchResponse;
use kafka_protocol::messages::ResponseKind;

use super::Fault;
use super::When;

/// What is done to what is hit.
#[derive(Clone, Copy, Debug)]
enum Action {
    Code { code: i16, blank: bool },
    Remove,
}

/// One fault that is visible in the answer's content.
struct Patch<'a> {
    when: &'a When,
    action: Action,
}

/// Groups in a list: a code in each that is hit, or its removal.
macro_rules! each_group {
    ($patch:expr, $groups:expr, $id:ident, $blank:expr) => {{
        match $patch.action {
            Action::Remove => $groups.retain(|group| !$patch.when.hits_group(&group.$id)),
            Action::Code { code, blank } => {
                for group in $groups.iter_mut().filter(|group| $patch.when.hits_group(&group.$id)) {
                    group.error_code = code;
                    if blank {
                        ($blank)(group);
                    }
                }
            }
        }
    }};
}

/// Partitions in topics in a list: the same.
macro_rules! each_partition {
    ($patch:expr, $topics:expr, $name:ident, $partitions:ident, $index:ident, $blank:expr) => {{
        for topic in $topics.iter_mut().filter(|topic| $patch.when.hits_topic(&topic.$name)) {
            match $patch.action {
                Action::Remove => topic.$partitions.retain(|one| !$patch.when.hits_partition(one.$index)),
                Action::Code { code, blank } => {
                    let hit = topic.$partitions.iter_mut();
                    for one in hit.filter(|one| $patch.when.hits_partition(one.$index)) {
                        one.error_code = code;
                        if blank {
                            ($blank)(one);
                        }
                    }
                }
            }
        }
        if matches!($patch.action, Action::Remove) {
            $topics.retain(|topic| !topic.$partitions.is_empty() || !$patch.when.hits_topic(&topic.$name));
        }
    }};
}

/// A code for the answer as a whole.
macro_rules! whole {
    ($patch:expr, $answer:expr, $blank:expr) => {
        if let Action::Code { code, blank } = $patch.action {
            $answer.error_code = code;
            if blank {
                ($blank)($answer);
            }
        }
    };
}

/// Writes a fault into an answer; faults of other kinds leave it alone.
pub(crate) fn patch(answer: &mut ResponseKind, version: i16, when: &When, fault: &Fault) {
    let action = match fault {
        Fault::Error(code) => Action::Code {
            code: *code,
            blank: true,
        },
        Fault::ErrorBeside(code) => Action::Code {
            code: *code,
            blank: false,
        },
        Fault::LeftOut => Action::Remove,
        _ => return,
    };
    let patch = Patch { when, action };
    if !groups(&patch, answer) && !offsets(&patch, answer, version) {
        others(&patch, answer, version);
    }
}

/// Answers about groups.
fn groups(patch: &Patch<'_>, answer: &mut ResponseKind) -> bool {
    use ResponseKind as A;
    match answer {
        A::ListGroups(a) => match patch.action {
            Action::Remove => a.groups.retain(|group| !patch.when.hits_group(&group.group_id)),
            // There is a code for the list alone.
            Action::Code { .. } => whole!(patch, a, |a: &mut kafka_protocol::messages::ListGroupsResponse| {
                a.groups.clear();
            }),
        },
        A::DescribeGroups(a) => {
            use kafka_protocol::messages::describe_groups_response::DescribedGroup;
            each_group!(patch, a.groups, group_id, |group: &mut DescribedGroup| {
                group.members.clear();
                group.group_state = Default::default();
                group.protocol_type = Default::default();
                group.protocol_data = Default::default();
            });
        }
        A::ConsumerGroupDescribe(a) => {
            use kafka_protocol::messages::consumer_group_describe_response::DescribedGroup;
            each_group!(patch, a.groups, group_id, |group: &mut DescribedGroup| {
                group.members.clear();
                group.group_state = Default::default();
            });
        }
        A::ShareGroupDescribe(a) => {
            use kafka_protocol::messages::share_group_describe_response::DescribedGroup;
            each_group!(patch, a.groups, group_id, |group: &mut DescribedGroup| {
                group.members.clear();
                group.group_state = Default::default();
            });
        }
        A::DeleteGroups(a) => each_group!(patch, a.results, group_id, |_| ()),
        _ => return false,
    }
    true
}

/// Answers about commits and offsets.
fn offsets(patch: &Patch<'_>, answer: &mut ResponseKind, version: i16) -> bool {
    use ResponseKind as A;
    match answer {
        A::OffsetFetch(a) if version < 8 => single_fetch(patch, a),
        A::OffsetFetch(a) => many_fetches(patch, a),
        A::OffsetCommit(a) => each_partition!(patch, a.topics, name, partitions, partition_index, |_| ()),
        A::OffsetDelete(a) if patch.when.is_about_topics() => {
            each_partition!(patch, a.topics, name, partitions, partition_index, |_| ());
        }
        A::OffsetDelete(a) => {
            whole!(patch, a, |a: &mut kafka_protocol::messages::OffsetDeleteResponse| a
                .topics
                .clear());
        }
        A::ListOffsets(a) => {
            use kafka_protocol::messages::list_offsets_response::ListOffsetsPartitionResponse;
            let blank = |one: &mut ListOffsetsPartitionResponse| {
                (one.offset, one.timestamp, one.leader_epoch) = (-1, -1, -1);
            };
            each_partition!(patch, a.topics, name, partitions, partition_index, blank);
        }
        A::DescribeShareGroupOffsets(a) if patch.when.is_about_topics() => {
            use kafka_protocol::messages::describe_share_group_offsets_response::DescribeShareGroupOffsetsResponsePartition;
            let blank = |one: &mut DescribeShareGroupOffsetsResponsePartition| one.start_offset = -1;
            for group in a
                .groups
                .iter_mut()
                .filter(|group| patch.when.hits_group(&group.group_id))
            {
                each_partition!(patch, group.topics, topic_name, partitions, partition_index, blank);
            }
        }
        A::DescribeShareGroupOffsets(a) => {
            use kafka_protocol::messages::describe_share_group_offsets_response::DescribeShareGroupOffsetsResponseGroup;
            let blank = |group: &mut DescribeShareGroupOffsetsResponseGroup| group.topics.clear();
            each_group!(patch, a.groups, group_id, blank);
        }
        _ => return false,
    }
    true
}

/// The other answers.
fn others(patch: &Patch<'_>, answer: &mut ResponseKind, version: i16) {
    use ResponseKind as A;
    match answer {
        A::ApiVersions(a) => {
            whole!(patch, a, |a: &mut kafka_protocol::messages::ApiVersionsResponse| a
                .api_keys
                .clear());
        }
        A::Metadata(a) => metadata(patch, a),
        A::FindCoordinator(a) => coordinators(patch, a, version),
        A::DescribeConfigs(a) => match patch.action {
            Action::Remove => a.results.retain(|result| !patch.when.hits_topic(&result.resource_name)),
            Action::Code { code, blank } => {
                let hit = a.results.iter_mut();
                for result in hit.filter(|result| patch.when.hits_topic(&result.resource_name)) {
                    result.error_code = code;
                    if blank {
                        result.configs.clear();
                    }
                }
            }
        },
        A::Fetch(a) if patch.when.is_about_topics() || version < 7 => {
            use kafka_protocol::messages::fetch_response::PartitionData;
            each_partition!(
                patch,
                a.responses,
                topic,
                partitions,
                partition_index,
                |one: &mut PartitionData| {
                    one.records = Some(Default::default());
                    one.high_watermark = -1;
                }
            );
        }
        A::Fetch(a) => {
            whole!(patch, a, |a: &mut kafka_protocol::messages::FetchResponse| a
                .responses
                .clear());
        }
        A::Produce(a) => each_partition!(patch, a.responses, name, partition_responses, index, |_| ()),
        A::SaslHandshake(a) => whole!(patch, a, |_| ()),
        A::SaslAuthenticate(a) => whole!(patch, a, |_| ()),
        _ => {}
    }
}

fn metadata(patch: &Patch<'_>, answer: &mut MetadataResponse) {
    let hits = |name: Option<&str>| patch.when.hits_topic(name.unwrap_or(""));
    let Action::Code { code, blank } = patch.action else {
        if patch.when.partition.is_none() {
            answer
                .topics
                .retain(|topic| !hits(topic.name.as_ref().map(|name| name.as_str())));
        }
        return;
    };
    for topic in &mut answer.topics {
        if !hits(topic.name.as_ref().map(|name| name.as_str())) {
            continue;
        }
        if patch.when.partition.is_none() {
            topic.error_code = code;
            if blank {
                topic.partitions.clear();
            }
        }
        for one in &mut topic.partitions {
            if patch.when.partition == Some(one.partition_index) {
                one.error_code = code;
                if blank {
                    one.leader_id = BrokerId(-1);
                }
            }
        }
    }
}

fn coordinators(patch: &Patch<'_>, answer: &mut FindCoordinatorResponse, version: i16) {
    use kafka_protocol::messages::find_coordinator_response::Coordinator;
    if version >= 4 {
        return each_group!(patch, answer.coordinators, key, |one: &mut Coordinator| {
            (one.node_id, one.port) = (BrokerId(-1), -1);
            one.host = Default::default();
        });
    }
    whole!(patch, answer, |a: &mut FindCoordinatorResponse| {
        (a.node_id, a.port) = (BrokerId(-1), -1);
        a.host = Default::default();
    });
}

fn single_fetch(patch: &Patch<'_>, answer: &mut OffsetFetchResponse) {
    use kafka_protocol::messages::offset_fetch_response::OffsetFetchResponsePartition;
    if patch.when.is_about_topics() || matches!(patch.action, Action::Remove) {
        let blank = |one: &mut OffsetFetchResponsePartition| one.committed_offset = -1;
        return each_partition!(patch, answer.topics, name, partitions, partition_index, blank);
    }
    whole!(patch, answer, |a: &mut OffsetFetchResponse| a.topics.clear());
}

fn many_fetches(patch: &Patch<'_>, answer: &mut OffsetFetchResponse) {
    use kafka_protocol::messages::offset_fetch_response::OffsetFetchResponseGroup;
    use kafka_protocol::messages::offset_fetch_response::OffsetFetchResponsePartitions;
    if !patch.when.is_about_topics() {
        let blank = |group: &mut OffsetFetchResponseGroup| group.topics.clear();
        return each_group!(patch, answer.groups, group_id, blank);
    }
    let blank = |one: &mut OffsetFetchResponsePartitions| one.committed_offset = -1;
    for group in answer
        .groups
        .iter_mut()
        .filter(|group| patch.when.hits_group(&group.group_id))
    {
        each_partition!(patch, group.topics, name, partitions, partition_index, blank);
    }
}
