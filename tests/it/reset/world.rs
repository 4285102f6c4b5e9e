//! A simulated cluster with a group to be reset, and the binary beside it.

use std::env;
use std::fs;
use std::path::Path;
use std::path::PathBuf;
use std::process::Command;

use serde_json::Value;
use tempfile::TempDir;
use tidemark::clock::Clock;
use tidemark::model::GroupType;
use tidemark::sim::Cluster;
use tidemark::sim::Commit;
use tidemark::sim::Model;
use tidemark::sim::model::group_id;
use tidemark::sim::model::topic_name;

pub(super) const GROUP: &str = "orders";
pub(super) const TOPIC: &str = "payments";
/// Where the group is on the topic's three partitions.
pub(super) const BEFORE: [i64; 3] = [100, 110, 120];
/// Where it is on a topic that no test asks for.
pub(super) const APART: i64 = 7;

const HOUR: i64 = 3_600_000;

/// A cluster of two brokers; `payments` has 200 records a partition over the last four hours.
pub(super) fn cluster() -> Cluster {
    cluster_by(&Clock::system())
}

/// The same by that clock.
pub(super) fn cluster_by(clock: &Clock) -> Cluster {
    let now = clock.now().wall.0;
    let mut model = Model::new(2, 7);
    model.set_now(now);
    model.create_topic(TOPIC, 3);
    model.create_topic("apart", 1);
    let times: Vec<_> = (0..200)
        .map(|record| now - 4 * HOUR + record * 4 * HOUR / 200)
        .collect();
    for partition in 0..3 {
        model.append_at(TOPIC, partition, &times).expect("the topic was made");
    }
    model.append("apart", 0, 10).expect("the topic was made");
    model.create_group(GROUP, GroupType::Classic);
    for (partition, offset) in (0..).zip(BEFORE) {
        let commit = Commit {
            metadata: format!("note {partition}"),
            ..Commit::at(offset)
        };
        model.commit_with(GROUP, TOPIC, partition, commit);
    }
    model.commit(GROUP, "apart", 0, APART);
    Cluster::start(model, clock.clone()).expect("loopback has ports")
}

/// The group's commits on the topic, as the cluster has them.
pub(super) fn committed(cluster: &Cluster) -> [Option<i64>; 3] {
    [0, 1, 2].map(|partition| commit(cluster, TOPIC, partition))
}

/// Holds that the commit that no test asks to move is where it was.
pub(super) fn nothing_else_moved(cluster: &Cluster) {
    assert_eq!(commit(cluster, "apart", 0), Some(APART), "outside the plan");
}

fn commit(cluster: &Cluster, topic: &str, partition: i32) -> Option<i64> {
    cluster.edit(|model| {
        let (id, name) = (group_id(GROUP), topic_name(topic));
        let group = model.group(&id)?;
        let slot = group
            .commits
            .topic(&name)
            .iter()
            .find(|slot| slot.partition == partition)?;
        Some(model.committed(&id, &name, slot).0).filter(|offset| *offset >= 0)
    })
}

pub(super) fn as_before() -> [Option<i64>; 3] {
    BEFORE.map(Some)
}

/// A folder with a configuration, and the binary on a PATH of its own.
pub(super) struct Desk {
    pub(super) folder: TempDir,
}

impl Desk {
    pub(super) fn new(cluster: &Cluster) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let desk = Self { folder };
        fs::create_dir(desk.path("bin")).expect("a folder");
        std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_tidemark"), desk.path("bin/tidemark")).expect("a link");
        fs::write(desk.path("admin.token"), "correct horse battery staple\n").expect("a file");
        let config = serde_json::json!({
            "listen": "127.0.0.1:0",
            "poll_interval": "1s",
            "clusters": [{"name": "main", "bootstrap_servers": cluster.bootstrap(), "request_timeout": "5s"}],
            "admin": {
                "listen": "127.0.0.1:0",
                "token_file": desk.path("admin.token"),
                "allow": [{"cluster": "main", "groups": ["orders"]}],
                "audit_log": desk.path("audit.jsonl"),
            },
        });
        fs::write(desk.path("tidemark.yaml"), config.to_string()).expect("a file");
        desk
    }

    pub(super) fn path(&self, name: impl AsRef<Path>) -> PathBuf {
        self.folder.path().join(name)
    }

    /// A command that runs here and finds the binary first.
    pub(super) fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        let path = env::var_os("PATH").unwrap_or_default();
        let paths = std::iter::once(self.path("bin")).chain(env::split_paths(&path));
        command
            .current_dir(self.folder.path())
            .env("PATH", env::join_paths(paths).expect("a PATH"));
        command
    }

    pub(super) fn audited(&self) -> Vec<Value> {
        let text = fs::read_to_string(self.path("audit.jsonl")).unwrap_or_default();
        text.lines()
            .map(|line| serde_json::from_str(line).expect("every line is JSON"))
            .collect()
    }
}
