//! Who joins and leaves groups, and who gets which partitions.

use kafka_protocol::messages::TopicName;

use crate::model::GroupState;
use crate::model::GroupType;

use super::Group;
use super::Member;
use super::Model;
use super::NoSuch;

impl Model {
    /// Lets a member join: the group (a classic one, when there is none yet) is Stable in a new epoch, its partitions shared out anew.
    pub fn join(&mut self, group: &str, member: Member) {
        let joined = self.create_group(group, GroupType::Classic);
        if joined.kind == GroupType::Simple {
            joined.kind = GroupType::Classic;
            "range".clone_into(&mut joined.protocol);
        }
        joined.members.retain(|other| other.id != member.id);
        joined.members.push(member);
        // The group was made above, so it is there.
        let _ = self.rebalance(group);
    }

    /// Lets a member leave; the last one leaves the group Empty, where its readers stood.
    ///
    /// # Errors
    ///
    /// When there is no such group or member.
    pub fn leave(&mut self, group: &str, member: &str) -> Result<(), NoSuch> {
        let left = self.group_mut(group)?;
        let before = left.members.len();
        left.members.retain(|other| other.id != member);
        if left.members.len() == before {
            return Err(NoSuch::Member(group.to_owned(), member.to_owned()));
        }
        self.rebalance(group)
    }

    /// Lets every member leave.
    ///
    /// # Errors
    ///
    /// When there is no such group.
    pub fn leave_all(&mut self, group: &str) -> Result<(), NoSuch> {
        self.group_mut(group)?.members.clear();
        self.rebalance(group)
    }

    /// Shares out the partitions anew and raises the epoch; Stable with members, Empty without.
    ///
    /// # Errors
    ///
    /// When there is no such group.
    pub fn rebalance(&mut self, group: &str) -> Result<(), NoSuch> {
        let id = self.known_group(group)?;
        let topics = self.subscriptions(group)?;
        let changed = self.group_mut(group)?;
        changed.epoch += 1;
        changed.assignment_epoch = changed.epoch;
        share_out(changed, &topics);
        let epoch = changed.epoch;
        for member in &mut changed.members {
            member.epoch = epoch;
        }
        changed.state = match changed.members.is_empty() {
            true => GroupState::Empty,
            false => GroupState::Stable,
        };
        if changed.members.is_empty() {
            self.settle(&id);
        }
        Ok(())
    }

    /// The topics the group's members subscribe to, with their partitions.
    fn subscriptions(&mut self, group: &str) -> Result<Vec<(TopicName, i32)>, NoSuch> {
        let members = &self.group_mut(group)?.members;
        let mut names: Vec<TopicName> = members.iter().flat_map(|member| member.topics.clone()).collect();
        names.sort();
        names.dedup();
        let count = |name: &TopicName| self.topic(name).map_or(0, |topic| topic.partitions.len());
        Ok(names
            .into_iter()
            .map(|name| {
                let partitions = i32::try_from(count(&name)).unwrap_or(i32::MAX);
                (name, partitions)
            })
            .collect())
    }
}

/// Ranges of partitions of each topic, to the members that subscribe to it in order of their ids; members assigned by hand keep what they have.
fn share_out(group: &mut Group, topics: &[(TopicName, i32)]) {
    group.members.sort_by(|one, other| one.id.cmp(&other.id));
    for member in group.members.iter_mut().filter(|member| !member.pinned) {
        member.assigned.clear();
    }
    for (topic, partitions) in topics {
        let pinned: Vec<i32> = group
            .members
            .iter()
            .filter(|member| member.pinned)
            .flat_map(|member| member.assigned.iter().filter(|(name, _)| name == topic))
            .flat_map(|(_, held)| held.clone())
            .collect();
        let free: Vec<i32> = (0..*partitions)
            .filter(|partition| !pinned.contains(partition))
            .collect();
        let readers: Vec<&mut Member> = group
            .members
            .iter_mut()
            .filter(|member| !member.pinned && member.topics.contains(topic))
            .collect();
        let mut rest = free.as_slice();
        let mut left = readers.len();
        for member in readers {
            let (share, more) = rest.split_at(rest.len().div_ceil(left));
            if !share.is_empty() {
                member.assigned.push((topic.clone(), share.to_vec()));
            }
            (rest, left) = (more, left - 1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sim::model::group_id;
    use crate::sim::model::topic_name;

    #[test]
    fn partitions_are_shared_out_in_ranges_and_who_comes_late_may_go_without() {
        let mut model = Model::new(1, 1);
        model.create_topic("t", 3);
        for id in ["a", "b", "c", "d"] {
            model.join("g", Member::new(id).subscribed(&["t"]));
        }
        let group = model.group(&group_id("g")).unwrap();
        let shares: Vec<usize> = group.members.iter().map(|member| member.assigned.len()).collect();
        assert_eq!(shares, [1, 1, 1, 0]);
        assert_eq!(group.members[2].assigned, [(topic_name("t"), vec![2])]);
        assert_eq!(group.state, GroupState::Stable);
    }

    #[test]
    fn the_last_to_leave_leaves_an_empty_group_with_its_commits() {
        let mut model = Model::new(1, 1);
        model.create_topic("t", 1);
        model.append("t", 0, 10).unwrap();
        model.join("g", Member::new("a").subscribed(&["t"]));
        model
            .read(
                "g",
                "t",
                &[0],
                super::super::Pace::keeping_up(std::time::Duration::from_secs(1)),
            )
            .unwrap();
        model.set_now(5_000);
        model.leave("g", "a").unwrap();
        model.append("t", 0, 5).unwrap();
        model.set_now(60_000);
        let group = model.group(&group_id("g")).unwrap();
        assert_eq!(group.state, GroupState::Empty);
        let slot = group.commits.topic(&topic_name("t"))[0];
        assert_eq!(model.committed(&group_id("g"), &topic_name("t"), &slot).0, 10);
    }
}
