//! State and members of groups, by the call that fits each group's type.

use tokio::time::Instant;

use super::Client;
use super::groups::Heards;
use super::groups::Question;
use super::groups::Wanted;
use super::locate::moved;
use super::locate::unheard;
use super::locate::want;
use crate::failure::Cause;
use crate::failure::ErrorCode;
use crate::failure::Heard;
use crate::kafka::wire::answers;
use crate::kafka::wire::answers::Groups;
use crate::kafka::wire::answers::Names;
use crate::kafka::wire::call::ConsumerGroupDescribe;
use crate::kafka::wire::call::DescribeGroups;
use crate::kafka::wire::call::ShareGroupDescribe;
use crate::kafka::wire::call::StreamsGroupDescribe;
use crate::kafka::wire::read::ReadError;
use crate::model::GroupId;
use crate::model::GroupState;
use crate::model::Text;
use crate::observation::Description;
use crate::observation::ListedGroup;

/// Groups in one describe request: members with their assignments make long answers.
const DESCRIBE_BATCH: usize = 250;

/// Which call describes a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) enum Kind {
    Classic,
    Consumer,
    Share,
    Streams,
}

impl Kind {
    /// By the type that the list gave; older brokers give none and know classic groups only.
    pub(in super::super) fn of(listed: &ListedGroup) -> Self {
        let is = |name: &str| {
            let given = listed.group_type.as_ref().map(Text::bytes);
            given.is_some_and(|given| given.eq_ignore_ascii_case(name.as_bytes()))
        };
        match () {
            () if is("consumer") => Self::Consumer,
            () if is("share") => Self::Share,
            () if is("streams") => Self::Streams,
            () => Self::Classic,
        }
    }
}

macro_rules! described_by {
    ($($(#[$doc:meta])* $question:ident: $call:ident, $answers:ident;)*) => {
        $($(#[$doc])*
        pub(in super::super) struct $question;

        impl Question for $question {
            type Call = $call;
            type Answer = Description;

            fn call(groups: Vec<String>) -> $call {
                $call { groups }
            }

            fn most(_version: i16) -> usize {
                DESCRIBE_BATCH
            }

            fn read(body: &[u8], version: i16, _: &GroupId, names: &mut Names) -> Result<Groups<Description>, ReadError> {
                answers::$answers::read(body, version, names)
            }
        })*
    };
}

described_by! {
    /// As a classic group.
    AsClassic: DescribeGroups, describe_groups;
    /// As a KIP-848 group.
    AsConsumer: ConsumerGroupDescribe, consumer_group_describe;
    /// As a share group.
    AsShare: ShareGroupDescribe, share_group_describe;
    /// As a streams group.
    AsStreams: StreamsGroupDescribe, streams_group_describe;
}

impl Client {
    pub(super) async fn describe_all(
        &mut self,
        groups: &mut [ListedGroup],
        deadline: Instant,
    ) -> Vec<Heard<Description>> {
        let all: Vec<_> = (0..groups.len()).collect();
        let mut heard = unheard(groups.len());
        let wanted = self.at_first(groups, &all, &mut heard, deadline).await;
        let first = self.describe_once(groups, wanted, deadline).await;
        let mut again = Vec::new();
        for (index, description) in first {
            if wants_another(&groups[index], &description) {
                again.push(index);
            }
            heard[index] = description;
        }
        let wanted = self.at_second(groups, &again, &mut heard, deadline).await;
        for (index, description) in self.describe_once(groups, wanted, deadline).await {
            heard[index] = description;
        }
        self.try_as_consumer(groups, &mut heard, deadline).await;
        for (listed, heard) in groups.iter().zip(&mut heard) {
            say_dead(listed, heard);
        }
        heard
    }

    /// Every kind of group by its own call, all at the same time.
    async fn describe_once(
        &mut self,
        groups: &[ListedGroup],
        mut wanted: Vec<Wanted>,
        deadline: Instant,
    ) -> Heards<Description> {
        let mut of_kind = |kind| -> Vec<_> {
            wanted
                .extract_if(.., |one| Kind::of(&groups[one.index]) == kind)
                .collect()
        };
        let (consumer, share, streams) = (of_kind(Kind::Consumer), of_kind(Kind::Share), of_kind(Kind::Streams));
        let classic = self.begin::<AsClassic>(wanted, deadline).await;
        let consumer = self.begin::<AsConsumer>(consumer, deadline).await;
        let share = self.begin::<AsShare>(share, deadline).await;
        let streams = self.begin::<AsStreams>(streams, deadline).await;
        let mut heard = self.finish(classic).await;
        heard.extend(self.finish(consumer).await);
        heard.extend(self.finish(share).await);
        heard.extend(self.finish(streams).await);
        heard
    }

    /// A KIP-848 group is dead to DescribeGroups, and Kafka 3.7 lists it without saying that it is one.
    async fn try_as_consumer(&mut self, groups: &[ListedGroup], heard: &mut [Heard<Description>], deadline: Instant) {
        let mut wanted = Vec::new();
        for (index, listed) in groups.iter().enumerate() {
            if listed.group_type.is_none() && is_dead(&heard[index]) {
                wanted.extend(listed.coordinators.first().map(|broker| want(groups, index, *broker)));
            }
        }
        let call = AsConsumer::call(Vec::new());
        let mut askable = Vec::new();
        for one in wanted {
            if self.cluster.speaks(one.broker, &call, deadline).await.unwrap_or(false) {
                askable.push(one);
            }
        }
        for (index, description) in self.ask_groups::<AsConsumer>(askable, deadline).await {
            if description.is_ok() {
                heard[index] = description;
            }
        }
    }
}

/// Whether the group is dead to the broker that was asked.
pub(in super::super) fn is_dead(description: &Heard<Description>) -> bool {
    match description {
        Ok(description) => description.state == GroupState::Dead,
        Err(cause) => *cause == Cause::Code(ErrorCode::GROUP_ID_NOT_FOUND),
    }
}

/// Whether another broker may say more: the group has moved, or is dead to one of two that list it.
fn wants_another(listed: &ListedGroup, description: &Heard<Description>) -> bool {
    let gone_here = listed.coordinators.len() > 1 && is_dead(description);
    gone_here || description.as_ref().is_err_and(|cause| moved(listed, *cause))
}

/// From v6 of DescribeGroups on, and in the newer calls, an error says what was a state before.
fn say_dead(listed: &ListedGroup, description: &mut Heard<Description>) {
    if *description == Err(Cause::Code(ErrorCode::GROUP_ID_NOT_FOUND)) {
        *description = Ok(Description {
            state: GroupState::Dead,
            protocol_type: listed.protocol_type.clone(),
            protocol: Text::from(""),
            members: Vec::new(),
            epochs: None,
        });
    }
}
