//! What a cluster of the tests is made of: how many brokers, their settings, and who may run one when.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::path::PathBuf;
use std::sync::Condvar;
use std::sync::Mutex;

use super::jars;
use super::kafka::Ground;
use super::kafka::Kafka;
use super::ports::Ports;
use super::secure::Secure;
use super::strangers::Stranger;

/// Partitions of `__consumer_offsets`: what decides which broker coordinates a group.
pub(super) const OFFSETS_PARTITIONS: i32 = 10;
/// A broker starts in half the time when its code is not optimised for the long run, and needs little memory for a test.
const JVM: &[&str] = &["-Xmx512m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"];

/// A cluster to be started.
pub(crate) struct Builder {
    brokers: u16,
    settings: String,
    secure: bool,
    advertised: BTreeMap<u16, u16>,
}

impl Default for Builder {
    fn default() -> Self {
        Self {
            brokers: 1,
            settings: String::new(),
            secure: false,
            advertised: BTreeMap::new(),
        }
    }
}

impl Builder {
    /// How many brokers; one unless told.
    pub(crate) fn brokers(mut self, brokers: u16) -> Self {
        self.brokers = brokers;
        self
    }

    /// One more line of `server.properties`.
    pub(crate) fn setting(mut self, key: &str, value: &str) -> Self {
        let _ = writeln!(self.settings, "{key}={value}");
        self
    }

    /// A SASL_SSL and a mutual TLS listener besides the plain one; see [`Secure`].
    pub(crate) fn secure(mut self) -> Self {
        self.secure = true;
        self
    }

    /// Broker `broker` tells its clients that it listens where a stranger does, who must be told to
    /// [`stand_before`](Stranger::stand_before) it.
    pub(crate) fn behind(mut self, broker: u16, stranger: &Stranger) -> Self {
        self.advertised.insert(broker, stranger.port());
        self
    }

    /// Starts all brokers. `None` on a machine that cannot run Kafka. Waits while another test has a cluster of its own.
    pub(crate) fn start(self) -> Option<Kafka> {
        let kafka = self.prepare()?;
        kafka.start_all();
        Some(kafka)
    }

    /// Everything but the start: [`Kafka::start_all`] does that.
    pub(crate) fn prepare(self) -> Option<Kafka> {
        let jars = jars::folder()?;
        Some(self.build(jars, Some(Turn::take())))
    }

    pub(super) fn build(self, jars: PathBuf, turn: Option<Turn>) -> Kafka {
        let home = tempfile::Builder::new()
            .prefix("tidemark-kafka-")
            .tempdir()
            .expect("a folder");
        let offsets: Vec<u16> = (0..6)
            .flat_map(|kind| (0..self.brokers).map(move |i| kind * 1_000 + i))
            .collect();
        let ports = Ports::reserve(&offsets);
        let secure = self.secure.then(|| Secure::write(home.path()));
        let more = secure.as_ref().map_or("", |secure| &secure.settings).to_owned() + kip_848(&jars) + &self.settings;
        for i in 0..self.brokers {
            let folder = home.path().join(i.to_string());
            fs::create_dir_all(folder.join("data")).expect("a folder");
            fs::write(
                folder.join("server.properties"),
                self.properties(i, &ports, &folder) + &more,
            )
            .expect("a file");
        }
        Kafka::new(
            Ground {
                home,
                jars,
                ports,
                jvm: JVM,
                secure,
            },
            self.brokers,
            turn,
        )
    }

    fn properties(&self, i: u16, ports: &Ports, folder: &Path) -> String {
        let voters: Vec<_> = (0..self.brokers)
            .map(|b| format!("{b}@127.0.0.1:{}", ports.at(1_000 + b)))
            .collect();
        let voters = voters.join(",");
        let replicas = self.brokers.min(3);
        let data = folder.join("data");
        let controller = ports.at(1_000 + i);
        let listeners = self.listeners(i, ports.at(i), ports);
        let advertised = self.listeners(
            i,
            self.advertised.get(&i).copied().unwrap_or_else(|| ports.at(i)),
            ports,
        );
        format!(
            "node.id={i}
process.roles=broker,controller
controller.quorum.voters={voters}
controller.listener.names=CONTROLLER
inter.broker.listener.name=PLAINTEXT
listeners={listeners},CONTROLLER://127.0.0.1:{controller}
advertised.listeners={advertised}
listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT,SECURE:SASL_SSL,MUTUAL:SSL,EXPIRED:SSL,MISNAMED:SSL
log.dirs={data}
num.network.threads=2
num.io.threads=2
auto.create.topics.enable=false
broker.session.timeout.ms=3000
broker.heartbeat.interval.ms=500
group.initial.rebalance.delay.ms=0
offsets.topic.replication.factor={replicas}
offsets.topic.num.partitions={OFFSETS_PARTITIONS}
transaction.state.log.replication.factor={replicas}
transaction.state.log.min.isr=1
transaction.state.log.num.partitions=4
log.cleaner.dedupe.buffer.size=8388608
share.coordinator.state.topic.replication.factor={replicas}
share.coordinator.state.topic.min.isr=1
share.coordinator.state.topic.num.partitions=2
",
            data = data.display()
        )
    }

    fn listeners(&self, i: u16, plain: u16, ports: &Ports) -> String {
        let plain = format!("PLAINTEXT://127.0.0.1:{plain}");
        if !self.secure {
            return plain;
        }
        let secure = ["SECURE", "MUTUAL", "EXPIRED", "MISNAMED"].into_iter().zip(2..);
        secure.fold(plain, |all, (name, kind)| {
            format!("{all},{name}://127.0.0.1:{}", ports.at(kind * 1_000 + i))
        })
    }
}

/// The new rebalance protocol, which Kafka 3 has but does not offer unasked.
fn kip_848(jars: &Path) -> &'static str {
    if jars.to_string_lossy().contains("/kafka-3.") {
        return "group.coordinator.rebalance.protocols=classic,consumer\n";
    }
    ""
}

/// The turn to run a cluster of one's own: brokers are too heavy for two clusters besides the shared one.
pub(super) struct Turn;

static TAKEN: (Mutex<bool>, Condvar) = (Mutex::new(false), Condvar::new());

impl Turn {
    /// Waits while another test has it.
    pub(super) fn take() -> Self {
        let (taken, freed) = &TAKEN;
        let taken = taken.lock().expect("nobody panics with it");
        *freed.wait_while(taken, |taken| *taken).expect("nobody panics with it") = true;
        Self
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        *TAKEN.0.lock().expect("nobody panics with it") = false;
        TAKEN.1.notify_one();
    }
}
