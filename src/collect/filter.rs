//! Which groups and topics are watched. What is left out costs no request.

use crate::config::Cluster;
use crate::model::TopicName;
use crate::observation::Assignment;
use crate::observation::GroupReading;
use crate::observation::ListedGroup;
use crate::observation::TopicCommits;
use crate::observation::TopicShares;

/// Splits a list into the groups that are watched and the number of those left out.
pub(super) fn watched(groups: Vec<ListedGroup>, cluster: &Cluster) -> (Vec<ListedGroup>, usize) {
    let all = groups.len();
    let watched: Vec<ListedGroup> = groups
        .into_iter()
        .filter(|group| cluster.groups.lets_through(group.id.bytes()))
        .collect();
    let excluded = all - watched.len();
    (watched, excluded)
}

/// Takes the commits on topics that are left out out of a group's commits.
pub(super) fn on_watched_topics(mut commits: Vec<TopicCommits>, cluster: &Cluster) -> Vec<TopicCommits> {
    commits.retain(|topic| is_watched(&topic.topic, cluster));
    commits
}

/// Takes the topics that are left out out of where a share group begins to read.
pub(super) fn shares_of_watched_topics(mut shares: Vec<TopicShares>, cluster: &Cluster) -> Vec<TopicShares> {
    shares.retain(|topic| is_watched(&topic.topic, cluster));
    shares
}

/// The watched topics that a group has a commit or an assignment on.
pub(super) fn topics<'a>(reading: &'a GroupReading, cluster: &'a Cluster) -> impl Iterator<Item = &'a TopicName> {
    let committed = reading.commits.iter().flatten().flatten().map(|commits| &commits.topic);
    let shared = reading.shares.iter().flatten().flatten().map(|shares| &shares.topic);
    let members = reading.description.iter().flat_map(|description| &description.members);
    let assigned = members.flat_map(|member| match &member.assignment {
        Assignment::Partitions(topics) => topics.as_slice(),
        Assignment::Opaque => &[],
    });
    committed.chain(shared).chain(
        assigned
            .map(|(topic, _)| topic)
            .filter(|topic| is_watched(topic, cluster)),
    )
}

fn is_watched(topic: &TopicName, cluster: &Cluster) -> bool {
    cluster.topics.lets_through(topic.bytes())
}
