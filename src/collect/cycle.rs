//! One cycle: what is asked of Kafka, in which order, and what becomes of each failure. Commits are read before log ends, so that lag
//! is never understated by the order of reading.

use std::collections::BTreeSet;
use std::collections::HashMap;
use std::time::Duration;

use tokio::time::Instant;

use crate::clock::Clock;
use crate::config::Cluster;
use crate::failure::Cause;
use crate::failure::Failure;
use crate::failure::Heard;
use crate::kafka::GroupLists;
use crate::kafka::Presence;
use crate::kafka::Survey;
use crate::lag;
use crate::model::GroupId;
use crate::model::GroupType;
use crate::model::Moment;
use crate::model::Offset;
use crate::model::Partition;
use crate::model::TopicName;
use crate::observation::Description;
use crate::observation::GroupReading;
use crate::observation::ListedGroup;
use crate::observation::Observation;
use crate::observation::PartitionLog;
use crate::observation::Stages;
use crate::observation::TopicCommits;
use crate::observation::TopicMeta;
use crate::observation::TopicReading;
use crate::observation::TopicShares;
use crate::snapshot;
use crate::snapshot::History;

use super::filter;

/// One cycle's view of the world.
pub(super) struct Cycle<'a, S> {
    pub(super) survey: &'a mut S,
    pub(super) cluster: &'a Cluster,
    pub(super) clock: &'a Clock,
    pub(super) history: &'a History,
    /// When everything that has not been answered has failed.
    pub(super) deadline: Instant,
}

impl<S: Survey> Cycle<'_, S> {
    /// Asks for everything.
    pub(super) async fn observe(mut self) -> Observation {
        let started = self.clock.now();
        let mut stages = Stages::default();
        let brokers = self.survey.brokers(self.deadline).await;
        stages.metadata = self.since(started);
        if let Err(failure) = &brokers {
            let (groups, topics) = self.nothing_heard(failure.cause);
            return self.observation(started, brokers, groups, topics, stages);
        }
        let found = self.groups(&mut stages).await;
        let mut readings = self.read(found.watched, &mut stages).await;
        readings.extend(found.unknown);
        readings.sort_by(|a, b| a.listed.id.cmp(&b.listed.id));
        let topics = self.topics(&readings, &mut stages).await;
        self.read_again_what_seems_lost(&mut readings, &topics, &mut stages)
            .await;
        self.read_shares_again_that_seem_lost(&mut readings, &topics).await;
        let mut observation = self.observation(started, brokers, readings, topics, stages);
        observation.unlisted = found.unlisted;
        observation.excluded = found.excluded;
        observation.gone = found.gone;
        observation
    }

    fn observation(
        &mut self,
        started: Moment,
        brokers: Result<Vec<crate::observation::Broker>, Failure>,
        groups: Vec<GroupReading>,
        topics: HashMap<TopicName, TopicReading>,
        mut stages: Stages,
    ) -> Observation {
        stages.total = self.since(started);
        Observation {
            started,
            finished: self.clock.now(),
            brokers,
            unlisted: Vec::new(),
            groups,
            excluded: 0,
            gone: Vec::new(),
            topics,
            configs: Vec::new(),
            calls: self.survey.take_calls(),
            stages,
        }
    }

    fn since(&self, start: Moment) -> Duration {
        self.clock.now().mono.saturating_sub(start.mono)
    }

    /// The cluster could not be reached: every known group failed for this cause.
    fn nothing_heard(&self, cause: Cause) -> (Vec<GroupReading>, HashMap<TopicName, TopicReading>) {
        let groups: Vec<GroupReading> = self
            .history
            .known_groups()
            .map(|group| failed(group.clone(), cause))
            .collect();
        let names = groups
            .iter()
            .flat_map(|group| self.history.topics_of(&group.listed.id))
            .cloned();
        let topics = names
            .map(|name| {
                (
                    name,
                    TopicReading {
                        meta: Err(cause),
                        logs: Vec::new(),
                    },
                )
            })
            .collect();
        (groups, topics)
    }

    /// The groups to read, and what became of those that no broker lists any more.
    async fn groups(&mut self, stages: &mut Stages) -> Found {
        let begun = self.clock.now();
        let GroupLists { groups, missing } = self.survey.list_groups(self.deadline).await;
        let (mut watched, excluded) = filter::watched(groups, self.cluster);
        let listed: BTreeSet<&GroupId> = watched.iter().map(|group| &group.id).collect();
        let vanished: Vec<ListedGroup> = self
            .history
            .known_groups()
            .filter(|group| !listed.contains(&group.id))
            .cloned()
            .collect();
        let mut gone = Vec::new();
        let mut unknown = Vec::new();
        if !vanished.is_empty() {
            let presence = self.survey.presence(&vanished, self.deadline).await;
            for (group, presence) in vanished.into_iter().zip(presence) {
                match presence {
                    Ok(Presence::Gone) => gone.push(group.id),
                    Ok(Presence::There(group)) => watched.push(group),
                    Err(cause) => unknown.push(failed(group, cause)),
                }
            }
        }
        stages.groups = self.since(begun);
        Found {
            watched,
            excluded,
            gone,
            unknown,
            unlisted: missing,
        }
    }

    /// Members, then commits, of every watched group.
    async fn read(&mut self, mut groups: Vec<ListedGroup>, stages: &mut Stages) -> Vec<GroupReading> {
        let begun = self.clock.now();
        let descriptions = self.survey.describe(&mut groups, self.deadline).await;
        stages.members = self.since(begun);
        let begun = self.clock.now();
        let commits = self.commits(&mut groups, &descriptions).await;
        let shares = self.shares(&mut groups).await;
        stages.commits = self.since(begun);
        let readings = groups.into_iter().zip(descriptions).zip(commits).zip(shares);
        readings
            .map(|(((listed, description), commits), shares)| GroupReading {
                listed,
                description,
                commits,
                shares,
            })
            .collect()
    }

    /// Where the share groups among them begin to read; nothing is asked where there are none.
    async fn shares(&mut self, groups: &mut [ListedGroup]) -> Vec<Option<Heard<Vec<TopicShares>>>> {
        let mut places = Vec::new();
        for (place, group) in groups.iter().enumerate() {
            if snapshot::kind(group, None, false) == GroupType::Share {
                places.push(place);
            }
        }
        let mut answers: Vec<_> = groups.iter().map(|_| None).collect();
        if places.is_empty() {
            return answers;
        }
        let mut asked: Vec<ListedGroup> = places.iter().map(|place| groups[*place].clone()).collect();
        let heard = self.survey.shares(&mut asked, self.deadline).await;
        for ((place, asked), heard) in places.into_iter().zip(asked).zip(heard) {
            groups[place].coordinators = asked.coordinators;
            answers[place] = Some(heard.map(|shares| filter::shares_of_watched_topics(shares, self.cluster)));
        }
        answers
    }

    /// `None` for groups whose type has no commits: asking would answer nothing that means anything.
    async fn commits(
        &mut self,
        groups: &mut [ListedGroup],
        described: &[Heard<Description>],
    ) -> Vec<Option<Heard<Vec<TopicCommits>>>> {
        let has_commits: Vec<bool> = groups
            .iter()
            .zip(described)
            .map(|(group, described)| snapshot::kind(group, described.as_ref().ok(), false).commits_offsets())
            .collect();
        let mut asked: Vec<ListedGroup> = groups
            .iter()
            .zip(&has_commits)
            .filter(|(_, has)| **has)
            .map(|(group, _)| group.clone())
            .collect();
        let mut heard = self
            .survey
            .commits(&mut asked, self.deadline)
            .await
            .into_iter()
            .zip(asked);
        let mut answers = Vec::with_capacity(groups.len());
        for (group, has) in groups.iter_mut().zip(has_commits) {
            answers.push(if has {
                heard.next().map(|(commits, asked)| {
                    group.coordinators = asked.coordinators;
                    commits.map(|commits| filter::on_watched_topics(commits, self.cluster))
                })
            } else {
                None
            });
        }
        answers
    }

    /// Metadata, starts and ends of every topic that a watched group has something on.
    async fn topics(&mut self, readings: &[GroupReading], stages: &mut Stages) -> HashMap<TopicName, TopicReading> {
        let begun = self.clock.now();
        let names: BTreeSet<&TopicName> = readings
            .iter()
            .flat_map(|reading| {
                let unread = matches!(reading.commits, Some(Err(_)))
                    || matches!(reading.shares, Some(Err(_)))
                    || reading.description.is_err();
                let remembered = unread.then(|| self.history.topics_of(&reading.listed.id));
                filter::topics(reading, self.cluster).chain(remembered.into_iter().flatten())
            })
            .collect();
        let names: Vec<TopicName> = names.into_iter().cloned().collect();
        if names.is_empty() {
            return HashMap::new();
        }
        let metas = self.survey.topics(&names, self.deadline).await;
        stages.metadata += self.since(begun);
        let begun = self.clock.now();
        let (there, missing) = split(names, metas);
        let logs = self.survey.logs(&there, self.deadline).await;
        stages.ends = self.since(begun);
        let readings = there
            .into_iter()
            .zip(logs)
            .map(|((name, meta), logs)| (name, TopicReading { meta: Ok(meta), logs }));
        readings.chain(missing).collect()
    }

    /// C below S may only mean that C was read first, and moved on while S did: it is read once more before that is said.
    async fn read_again_what_seems_lost(
        &mut self,
        readings: &mut [GroupReading],
        topics: &HashMap<TopicName, TopicReading>,
        stages: &mut Stages,
    ) {
        let begun = self.clock.now();
        let doubtful: Vec<usize> = readings
            .iter()
            .enumerate()
            .filter(|(_, r)| seems_lost(r, topics))
            .map(|(index, _)| index)
            .collect();
        if doubtful.is_empty() {
            return;
        }
        let mut groups: Vec<ListedGroup> = doubtful.iter().map(|index| readings[*index].listed.clone()).collect();
        let again = self.survey.commits(&mut groups, self.deadline).await;
        for (index, commits) in doubtful.into_iter().zip(again) {
            // Without a second answer nothing may be said to be lost, so the first one does not count either.
            let watched = commits.map(|commits| filter::on_watched_topics(commits, self.cluster));
            readings[index].commits = Some(watched.map(|commits| known_topics_only(commits, topics)));
        }
        stages.commits += self.since(begun);
    }

    /// The same for share groups: their brokers move them on by themselves once retention has passed them.
    async fn read_shares_again_that_seem_lost(
        &mut self,
        readings: &mut [GroupReading],
        topics: &HashMap<TopicName, TopicReading>,
    ) {
        let doubtful: Vec<usize> = readings
            .iter()
            .enumerate()
            .filter(|(_, reading)| share_seems_lost(reading, topics))
            .map(|(index, _)| index)
            .collect();
        if doubtful.is_empty() {
            return;
        }
        let mut groups: Vec<ListedGroup> = doubtful.iter().map(|index| readings[*index].listed.clone()).collect();
        let again = self.survey.shares(&mut groups, self.deadline).await;
        for (index, shares) in doubtful.into_iter().zip(again) {
            let mut shares = shares.map(|shares| filter::shares_of_watched_topics(shares, self.cluster));
            if let Ok(shares) = &mut shares {
                shares.retain(|shares| topics.contains_key(&shares.topic));
            }
            readings[index].shares = Some(shares);
        }
    }
}

struct Found {
    watched: Vec<ListedGroup>,
    excluded: usize,
    gone: Vec<GroupId>,
    unknown: Vec<GroupReading>,
    unlisted: Vec<(crate::model::BrokerId, Failure)>,
}

fn failed(listed: ListedGroup, cause: Cause) -> GroupReading {
    GroupReading {
        listed,
        description: Err(cause),
        commits: Some(Err(cause)),
        shares: None,
    }
}

type Split = (Vec<(TopicName, TopicMeta)>, Vec<(TopicName, TopicReading)>);

fn split(names: Vec<TopicName>, metas: Vec<Heard<TopicMeta>>) -> Split {
    let mut there = Vec::with_capacity(names.len());
    let mut missing = Vec::new();
    for (name, meta) in names.into_iter().zip(metas) {
        match meta {
            Ok(meta) => there.push((name, meta)),
            Err(cause) => missing.push((
                name,
                TopicReading {
                    meta: Err(cause),
                    logs: Vec::new(),
                },
            )),
        }
    }
    (there, missing)
}

fn seems_lost(reading: &GroupReading, topics: &HashMap<TopicName, TopicReading>) -> bool {
    reading.commits.iter().flatten().flatten().any(|commits| {
        let known = topics.get(&commits.topic);
        known.is_some_and(|topic| {
            let committed = commits.partitions.iter();
            committed
                .filter_map(|(partition, committed)| Some((*partition, committed.ok()?)))
                .any(|(partition, committed)| is_below_start(topic, partition, committed))
        })
    })
}

fn share_seems_lost(reading: &GroupReading, topics: &HashMap<TopicName, TopicReading>) -> bool {
    reading.shares.iter().flatten().flatten().any(|shares| {
        let known = topics.get(&shares.topic);
        known.is_some_and(|topic| {
            let begun = shares.partitions.iter();
            begun
                .filter_map(|(partition, share)| Some((*partition, share.ok()?.start?)))
                .any(|(partition, start)| is_below_start(topic, partition, start))
        })
    })
}

fn is_below_start(topic: &TopicReading, partition: Partition, at: Offset) -> bool {
    matches!(topic.log(partition), Some(PartitionLog { start: Ok(start), .. }) if lag::lost(at, *start) > 0)
}

/// A topic that came up between the two readings has no limits yet: it is for the next cycle.
fn known_topics_only(mut commits: Vec<TopicCommits>, topics: &HashMap<TopicName, TopicReading>) -> Vec<TopicCommits> {
    commits.retain(|commits| topics.contains_key(&commits.topic));
    commits
}
