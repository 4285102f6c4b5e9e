//! Real Apache Kafka brokers, each a JVM with a data folder and ports of its own. What can be done with them is in `admin` (topics and
//! records), `groups` (commits and their groups) and `clients` (producers and consumers).

use std::fmt::Write as _;
use std::fs;
use std::fs::File;
use std::path::Path;
use std::path::PathBuf;
use std::process::Command;
use std::process::Stdio;
use std::sync::Condvar;
use std::sync::Mutex;
use std::sync::MutexGuard;
use std::sync::OnceLock;

use kafka_protocol::messages::MetadataRequest;
use kafka_protocol::messages::MetadataResponse;
use kafka_protocol::protocol::Request;
use tempfile::TempDir;

use super::clients::Sender;
use super::jars;
use super::ports::Ports;
use super::process::Process;
use super::secure::Secure;
use super::wait::until;
use super::wire::Wire;

/// Base64 of sixteen bytes, as Kafka wants a cluster's id.
const CLUSTER_ID: &str = "dGlkZW1hcmstdGVzdHMwMA";
/// A broker starts in half the time when its code is not optimised for the long run, and takes a tenth of its usual memory.
const JVM: &[&str] = &["-Xmx512m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"];

/// A cluster of brokers that are controllers too. Broker `i` has node id `i`. Ends when dropped, and with the test process.
pub(crate) struct Kafka {
    // In the order in which they end: clients, brokers, what the brokers used.
    pub(super) sender: OnceLock<Sender>,
    brokers: Vec<Mutex<Broker>>,
    home: TempDir,
    jars: PathBuf,
    ports: Ports,
    jvm: &'static [&'static str],
    secure: Option<Secure>,
    _turn: Option<Turn>,
}

#[derive(Default)]
struct Broker {
    process: Option<Process>,
    paused: bool,
}

/// A cluster to be started.
pub(crate) struct Builder {
    brokers: u16,
    settings: String,
    secure: bool,
    jvm: &'static [&'static str],
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

    /// Other flags of the JVM.
    pub(crate) fn jvm(mut self, flags: &'static [&'static str]) -> Self {
        self.jvm = flags;
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

    fn build(self, jars: PathBuf, turn: Option<Turn>) -> Kafka {
        let home = tempfile::Builder::new()
            .prefix("tidemark-kafka-")
            .tempdir()
            .expect("a folder");
        let offsets: Vec<u16> = (0..4)
            .flat_map(|kind| (0..self.brokers).map(move |i| kind * 1_000 + i))
            .collect();
        let ports = Ports::reserve(&offsets);
        let secure = self.secure.then(|| Secure::write(home.path()));
        let more = secure.as_ref().map_or("", |secure| &secure.settings).to_owned() + kip_848(&jars) + &self.settings;
        for i in 0..self.brokers {
            let folder = home.path().join(i.to_string());
            let properties = properties(i, self.brokers, &ports, &folder, secure.is_some()) + &more;
            fs::create_dir_all(folder.join("data")).expect("a folder");
            fs::write(folder.join("server.properties"), properties).expect("a file");
        }
        let brokers = (0..self.brokers).map(|_| Mutex::default()).collect();
        let sender = OnceLock::new();
        let (jvm, _turn) = (self.jvm, turn);
        Kafka {
            home,
            jars,
            brokers,
            ports,
            jvm,
            secure,
            sender,
            _turn,
        }
    }
}

impl Kafka {
    /// A cluster of the test's own, to be described further.
    pub(crate) fn with() -> Builder {
        Builder {
            brokers: 1,
            settings: String::new(),
            secure: false,
            jvm: JVM,
        }
    }

    /// One broker for every test that breaks nothing; tests keep apart by [`unique`](super::unique) names. `None` on a machine
    /// that cannot run Kafka.
    pub(crate) fn shared() -> Option<&'static Self> {
        static SHARED: OnceLock<Kafka> = OnceLock::new();
        let jars = jars::folder()?;
        Some(SHARED.get_or_init(|| {
            let kafka = Self::with().build(jars, None);
            kafka.start_all();
            kafka
        }))
    }

    /// The plain listeners of all brokers.
    pub(crate) fn bootstrap(&self) -> String {
        self.ids()
            .map(|i| format!("127.0.0.1:{}", self.port(i)))
            .collect::<Vec<_>>()
            .join(",")
    }

    /// The plain listener of a broker.
    pub(crate) fn port(&self, broker: i32) -> u16 {
        self.ports.at(u16::try_from(broker).expect("a broker"))
    }

    /// The SASL_SSL listener of broker 0; only of a secure cluster.
    pub(crate) fn sasl_ssl(&self) -> String {
        format!("127.0.0.1:{}", self.ports.at(2_000))
    }

    /// The TLS listener of broker 0 that wants a client certificate; only of a secure cluster.
    pub(crate) fn mutual_tls(&self) -> String {
        format!("127.0.0.1:{}", self.ports.at(3_000))
    }

    /// Node ids.
    pub(crate) fn ids(&self) -> impl Iterator<Item = i32> + Clone + use<> {
        0..i32::try_from(self.brokers.len()).expect("few brokers")
    }

    /// Starts every broker that does not run and waits until they all know each other.
    pub(crate) fn start_all(&self) {
        let stopped: Vec<i32> = self.ids().filter(|i| !self.runs(*i)).collect();
        let formats: Vec<_> = stopped
            .iter()
            .map(|i| self.format(*i).spawn().expect("java starts"))
            .collect();
        for mut format in formats {
            assert!(
                format.wait().expect("java runs").success(),
                "no format: {}",
                self.last_words()
            );
        }
        stopped.iter().for_each(|i| self.launch(*i));
        stopped.iter().for_each(|i| self.await_broker(*i));
    }

    /// Starts a broker that was killed, on its old data, and waits until it serves.
    pub(crate) fn start_broker(&self, broker: i32) {
        self.launch(broker);
        self.await_broker(broker);
    }

    /// SIGKILL.
    pub(crate) fn kill_broker(&self, broker: i32) {
        *self.broker(broker) = Broker::default();
    }

    /// The broker keeps its connections and answers nothing.
    pub(crate) fn pause(&self, broker: i32) {
        let mut broker = self.broker(broker);
        broker.process.as_mut().expect("the broker runs").signal("STOP");
        broker.paused = true;
    }

    /// The end of a pause.
    pub(crate) fn resume(&self, broker: i32) {
        let mut broker = self.broker(broker);
        broker.process.as_mut().expect("the broker runs").signal("CONT");
        broker.paused = false;
    }

    /// One of Kafka's own tools by its class, for example `org.apache.kafka.tools.consumer.group.ConsumerGroupCommand`; what it
    /// prints.
    pub(crate) fn tool(&self, class: &str, arguments: &[&str]) -> String {
        let run = self.java(&["-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"], class);
        let run = { run }
            .args(["--bootstrap-server", &self.bootstrap()])
            .args(arguments)
            .output()
            .expect("java starts");
        let said = String::from_utf8_lossy(&run.stdout).into_owned();
        assert!(
            run.status.success(),
            "{class}: {said}{}",
            String::from_utf8_lossy(&run.stderr)
        );
        said
    }

    /// Asks one broker.
    pub(crate) fn ask<R: Request>(&self, broker: i32, request: &R, version: i16) -> Option<R::Response> {
        Wire::to(self.port(broker)).ok()?.call(request, version).ok()
    }

    /// Asks the first broker that answers.
    pub(crate) fn ask_any<R: Request>(&self, request: &R, version: i16) -> Option<R::Response> {
        self.serving().find_map(|broker| self.ask(broker, request, version))
    }

    /// Brokers that neither are dead nor paused.
    pub(crate) fn serving(&self) -> impl Iterator<Item = i32> {
        self.ids().filter(|i| self.runs(*i) && !self.broker(*i).paused)
    }

    /// Metadata as one broker has it; of all topics when none is named.
    pub(crate) fn metadata(&self, broker: i32, topics: Option<&[&str]>) -> Option<MetadataResponse> {
        let named = |names: &[&str]| names.iter().map(|name| super::admin::metadata_topic(name)).collect();
        let request = MetadataRequest::default()
            .with_topics(topics.map(named))
            .with_allow_auto_topic_creation(false);
        self.ask(broker, &request, 12)
    }

    fn broker(&self, broker: i32) -> MutexGuard<'_, Broker> {
        let index = usize::try_from(broker).expect("a broker");
        self.brokers[index]
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    fn runs(&self, broker: i32) -> bool {
        self.broker(broker)
            .process
            .as_mut()
            .is_some_and(|p| p.exited().is_none())
    }

    fn folder(&self, broker: i32) -> PathBuf {
        self.home.path().join(broker.to_string())
    }

    fn output(&self, broker: i32) -> Stdio {
        let file = File::options()
            .create(true)
            .append(true)
            .open(self.folder(broker).join("out"));
        file.expect("a file").into()
    }

    fn java(&self, flags: &[&str], class: &str) -> Command {
        let mut command = Command::new("java");
        command.args(self.arguments(flags, class));
        command
    }

    fn arguments(&self, flags: &[&str], class: &str) -> Vec<String> {
        let log = "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn";
        let classes = format!("{}/*", self.jars.display());
        flags
            .iter()
            .copied()
            .chain([log, "-cp", &classes, class])
            .map(str::to_owned)
            .collect()
    }

    fn format(&self, broker: i32) -> Command {
        let mut command = self.java(
            &["-Xmx128m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"],
            "kafka.tools.StorageTool",
        );
        command.args(["format", "--ignore-formatted", "-t", CLUSTER_ID, "-c"]);
        command.arg(self.folder(broker).join("server.properties"));
        command.args(self.secure.iter().flat_map(Secure::scram_users));
        command
            .stdin(Stdio::null())
            .stdout(self.output(broker))
            .stderr(self.output(broker));
        command
    }

    fn launch(&self, broker: i32) {
        let mut command = Process::command("java", self.home.path());
        command
            .args(self.arguments(self.jvm, "kafka.Kafka"))
            .arg(self.folder(broker).join("server.properties"));
        command.stdout(self.output(broker)).stderr(self.output(broker));
        *self.broker(broker) = Broker {
            process: Some(Process::spawn(&mut command)),
            paused: false,
        };
    }

    /// Until the broker and all that run know each other.
    fn await_broker(&self, broker: i32) {
        until("brokers know each other", || {
            assert!(self.runs(broker), "broker {broker} ended: {}", self.last_words());
            let running: Vec<i32> = self.serving().collect();
            let known = |seer| {
                let metadata = self.metadata(seer, Some(&[]));
                metadata.is_some_and(|m| running.iter().all(|i| m.brokers.iter().any(|b| b.node_id.0 == *i)))
            };
            running.iter().all(|seer| known(*seer))
        });
    }

    fn last_words(&self) -> String {
        let said = |i: i32| fs::read_to_string(self.folder(i).join("out")).unwrap_or_default();
        self.ids().map(|i| tail(&said(i), 20)).collect::<Vec<_>>().join("\n")
    }
}

/// The last lines of a log.
pub(super) fn tail(log: &str, lines: usize) -> String {
    let skipped = log.lines().count().saturating_sub(lines);
    log.lines().skip(skipped).collect::<Vec<_>>().join("\n")
}

/// The new rebalance protocol, which Kafka 3 has but does not offer unasked.
fn kip_848(jars: &Path) -> &'static str {
    if jars.to_string_lossy().contains("/kafka-3.") {
        return "group.coordinator.rebalance.protocols=classic,consumer\n";
    }
    ""
}

fn properties(i: u16, brokers: u16, ports: &Ports, folder: &Path, secure: bool) -> String {
    let voters: Vec<_> = (0..brokers)
        .map(|b| format!("{b}@127.0.0.1:{}", ports.at(1_000 + b)))
        .collect();
    let voters = voters.join(",");
    let replicas = brokers.min(3);
    let data = folder.join("data");
    let controller = ports.at(1_000 + i);
    let mut clients = format!("PLAINTEXT://127.0.0.1:{}", ports.at(i));
    if secure {
        let (sasl_ssl, mutual_tls) = (ports.at(2_000 + i), ports.at(3_000 + i));
        let _ = write!(
            clients,
            ",SECURE://127.0.0.1:{sasl_ssl},MUTUAL://127.0.0.1:{mutual_tls}"
        );
    }
    format!(
        "node.id={i}
process.roles=broker,controller
controller.quorum.voters={voters}
controller.listener.names=CONTROLLER
inter.broker.listener.name=PLAINTEXT
listeners={clients},CONTROLLER://127.0.0.1:{controller}
advertised.listeners={clients}
listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT,SECURE:SASL_SSL,MUTUAL:SSL
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
",
        data = data.display()
    )
}

/// Partitions of `__consumer_offsets`: what decides which broker coordinates a group.
pub(super) const OFFSETS_PARTITIONS: i32 = 10;

/// The turn to run a cluster of one's own: brokers are too heavy for two clusters besides the shared one.
struct Turn;

static TAKEN: (Mutex<bool>, Condvar) = (Mutex::new(false), Condvar::new());

impl Turn {
    fn take() -> Self {
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
