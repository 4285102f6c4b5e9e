//! One member of a group.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::snapshot::MemberProtocol;
use crate::snapshot::MemberView;
use crate::snapshot::SomeTasks;
use crate::snapshot::Tasks;

/// One member.
#[derive(Debug, Serialize)]
pub(super) struct Member<'a> {
    member_id: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    instance_id: Option<&'a str>,
    client_id: &'a str,
    host: &'a str,
    /// `null` where the assignment speaks of something other than partitions.
    assigned_partitions: Option<u32>,
    /// Of the groups that have a target assignment: how many partitions it gives the member.
    #[serde(skip_serializing_if = "Option::is_none")]
    target_partitions: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    epoch: Option<i32>,
    /// Of groups of type consumer: `classic` for a member that still speaks the old protocol.
    #[serde(skip_serializing_if = "Option::is_none")]
    member_protocol: Option<&'static str>,
    /// Of streams groups: partitions by role and subtopology.
    #[serde(skip_serializing_if = "Option::is_none")]
    member_tasks: Option<MemberTasks>,
}

#[derive(Debug, Serialize)]
struct MemberTasks {
    active_tasks: BTreeMap<String, Vec<i32>>,
    standby_tasks: BTreeMap<String, Vec<i32>>,
    warmup_tasks: BTreeMap<String, Vec<i32>>,
}

impl<'a> From<&'a MemberView> for Member<'a> {
    fn from(view: &'a MemberView) -> Self {
        Self {
            member_id: &view.id,
            instance_id: view.instance_id.as_deref(),
            client_id: &view.client_id,
            host: &view.host,
            assigned_partitions: view.partitions,
            target_partitions: view.target,
            epoch: view.epoch,
            member_protocol: view.protocol.map(|protocol| match protocol {
                MemberProtocol::Classic => "classic",
                MemberProtocol::Consumer => "consumer",
            }),
            member_tasks: view.tasks.as_deref().map(MemberTasks::from),
        }
    }
}

impl From<&Tasks> for MemberTasks {
    fn from(tasks: &Tasks) -> Self {
        Self {
            active_tasks: by_part(&tasks.active),
            standby_tasks: by_part(&tasks.standby),
            warmup_tasks: by_part(&tasks.warmup),
        }
    }
}

fn by_part(tasks: &SomeTasks) -> BTreeMap<String, Vec<i32>> {
    let of = |partitions: &[crate::model::Partition]| partitions.iter().map(|partition| partition.0).collect();
    tasks
        .iter()
        .map(|(part, partitions)| (part.to_string(), of(partitions)))
        .collect()
}
