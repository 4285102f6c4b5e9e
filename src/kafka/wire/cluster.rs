//! One cluster as tidemark knows it: its brokers, a link to each, and who is asked when it does not matter who answers.

mod link;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::collections::HashMap;
use std::future::Future;
use std::sync::Arc;
use std::sync::Mutex;
use std::sync::MutexGuard;
use std::sync::PoisonError;
use std::time::Duration;

use tokio::time::Instant;

#[cfg(test)]
pub(super) use link::LONGEST_PAUSE;
pub(super) use link::Link;

use super::call::Call;
use super::call::Reply;
use super::connection::Limits;
use super::dial::Address;
use super::race::race;
use super::read::ReadError;
use super::tally::Tally;
use crate::clock::Clock;
use crate::config;
use crate::failure::Api;
use crate::failure::Cause;
use crate::failure::Failure;
use crate::kafka::bearer::Tokens;
use crate::kafka::trouble::Trouble;
use crate::model::BrokerId;
use crate::observation::Broker;

/// How long one broker may keep silent before another one is asked the same beside it, where it does not matter who answers.
const NEXT_BROKER_AFTER: Duration = Duration::from_millis(250);

/// One cluster. Shared by everything that is under way; dropping the last handle closes every connection.
#[derive(Debug)]
pub(super) struct Cluster {
    config: Arc<config::Cluster>,
    /// One for all connections.
    tokens: Arc<Tokens>,
    tally: Arc<Tally>,
    /// Held for a look or a change, never while waiting.
    known: Mutex<Known>,
}

/// What the last metadata said.
#[derive(Debug, Default)]
struct Known {
    brokers: BTreeMap<BrokerId, Address>,
    /// By address, so that a bootstrap server that turns out to be a broker keeps its connection.
    links: HashMap<Address, Arc<Link>>,
}

impl Cluster {
    /// Connects to nobody yet.
    pub(super) fn new(config: Arc<config::Cluster>) -> Self {
        Self {
            config,
            tokens: Arc::new(Tokens::new(Clock::system())),
            tally: Arc::default(),
            known: Mutex::default(),
        }
    }

    /// Where requests and failures are counted.
    pub(super) fn tally(&self) -> &Tally {
        &self.tally
    }

    /// How long one request may take that has to be answered by `deadline`.
    pub(super) fn limits(&self, deadline: Instant) -> Limits {
        Limits {
            deadline,
            timeout: self.config.request_timeout,
        }
    }

    /// The brokers of the last metadata, sorted.
    pub(super) fn brokers(&self) -> Vec<BrokerId> {
        self.known().brokers.keys().copied().collect()
    }

    /// Takes over the brokers of an answer. Links that nobody has any use for are closed.
    pub(super) fn learn(&self, brokers: &[Broker]) {
        let mut known = self.known();
        known.brokers = brokers.iter().map(|broker| (broker.id, address(broker))).collect();
        let Known { brokers, links } = &mut *known;
        links.retain(|address, _| brokers.values().any(|used| used == address));
    }

    /// Takes over one more broker.
    pub(super) fn learn_of(&self, broker: &Broker) {
        self.known().brokers.insert(broker.id, address(broker));
    }

    /// Asks one broker.
    pub(super) async fn ask<C: Call>(&self, broker: BrokerId, call: &C, deadline: Instant) -> Result<Reply, Failure> {
        let link = self.link(broker).map_err(|trouble| self.spoiled(C::API, &trouble))?;
        self.ask_over(&link, call, deadline).await
    }

    /// The highest version of the call that the broker and tidemark speak.
    pub(super) async fn version<C: Call>(&self, broker: BrokerId, call: &C, deadline: Instant) -> Result<i16, Failure> {
        let link = self.link(broker).map_err(|trouble| self.spoiled(C::API, &trouble))?;
        self.version_over(&link, call, deadline).await
    }

    /// The highest version of the call that the broker at the other end and tidemark speak.
    pub(super) async fn version_over<C: Call>(&self, link: &Link, call: &C, deadline: Instant) -> Result<i16, Failure> {
        self.pick(link, call, deadline).await?.ok_or_else(|| {
            let detail = format_args!("{}: no version of it that both sides speak", link.address());
            self.spoiled(C::API, &Trouble::new(Cause::Unsupported, detail))
        })
    }

    /// Whether the broker speaks the call.
    pub(super) async fn speaks<C: Call>(&self, broker: BrokerId, call: &C, deadline: Instant) -> Result<bool, Failure> {
        let link = self.link(broker).map_err(|trouble| self.spoiled(C::API, &trouble))?;
        Ok(self.pick(&link, call, deadline).await?.is_some())
    }

    async fn pick<C: Call>(&self, link: &Link, call: &C, deadline: Instant) -> Result<Option<i16>, Failure> {
        let session = link.session(self.limits(deadline)).await;
        let session = session.map_err(|trouble| self.spoiled(C::API, &trouble))?;
        Ok(session.pick(call))
    }

    /// Asks whoever is at the other end of the link. A request that was lost with a connection from earlier, which the broker may have
    /// closed for idleness at that very moment, is sent once more over a new one.
    pub(super) async fn ask_over<C: Call>(&self, link: &Link, call: &C, deadline: Instant) -> Result<Reply, Failure> {
        let limits = self.limits(deadline);
        let begun = Instant::now();
        let mut again = C::REPEATABLE;
        loop {
            let session = link
                .session(limits)
                .await
                .map_err(|trouble| self.spoiled(C::API, &trouble))?;
            match session.ask(call, &self.tally, limits).await {
                Err(trouble) if again && trouble.cause == Cause::Disconnected && session.opened() < begun => {
                    again = false;
                }
                result => return result.map_err(|trouble| trouble.at(link.address()).spoils(C::API)),
            }
        }
    }

    /// The failure of a request whose answer makes no sense.
    pub(super) fn garbage(&self, api: Api, error: ReadError) -> Failure {
        self.tally.failed(api, Cause::Malformed);
        tracing::debug!(cluster = &*self.config.name, %api, %error, "an answer makes no sense");
        Failure::because(api, Cause::Malformed, error)
    }

    /// Makes the attempt with one broker after another, beginning with those that are known to be well, until one succeeds: the brokers
    /// of the last metadata, then the bootstrap servers. `except` is not asked.
    pub(super) async fn any<T, F>(
        self: &Arc<Self>,
        api: Api,
        except: Option<&Address>,
        attempt: impl Fn(Arc<Self>, Arc<Link>) -> F,
    ) -> Result<T, Failure>
    where
        T: Send + 'static,
        F: Future<Output = Result<T, Failure>> + Send + 'static,
    {
        let attempts: Vec<_> = self
            .candidates()
            .into_iter()
            .filter(|link| Some(link.address()) != except)
            .map(|link| attempt(Arc::clone(self), link))
            .collect();
        race(NEXT_BROKER_AFTER, attempts)
            .await
            .map_err(|failures| most_telling(failures).unwrap_or_else(|| Failure::new(api, Cause::Disconnected)))
    }

    /// Every link that could answer, the best first; brokers before bootstrap servers.
    fn candidates(&self) -> Vec<Arc<Link>> {
        let mut known = self.known();
        let brokers: Vec<_> = known.brokers.values().cloned().collect();
        let bootstrap = self.config.bootstrap_servers.iter().map(|server| Address {
            host: server.host.clone(),
            port: server.port,
        });
        let mut links: Vec<Arc<Link>> = Vec::new();
        for address in brokers.into_iter().chain(bootstrap) {
            let link = self.link_to(&mut known, &address);
            if !links.iter().any(|other| Arc::ptr_eq(other, &link)) {
                links.push(link);
            }
        }
        links.sort_by_key(|link| link.standing());
        links
    }

    fn link(&self, broker: BrokerId) -> Result<Arc<Link>, Trouble> {
        let mut known = self.known();
        let address = known.brokers.get(&broker).cloned().ok_or_else(|| {
            Trouble::new(
                Cause::Disconnected,
                format_args!("broker {broker} is not in the metadata"),
            )
        })?;
        Ok(self.link_to(&mut known, &address))
    }

    fn link_to(&self, known: &mut Known, address: &Address) -> Arc<Link> {
        if let Some(link) = known.links.get(address) {
            return Arc::clone(link);
        }
        let link = Link::new(
            address.clone(),
            Arc::clone(&self.config),
            Arc::clone(&self.tokens),
            Arc::clone(&self.tally),
        );
        let link = Arc::new(link);
        known.links.insert(address.clone(), Arc::clone(&link));
        link
    }

    /// The failure of a request that could not even be sent.
    fn spoiled(&self, api: Api, trouble: &Trouble) -> Failure {
        self.tally.failed(api, trouble.cause);
        trouble.spoils(api)
    }

    // What is known stays good whoever panicked beside it.
    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn address(broker: &Broker) -> Address {
    Address {
        host: broker.host.to_string(),
        port: broker.port,
    }
}

/// Of several failures the one that says most about what to do.
fn most_telling(failures: Vec<Failure>) -> Option<Failure> {
    failures.into_iter().min_by_key(|failure| match failure.cause {
        Cause::Authentication => 0,
        Cause::Tls => 1,
        Cause::Code(_) => 2,
        Cause::Malformed | Cause::Unsupported => 3,
        Cause::TimedOut => 4,
        _ => 5,
    })
}
