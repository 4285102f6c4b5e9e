//! What a cycle costs on large simulated clusters, and how that grows: `cargo bench --bench scale`; `-- 1000` for the size of so many
//! groups alone, `-- parts` for what histories and verdicts cost by themselves.
//!
//! For each size the cluster runs in a process of its own and so does the exporter: its CPU and memory are its own.
#![expect(clippy::disallowed_methods, reason = "a bench lives in real time")]

mod cpu;
mod measure;
mod parts;

use std::io::BufRead as _;
use std::io::BufReader;
use std::process::Child;
use std::process::Command;
use std::process::Stdio;
use std::time::Duration;

use tidemark::clock::Clock;
use tidemark::sim::Cluster;
use tidemark::sim::scale;
use tidemark::sim::scale::Size;

/// Groups × partitions each, over partitions in all.
const SIZES: [Size; 3] = [
    Size {
        groups: 100,
        partitions_per_group: 100,
        partitions: 1_000,
    },
    Size {
        groups: 1_000,
        partitions_per_group: 100,
        partitions: 10_000,
    },
    Size {
        groups: 10_000,
        partitions_per_group: 100,
        partitions: 100_000,
    },
];

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["simulate", groups, each, partitions] => simulate(Size {
            groups: number(groups),
            partitions_per_group: number(each),
            partitions: number(partitions),
        }),
        ["measure", bootstrap] => measure::run(bootstrap),
        ["parts", ..] => parts::run(),
        // `cargo test --all-targets` runs benches too.
        ref other if other.contains(&"--bench") => {
            compare(other);
            parts::run();
        }
        _ => println!("run by `cargo bench --bench scale`"),
    }
}

fn number(text: &str) -> i32 {
    text.parse().expect("a number, as this program wrote it")
}

/// Every size, or those whose number of groups is among the arguments.
fn compare(arguments: &[&str]) {
    println!(
        "machine: {} cores; medians of {} cycles after {} others",
        std::thread::available_parallelism().map_or(0, usize::from),
        measure::CYCLES,
        measure::BEGINNING
    );
    println!("{}", measure::HEADER);
    let is_named = |size: &Size| arguments.contains(&size.groups.to_string().as_str());
    let all = !SIZES.iter().any(is_named);
    for size in SIZES.into_iter().filter(|size| all || is_named(size)) {
        let words = [size.groups, size.partitions_per_group, size.partitions].map(|n| n.to_string());
        let mut cluster = this(&["simulate", &words[0], &words[1], &words[2]])
            .stdin(Stdio::piped())
            .spawn()
            .expect("starts");
        let bootstrap = first_line(&mut cluster);
        let measured = this(&["measure", &bootstrap]).output().expect("ran");
        print!(
            "{} × {} | {}",
            words[0],
            words[1],
            String::from_utf8_lossy(&measured.stdout)
        );
        eprint!("{}", String::from_utf8_lossy(&measured.stderr));
        drop(cluster.stdin.take());
        cluster.wait().expect("ends when nobody holds its input");
    }
}

fn this(arguments: &[&str]) -> Command {
    let mut command = Command::new(std::env::current_exe().expect("a running program has a file"));
    command.args(arguments).stdout(Stdio::piped());
    command
}

fn first_line(child: &mut Child) -> String {
    let mut line = String::new();
    let out = child.stdout.as_mut().expect("piped");
    BufReader::new(out)
        .read_line(&mut line)
        .expect("it says where it listens");
    line.trim().to_owned()
}

/// Runs a cluster until nobody holds the other end of standard input.
fn simulate(size: Size) {
    let runtime = tokio::runtime::Runtime::new().expect("threads");
    let _inside = runtime.enter();
    let clock = Clock::system();
    let cluster = Cluster::start(scale::model(size, clock.now().wall.0, 1), clock).expect("ports");
    cluster.trace_counts_only();
    println!("{}", cluster.bootstrap());
    std::io::copy(&mut std::io::stdin(), &mut std::io::sink()).expect("waits");
    runtime.shutdown_timeout(Duration::ZERO);
}
