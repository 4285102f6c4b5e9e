//! The exporter's own side: cycles in this process, its CPU time from the kernel's count.

use std::sync::Arc;
use std::time::Duration;
use std::time::Instant;

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

/// Cycles that a figure is taken of, after as many that warm up: record times are read, histories begun.
pub(crate) const CYCLES: usize = 5;
const INTERVAL: Duration = Duration::from_secs(15);

/// What the columns are.
pub(crate) const HEADER: &str = "groups × partitions | pairs read | first cycle s | cycle s | survey s | times s | own CPU s | pack CPU s | requests | gzip scrape ms | packed MB | plain MB | peak MB";

/// Polls the cluster and prints one row.
pub(crate) fn run(bootstrap: &str) {
    let runtime = tokio::runtime::Runtime::new().expect("threads");
    runtime.block_on(measure(bootstrap));
    runtime.shutdown_background();
}

async fn measure(bootstrap: &str) {
    let config = config(bootstrap);
    let cluster = config.clusters[0].clone();
    let clock = Clock::system();
    let clients = (
        wire::Client::new(cluster.clone()),
        records::Reader::new(cluster.clone()),
    );
    let (mut poller, snapshots) = Poller::new(&config, cluster.clone(), clients, clock.clone());
    let label: Arc<str> = config.cluster_label.as_str().into();
    let mut packer = Packer::new(cluster, label.clone(), Vec::new().into());
    let exposition = Exposition::new(label, None);
    let mut rows = Vec::new();
    let mut packed = None;
    for _ in 0..2 * CYCLES {
        let (begun, cpu) = (Instant::now(), cpu());
        poller.poll().await;
        let (polled, polled_cpu) = (begun.elapsed(), self::cpu());
        let snapshot = snapshots.borrow().clone();
        packed = Some(Arc::new(packer.pack(&snapshot)));
        let packed_cpu = self::cpu();
        rows.push([
            polled.as_secs_f64(),
            snapshot
                .cycle
                .as_ref()
                .map_or(0.0, |c| (c.stages.total - c.stages.times).as_secs_f64()),
            snapshot.cycle.as_ref().map_or(0.0, |c| c.stages.times.as_secs_f64()),
            packed_cpu - cpu,
            packed_cpu - polled_cpu,
            requests(&snapshot),
        ]);
        drop(snapshot);
        clock
            .sleep_until(clock.now().mono + INTERVAL.saturating_sub(begun.elapsed()))
            .await;
    }
    let packed = packed.expect("packed");
    let snapshot = snapshots.borrow().clone();
    let pairs: usize = snapshot
        .groups
        .iter()
        .flat_map(|g| &g.topics)
        .flat_map(|t| &t.partitions)
        .filter(|p| p.lag().is_some())
        .count();
    let scrape = Instant::now();
    let copied: Vec<u8> = exposition
        .text(std::slice::from_ref(&packed), clock.now())
        .gzip()
        .concat();
    let scraped = scrape.elapsed();
    let plain: usize = exposition
        .text(&[packed], clock.now())
        .plain()
        .map(|piece| piece.len())
        .sum();
    let late = &rows[CYCLES..];
    let median = |column: usize| {
        let mut values: Vec<f64> = late.iter().map(|row| row[column]).collect();
        values.sort_by(f64::total_cmp);
        values[values.len() / 2]
    };
    let asked = rows[rows.len() - 1][5] - rows[rows.len() - 2][5];
    println!(
        "{pairs} | {:.2} | {:.2} | {:.2} | {:.2} | {:.2} | {:.2} | {asked} | {:.1} | {:.1} | {:.0} | {:.0}",
        rows[0][0],
        median(0),
        median(1),
        median(2),
        median(3),
        median(4),
        scraped.as_secs_f64() * 1000.0,
        megabytes(copied.len()),
        megabytes(plain),
        peak(),
    );
}

fn config(bootstrap: &str) -> Config {
    let flag = |key, value: &str| Flag {
        name: "bench",
        key,
        value: value.to_owned(),
    };
    // The limit is there to protect Prometheus; here every series is wanted.
    let flags = [
        flag("clusters.0.series_limit", "10000000"),
        flag("poll_interval", "15s"),
    ];
    load(&Source::Brokers(bootstrap.to_owned()), &flags, [])
        .expect("a configuration")
        .config
}

#[expect(clippy::cast_precision_loss, reason = "a count of requests")]
fn requests(snapshot: &tidemark::snapshot::Snapshot) -> f64 {
    snapshot.totals.requests.values().sum::<u64>() as f64
}

#[expect(clippy::cast_precision_loss, reason = "a size for a person")]
fn megabytes(bytes: usize) -> f64 {
    bytes as f64 / 1e6
}

/// CPU time of this process in seconds, all threads; counted by the kernel in hundredths.
fn cpu() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").expect("Linux");
    let after_name = stat.rsplit_once(") ").expect("a name in brackets").1;
    let ticks = after_name.split(' ').skip(11).take(2);
    ticks.map(|ticks| ticks.parse::<f64>().expect("a number")).sum::<f64>() / 100.0
}

/// The most that was ever resident, in megabytes.
fn peak() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").expect("Linux");
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))
        .expect("told");
    line.trim().trim_end_matches(" kB").parse::<f64>().expect("a number") / 1000.0
}
