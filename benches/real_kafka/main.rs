//! What a cycle and a scrape cost on a real broker with 2,000 groups × 100 committed partitions over 5,000 partitions:
//! `cargo bench --bench real_kafka`.
//!
//! Everything is measured from outside of the process, beside a bare probe of the same broker in the same run: the same questions,
//! pipelined on one connection, whose answers are read off the socket and thrown away.
#![expect(clippy::disallowed_methods, reason = "a bench lives in real time")]

#[path = "../../tests/it"]
#[expect(dead_code, unused_imports, reason = "the tests use the rest of it")]
mod it {
    pub(crate) mod support;
}
mod load;
mod probe;
mod process;

use std::thread::sleep;
use std::time::Duration;
use std::time::Instant;

use serde_json::json;

use it::support::Kafka;
use it::support::Tidemark;
use load::Load;

/// Cycles, probes and scrapes that a figure is taken of.
const TIMES: usize = 21;

fn main() {
    // `cargo test --all-targets` runs benches too.
    if !std::env::args().any(|argument| argument == "--bench") {
        return println!("run by `cargo bench --bench real_kafka`");
    }
    let Some(kafka) = Kafka::with().start() else { return };
    println!("machine: {}", process::machine());
    println!("kafka:   {}, one broker on this machine", kafka.version());
    let load = Load::put(&kafka);
    println!("load:    {load}");
    let mut probes = probes(&kafka, &load);
    let tidemark = Tidemark::of(&kafka.bootstrap())
        .cluster(
            "partition_families",
            json!(["lag_records", "lag_seconds", "committed_offset"]),
        )
        .start();
    load.check(&tidemark);
    quiet(&tidemark);
    let surveys = surveys(&tidemark);
    scrapes(&tidemark);
    println!("memory:  {:.1} MB at its peak", process::peak_megabytes(tidemark.pid()));
    drop(tidemark);
    // Before and after, so that a broker that grew warm in between is not mistaken for a slow survey.
    probes.extend(self::probes(&kafka, &load));
    let (survey, probe) = (Figures::of(surveys), Figures::of(probes));
    println!(
        "survey:  {survey}; bare probe {probe}: {:.2} times the probe",
        survey.median / probe.median
    );
}

/// Seconds that bare probes took, after some that warm the broker up.
fn probes(kafka: &Kafka, load: &Load) -> Vec<f64> {
    let taken: Vec<f64> = (0..TIMES + 5)
        .map(|_| seconds(|| probe::run(kafka.port(0), load)))
        .collect();
    taken[5..].to_vec()
}

/// Requests and own CPU of a cycle while nobody scrapes.
fn quiet(tidemark: &Tidemark) {
    let read = || (tidemark.own_figures(), process::cpu_seconds(tidemark.pid()));
    let requests = |figures: &it::support::Scrape| figures.total("tidemark_kafka_requests_total", &[]);
    let (before, cpu_before) = read();
    sleep(Duration::from_secs(30));
    let cpu = process::cpu_seconds(tidemark.pid()) - cpu_before;
    let after = tidemark.own_figures();
    let done = |figures: &it::support::Scrape| figures.total("tidemark_cycles_total", &[("result", "ok")]);
    let cycles = done(&after) - done(&before);
    println!(
        "cycle:   {:.1} requests, {:.3} s of own CPU with evaluating, rendering and packing (mean of {cycles} cycles)",
        (requests(&after) - requests(&before)) / cycles,
        cpu / cycles
    );
}

/// Seconds from the first question of a cycle to its last answer, cycle by cycle.
fn surveys(tidemark: &Tidemark) -> Vec<f64> {
    let (mut surveys, mut totals) = (Vec::new(), Vec::new());
    while surveys.len() < TIMES {
        let before = tidemark.cycles();
        it::support::until("another cycle", || tidemark.cycles() > before);
        let figures = tidemark.own_figures();
        let stage = |name| {
            figures
                .value("tidemark_cycle_duration_seconds", &[("stage", name)])
                .unwrap_or_default()
        };
        surveys.push(
            ["metadata", "groups", "members", "commits", "ends"]
                .map(stage)
                .iter()
                .sum(),
        );
        totals.push(stage("total"));
    }
    println!("cycle:   {} from its beginning to its end", Figures::of(totals));
    surveys
}

/// Time, size and own CPU of a scrape.
fn scrapes(tidemark: &Tidemark) {
    for (form, headers) in [("plain", &[][..]), ("gzip", &["Accept-Encoding: gzip"][..])] {
        let (mut sizes, cpu) = (0, process::cpu_seconds(tidemark.pid()));
        let mut scrape = || sizes = tidemark.get("/metrics", headers).expect("an answer").body.len();
        let taken = (0..TIMES).map(|_| seconds(&mut scrape)).collect();
        let cpu = (process::cpu_seconds(tidemark.pid()) - cpu) / f64::from(u32::try_from(TIMES).expect("few"));
        println!(
            "scrape:  {form}: {}, {cpu:.3} s of own CPU with a cycle now and then, {sizes} bytes",
            Figures::of(taken)
        );
    }
}

fn seconds(work: impl FnOnce()) -> f64 {
    let began = Instant::now();
    work();
    began.elapsed().as_secs_f64()
}

/// Seconds, in order.
struct Figures {
    low: f64,
    median: f64,
    high: f64,
}

impl Figures {
    fn of(mut taken: Vec<f64>) -> Self {
        taken.sort_by(f64::total_cmp);
        Self {
            low: taken[0],
            median: taken[taken.len() / 2],
            high: taken[taken.len() - 1],
        }
    }
}

impl std::fmt::Display for Figures {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:.3} s ({:.3} to {:.3})", self.median, self.low, self.high)
    }
}
