//! Which brokers there are, and which groups each of them coordinates.

use std::collections::HashMap;
use std::sync::Arc;

use tokio::time::Instant;

use super::Client;
use super::round::Round;
use crate::failure::Api;
use crate::failure::Cause;
use crate::failure::Failure;
use crate::kafka::GroupLists;
use crate::kafka::wire::answers;
use crate::kafka::wire::answers::Names;
use crate::kafka::wire::call::ListGroups;
use crate::kafka::wire::call::Metadata;
use crate::kafka::wire::call::Reply;
use crate::kafka::wire::cluster::Cluster;
use crate::kafka::wire::cluster::Link;
use crate::model::BrokerId;
use crate::model::GroupId;
use crate::observation::Broker;
use crate::observation::ListedGroup;

/// A broker whose id nobody could say, numbered as Kafka's own clients number bootstrap servers.
const SOMEBODY: BrokerId = BrokerId(-1);

impl Client {
    pub(super) async fn ask_brokers(&mut self, deadline: Instant) -> Result<Vec<Broker>, Failure> {
        let brokers = self
            .cluster
            .any(Api::Metadata, None, |cluster, link| brokers(cluster, link, deadline))
            .await?;
        self.cluster.learn(&brokers);
        Ok(brokers)
    }

    pub(super) async fn ask_lists(&mut self, deadline: Instant) -> GroupLists {
        // No list at all must not read as a cluster without groups.
        if self.cluster.brokers().is_empty()
            && let Err(failure) = self.ask_brokers(deadline).await
        {
            return GroupLists {
                groups: Vec::new(),
                missing: vec![(SOMEBODY, failure)],
            };
        }
        let mut round = Round::new(&self.cluster, deadline);
        for broker in self.cluster.brokers() {
            round.ask(broker, ListGroups, broker);
        }
        let mut lists = Vec::new();
        let mut missing = Vec::new();
        while let Some((broker, reply)) = round.next().await {
            match reply.and_then(|reply| self.list(broker, &reply)) {
                Ok(list) => lists.push((broker, list)),
                Err(failure) => missing.push((broker, failure)),
            }
        }
        lists.sort_by_key(|list| list.0);
        missing.sort_by_key(|failed| failed.0);
        GroupLists {
            groups: merge(lists.into_iter().flat_map(|list| list.1)),
            missing,
        }
    }

    fn list(&mut self, broker: BrokerId, reply: &Reply) -> Result<Vec<ListedGroup>, Failure> {
        let names = &mut self.names;
        reply
            .read(|body, version| answers::list_groups::read(body, version, broker, names))
            .map_err(|error| self.garbage(Api::ListGroups, error))?
            .map_err(|cause| {
                self.failed(Api::ListGroups, cause);
                Failure::new(Api::ListGroups, cause)
            })
    }
}

async fn brokers(cluster: Arc<Cluster>, link: Arc<Link>, deadline: Instant) -> Result<Vec<Broker>, Failure> {
    let none = Metadata { topics: Vec::new() };
    let reply = cluster.ask_over(&link, &none, deadline).await?;
    let answer = reply
        .read(|body, version| answers::metadata::read(body, version, &mut Names::new()))
        .map_err(|error| cluster.garbage(Api::Metadata, error))?;
    if answer.brokers.is_empty() {
        // Whoever answers is a broker itself, so this is one that does not know its cluster yet.
        cluster.tally().failed(Api::Metadata, Cause::Malformed);
        let detail = format_args!("{}: the answer names no broker", link.address());
        return Err(Failure::because(Api::Metadata, Cause::Malformed, detail));
    }
    Ok(answer.brokers)
}

/// Each group once, sorted, with every broker that listed it. What one broker's entry leaves out another's may say.
fn merge(listed: impl Iterator<Item = ListedGroup>) -> Vec<ListedGroup> {
    let mut groups: Vec<ListedGroup> = Vec::new();
    let mut places: HashMap<GroupId, usize> = HashMap::new();
    for group in listed {
        let place = *places.entry(group.id.clone()).or_insert(groups.len());
        match groups.get_mut(place) {
            None => groups.push(group),
            Some(known) => {
                known.coordinators.extend(group.coordinators);
                known.group_type = known.group_type.take().or(group.group_type);
                known.state = known.state.take().or(group.state);
            }
        }
    }
    groups.sort_unstable_by(|a, b| a.id.cmp(&b.id));
    groups
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::GroupState;
    use crate::model::Text;

    fn listed(id: &str, broker: i32, state: Option<GroupState>) -> ListedGroup {
        ListedGroup {
            id: GroupId::from(id),
            coordinators: vec![BrokerId(broker)],
            protocol_type: Text::from("consumer"),
            group_type: None,
            state,
        }
    }

    #[test]
    fn a_group_that_two_brokers_list_is_one_with_both() {
        let merged = merge(
            [
                listed("b", 1, None),
                listed("c", 1, None),
                listed("a", 2, None),
                listed("b", 2, Some(GroupState::Stable)),
            ]
            .into_iter(),
        );
        let ids: Vec<_> = merged.iter().map(|group| group.id.to_string()).collect();
        assert_eq!(ids, ["a", "b", "c"]);
        assert_eq!(merged[1].coordinators, [BrokerId(1), BrokerId(2)]);
        assert_eq!(merged[1].state, Some(GroupState::Stable));
    }
}
