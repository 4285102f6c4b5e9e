//! The exporter in this process: poller, evaluation, packing and text, one cycle a call.

use std::sync::Arc;
use std::time::Duration;

use tidemark::clock::Clock;
use tidemark::collect::Poller;
use tidemark::config::Config;
use tidemark::config::Flag;
use tidemark::config::Source;
use tidemark::config::load;
use tidemark::kafka::records;
use tidemark::kafka::wire;
use tidemark::metrics::Exposition;
use tidemark::metrics::Packer;
use tidemark::model::UnixMillis;
use tidemark::sim::Cluster;
use tidemark::sim::model::Model;
use tidemark::snapshot::Snapshot;
use tokio::sync::watch;

use crate::support::Scrape;

/// 2026-01-01, so that no test depends on the day it runs.
pub(super) const BEGIN: UnixMillis = UnixMillis(1_767_225_600_000);
/// Between two cycles, on the stepped clock.
pub(super) const INTERVAL: Duration = Duration::from_secs(15);
/// How long a request waits in real time: long enough for a busy machine, short enough for a test.
const PATIENCE: &str = "700ms";

/// How many cycles, a tenth of a second apart, are waited for what must come.
const PATIENT_CYCLES: usize = 100;

/// A simulated cluster and an exporter on it.
pub(super) struct World {
    pub(super) cluster: Cluster,
    pub(super) clock: Clock,
}

/// One exporter.
pub(super) struct Exporter {
    clock: Clock,
    poller: Poller<wire::Client, records::Reader>,
    snapshots: watch::Receiver<Arc<Snapshot>>,
    packer: Packer,
    exposition: Exposition,
}

impl World {
    /// A cluster of that many brokers, as `build` leaves it.
    pub(super) fn new(brokers: u16, build: impl FnOnce(&mut Model)) -> Self {
        let clock = Clock::stepped(BEGIN);
        let mut model = Model::new(brokers, 7);
        model.set_now(BEGIN.0);
        build(&mut model);
        let cluster = Cluster::start(model, clock.clone()).expect("ports");
        Self { cluster, clock }
    }

    /// An exporter with the default settings; records are not read for their time.
    pub(super) fn exporter(&self) -> Exporter {
        self.exporter_with(&[("clusters.0.record_time.read", "false")])
    }

    /// An exporter with settings by key path.
    pub(super) fn exporter_with(&self, settings: &[(&'static str, &str)]) -> Exporter {
        Exporter::new(&self.cluster.bootstrap(), self.clock.clone(), settings)
    }
}

impl Exporter {
    /// An exporter on these addresses.
    pub(super) fn new(bootstrap: &str, clock: Clock, settings: &[(&'static str, &str)]) -> Self {
        let config = config(bootstrap, settings);
        let cluster = config.clusters[0].clone();
        let clients = (
            wire::Client::new(cluster.clone()),
            records::Reader::new(cluster.clone()),
        );
        let (poller, snapshots) = Poller::new(&config, cluster.clone(), clients, clock.clone());
        let label: Arc<str> = config.cluster_label.as_str().into();
        let packer = Packer::new(cluster, label.clone(), config.objectives.clone().into());
        Self {
            clock,
            poller,
            snapshots,
            packer,
            exposition: Exposition::new(label, None),
        }
    }

    /// The next cycle, an interval later, and what a scrape says after it.
    pub(super) async fn cycle(&mut self) -> Scrape {
        self.cycle_after(INTERVAL).await;
        self.scrape()
    }

    /// The next cycle, so much later.
    pub(super) async fn cycle_after(&mut self, interval: Duration) {
        self.clock.step(interval);
        self.poller.poll().await;
    }

    /// So many cycles; the last one's scrape.
    pub(super) async fn cycles(&mut self, count: usize) -> Scrape {
        for _ in 1..count {
            self.cycle().await;
        }
        self.cycle().await
    }

    /// Cycles until one is as wanted: a connection that failed is made anew after a moment of real time, which no clock here can step.
    pub(super) async fn until(&mut self, wanted: impl Fn(&Scrape) -> bool) -> Scrape {
        for _ in 0..PATIENT_CYCLES {
            let seen = self.cycle().await;
            if wanted(&seen) {
                return seen;
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        panic!("never as wanted: {}", self.scrape().text);
    }

    /// What a scrape says now, read by a strict reader.
    pub(super) fn scrape(&mut self) -> Scrape {
        let packed = Arc::new(self.packer.pack(&self.snapshot()));
        let text = self.exposition.text(&[packed], self.clock.now());
        let bytes: Vec<u8> = text.plain().flatten().collect();
        Scrape::read(String::from_utf8(bytes).expect("text"))
    }

    /// The last snapshot.
    pub(super) fn snapshot(&self) -> Arc<Snapshot> {
        self.snapshots.borrow().clone()
    }
}

fn config(bootstrap: &str, settings: &[(&'static str, &str)]) -> Config {
    let flag = |key, value: &str| Flag {
        name: "test",
        key,
        value: value.to_owned(),
    };
    let mut flags = vec![flag("clusters.0.request_timeout", PATIENCE)];
    flags.extend(settings.iter().map(|(key, value)| flag(key, value)));
    load(&Source::Brokers(bootstrap.to_owned()), &flags, [])
        .expect("a configuration")
        .config
}
