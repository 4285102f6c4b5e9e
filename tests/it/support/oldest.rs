//! The oldest Kafka whose jars run on today's Java: one broker with the ZooKeeper that it needs. For one test of its own, as nearly all that
//! `kafka` does came later.

use std::fs;
use std::fs::File;
use std::net::TcpStream;
use std::path::Path;

use tempfile::TempDir;

use super::cluster::Turn;
use super::jars;
use super::ports::Ports;
use super::process::Process;
use super::wait::until;

/// Scala 2.13, which the jars are fetched for, begins here; Java 17 runs it though nobody promised that.
const VERSION: &str = "2.4.1";

/// Ends when dropped.
pub(crate) struct Oldest {
    // In the order in which they end.
    _broker: Process,
    _zookeeper: Process,
    _home: TempDir,
    ports: Ports,
    _turn: Turn,
}

impl Oldest {
    /// Starts both. `None` on a machine that cannot run Kafka.
    pub(crate) fn start() -> Option<Self> {
        let jars = jars::folder_of(VERSION)?;
        let turn = Turn::take();
        let home = tempfile::tempdir().expect("a folder");
        let ports = Ports::reserve(&[0, 1]);
        let (broker, zookeeper) = (ports.at(0), ports.at(1));
        let data = home.path().display();
        let settings = format!(
            "dataDir={data}/zookeeper\nclientPort={zookeeper}\nclientPortAddress=127.0.0.1\nadmin.enableServer=false\n"
        );
        let zookeeper_process = launch(
            &jars,
            home.path(),
            "org.apache.zookeeper.server.quorum.QuorumPeerMain",
            ("zookeeper", &settings),
        );
        listens(zookeeper);
        let settings = format!(
            "broker.id=0
zookeeper.connect=127.0.0.1:{zookeeper}
zookeeper.connection.timeout.ms=60000
listeners=PLAINTEXT://127.0.0.1:{broker}
log.dirs={data}/data
offsets.topic.replication.factor=1
offsets.topic.num.partitions=4
group.initial.rebalance.delay.ms=0
"
        );
        let broker_process = launch(&jars, home.path(), "kafka.Kafka", ("broker", &settings));
        listens(broker);
        Some(Self {
            _broker: broker_process,
            _zookeeper: zookeeper_process,
            _home: home,
            ports,
            _turn: turn,
        })
    }

    /// Its one listener.
    pub(crate) fn bootstrap(&self) -> String {
        format!("127.0.0.1:{}", self.ports.at(0))
    }
}

fn launch(jars: &Path, home: &Path, class: &str, (name, settings): (&str, &str)) -> Process {
    let file = home.join(format!("{name}.properties"));
    fs::write(&file, settings).expect("a file");
    let out = File::create(home.join(name.to_owned() + ".out")).expect("a file");
    let mut command = Process::command("java", home);
    command
        .args(["-Xmx384m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-cp"])
        .arg(format!("{}/*", jars.display()))
        .arg(class)
        .arg(file)
        .stdout(out.try_clone().expect("a file"))
        .stderr(out);
    Process::spawn(&mut command)
}

fn listens(port: u16) {
    until("it listens", || TcpStream::connect(("127.0.0.1", port)).is_ok());
}
