//! A simulated cluster in a process of its own, for trying clients and for benches that measure tidemark's own CPU:
//! `simulated_cluster demo [SCENARIO]` or `simulated_cluster scale GROUPS PARTITIONS_PER_GROUP PARTITIONS`. Prints its addresses on the first
//! line, ends when its standard input does.

use std::env;
use std::error::Error;
use std::io;

use tidemark::clock::Clock;
use tidemark::sim::Cluster;
use tidemark::sim::scale;
use tidemark::sim::story;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let clock = Clock::system();
    let cluster = match arguments.as_slice() {
        ["demo"] => story::start(None, clock, 1)?,
        ["demo", scenario] => story::start(Some(scenario), clock, 1)?,
        ["scale", groups, each, partitions] => {
            let size = scale::Size {
                groups: groups.parse()?,
                partitions_per_group: each.parse()?,
                partitions: partitions.parse()?,
            };
            let cluster = Cluster::start(scale::model(size, clock.now().wall.0, 1), clock)?;
            cluster.trace_counts_only();
            cluster
        }
        _ => return Err("demo [SCENARIO] | scale GROUPS PARTITIONS_PER_GROUP PARTITIONS".into()),
    };
    println!("{}", cluster.bootstrap());
    // Whoever started this holds the other end.
    tokio::task::spawn_blocking(|| io::copy(&mut io::stdin(), &mut io::sink())).await??;
    Ok(())
}
