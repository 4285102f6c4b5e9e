//! Questions about groups, asked of their coordinators, many groups a request.

use std::collections::BTreeMap;
use std::collections::HashMap;
use std::marker::PhantomData;

use tokio::task::JoinSet;
use tokio::time::Instant;

use super::Client;
use super::round::Round;
use crate::failure::Cause;
use crate::failure::ErrorCode;
use crate::failure::Failure;
use crate::failure::Heard;
use crate::kafka::wire::answers::Groups;
use crate::kafka::wire::answers::Names;
use crate::kafka::wire::call::Call;
use crate::kafka::wire::call::Reply;
use crate::kafka::wire::read::ReadError;
use crate::model::BrokerId;
use crate::model::GroupId;

/// How many more requests there may be because an answer makes no sense: enough to find a bad group among thousands.
const SPLITS: usize = 32;

/// Something a coordinator can be asked about many groups at once.
pub(in super::super) trait Question {
    type Call: Call;
    type Answer;

    /// The request. The groups are at most [`Question::most`] for the version.
    fn call(groups: Vec<String>) -> Self::Call;

    /// How many groups one request of that version may be about.
    fn most(version: i16) -> usize;

    /// Reads the answer. `asked` is the group that versions leave unnamed that can be asked about one only.
    fn read(body: &[u8], version: i16, asked: &GroupId, names: &mut Names) -> Result<Groups<Self::Answer>, ReadError>;
}

/// One group to ask about.
#[derive(Clone, Debug)]
pub(in super::super) struct Wanted {
    /// Where the answer belongs.
    pub(in super::super) index: usize,
    pub(in super::super) group: GroupId,
    pub(in super::super) broker: BrokerId,
}

/// What came of each group, in no order.
pub(in super::super) type Heards<T> = Vec<(usize, Heard<T>)>;

/// Requests that are under way, and what is known already.
pub(super) struct Asking<Q: Question> {
    round: Round<(BrokerId, Vec<Wanted>)>,
    heard: Heards<Q::Answer>,
    question: PhantomData<Q>,
}

impl Client {
    /// Asks, and waits for the answers. Every group that was asked about is in the result.
    pub(in super::super) async fn ask_groups<Q: Question>(
        &mut self,
        wanted: Vec<Wanted>,
        deadline: Instant,
    ) -> Heards<Q::Answer> {
        let asking = self.begin::<Q>(wanted, deadline).await;
        self.finish(asking).await
    }

    /// Sends the requests.
    pub(super) async fn begin<Q: Question>(&mut self, wanted: Vec<Wanted>, deadline: Instant) -> Asking<Q> {
        let mut asking = Asking {
            round: Round::new(&self.cluster, deadline),
            heard: Vec::with_capacity(wanted.len()),
            question: PhantomData::<Q>,
        };
        let mut of_broker: BTreeMap<BrokerId, Vec<Wanted>> = BTreeMap::new();
        for one in wanted {
            if one.group.utf8().is_some() {
                of_broker.entry(one.broker).or_default().push(one);
            } else {
                self.failed(Q::Call::API, Cause::Unaskable);
                asking.heard.push((one.index, Err(Cause::Unaskable)));
            }
        }
        for (broker, version) in self.versions::<Q>(of_broker.keys().copied(), deadline).await {
            let mut wanted = of_broker.remove(&broker).unwrap_or_default();
            match version {
                Ok(version) => {
                    while !wanted.is_empty() {
                        let rest = wanted.split_off(Q::most(version).min(wanted.len()));
                        asking.send(broker, std::mem::replace(&mut wanted, rest));
                    }
                }
                Err(failure) => asking.fail(wanted, failure.cause),
            }
        }
        // Whoever was not even asked for its version: the task that should have panicked.
        for wanted in of_broker.into_values() {
            asking.fail(wanted, Cause::Disconnected);
        }
        asking
    }

    /// Waits for the answers. A request whose answer makes no sense is asked again in halves, so that a group that nobody can answer
    /// for costs only itself.
    pub(super) async fn finish<Q: Question>(&mut self, mut asking: Asking<Q>) -> Heards<Q::Answer> {
        let mut splits = SPLITS;
        while let Some(((broker, wanted), reply)) = asking.round.next().await {
            match self.hear::<Q>(&wanted, reply) {
                Ok(heard) => asking.heard.extend(heard),
                Err(Cause::Malformed) if wanted.len() > 1 && splits > 0 => {
                    splits -= 1;
                    let mut first = wanted;
                    let second = first.split_off(first.len() / 2);
                    asking.send(broker, first);
                    asking.send(broker, second);
                }
                // Lost with the connection that the other half's answer broke.
                Err(Cause::Disconnected) if (1..SPLITS).contains(&splits) => {
                    splits -= 1;
                    asking.send(broker, wanted);
                }
                Err(cause) => asking.fail(wanted, cause),
            }
        }
        asking.heard
    }

    /// Which version each broker is asked in, all at the same time: it decides how many groups go into one request.
    async fn versions<Q: Question>(
        &self,
        brokers: impl Iterator<Item = BrokerId>,
        deadline: Instant,
    ) -> Vec<(BrokerId, Result<i16, Failure>)> {
        let mut tasks = JoinSet::new();
        for broker in brokers {
            let cluster = self.cluster.clone();
            tasks.spawn(async move {
                let call = Q::call(Vec::new());
                (broker, cluster.version(broker, &call, deadline).await)
            });
        }
        let mut versions = Vec::new();
        while let Some(version) = tasks.join_next().await {
            versions.extend(version.ok());
        }
        versions
    }

    fn hear<Q: Question>(&mut self, wanted: &[Wanted], reply: Result<Reply, Failure>) -> Heard<Heards<Q::Answer>> {
        let reply = reply.map_err(|failure| failure.cause)?;
        let Some(first) = wanted.first() else {
            return Ok(Vec::new());
        };
        let names = &mut self.names;
        let answers = reply
            .read(|body, version| Q::read(body, version, &first.group, names))
            .map_err(|error| self.garbage(Q::Call::API, error).cause)?;
        let mut found: HashMap<_, _> = answers.into_vec().into_iter().collect();
        let heard = wanted.iter().map(|one| {
            let answer = found.remove(&one.group).unwrap_or(Err(Cause::Malformed));
            if let Err(cause) = answer
                && cause != Cause::Code(ErrorCode::GROUP_ID_NOT_FOUND)
            {
                self.failed(Q::Call::API, cause);
            }
            (one.index, answer)
        });
        Ok(heard.collect())
    }
}

impl<Q: Question> Asking<Q> {
    fn send(&mut self, broker: BrokerId, wanted: Vec<Wanted>) {
        let groups = wanted
            .iter()
            .filter_map(|one| one.group.utf8().map(str::to_owned))
            .collect();
        self.round.ask(broker, Q::call(groups), (broker, wanted));
    }

    fn fail(&mut self, wanted: Vec<Wanted>, cause: Cause) {
        self.heard.extend(wanted.into_iter().map(|one| (one.index, Err(cause))));
    }
}
