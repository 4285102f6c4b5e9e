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

use crate::cpu;
use crate::cpu::Cpu;

/// Cycles that figures are taken of, once the histories reach back as far as the slowest groups are behind.
pub(crate) const CYCLES: usize = 5;
/// Cycles before those: what the histories do not know is read, as much as is allowed in one cycle.
pub(crate) const BEGINNING: usize = 9;
const INTERVAL: Duration = Duration::from_secs(15);

/// What the columns are.
pub(crate) const HEADER: &str = "groups × partitions | pairs read | cycle s | survey s | times s | CPU s | of it librdkafka s | of it packing s | CPU at the beginning s | requests | gzip scrape ms | packed MB | plain MB | peak MB | load";

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
    for _ in 0..BEGINNING + CYCLES {
        let (begun, cpu) = (Instant::now(), Cpu::now());
        poller.poll().await;
        let polled = begun.elapsed();
        let snapshot = snapshots.borrow().clone();
        let thread = cpu::of_this_thread();
        packed = Some(Arc::new(packer.pack(&snapshot)));
        let packing = cpu::of_this_thread() - thread;
        let cpu = Cpu::now().since(cpu);
        rows.push([
            polled.as_secs_f64(),
            snapshot
                .cycle
                .as_ref()
                .map_or(0.0, |c| (c.stages.total - c.stages.times).as_secs_f64()),
            snapshot.cycle.as_ref().map_or(0.0, |c| c.stages.times.as_secs_f64()),
            cpu.all,
            cpu.all - cpu.own,
            packing,
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
    let (first, late) = rows.split_at(BEGINNING);
    let asked = late[CYCLES - 1][6] - late[CYCLES - 2][6];
    println!(
        "{pairs} | {:.2} | {:.2} | {:.2} | {:.2} | {:.2} | {:.2} | {:.2} | {asked} | {:.1} | {:.1} | {:.0} | {:.0} | {}",
        median(late, 0),
        median(late, 1),
        median(late, 2),
        median(late, 3),
        median(late, 4),
        median(late, 5),
        median(first, 3),
        scraped.as_secs_f64() * 1000.0,
        megabytes(copied.len()),
        megabytes(plain),
        cpu::peak(),
        cpu::load(),
    );
}

fn median<const N: usize>(rows: &[[f64; N]], column: usize) -> f64 {
    let mut values: Vec<f64> = rows.iter().map(|row| row[column]).collect();
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
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
