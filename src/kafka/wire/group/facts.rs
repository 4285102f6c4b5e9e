//! Fresh facts about one group. Whatever cannot be told for certain is a failure.

use std::collections::HashMap;

use tokio::time::Instant;

use crate::failure::Api;
use crate::failure::Cause;
use crate::failure::ErrorCode;
use crate::failure::Failure;
use crate::failure::Heard;
use crate::kafka::CommitFact;
use crate::kafka::GroupFacts;
use crate::kafka::Survey;
use crate::kafka::wire::answers;
use crate::kafka::wire::answers::Groups;
use crate::kafka::wire::answers::Names;
use crate::kafka::wire::call::Call;
use crate::kafka::wire::call::OffsetFetch;
use crate::kafka::wire::read::ReadError;
use crate::kafka::wire::survey::AsClassic;
use crate::kafka::wire::survey::AsConsumer;
use crate::kafka::wire::survey::AsShare;
use crate::kafka::wire::survey::AsStreams;
use crate::kafka::wire::survey::Client;
use crate::kafka::wire::survey::Ends;
use crate::kafka::wire::survey::Question;
use crate::kafka::wire::survey::Wanted;
use crate::model::BrokerId;
use crate::model::GroupId;
use crate::model::GroupState;
use crate::model::Offset;
use crate::model::Partition;
use crate::model::Text;
use crate::model::TopicName;
use crate::model::UnixMillis;
use crate::observation::Description;
use crate::observation::ListedGroup;
use crate::observation::PartitionLog;
use crate::observation::TopicMeta;

const NOT_FOUND: Cause = Cause::Code(ErrorCode::GROUP_ID_NOT_FOUND);

/// Every commit with what Kafka keeps beside it. A commit that a pending transaction may still change is an error, not its last value:
/// the transaction would overwrite what is written after it was looked at.
struct Facts;

impl Question for Facts {
    type Call = OffsetFetch;
    type Answer = Vec<CommitFact>;

    fn call(groups: Vec<String>) -> OffsetFetch {
        OffsetFetch {
            groups,
            require_stable: true,
        }
    }

    fn most(_version: i16) -> usize {
        1
    }

    fn read(
        body: &[u8],
        version: i16,
        asked: &GroupId,
        names: &mut Names,
    ) -> Result<Groups<Vec<CommitFact>>, ReadError> {
        answers::offset_fetch::read_facts(body, version, asked, names)
    }
}

impl GroupFacts for Client {
    async fn group(
        &mut self,
        group: &GroupId,
        deadline: Instant,
    ) -> Result<Option<(ListedGroup, Description)>, Failure> {
        let broker = self.coordinator(group, deadline).await?;
        // A coordinator answers for a group only to the call of its type, so all are asked.
        let described = [
            ("Classic", self.described::<AsClassic>(group, broker, deadline).await?),
            ("Consumer", self.described::<AsConsumer>(group, broker, deadline).await?),
            ("Share", self.described::<AsShare>(group, broker, deadline).await?),
            ("Streams", self.described::<AsStreams>(group, broker, deadline).await?),
        ];
        let mut alive = described.into_iter().filter_map(|(kind, found)| Some((kind, found?)));
        match (alive.next(), alive.next()) {
            (Some((kind, description)), None) => Ok(Some((listed(group, broker, kind, &description), description))),
            (Some((one, _)), Some((other, _))) => Err(Failure::because(
                Api::DescribeGroups,
                Cause::Malformed,
                format_args!("the group is said to be {one} and {other}"),
            )),
            (None, _) => self.dead_with_commits(group, broker, deadline).await,
        }
    }

    async fn commits(&mut self, group: &GroupId, deadline: Instant) -> Result<Vec<CommitFact>, Failure> {
        let broker = self.coordinator(group, deadline).await?;
        match self.of_one::<Facts>(group, broker, deadline).await {
            Err(NOT_FOUND) => Ok(Vec::new()),
            answer => answer.map_err(|cause| Failure::new(Api::OffsetFetch, cause)),
        }
    }

    async fn topics(
        &mut self,
        topics: &[TopicName],
        deadline: Instant,
    ) -> Result<HashMap<TopicName, Heard<TopicMeta>>, Failure> {
        // The coordinator is all that is known of the cluster until now; the leaders may be anywhere.
        Survey::brokers(self, deadline).await?;
        let heard = self.metadata(topics, deadline).await;
        let nobody = |meta: &Heard<TopicMeta>| {
            meta.as_ref()
                .err()
                .copied()
                .filter(|cause| !matches!(cause, Cause::Code(_) | Cause::Unaskable))
        };
        match heard.iter().find_map(nobody) {
            Some(cause) => Err(Failure::new(Api::Metadata, cause)),
            None => Ok(topics.iter().cloned().zip(heard).collect()),
        }
    }

    async fn logs(&mut self, topics: &[(TopicName, TopicMeta)], deadline: Instant) -> Vec<Vec<PartitionLog>> {
        self.limits_of(topics, Ends::Watermark, deadline).await
    }

    async fn by_time(
        &mut self,
        partitions: &[(TopicName, Partition)],
        time: UnixMillis,
        deadline: Instant,
    ) -> Vec<Heard<Option<(Offset, UnixMillis)>>> {
        let dated: Vec<_> = partitions
            .iter()
            .map(|(topic, partition)| (topic.clone(), *partition, time))
            .collect();
        self.dated(&dated, deadline).await
    }
}

impl Client {
    pub(super) async fn coordinator(&mut self, group: &GroupId, deadline: Instant) -> Result<BrokerId, Failure> {
        // Another question: what earlier answers named need not be kept.
        self.names = Names::new();
        let found = self.locate(vec![(0, group.clone())], deadline).await;
        let found = found.into_iter().next().map_or(Err(Cause::Malformed), |found| found.1);
        found.map_err(|cause| Failure::new(Api::FindCoordinator, cause))
    }

    /// `None` when this call's kind of group is not known by that id, or there is no such kind of group on this broker.
    async fn described<Q>(
        &mut self,
        group: &GroupId,
        broker: BrokerId,
        deadline: Instant,
    ) -> Result<Option<Description>, Failure>
    where
        Q: Question<Answer = Description>,
    {
        let none = Q::call(Vec::new());
        if !self.cluster.speaks(broker, &none, deadline).await? {
            return Ok(None);
        }
        match self.of_one::<Q>(group, broker, deadline).await {
            Ok(description) if description.state == GroupState::Dead => Ok(None),
            Ok(description) => Ok(Some(description)),
            // The second: the broker speaks the call, but its cluster has not been allowed such groups yet.
            Err(NOT_FOUND | Cause::Code(ErrorCode::UNSUPPORTED_VERSION)) => Ok(None),
            Err(cause) => Err(Failure::new(Q::Call::API, cause)),
        }
    }

    /// A group that nobody describes may still have commits.
    async fn dead_with_commits(
        &mut self,
        group: &GroupId,
        broker: BrokerId,
        deadline: Instant,
    ) -> Result<Option<(ListedGroup, Description)>, Failure> {
        match self.of_one::<Facts>(group, broker, deadline).await {
            Ok(commits) if commits.is_empty() => Ok(None),
            Err(NOT_FOUND) => Ok(None),
            Err(cause) => Err(Failure::new(Api::OffsetFetch, cause)),
            Ok(_) => self.undescribed(group, broker, deadline).await,
        }
    }

    /// A group with commits that no call here describes: of a type that has a call of its own (KIP-1071), which only the list tells, or
    /// none at all any more.
    async fn undescribed(
        &mut self,
        group: &GroupId,
        broker: BrokerId,
        deadline: Instant,
    ) -> Result<Option<(ListedGroup, Description)>, Failure> {
        let lists = Survey::list_groups(self, deadline).await;
        let told = lists.groups.into_iter().find(|other| other.id == *group);
        if told.is_none()
            && let Some((_, failure)) = lists.missing.into_iter().find(|(id, _)| *id == broker)
        {
            return Err(failure);
        }
        let state = told.as_ref().and_then(|told| told.state.clone());
        let description = Description {
            state: state.unwrap_or(GroupState::Dead),
            protocol_type: Text::from(""),
            protocol: Text::from(""),
            members: Vec::new(),
            epochs: None,
        };
        let told = told.unwrap_or_else(|| listed(group, broker, "Classic", &description));
        Ok(Some((told, description)))
    }

    async fn of_one<Q: Question>(&mut self, group: &GroupId, broker: BrokerId, deadline: Instant) -> Heard<Q::Answer> {
        let wanted = Wanted {
            index: 0,
            group: group.clone(),
            broker,
        };
        let heard = self.ask_groups::<Q>(vec![wanted], deadline).await;
        heard.into_iter().next().map_or(Err(Cause::Malformed), |heard| heard.1)
    }
}

fn listed(group: &GroupId, broker: BrokerId, kind: &str, description: &Description) -> ListedGroup {
    ListedGroup {
        id: group.clone(),
        coordinators: vec![broker],
        protocol_type: description.protocol_type.clone(),
        group_type: Some(Text::from(kind)),
        state: Some(description.state.clone()),
    }
}
