//! Every cluster's task, and how another configuration reaches them: who is new is begun, who is no more is ended, who has changed hands
//! itself over between two cycles with all that it remembers, and nobody else is touched.

use std::collections::HashMap;
use std::sync::Arc;

use tokio::sync::watch;
use tokio::task::AbortHandle;
use tokio::task::Id;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::clock::Clock;
use crate::config::Cluster;
use crate::config::Config;
use crate::config::HostPort;
use crate::config::Objective;
use crate::http::Feed;
use crate::http::Published;

use super::AppError;
use super::admin::Told;
use super::cluster::Order;
use super::cluster::Watch;

/// The clusters that are watched.
pub(super) struct Fleet {
    clock: Clock,
    config: Arc<Config>,
    objectives: Arc<[Objective]>,
    members: HashMap<Arc<str>, Member>,
    tasks: JoinSet<Result<Watch, AppError>>,
}

/// One of them.
struct Member {
    cluster: Arc<Cluster>,
    latest: watch::Receiver<Published>,
    told: Told,
    stage: Stage,
}

enum Stage {
    /// Nothing runs yet.
    Waiting(Box<Watch>),
    /// Its task, and what makes that hand the cluster over.
    Running(AbortHandle, CancellationToken),
    /// On the way from the one to the other.
    Starting,
}

impl Fleet {
    /// The clusters of a configuration; nothing runs yet.
    pub(super) fn new(config: Arc<Config>, clock: Clock) -> Self {
        let mut fleet = Self {
            clock,
            objectives: config.objectives.clone().into(),
            config,
            members: HashMap::new(),
            tasks: JoinSet::new(),
        };
        for cluster in &fleet.config.clone().clusters {
            fleet.add(cluster);
        }
        fleet
    }

    /// Begins to poll all of them.
    pub(super) fn start(&mut self) {
        for member in self.members.values_mut() {
            member.start(&mut self.tasks);
        }
    }

    /// What the listener shows, in the order of the configuration.
    pub(super) fn feeds(&self) -> Vec<Feed> {
        let feed = |cluster: &Arc<Cluster>| {
            let member = self.members.get(&cluster.name)?;
            Some(Feed {
                config: cluster.clone(),
                latest: member.latest.clone(),
            })
        };
        self.config.clusters.iter().filter_map(feed).collect()
    }

    /// What the pollers are told of resets and tell for them, by cluster.
    pub(super) fn told(&self) -> HashMap<Arc<str>, Told> {
        let told = |(name, member): (&Arc<str>, &Member)| (name.clone(), member.told.clone());
        self.members.iter().map(told).collect()
    }

    /// What [`GroupView::objective`](crate::snapshot::GroupView::objective) is a place in.
    pub(super) fn objectives(&self) -> Arc<[Objective]> {
        self.objectives.clone()
    }

    /// Goes over to another configuration.
    pub(super) fn apply(&mut self, config: Arc<Config>) {
        let all_change = tempo(&config) != tempo(&self.config);
        self.config = config;
        self.objectives = with(&self.objectives, &self.config.objectives);
        self.members.retain(|name, member| {
            let stays = self.config.clusters.iter().any(|cluster| cluster.name == *name);
            if !stays {
                tracing::info!(cluster = &**name, "cluster is no longer watched");
                member.end();
            }
            stays
        });
        for cluster in self.config.clone().clusters.iter().cloned() {
            let known = self.members.get_mut(&cluster.name);
            match known {
                Some(member) if same_place(&member.cluster, &cluster) => {
                    if all_change || *member.cluster != *cluster {
                        tracing::info!(cluster = &*cluster.name, "cluster has another configuration");
                        member.cluster = cluster;
                        member.hand_over();
                    }
                }
                known => {
                    tracing::info!(
                        cluster = &*cluster.name,
                        anew = known.is_some(),
                        "cluster begins to be watched"
                    );
                    known.into_iter().for_each(Member::end);
                    self.add(&cluster);
                    if let Some(member) = self.members.get_mut(&cluster.name) {
                        member.start(&mut self.tasks);
                    }
                }
            }
        }
    }

    /// Lets clusters that were handed over go on with their new configuration, for as long as all is well. Nothing is lost when it is dropped.
    pub(super) async fn tend(&mut self) -> AppError {
        loop {
            match self.tasks.join_next_with_id().await {
                Some(Ok((id, Ok(watch)))) => self.resume(id, watch),
                Some(Ok((id, Err(error)))) if self.is_of(id) => return error,
                Some(Err(error)) if self.is_of(error.id()) => {
                    tracing::error!(%error, "a task ended that never should");
                    return AppError::TaskEnded;
                }
                // Of a cluster that is watched no more.
                Some(_) => {}
                // There is always a cluster, so this does not come; if it did, there would be nothing to do.
                None => std::future::pending().await,
            }
        }
    }

    fn is_of(&self, task: Id) -> bool {
        self.members.values().any(|member| member.is_run_by(task))
    }

    fn resume(&mut self, task: Id, mut watch: Watch) {
        let Some(member) = self.members.values_mut().find(|member| member.is_run_by(task)) else {
            return;
        };
        watch.reconfigure(&Order {
            config: self.config.clone(),
            cluster: member.cluster.clone(),
            objectives: self.objectives.clone(),
        });
        member.stage = Stage::Waiting(watch.into());
        member.start(&mut self.tasks);
    }

    fn add(&mut self, cluster: &Arc<Cluster>) {
        let order = Order {
            config: self.config.clone(),
            cluster: cluster.clone(),
            objectives: self.objectives.clone(),
        };
        let (watch, latest) = Watch::new(&order, &self.clock);
        let member = Member {
            latest,
            told: Told {
                own_resets: watch.own_resets(),
                snapshots: watch.latest(),
            },
            stage: Stage::Waiting(watch.into()),
            cluster: cluster.clone(),
        };
        self.members.insert(cluster.name.clone(), member);
    }
}

impl Member {
    fn start(&mut self, tasks: &mut JoinSet<Result<Watch, AppError>>) {
        self.stage = match std::mem::replace(&mut self.stage, Stage::Starting) {
            Stage::Waiting(watch) => {
                let stop = CancellationToken::new();
                Stage::Running(tasks.spawn(watch.run(stop.clone())), stop)
            }
            running => running,
        };
    }

    fn hand_over(&self) {
        if let Stage::Running(_, stop) = &self.stage {
            stop.cancel();
        }
    }

    fn end(&mut self) {
        if let Stage::Running(task, _) = &self.stage {
            task.abort();
        }
    }

    fn is_run_by(&self, task: Id) -> bool {
        matches!(&self.stage, Stage::Running(own, _) if own.id() == task)
    }
}

/// What every cluster's task knows of the configuration beside its own section.
fn tempo(config: &Config) -> impl PartialEq + use<> {
    (
        config.poll_interval,
        config.max_staleness,
        config.status_cycles,
        config.status_window_max,
        config.dormant_after,
        config.cluster_label.clone(),
        config.objectives.clone(),
    )
}

/// Whether what is known of one holds for the other: a list without any of the old addresses is taken for another cluster.
fn same_place(old: &Cluster, new: &Cluster) -> bool {
    let known = |server: &HostPort| old.bootstrap_servers.contains(server);
    new.bootstrap_servers.iter().any(known)
}

/// The list and what is not in it yet.
fn with(list: &Arc<[Objective]>, more: &[Objective]) -> Arc<[Objective]> {
    let mut all = list.to_vec();
    for objective in more {
        if !all.contains(objective) {
            all.push(objective.clone());
        }
    }
    if all.len() == list.len() {
        list.clone()
    } else {
        all.into()
    }
}
