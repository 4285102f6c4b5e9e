//! Real Apache Kafka brokers, each a JVM with a data folder and ports of its own. What can be done with them is in `admin` (topics and
//! records), `groups` (commits and their groups) and `clients` (producers and consumers).

use std::fs;
use std::fs::File;
use std::path::Path;
use std::path::PathBuf;
use std::process::Command;
use std::process::Stdio;
use std::sync::Mutex;
use std::sync::MutexGuard;
use std::sync::OnceLock;

use kafka_protocol::messages::MetadataRequest;
use kafka_protocol::messages::MetadataResponse;
use kafka_protocol::protocol::Request;
use tempfile::TempDir;

use super::clients::Sender;
use super::cluster::Builder;
use super::cluster::Turn;
use super::jars;
use super::ports::Ports;
use super::process::Process;
use super::secure::Secure;
use super::wait::until;
use super::wire::Wire;

/// Base64 of sixteen bytes, as Kafka wants a cluster's id.
const CLUSTER_ID: &str = "dGlkZW1hcmstdGVzdHMwMA";
/// The flags of a JVM that does one thing and ends.
const SMALL: &[&str] = &["-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"];

/// A cluster of brokers that are controllers too. Broker `i` has node id `i`. Ends when dropped, and with the test process.
pub(crate) struct Kafka {
    // In the order in which they end: clients, brokers, what the brokers used.
    pub(super) sender: OnceLock<Sender>,
    brokers: Vec<Mutex<Broker>>,
    ground: Ground,
    _turn: Option<Turn>,
}

/// What brokers stand on.
pub(super) struct Ground {
    /// With a folder for each broker, in it `server.properties` and `data`.
    pub(super) home: TempDir,
    pub(super) jars: PathBuf,
    pub(super) ports: Ports,
    /// Flags of the JVM.
    pub(super) jvm: &'static [&'static str],
    pub(super) secure: Option<Secure>,
}

#[derive(Default)]
struct Broker {
    process: Option<Process>,
    paused: bool,
}

impl Kafka {
    /// Brokers none of which runs.
    pub(super) fn new(ground: Ground, brokers: u16, turn: Option<Turn>) -> Self {
        let brokers = (0..brokers).map(|_| Mutex::default()).collect();
        Self {
            sender: OnceLock::new(),
            brokers,
            ground,
            _turn: turn,
        }
    }

    /// A cluster of the test's own, to be described further.
    pub(crate) fn with() -> Builder {
        Builder::default()
    }

    /// One broker for every test that breaks nothing; tests keep apart by [`unique`](super::unique) names. `None` on a machine
    /// that cannot run Kafka.
    pub(crate) fn shared() -> Option<&'static Self> {
        static SHARED: OnceLock<Kafka> = OnceLock::new();
        let jars = jars::folder()?;
        Some(SHARED.get_or_init(|| {
            let kafka = Self::with().secure().build(jars, None);
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
        self.ground.ports.at(u16::try_from(broker).expect("a broker"))
    }

    /// The SASL_SSL listener of broker 0; only of a secure cluster.
    pub(crate) fn sasl_ssl(&self) -> String {
        format!("127.0.0.1:{}", self.ground.ports.at(2_000))
    }

    /// The TLS listener of broker 0 that wants a client certificate; only of a secure cluster.
    pub(crate) fn mutual_tls(&self) -> String {
        format!("127.0.0.1:{}", self.ground.ports.at(3_000))
    }

    /// The TLS listener of broker 0 whose certificate has expired; only of a secure cluster.
    pub(crate) fn expired(&self) -> String {
        format!("127.0.0.1:{}", self.ground.ports.at(4_000))
    }

    /// The TLS listener of broker 0 whose certificate is for another host; only of a secure cluster.
    pub(crate) fn misnamed(&self) -> String {
        format!("127.0.0.1:{}", self.ground.ports.at(5_000))
    }

    /// Certificates of a secure cluster.
    pub(crate) fn secure(&self) -> &Secure {
        self.ground.secure.as_ref().expect("a secure cluster")
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

    /// Which Kafka this is.
    pub(crate) fn version(&self) -> String {
        let folder = self.ground.jars.file_name().expect("a folder").to_string_lossy();
        folder.trim_start_matches("kafka-").to_owned()
    }

    /// Whether this Kafka is of this version or a later one.
    pub(crate) fn is_at_least(&self, major: u32, minor: u32) -> bool {
        let version = self.version();
        let mut parts = version.split('.').map_while(|part| part.parse::<u32>().ok());
        (parts.next(), parts.next()) >= (Some(major), Some(minor))
    }

    /// The jars of Kafka Streams of the same version.
    pub(crate) fn streams_jars(&self) -> Option<PathBuf> {
        jars::streams()
    }

    /// One of Kafka's own tools that goes on until it is dropped.
    pub(crate) fn tool_in_the_background(&self, class: &str, arguments: &[&str]) -> Process {
        let bootstrap = self.bootstrap();
        let arguments: Vec<&str> = ["--bootstrap-server", &bootstrap]
            .into_iter()
            .chain(arguments.iter().copied())
            .collect();
        self.java_in_the_background(&self.ground.jars.clone(), class, &arguments)
    }

    /// A class of a folder of jars that goes on until it is dropped.
    pub(crate) fn java_in_the_background(&self, jars: &Path, class: &str, arguments: &[&str]) -> Process {
        let folder = tempfile::tempdir_in(self.ground.home.path()).expect("a folder").keep();
        let classes = format!("{}/*", jars.display());
        let mut command = Process::command("java", &folder);
        command.args(SMALL).args(["-cp", &classes, class]).args(arguments);
        command.stdout(Stdio::null()).stderr(Stdio::null());
        Process::spawn(&mut command)
    }

    /// One of Kafka's own tools, for example `ConsumerGroupCommand`, or any by its class; what it prints.
    pub(crate) fn tool(&self, name: &str, arguments: &[&str]) -> String {
        let class = if name.contains('.') {
            name.to_owned()
        } else {
            self.class(name)
        };
        let run = self.java(SMALL, &class);
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

    /// Where the tool is in this version: they moved one after the other.
    fn class(&self, name: &str) -> String {
        let version = self.version();
        let mut parts = version.split('.').map(|part| part.parse::<u32>().expect("a number"));
        let version = (
            parts.next().expect("a major version"),
            parts.next().expect("a minor one"),
        );
        let (since, package) = match name {
            "ConsumerGroupCommand" => ((3, 8), "org.apache.kafka.tools.consumer.group"),
            "AclCommand" => ((4, 0), "org.apache.kafka.tools"),
            "ConfigCommand" => ((4, 4), "org.apache.kafka.tools"),
            other => panic!("where is {other}?"),
        };
        let package = if version >= since { package } else { "kafka.admin" };
        format!("{package}.{name}")
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
        self.ground.home.path().join(broker.to_string())
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
        let classes = format!("{}/*", self.ground.jars.display());
        flags
            .iter()
            .copied()
            .chain([log, "-cp", &classes, class])
            .map(str::to_owned)
            .collect()
    }

    fn format(&self, broker: i32) -> Command {
        let mut command = self.java(SMALL, "kafka.tools.StorageTool");
        command.args(["format", "--ignore-formatted", "-t", CLUSTER_ID, "-c"]);
        command.arg(self.folder(broker).join("server.properties"));
        command.args(self.ground.secure.iter().flat_map(Secure::scram_users));
        command
            .stdin(Stdio::null())
            .stdout(self.output(broker))
            .stderr(self.output(broker));
        command
    }

    fn launch(&self, broker: i32) {
        let mut command = Process::command("java", self.ground.home.path());
        command
            .args(self.arguments(self.ground.jvm, "kafka.Kafka"))
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
        let said: Vec<String> = self.ids().map(|i| tail(&said(i), 20)).collect();
        format!("Kafka {} said last: {}", self.version(), said.join("\n"))
    }
}

/// The last lines of a log.
pub(super) fn tail(log: &str, lines: usize) -> String {
    let skipped = log.lines().count().saturating_sub(lines);
    log.lines().skip(skipped).collect::<Vec<_>>().join("\n")
}
