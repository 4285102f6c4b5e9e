//! What became of groups that no broker lists.

use tokio::time::Instant;

use super::Client;
use super::describe::Kind;
use crate::failure::Cause;
use crate::failure::Heard;
use crate::kafka::Presence;
use crate::model::BrokerId;
use crate::model::GroupState;
use crate::observation::Description;
use crate::observation::ListedGroup;

impl Client {
    pub(super) async fn look_for(&mut self, groups: &[ListedGroup], deadline: Instant) -> Vec<Heard<Presence>> {
        let named = groups.iter().map(|group| group.id.clone()).enumerate().collect();
        let mut coordinators = self.locate(named, deadline).await;
        coordinators.sort_by_key(|found| found.0);
        let mut found = Vec::new();
        for (index, coordinator) in &coordinators {
            if let Ok(broker) = coordinator {
                found.push(at(&groups[*index], *broker));
            }
        }
        let mut verdicts = self.look(found, deadline).await.into_iter();
        coordinators
            .into_iter()
            .map(|(_, coordinator)| coordinator.and_then(|_| verdicts.next().unwrap_or(Err(Cause::TimedOut))))
            .collect()
    }

    /// Asks the coordinators themselves, about members and commits.
    async fn look(&mut self, mut found: Vec<ListedGroup>, deadline: Instant) -> Vec<Heard<Presence>> {
        let descriptions = self.describe_all(&mut found, deadline).await;
        let mut with_commits: Vec<_> = found
            .iter()
            .filter(|group| Kind::of(group) != Kind::Share)
            .cloned()
            .collect();
        let mut commits = self.all_commits(&mut with_commits, deadline).await.into_iter();
        let mut verdicts = Vec::with_capacity(found.len());
        for (listed, description) in found.into_iter().zip(descriptions) {
            let committed = match Kind::of(&listed) {
                Kind::Share => Ok(false),
                _ => commits
                    .next()
                    .unwrap_or(Err(Cause::TimedOut))
                    .map(|topics| !topics.is_empty()),
            };
            verdicts.push(judge(listed, description, committed));
        }
        verdicts
    }
}

/// As if only that broker had listed it.
fn at(listed: &ListedGroup, broker: BrokerId) -> ListedGroup {
    ListedGroup {
        coordinators: vec![broker],
        ..listed.clone()
    }
}

fn judge(listed: ListedGroup, description: Heard<Description>, committed: Heard<bool>) -> Heard<Presence> {
    let description = description?;
    if description.state == GroupState::Dead && !committed? {
        return Ok(Presence::Gone);
    }
    Ok(Presence::There(ListedGroup {
        state: Some(description.state),
        ..listed
    }))
}
