//! Share groups (KIP-932): start offsets in the place of commits, judged by the same rules, and the broker's own count of the lag.

use std::collections::HashMap;

use crate::failure::Heard;
use crate::model::Partition;
use crate::model::TopicName;
use crate::observation::Assignment;
use crate::observation::Description;
use crate::observation::Share;
use crate::observation::TopicCommits;
use crate::observation::TopicShares;

use super::view::GroupTopicView;
use super::view::ShareFigures;
use super::view::ShareView;

/// Start offsets as if they were commits; a partition on which the group has not begun has none.
pub(super) fn as_commits(shares: &[TopicShares]) -> Vec<TopicCommits> {
    let begun = |(partition, share): &(Partition, Heard<Share>)| match share {
        Ok(share) => share.start.map(|start| (*partition, Ok(start))),
        Err(cause) => Some((*partition, Err(*cause))),
    };
    let of_topic = |shares: &TopicShares| TopicCommits {
        topic: shares.topic.clone(),
        partitions: shares.partitions.iter().filter_map(begun).collect(),
    };
    shares.iter().map(of_topic).collect()
}

/// Where the brokers count nothing that is left: acknowledged records are done with before the start offset passes them.
pub(super) fn done_with(shares: &[TopicShares]) -> HashMap<TopicName, Vec<Partition>> {
    let of_topic = |shares: &TopicShares| {
        let done = shares.partitions.iter();
        let done = done.filter(|(_, share)| matches!(share, Ok(Share { lag: Some(0), .. })));
        (shares.topic.clone(), done.map(|(partition, _)| *partition).collect())
    };
    shares.iter().map(of_topic).collect()
}

/// What the brokers count, by the name of the topic as it is shown.
pub(super) type Told = HashMap<String, HashMap<Partition, u64>>;

/// What the brokers count in this cycle.
pub(super) fn told(shares: &[TopicShares]) -> Told {
    let of_topic = |shares: &TopicShares| {
        let told = shares.partitions.iter();
        let told = told.filter_map(|(partition, share)| Some((*partition, share.ok()?.lag?)));
        (shares.topic.to_string(), told.collect())
    };
    shares.iter().map(of_topic).collect()
}

/// What the brokers counted in the cycle before, for what stands.
pub(super) fn told_before(view: &ShareView) -> Told {
    let topics = view.topics.iter().zip(&view.figures);
    let of_topic = |(topic, figures): (&GroupTopicView, &Vec<ShareFigures>)| {
        let places = topic.partitions.iter().zip(figures);
        let told = places.filter_map(|(view, figures)| Some((view.partition, figures.told?)));
        (topic.name.to_string(), told.collect())
    };
    topics.map(of_topic).collect()
}

/// The view of a share group, from its topics as they are judged.
pub(super) fn view(
    mut topics: Vec<GroupTopicView>,
    told: &Told,
    before: Option<&ShareView>,
    described: Option<&Description>,
) -> ShareView {
    let stood = before.map(told_before).unwrap_or_default();
    let holders = described.map(holders);
    let figures: Vec<Vec<ShareFigures>> = topics
        .iter()
        .map(|topic| {
            let of = |counts: &Told, partition| counts.get(&*topic.name)?.get(&partition).copied();
            let one = |view: &super::view::PartitionView| ShareFigures {
                told: match (view.lag(), view.fresh) {
                    (None, _) => None,
                    (Some(_), true) => of(told, view.partition),
                    (Some(_), false) => of(&stood, view.partition),
                },
                members: holders.as_ref().map(|holders| {
                    let count = holders.get(&*topic.name).and_then(|held| held.get(&view.partition));
                    count.copied().unwrap_or(0)
                }),
            };
            topic.partitions.iter().map(one).collect()
        })
        .collect();
    for (topic, figures) in topics.iter_mut().zip(&figures) {
        // A sum that is there has a lag of every partition that counts.
        topic.lag = topic.lag.map(|_| {
            let lags = topic.partitions.iter().zip(figures);
            lags.filter_map(|(view, figures)| figures.lag(view))
                .map(u128::from)
                .sum()
        });
    }
    ShareView {
        lag: super::group::sum(&topics),
        figures,
        topics,
    }
}

fn holders(described: &Description) -> HashMap<String, HashMap<Partition, u32>> {
    let mut holders: HashMap<String, HashMap<Partition, u32>> = HashMap::new();
    for member in &described.members {
        if let Assignment::Partitions(topics) = &member.assignment {
            for (topic, partitions) in topics {
                count(holders.entry(shown(topic)).or_default(), partitions);
            }
        }
    }
    holders
}

fn shown(topic: &TopicName) -> String {
    topic.to_string()
}

fn count(held: &mut HashMap<Partition, u32>, partitions: &[Partition]) {
    for partition in partitions {
        *held.entry(*partition).or_default() += 1;
    }
}
