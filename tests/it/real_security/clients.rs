//! Both clients of one cluster as a configuration file describes it.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use serde_json::json;
use tempfile::TempDir;
use tidemark::config;
use tidemark::config::Cluster;
use tidemark::failure::Cause;
use tidemark::failure::Heard;
use tidemark::kafka::RecordTimes as _;
use tidemark::kafka::Survey as _;
use tidemark::kafka::records;
use tidemark::kafka::wire;
use tidemark::model::Offset;
use tidemark::model::Partition;
use tidemark::model::RecordAt;
use tidemark::model::TopicName;
use tokio::runtime::Runtime;
use tokio::time::Instant;

use crate::support::wait::eventually;

/// Time enough for a busy machine.
const PLENTY: Duration = Duration::from_secs(30);

/// The two clients.
pub(super) struct Both {
    runtime: Runtime,
    pub(super) wire: wire::Client,
    pub(super) records: records::Reader,
    _folder: TempDir,
}

impl Both {
    /// Of the cluster with these keys.
    pub(super) fn of(bootstrap: &str, keys: &Value) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let cluster = Arc::new(cluster(bootstrap, keys, &folder));
        let runtime = Runtime::new().expect("a runtime");
        let entered = runtime.enter();
        let records = records::Reader::new(Arc::clone(&cluster));
        drop(entered);
        Self {
            wire: wire::Client::new(cluster),
            records,
            runtime,
            _folder: folder,
        }
    }

    /// Both see the cluster and the record of the topic.
    pub(super) fn come_in(&mut self, topic: &str) {
        assert_eq!(self.survey(), Ok(1));
        let heard = self.read(topic, PLENTY);
        assert!(matches!(heard, Ok(RecordAt::Found(..))), "{heard:?}");
    }

    /// Both come in sooner or later: what they wait for is on its way.
    pub(super) fn come_in_soon(&mut self, topic: &str) {
        eventually("both come in", PLENTY, || {
            let heard = (self.survey(), self.read(topic, Duration::from_secs(3)));
            matches!(heard, (Ok(1), Ok(RecordAt::Found(..)))).then_some(())
        });
    }

    /// Neither comes in, for this cause; what the first one says about it.
    pub(super) fn stay_out(&mut self, topic: &str, cause: Cause) -> String {
        // A machine that does other things besides takes its time to be refused.
        eventually("librdkafka says why", PLENTY * 2, || {
            let heard = self.read(topic, Duration::from_secs(5));
            assert!(heard.is_err(), "{heard:?}");
            (heard == Err(cause)).then_some(())
        });
        let told = self.survey().expect_err("nobody comes in");
        let failed = format!("Metadata: {cause}");
        assert!(told.starts_with(&failed), "{told}");
        told
    }

    /// Neither comes in; what the first one says about it.
    pub(super) fn fail(&mut self, topic: &str) -> String {
        let heard = self.read(topic, Duration::from_secs(5));
        assert!(heard.is_err(), "{heard:?}");
        self.survey().expect_err("nobody comes in")
    }

    /// How many brokers the survey sees.
    pub(super) fn survey(&mut self) -> Result<usize, String> {
        let Self { runtime, wire, .. } = self;
        let brokers = runtime.block_on(async { wire.brokers(Instant::now() + PLENTY).await });
        brokers.map(|all| all.len()).map_err(|failure| failure.to_string())
    }

    /// The first record of the topic, as librdkafka finds it.
    pub(super) fn read(&mut self, topic: &str, within: Duration) -> Heard<RecordAt> {
        let wanted = [(TopicName::from(topic), Partition(0), Offset::ZERO)];
        let Self { runtime, records, .. } = self;
        let heard = runtime.block_on(async { records.read(&wanted, Instant::now() + within).await });
        heard[0]
    }
}

fn cluster(bootstrap: &str, keys: &Value, folder: &TempDir) -> Cluster {
    let mut section = json!({"name": "main", "bootstrap_servers": bootstrap, "request_timeout": "5s"});
    let more: BTreeMap<String, Value> = serde_json::from_value(keys.clone()).expect("a section");
    more.into_iter().for_each(|(key, value)| section[key] = value);
    let file = folder.path().join("tidemark.json");
    std::fs::write(&file, json!({"clusters": [section]}).to_string()).expect("a file");
    let loaded = config::load(&config::Source::File(file), &[], []).expect("a good configuration");
    (*loaded.config.clusters[0]).clone()
}
