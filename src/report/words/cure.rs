//! Commands that cure what is left over. They are for a person to run: they change things in Kafka.

use super::super::shell::option;
use super::scene::Scene;
use super::speech::name;
use crate::model::Status;
use crate::snapshot::GroupTopicView;

/// Where Kafka's own tools are to connect: known to whoever runs them.
const BROKERS: &str = "--bootstrap-server HOST:PORT";

/// A command and what it does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cure {
    /// What it does, in one sentence.
    pub what: String,
    /// One line for a POSIX shell, bash or zsh where a name has bytes that are no text; `HOST:PORT` is to be filled in.
    pub command: String,
}

pub(super) fn cures(scene: &Scene<'_>) -> Vec<Cure> {
    let delete = deletable(scene).then(|| Cure {
        what: "Deletes the group with all of its commits; refused while it has members".to_owned(),
        command: format!(
            "kafka-consumer-groups {BROKERS} --delete {}",
            option("--group", scene.group.id.bytes())
        ),
    });
    let left: Vec<Cure> = match &delete {
        Some(_) => Vec::new(),
        None => scene.left().map(forget).collect(),
    };
    delete.into_iter().chain(left).collect()
}

/// Nobody will miss it: long abandoned, or nothing but leftovers.
fn deletable(scene: &Scene<'_>) -> bool {
    let empty = scene.members() == Some(0) && scene.objective.is_none();
    let only_left = scene.total == 0 && scene.left().next().is_some();
    empty && (scene.group.status == Status::Dormant || only_left)
}

/// Kafka refuses to forget single commits on a topic that does not exist, but drops all of them when a topic of that name is deleted.
fn forget(topic: &GroupTopicView) -> Cure {
    let highest = topic.partitions.iter().map(|view| view.partition.0).max().unwrap_or(0);
    let named = option("--topic", topic.name.as_bytes());
    Cure {
        what: format!(
            "Makes {} anew and deletes it, upon which Kafka drops the commits that are left on it, of every group",
            name(&topic.name)
        ),
        command: format!(
            "kafka-topics {BROKERS} --create {named} --partitions {} && kafka-topics {BROKERS} --delete {named}",
            highest.saturating_add(1)
        ),
    }
}
