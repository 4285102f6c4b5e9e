//! Who coordinates a group, when the lists do not say or no longer hold.

use std::collections::HashMap;
use std::sync::Arc;

use tokio::task::JoinSet;
use tokio::time::Instant;

use super::Client;
use super::groups::Heards;
use super::groups::Wanted;
use crate::failure::Api;
use crate::failure::Cause;
use crate::failure::ErrorCode;
use crate::failure::Failure;
use crate::failure::Heard;
use crate::kafka::wire::answers;
use crate::kafka::wire::answers::Names;
use crate::kafka::wire::call::FIND_COORDINATOR_OF_MANY;
use crate::kafka::wire::call::FindCoordinator;
use crate::kafka::wire::cluster::Cluster;
use crate::kafka::wire::cluster::Link;
use crate::model::BrokerId;
use crate::model::GroupId;
use crate::observation::Broker;
use crate::observation::ListedGroup;

/// Groups in one FindCoordinator request.
const BATCH: usize = 500;

type Found = Vec<(GroupId, Heard<Broker>)>;

/// True when another broker may know better.
pub(super) fn moved(listed: &ListedGroup, cause: Cause) -> bool {
    match cause {
        Cause::Code(ErrorCode::NOT_COORDINATOR) => true,
        Cause::Code(ErrorCode::COORDINATOR_NOT_AVAILABLE | ErrorCode::COORDINATOR_LOAD_IN_PROGRESS)
        | Cause::Disconnected
        | Cause::TimedOut => listed.coordinators.len() > 1,
        _ => false,
    }
}

impl Client {
    /// The first broker that listed each group; groups that no broker listed are looked for.
    pub(super) async fn at_first<T>(
        &mut self,
        groups: &mut [ListedGroup],
        indexes: &[usize],
        heard: &mut [Heard<T>],
        deadline: Instant,
    ) -> Vec<Wanted> {
        let mut wanted = Vec::with_capacity(indexes.len());
        let mut nowhere = Vec::new();
        for &index in indexes {
            match groups[index].coordinators.first() {
                Some(broker) => wanted.push(want(groups, index, *broker)),
                None => nowhere.push(index),
            }
        }
        wanted.extend(self.at_second(groups, &nowhere, heard, deadline).await);
        wanted
    }

    /// Wherever each group may be instead; what cannot be found has failed.
    pub(super) async fn at_second<T>(
        &mut self,
        groups: &mut [ListedGroup],
        indexes: &[usize],
        heard: &mut [Heard<T>],
        deadline: Instant,
    ) -> Vec<Wanted> {
        if indexes.is_empty() {
            return Vec::new();
        }
        let mut wanted = Vec::with_capacity(indexes.len());
        for (index, found) in self.relocate(groups, indexes, deadline).await {
            match found {
                Ok(broker) => wanted.push(want(groups, index, broker)),
                Err(cause) => heard[index] = Err(cause),
            }
        }
        wanted
    }

    /// Where to ask each of these groups again after the first broker of its list did not help: the next that listed it, else the one
    /// that is named when asked. Corrects the lists.
    async fn relocate(&mut self, groups: &mut [ListedGroup], indexes: &[usize], deadline: Instant) -> Heards<BrokerId> {
        let (mut found, mut lost) = (Vec::new(), Vec::new());
        for &index in indexes {
            let listed = &mut groups[index];
            if listed.coordinators.len() > 1 {
                listed.coordinators.remove(0);
                found.push((index, Ok(listed.coordinators[0])));
            } else {
                lost.push((index, listed.id.clone()));
            }
        }
        for (index, coordinator) in self.locate(lost, deadline).await {
            if let Ok(broker) = coordinator {
                groups[index].coordinators = vec![broker];
            }
            found.push((index, coordinator));
        }
        found
    }

    /// Asks for the coordinator of each group. Every group that was asked about is in the result.
    pub(in super::super) async fn locate(
        &mut self,
        mut groups: Vec<(usize, GroupId)>,
        deadline: Instant,
    ) -> Heards<BrokerId> {
        let mut heard = Vec::with_capacity(groups.len());
        groups.retain(|(index, group)| {
            let askable = group.utf8().is_some();
            if !askable {
                self.failed(Api::FindCoordinator, Cause::Unaskable);
                heard.push((*index, Err(Cause::Unaskable)));
            }
            askable
        });
        for batch in groups.chunks(BATCH) {
            let ids: Vec<_> = batch.iter().map(|one| one.1.clone()).collect();
            let found = self
                .cluster
                .any(Api::FindCoordinator, None, |cluster, link| {
                    find(cluster, link, ids.clone(), deadline)
                })
                .await;
            heard.extend(self.located(batch, found));
        }
        heard
    }

    fn located(&self, batch: &[(usize, GroupId)], found: Result<Found, Failure>) -> Heards<BrokerId> {
        let mut found: HashMap<_, _> = match found {
            Ok(found) => found.into_iter().collect(),
            Err(failure) => return batch.iter().map(|one| (one.0, Err(failure.cause))).collect(),
        };
        let place = |(index, group): &(usize, GroupId)| {
            let coordinator = found.remove(group).unwrap_or(Err(Cause::Malformed));
            let coordinator = coordinator.map(|broker| {
                self.cluster.learn_of(&broker);
                broker.id
            });
            if let Err(cause) = coordinator {
                self.failed(Api::FindCoordinator, cause);
            }
            (*index, coordinator)
        };
        batch.iter().map(place).collect()
    }
}

/// Until something is heard, time may run out.
pub(super) fn unheard<T>(count: usize) -> Vec<Heard<T>> {
    (0..count).map(|_| Err(Cause::TimedOut)).collect()
}

pub(super) fn want(groups: &[ListedGroup], index: usize, broker: BrokerId) -> Wanted {
    Wanted {
        index,
        group: groups[index].id.clone(),
        broker,
    }
}

/// Asks one broker about all of them: in one request, or in one each where the broker knows no better.
async fn find(
    cluster: Arc<Cluster>,
    link: Arc<Link>,
    groups: Vec<GroupId>,
    deadline: Instant,
) -> Result<Found, Failure> {
    let version = cluster
        .version_over(&link, &FindCoordinator { groups: Vec::new() }, deadline)
        .await?;
    let most = if version >= FIND_COORDINATOR_OF_MANY { BATCH } else { 1 };
    let mut tasks = JoinSet::new();
    for batch in groups.chunks(most) {
        let (cluster, link, batch) = (Arc::clone(&cluster), Arc::clone(&link), batch.to_vec());
        tasks.spawn(async move { find_batch(&cluster, &link, &batch, deadline).await });
    }
    let mut found = Vec::with_capacity(groups.len());
    while let Some(answer) = tasks.join_next().await {
        found.extend(answer.unwrap_or_else(|_| Err(Failure::new(Api::FindCoordinator, Cause::Disconnected)))?);
    }
    Ok(found)
}

async fn find_batch(cluster: &Cluster, link: &Link, batch: &[GroupId], deadline: Instant) -> Result<Found, Failure> {
    let Some(first) = batch.first() else {
        return Ok(Vec::new());
    };
    let call = FindCoordinator {
        groups: batch
            .iter()
            .filter_map(|group| group.utf8().map(str::to_owned))
            .collect(),
    };
    let reply = cluster.ask_over(link, &call, deadline).await?;
    reply
        .read(|body, version| answers::find_coordinator::read(body, version, first, &mut Names::new()))
        .map(answers::Groups::into_vec)
        .map_err(|error| cluster.garbage(Api::FindCoordinator, error))
}
